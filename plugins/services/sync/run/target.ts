// A target: the desired rows of an account, received in pages and planned against a complete read of the account. Neither
// the rows of the target nor those of the account are held in memory as a whole.
import {
  defined,
  type LibraryRow,
  otherAccount,
  type TargetMode,
  type TargetOptions,
  type TargetPlan,
  yieldToLoop,
} from '@playhead/sdk'
import { isRemovable, type Item, kindOf, rowKey } from '@playhead/sdk/items'
import { randomUUID } from 'node:crypto'
import type { SyncSettings } from '../contract.ts'
import type { EngineParts, FeatureRun, OPS } from '../feature-run.ts'
import { liveScope, readWhole } from '../library/live.ts'
import { isOwned, type SideRead } from '../library/read-side.ts'
import type { RowList } from '../library/row-lists.ts'
import { createRowMatcher } from '../library/find-rows.ts'
import type { SideRows, Texts } from '../library/rows.ts'
import { holdReason, insertHeader, newItem, refusalOf, valuesOf } from '../plan/one-account.ts'
import { holdOps, insertPlanItems, type NewPlanItem } from '../store/plans.ts'
import { chunksOf } from '../store/steps.ts'

type Op = (typeof OPS)[number]

const PAGE = 250
const MAX_LISTED = 200

/** Implements `library.planTarget`. */
export async function planTarget(
  engine: EngineParts,
  target: RowList,
  { mode, keep = true, dryRun = false }: TargetOptions,
  settings: SyncSettings,
  signal: AbortSignal,
): Promise<TargetPlan> {
  const { of, texts, count } = target
  const { cause = 'target', group } = of
  const { run, read, end } = await readWhole(engine, of, { planId: 'target', settings, cause, signal })
  try {
    target.account ??= end.account
    if (target.account !== end.account) throw otherAccount()
    const difference = await compare(run, read, { texts, count, mode })
    const { count: current, account, doubt, readAtMs } = end
    const stored = await storePlans(run, read, texts, difference, { cause, group, current, keep, dryRun })
    return { ...stored, current, wanted: count, account, scope: liveScope(run), doubt, readAtMs }
  } finally {
    read.rows.release()
  }
}

interface Difference {
  readonly mode: TargetMode
  /** Rows of the account. */
  readonly remove: readonly number[]
  /** Rows of the target, with the rows of the account that they change. */
  readonly update: readonly (readonly [wanted: number, current: number])[]
  readonly add: readonly number[]
}

async function compare(
  run: FeatureRun,
  { rows }: SideRead,
  { texts, count, mode }: { readonly texts: Texts; readonly count: number; readonly mode: TargetMode },
): Promise<Difference> {
  const { plays, sides } = run
  const owned = (index: number) => isOwned(rows, index)
  // A row that cannot be removed stays and is not added again.
  const stays = (index: number) =>
    owned(index) && (mode !== 'replace' || removalReason(run, rows.item(index)) !== undefined)
  const matcher = createRowMatcher(run, rows, stays)
  const updates: (readonly [number, number])[] = []
  const adds: number[] = []
  // A play has no value to change.
  const canUpdate = (mode === 'update' || mode === 'exact') && sides.b.support.update && !plays
  for (let start = 0; start < count; start += PAGE) {
    run.signal.throwIfAborted()
    const length = Math.min(PAGE, count - start)
    const items = Array.from({ length }, (_, index) => wantedAt(texts, start + index))
    const values = canUpdate ? await valuesOf(run, items) : []
    for (const [index, item] of items.entries()) {
      const value = values[index] ?? ''
      const found = matcher.take(item, value)
      if (found === null) adds.push(start + index)
      else if (found !== 'present' && canUpdate && value !== '')
        if (rows.skip(found) === undefined && rows.value(found) !== value) updates.push([start + index, found])
    }
    if (!canUpdate) await yieldToLoop()
  }
  const removals: number[] = []
  if (mode === 'exact' || mode === 'replace')
    for (let index = 0; index < rows.size; index += 1) {
      if (!owned(index)) continue
      // Rows that stay although the target lacks them are listed with a reason.
      const isWanted = matcher.isTaken(index) || (!plays && matcher.isMet(index))
      if (!stays(index) || !isWanted) removals.push(index)
    }
  return { mode, remove: removals, update: updates, add: adds }
}

function wantedAt(texts: Texts, place: number): Item {
  return (JSON.parse(texts.get(place)) as LibraryRow).item
}

interface Change {
  readonly op: Op
  readonly item: Item
  readonly value: string
  /** The row of the account. */
  readonly at: number | null
}

