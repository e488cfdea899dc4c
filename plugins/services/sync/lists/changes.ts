// Applies a plan of one list: removals and adds, then a new read of the list, then moves of entries.
import { isPlayheadError, type ListEntry, type ListName, failureCode } from '@playhead/sdk'
import { tokensOf } from '@playhead/sdk/items'
import { arrangeEntries } from '@playhead/sdk/provider'
import type { EngineParts, FeatureRun } from '../feature-run.ts'
import type { PlanOp } from '../plan/planned.ts'
import { applyPlan } from '../run/apply.ts'
import { opsOf } from '../run/plan-op.ts'
import {
  holdOps,
  insertPlanItems,
  type ItemResult,
  markDone,
  type PlanHeader,
  planPages,
  type PlannedList,
} from '../store/plans.ts'
import { listRun, type ListRunInput, withTaps } from './list-run.ts'
import type { ListAccount } from './contract.ts'
import { entriesOf, forgetReads, readOrders } from './store.ts'

/** If the last read is older than this, the list is read again before the plan is applied. */
const STALE_MS = 120_000

interface ListApplyInput extends ListRunInput {
  readonly header: PlanHeader & { readonly list: PlannedList }
}

export function isListPlan(header: PlanHeader): header is PlanHeader & { readonly list: PlannedList } {
  return header.list !== undefined
}

/**
 * Returns the function that applies the plan. Throws if the account is unavailable. The caller holds the lock of the account
 * and claims the plan before it calls the function. Outcomes are stored in the plan.
 */
export async function listToApply(input: ListApplyInput): Promise<() => Promise<readonly PlanOp[]>> {
  const account = await input.engine.lists.account(input.header.sides.b)
  const engine = await withTaps(input.engine)
  return () => applyListPlan({ ...input, engine }, account)
}

async function applyListPlan(input: ListApplyInput, account: ListAccount): Promise<readonly PlanOp[]> {
  const { engine, header } = input
  const { db } = engine
  const { provider, instance } = header.sides.b
  const name = { provider, instance, kind: header.list.list.kind, id: header.list.list.id }
  const entriesNow = async () => (await readNow(engine, name, input.signal)).entries
  const before = await entriesOf(db, header.list.readId)
  try {
    if (engine.now() - header.list.readAtMs > STALE_MS) await deferChanged(engine, header, await entriesNow())
    const run = listRun(input, account)
    // Moves of an interrupted process. Their positions are no longer known, so they are planned again.
    await holdOps(db, header.id, 'update', 'planned_again', 'deferred')
    const ops = await opsOf(db, header.id)
    await applyPlan(run, { header, ops })
    const { wanted } = await readOrders(db, header.id)
    const isUnsure = ops.some(({ state }) => state === 'unknown')
    if (run.signal.aborted || (!isUnsure && wanted === null)) return ops
    const now = await entriesNow().catch((error: unknown) => {
      engine.log.warn({ ...name, error: failureCode(error) }, 'a list could not be read again after writing')
      if (!isPlayheadError(error)) throw error
      return undefined
    })
    if (now === undefined) return ops
    if (isUnsure) await settleUnknown(run, header.id, ops, before, now)
    if (wanted === null || run.signal.aborted) return ops
    return [...ops, ...(await moveEntries(input, account, { ops, before, now, wanted }))]
  } finally {
    await forgetReads(db, { uid: header.sides.b.uid, kind: name.kind, id: name.id })
  }
}

export async function readNow({ lists, db }: EngineParts, name: ListName, signal: AbortSignal | undefined) {
  const { readId } = await lists.read(name, signal)
  return { readId, entries: await entriesOf(db, readId) }
}

/** Removals whose entry is gone or has changed. */
async function deferChanged(engine: EngineParts, { id }: PlanHeader, now: readonly ListEntry[]): Promise<void> {
  const there = new Map(now.map((entry) => [entry.key, entry]))
  for await (const page of planPages(engine.db, id)) {
    const changed = page.filter(({ op, key, state, current }) => {
      if (op !== 'remove' || state !== 'ready') return false
      const entry = there.get(key)
      return entry === undefined || entry.item.native?.list_item_id !== current?.native?.list_item_id
    })
    const results = changed.map((row): ItemResult => ({ id: row.id, state: 'deferred', reason: 'changed_since_plan' }))
    await markDone(engine.db, results, null)
  }
}

