// Plans changes to one list.
import { randomUUID } from 'node:crypto'
import { type ChangePlan, type Item, type ListChanges, type ListEntry, PlayheadError } from '@playhead/sdk'
import { arrangeEntries, checkConfirmed, checkListOp, type ListSupport, writeRefusal } from '@playhead/sdk/provider'
import type { SyncSettings } from '../contract.ts'
import type { EngineParts } from '../feature-run.ts'
import { leftOutReason, storeChanges } from '../plan/one-account.ts'
import type { NewPlanItem } from '../store/plans.ts'
import { listRun, withTaps } from './list-run.ts'
import { entriesOf, getRead, type PlacedEntry, type StoredRead, writeOrders } from './store.ts'

/** Stores the plan without writing to the account. Implements `lists.plan`. */
export async function planList(engine: EngineParts, changes: ListChanges, settings: SyncSettings): Promise<ChangePlan> {
  return (await storeListPlan(engine, changes, settings)).plan
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
  // The account of the read; the plan is refused if the profile has another account now.
  const listAccount = { ...(await engine.lists.account({ provider, instance })), uid }
  const support = listAccount.description.lists
  const entries = await entriesOf(db, read.readId)
  const byKey = new Map(entries.map((entry) => [entry.key, entry]))
  checkKeys(request, byKey)
  checkOps(provider, support, read, request)
  const can = support![list.kind]!
  const planId = `change-${randomUUID()}`
  const rows = changes.map(({ op, key, item: given }) => {
    const current = op === 'remove' ? byKey.get(key)!.item : undefined
    const item: Item = current ?? given!
    const reason = writeRefusal({ ...can, kinds: list.kinds }, op, item) ?? leftOutReason(item, undefined)
    const value = current === undefined ? 'entry' : ''
    return { op, key, item, current, value, before: current === undefined ? null : 'entry', reason }
  })
  const of = { run_id: request.runId ?? planId, dry_run: dryRun, list: { list, confirm } }
  const run = listRun({ engine: await withTaps(engine), header: of, settings }, listAccount)
  await writeOrders(db, planId, { before: entries.map(placeOf), wanted: order ?? null })
  const planned = { list, readId: read.readId, readAtMs: read.readAtMs, confirm }
  const { plan, header } = await storeChanges(run, rows, {
    ...{ planId, cause, size: entries.length, list: planned },
    by: cause === 'playlists' ? null : cause === 'undo' ? cause : 'requested',
    movesAfter: (after) => countMoves(entries, after, order),
  })
  return { plan, header: { ...header, list: planned } }
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