async function* changePages(
  run: FeatureRun,
  rows: SideRows,
  texts: Texts,
  difference: Difference,
  op: Op,
): AsyncGenerator<readonly Change[]> {
  const places: readonly (number | readonly [wanted: number, current: number])[] = difference[op]
  for (const page of chunksOf(places, PAGE)) {
    const found = page.map((place): Pick<Change, 'item' | 'at'> => {
      if (typeof place !== 'number') {
        const [wanted, at] = place
        return { item: withNative(wantedAt(texts, wanted), rows.item(at)), at }
      }
      return op === 'remove' ? { item: rows.item(place), at: place } : { item: asNew(wantedAt(texts, place)), at: null }
    })
    const items = found.map(({ item }) => item)
    const values = op === 'remove' ? [] : await valuesOf(run, items)
    yield found.map((each, index) => ({ ...each, op, value: values[index] ?? '' }))
  }
}

type Stored = Pick<TargetPlan, 'planIds' | 'ready' | 'held' | 'leftOut' | 'changes'>

/** Two plans if everything is removed first; an undo starts with the last plan. */
async function storePlans(
  run: FeatureRun,
  { rows, account, atMs }: SideRead,
  texts: Texts,
  difference: Difference,
  {
    cause,
    group = `target-${randomUUID()}`,
    current,
    keep,
    dryRun,
  }: {
    readonly cause: string
    readonly group: string | undefined
    readonly current: number
    readonly keep: boolean
    readonly dryRun: boolean
  },
): Promise<Stored> {
  const { db, now } = run.engine
  const ready = { add: 0, update: 0, remove: 0 }
  const leftOut: Record<string, number> = {}
  const changes: TargetPlan['changes'][number][] = []
  const held = holdReason(run, difference.remove.length, current)
  const planIds: string[] = []

  const toRow = ({ op, item, value, at }: Change, n: number): NewPlanItem => {
    const row = at === null ? undefined : rows.item(at)
    const reason = reasonOf(run, op, item, row)
    if (reason === undefined) ready[op] += 1
    else leftOut[reason] = (leftOut[reason] ?? 0) + 1
    const key = rowKey(item, run.plays)
    if (changes.length < MAX_LISTED) changes.push({ op, key, ...defined({ reason }) })
    const before = at === null ? null : rows.skip(at) === undefined ? rows.value(at) : ''
    return newItem(run, { n, side: 'b', op, key, value, cause, by: 'requested', before, item, current: row, reason })
  }

  const inOrder = ['remove', 'update', 'add'] as const
  for (const ops of difference.mode === 'replace' ? [['remove'] as const, ['add'] as const] : [inOrder]) {
    const id = `change-${randomUUID()}`
    let n = 0
    for (const op of ops)
      for await (const page of changePages(run, rows, texts, difference, op)) {
        const first = n
        n += page.length
        const items = page.map((change, index) => toRow(change, first + index))
        if (keep) await insertPlanItems(db, id, items)
      }
    if (!keep || n === 0) continue
    if (held !== null) await holdOps(db, id, 'remove', held)
    await insertHeader(run, {
      ...{ id, run_id: group, dry_run: dryRun, size: current, held, cause, maker_only: true },
      // Plans of a group sort in their order of creation.
      created_at_ms: now() + planIds.length,
      basis: { account, read_at_ms: atMs },
    })
    planIds.push(id)
  }
  const isHeld = held !== null && ready.remove > 0
  return {
    planIds,
    ready: isHeld ? { ...ready, remove: 0 } : ready,
    held: isHeld ? { count: ready.remove, reason: held } : null,
    leftOut,
    changes,
  }
}

/** Why an operation is skipped. */
function reasonOf(run: FeatureRun, op: Op, item: Item, row: Item | undefined): string | undefined {
  const { support } = run.sides.b
  if (op === 'remove') return removalReason(run, item)
  if (!support[op] || (run.plays && op === 'add' && support.plays?.write !== true)) return 'read_only'
  if (!support.kinds.includes(kindOf(item))) return 'unsupported_kind'
  return refusalOf(run, op, item, row)
}

function removalReason({ plays, sides }: FeatureRun, row: Item): string | undefined {
  const { support } = sides.b
  if (!support.remove) return 'read_only'
  // The row could not be added again.
  if (!isRemovable(row) && row.native?.item_id === undefined) return 'missing_ids'
  const isExact = support.plays?.removeOne === true && row.native?.event_id !== undefined
  return plays && !isExact ? 'exact_play_unknown' : undefined
}

function withNative({ native: _native, ...item }: Item, { native }: Item): Item {
  return native === undefined ? item : { ...item, native }
}

/** The event and list position ended with the row, whereas the work at the server is the same. */
function asNew({ native, library_id: _library, transient: _transient, ...item }: Item): Item {
  return native?.item_id === undefined ? item : { ...item, native: { item_id: native.item_id } }
}