/** Resolves uncertain outcomes from the current list. */
async function settleUnknown(
  run: FeatureRun,
  planId: string,
  ops: readonly PlanOp[],
  before: readonly ListEntry[],
  now: readonly ListEntry[],
): Promise<void> {
  const known = new Set(before.map(identityOf))
  const added = entriesByToken(now.filter((entry) => !known.has(identityOf(entry))))
  const there = new Set(now.map(identityOf))
  const byPosition = new Map(ops.map((op) => [op.n, op]))
  for await (const page of planPages(run.engine.db, planId)) {
    const results: ItemResult[] = []
    for (const { id, n, state, op, key, item } of page) {
      const planOp = byPosition.get(n)
      if (state !== 'unknown' || planOp === undefined) continue
      const isDone =
        op === 'add' ? tokensOf(item, WITHIN).some((token) => added.has(token)) : !there.has(identityOf({ key, item }))
      planOp.state = isDone ? 'applied' : 'failed'
      planOp.reason = isDone ? null : 'verify_failed'
      results.push({ id, state: planOp.state, reason: planOp.reason })
    }
    await markDone(run.engine.db, results, run.engine.now())
  }
}

interface Moving {
  readonly ops: readonly PlanOp[]
  readonly before: readonly ListEntry[]
  readonly now: readonly ListEntry[]
  readonly wanted: readonly string[]
}

/** Plans the moves from the current entries and applies them in order. */
async function moveEntries(input: ListApplyInput, account: ListAccount, moving: Moving): Promise<readonly PlanOp[]> {
  const { engine, header } = input
  const { wanted, now, ops } = moving
  const places = await placesOf(engine, header.id, moving)
  const { moves } = arrangeEntries(
    now.map(({ key }) => key),
    wanted.flatMap((key) => places.get(key) ?? []),
  )
  if (moves.length === 0) return []
  const entries = new Map(now.map((entry) => [entry.key, entry]))
  const first = Math.max(-1, ...ops.map(({ n }) => n)) + 1
  const afters = new Map<string, string | null>()
  const rows = moves.flatMap(({ entry: key, after }, index) => {
    const { item } = entries.get(key)!
    const place = after === null ? null : entries.get(after)!.item.native?.list_item_id
    if (place === undefined) return []
    afters.set(key, place)
    const current = JSON.stringify(item)
    return {
      ...({ n: first + index, side: 'b', op: 'update', key, value: after ?? '', cause: 'order' } as const),
      ...({ state: 'ready', reason: null, item: current, current, before: '' } as const),
    }
  })
  await insertPlanItems(engine.db, header.id, rows)
  const run = listRun(input, account, afters)
  const own = (await opsOf(engine.db, header.id)).filter(({ n }) => n >= first)
  await applyPlan(run, { header, ops: own })
  return own
}

/** Maps keys of the current list to keys of the read that the plan is based on. */
async function placesOf(
  { db }: EngineParts,
  planId: string,
  { before, now, wanted }: Moving,
): Promise<ReadonlyMap<string, string>> {
  const places = new Map<string, string>()
  const byIdentity = new Map(now.map((entry) => [identityOf(entry), entry.key]))
  const taken = new Set<string>()
  for (const entry of before) {
    const key = byIdentity.get(identityOf(entry))
    if (key === undefined) continue
    places.set(entry.key, key)
    taken.add(key)
  }
  // Added entries are at the end, so the last entry of the item is the added one.
  const byToken = entriesByToken(now.filter(({ key }) => !taken.has(key)))
  const isWanted = new Set(wanted)
  for await (const page of planPages(db, planId)) {
    for (const { op, key, item, state } of page) {
      if (op !== 'add' || (state !== 'applied' && state !== 'already') || places.has(key) || !isWanted.has(key))
        continue
      const found = tokensOf(item, WITHIN)
        .flatMap((token) => byToken.get(token) ?? [])
        .find((one) => !taken.has(one.key))
      if (found === undefined) continue
      places.set(key, found.key)
      taken.add(found.key)
    }
  }
  return places
}

/** The id of the entry at the service, or its key if it has none. */
function identityOf({ key, item }: Pick<ListEntry, 'key' | 'item'>): string {
  return item.native?.list_item_id === undefined ? `key ${key}` : `entry ${item.native.list_item_id}`
}

export const WITHIN = { within: 'account' } as const

export function entriesByToken(entries: readonly ListEntry[]): ReadonlyMap<string, readonly ListEntry[]> {
  const named = entries.flatMap((entry) => tokensOf(entry.item, WITHIN).map((token) => ({ token, entry })))
  return new Map(
    [...Map.groupBy(named, ({ token }) => token)].map(([token, own]) => [token, own.map(({ entry }) => entry)]),
  )
}
