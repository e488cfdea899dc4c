// Undoes the plan of a list with a new plan, based on the current list.
import { type ListChange, type ListEntry, failureCode } from '@playhead/sdk'
import { tokensOf } from '@playhead/sdk/items'
import type { RunListener } from '../contract.ts'
import type { EngineParts } from '../feature-run.ts'
import { markUndone, type PlanHeader, type PlanItem, type PlannedList, setPlanState } from '../store/plans.ts'
import { isSettled } from '../run/next-state.ts'
import {
  addUp,
  doneItems,
  failuresOf,
  type UndoCounts,
  type Skipped,
  undoEntryOf,
  type UndoOrder,
} from '../run/undo-entry.ts'
import { entriesByToken, listToApply, readNow, WITHIN } from './changes.ts'
import { storeListPlan } from './plan.ts'
import { type PlacedEntry, readOrders } from './store.ts'

interface UndoInput {
  readonly engine: EngineParts
  readonly order: UndoOrder
  readonly listener: RunListener
  readonly signal: AbortSignal
  /** Receives the operations that cannot be undone. */
  readonly skip: Skipped[]
}

/** The caller holds the lock of the account. */
export async function undoListPlan(
  { engine, order: { settings, runId }, listener, signal, skip }: UndoInput,
  plan: PlanHeader & { readonly list: PlannedList },
): Promise<UndoCounts> {
  const { list } = plan.list
  const { provider, instance } = plan.sides.b
  const skipItem = (item: PlanItem, reason: string) => void skip.push({ ...undoEntryOf(plan, item), reason })
  const items = await Array.fromAsync(doneItems(engine, plan))
  if (items.length === 0) return { undone: 0, failed: {} }
  const read = await readNow(engine, { provider, instance, kind: list.kind, id: list.id }, signal).catch(failureCode)
  if (typeof read === 'string') {
    for (const item of items) skipItem(item, read)
    return { undone: 0, failed: {} }
  }
  const { readId, entries } = read
  const byToken = entriesByToken(entries)
  const taken = new Set<string>()
  const { before } = await readOrders(engine.db, plan.id)
  const old = new Set(before.map(({ entry }) => entry))
  const isOld = ({ item: { native } }: ListEntry) => native?.list_item_id !== undefined && old.has(native.list_item_id)
  const find = (item: PlanItem) =>
    tokensOf(item.item, WITHIN)
      .flatMap((token) => byToken.get(token) ?? [])
      .findLast((entry) => !taken.has(entry.key) && (item.op === 'remove' || !isOld(entry)))
  const changes: ListChange[] = []
  const sources = new Map<string, PlanItem>()
  /** Maps the former keys of entries to the keys of their adds. */
  const restored = new Map<string, string>()
  const moved = items.filter(({ op }) => op === 'update')
  for (const item of items) {
    if (item.op === 'update') continue
    const entry = item.op === 'remove' && list.duplicates ? undefined : find(item)
    if (item.state === 'unknown') skipItem(item, 'outcome_unknown')
    else if (item.op === 'add' && entry === undefined) skipItem(item, 'already_gone')
    else if (item.op === 'remove' && entry !== undefined) skipItem(item, 'already_there')
    else if (entry !== undefined) {
      taken.add(entry.key)
      changes.push({ op: 'remove', key: entry.key })
      sources.set(`remove ${entry.key}`, item)
    } else {
      const { native: _, ...rest } = item.item
      const key = `undo:${item.n}`
      changes.push({ op: 'add', key, item: rest })
      sources.set(`add ${key}`, item)
      restored.set(item.key, key)
    }
  }
  const mayMove = list.can.includes('move') && (moved.length > 0 || restored.size > 0)
  const order = mayMove ? { order: placesNow(before, { entries, restored }) } : {}
  const { header } = await storeListPlan(
    engine,
    { readId, changes, ...order, confirm: plan.list.confirm, cause: 'undo', runId },
    // The person requested exactly this change, so the guard does not apply.
    { ...settings, allow_mass_delete: true },
  )
  const apply = await listToApply({ engine, header, settings, listener, signal, runId })
  await setPlanState(engine.db, header.id, 'applying')
  const ops = await apply()
  await setPlanState(engine.db, header.id, 'done')
  const reversed = ops.filter(isSettled).flatMap(({ op, key }) => sources.get(`${op} ${key}`) ?? [])
  const moves = ops.filter(({ op }) => op === 'update')
  const ordered = moves.every(isSettled) ? moved : []
  const undone = [...reversed, ...ordered].map(({ id }) => id)
  await markUndone(engine.db, undone)
  const failed: Record<string, number> = { ...failuresOf(ops.filter(({ op, key }) => sources.has(`${op} ${key}`))) }
  if (ordered.length < moved.length)
    addUp(failed, { [moves.find((op) => !isSettled(op))?.reason ?? 'failed']: moved.length })
  return { undone: undone.length, failed }
}

/** The former order, expressed in current keys. */
function placesNow(
  before: readonly PlacedEntry[],
  { entries, restored }: { readonly entries: readonly ListEntry[]; readonly restored: ReadonlyMap<string, string> },
): readonly string[] {
  const byEntry = new Map(
    entries.flatMap(({ key, item: { native } }) =>
      native?.list_item_id === undefined ? [] : [[native.list_item_id, key]],
    ),
  )
  const keys = new Set(entries.map(({ key }) => key))
  return before.flatMap(({ key, entry }) => {
    const again = restored.get(key)
    if (again !== undefined) return [again]
    if (entry !== undefined) return byEntry.get(entry) ?? []
    return keys.has(key) ? [key] : []
  })
}
