// Plans changes to one list.
import { randomUUID } from 'node:crypto'
import { type ChangePlan, type Item, type ListChanges, type ListEntry, PlayheadError } from '@playhead/sdk'
import { arrangeEntries, checkConfirmed, checkListOp, type ListSupport, writeRefusal } from '@playhead/sdk/provider'
import type { SyncSettings } from '../contract.ts'
import type { EngineParts } from '../feature-run.ts'
import { judgePlan, vetoedIn } from '../plan/ask-plugins.ts'
import { removalLimit } from '../plan/guard.ts'
import { ownAct } from '../plan/whose-act.ts'
import {
  insertPlan,
  insertPlanItems,
  type NewPlanItem,
  NO_PAIR,
  type PlanHeader,
  type PlannedList,
} from '../store/plans.ts'
import { listRun, withTaps } from './list-run.ts'
import { type PlacedEntry, writeOrders } from './orders.ts'
import { entriesOf, getRead, type StoredRead } from './store.ts'

/** Stores the plan without writing to the account. Implements `lists.plan`. */
export async function planList(engine: EngineParts, changes: ListChanges, settings: SyncSettings): Promise<ChangePlan> {
  const { planId, ready, held, leftOut } = await storeListPlan(engine, changes, settings)
  return { planId, ready, held, leftOut }
}

export async function storeListPlan(engine: EngineParts, request: ListChanges, settings: SyncSettings) {
  const { db } = engine
  const { changes, order, confirm = [], cause, dryRun = false } = request
  const read = await getRead(db, request.readId)
  if (read === undefined) {
    throw new PlayheadError('PLH_NOT_FOUND', 'The list was read again since. Plan with the new read.', {
      wire: 'list_read_not_found',
    })
  }
  const { provider, instance, uid, list } = read
  const listAccount = await engine.lists.account({ provider, instance })
  const support = listAccount.description.lists
  const entries = await entriesOf(db, read.readId)
  const byKey = new Map(entries.map((entry) => [entry.key, entry]))
  checkKeys(request, byKey)
  checkOps(provider, support, read, request)
  const can = support![list.kind]!
  const planId = `change-${randomUUID()}`
  const leftOut: ChangePlan['leftOut'][number][] = []
  const rows = changes.map(({ op, key, item: given }, n): NewPlanItem => {
    const current = op === 'remove' ? byKey.get(key)!.item : undefined
    const item: Item = current ?? given!
    const reason = writeRefusal({ ...can, kinds: list.kinds }, op, item) ?? (isNamed(item) ? undefined : 'missing_ids')
    if (reason !== undefined) leftOut.push({ key, op, reason })
    return {
      n,
      side: 'b',
      op,
      key,
      value: op === 'remove' ? '' : 'entry',
      cause,
      state: reason === undefined ? 'ready' : 'filtered',
      reason: reason ?? null,
      item: JSON.stringify(item),
      current: current === undefined ? null : JSON.stringify(current),
      before: current === undefined ? null : 'entry',
      origin:
        cause === 'playlists'
          ? null
          : ownAct(
              cause === 'undo' ? 'undo' : 'requested',
              { provider, instance },
              { feature: 'playlists', op, value: '' },
              engine.now(),
            ),
    }
  })
  const removals = rows.filter(({ op, state }) => op === 'remove' && state === 'ready')
  const isHeld = removals.length > removalLimit(settings, entries.length) && !settings.allow_mass_delete
  if (isHeld) for (const { n } of removals) rows[n] = { ...rows[n]!, state: 'held', reason: 'mass_delete' }
  const runId = request.runId ?? planId
  const of = { run_id: runId, dry_run: dryRun, list: { list, confirm } }
  await judgePlan(listRun({ engine: await withTaps(engine), header: of, settings }, listAccount), planId, rows)
  leftOut.push(...vetoedIn(rows))
  const count = (op: NewPlanItem['op']) => rows.filter((row) => row.op === op && row.state === 'ready').length
  const ready = { add: count('add'), remove: count('remove'), update: countMoves(entries, rows, order) }
  const held = isHeld ? ({ count: removals.length, reason: 'mass_delete' } as const) : null
  const account = { provider, instance, uid }
  const none = { add: 0, update: 0, remove: 0, held: 0, held_reason: null, deferred: 0, filtered: 0 }
  const header: PlanHeader & { readonly list: PlannedList } = {
    id: planId,
    run_id: runId,
    pair_id: NO_PAIR,
    feature: 'playlists',
    mode: 'one_way',
    plays: false,
    dry_run: dryRun,
    created_at_ms: engine.now(),
    state: 'planned',
    sides: {
      a: { ...account, ...none },
      b: {
        ...account,
        ...ready,
        held: held?.count ?? 0,
        held_reason: held?.reason ?? null,
        deferred: rows.filter(({ state }) => state === 'deferred').length,
        filtered: leftOut.length,
      },
    },
    read: { a: 0, b: entries.length },
    cause,
    list: { list, readId: read.readId, readAtMs: read.readAtMs, confirm },
  }
  await insertPlanItems(db, planId, rows)
  await writeOrders(db, planId, { before: entries.map(placeOf), wanted: order ?? null })
  await insertPlan(db, header)
  return { planId, ready, held, leftOut, header }
}

function checkKeys({ changes, order = [] }: ListChanges, entries: ReadonlyMap<string, ListEntry>): void {
  const invalid = (message: string) => new PlayheadError('PLH_INVALID', message, { wire: 'invalid_list_change' })
  const adds = new Set<string>()
  const removes = new Set<string>()
  for (const { op, key, item } of changes) {
    const own = op === 'add' ? adds : removes
    if (own.has(key)) throw invalid(`The key ${key} occurs twice.`)
    own.add(key)
    if (op === 'remove' && !entries.has(key)) throw invalid(`The list has no entry ${key}.`)
    if (op === 'add' && item === undefined) throw invalid(`The add ${key} has no item.`)
  }
  const named = new Set(order)
  if (named.size < order.length) throw invalid('A key occurs twice in the order.')
  for (const key of named)
    if (!entries.has(key) && !adds.has(key)) throw invalid(`The order names ${key}, which is nowhere.`)
}

function checkOps(
  provider: string,
  support: ListSupport | undefined,
  { list }: StoredRead,
  { changes, order, confirm = [] }: ListChanges,
): void {
  for (const op of ['add', 'remove', 'move'] as const) {
    const isAsked = op === 'move' ? order !== undefined : changes.some((change) => change.op === op)
    if (isAsked) checkConfirmed(provider, checkListOp(provider, support, list, op), op, confirm)
  }
}

/** Moves after the other changes; held and skipped entries are not moved. */
function countMoves(
  entries: readonly ListEntry[],
  rows: readonly NewPlanItem[],
  order: readonly string[] | undefined,
): number {
  if (order === undefined) return 0
  const ready = (op: NewPlanItem['op']) =>
    rows.flatMap((row) => (row.op === op && row.state === 'ready' ? [row.key] : []))
  const removed = new Set(ready('remove'))
  const kept = entries.flatMap(({ key }) => (removed.has(key) ? [] : [key]))
  return arrangeEntries([...kept, ...ready('add')], order).moves.length
}

function placeOf({ key, item: { native } }: ListEntry): PlacedEntry {
  return native?.list_item_id === undefined ? { key } : { key, entry: native.list_item_id }
}

// A title alone may match another item.
function isNamed({ ids, show_ids: show = {}, native = {} }: Item): boolean {
  return [ids, show, native].some((names) => Object.keys(names).length > 0)
}
