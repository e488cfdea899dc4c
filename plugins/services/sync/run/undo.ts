// Undoes a run: removes added rows, adds removed ones, and restores old values, as long as the rows still have the written
// value. The pair then counts both sides as settled.
import { defined, failureCode, PlayheadError, type Side } from '@playhead/sdk'
import { isRemovable, type Item, KEPT_TIME_MS, parseTime, progressOf, sameTime, shownAs } from '@playhead/sdk/items'
import { writeOutcomes } from '@playhead/sdk/provider'
import type { FeatureReport, PairReport, RunListener, RunReport } from '../contract.ts'
import { displayTitle } from '../record/summary.ts'
import { toOp } from './plan-op.ts'
import {
  insertPlan,
  insertPlanItems,
  markUndone,
  type NewPlanItem,
  NO_PAIR,
  type PlanHeader,
  type PlanItem,
  plansOfRun,
  setPlanState,
  accountIn,
} from '../store/plans.ts'
import { accountOf, accountRun } from './account-changes.ts'
import { newItem } from '../plan/one-account.ts'
import { remember } from './remember-changes.ts'
import { applyPlan, notifyOutcome } from './apply.ts'
import { countOps } from './commit.ts'
import { isSettled } from './next-state.ts'
import { createLookup, type Lookup } from '../library/find-rows.ts'
import { findMultiplePlays } from '../library/multiple-plays.ts'
import { CACHE_MS } from '../library/own-writes.ts'
import { isOtherPosition, MAX_CLOCK_MS } from '../plan/origins.ts'
import { TIME_FIELDS } from '../store/origin-of.ts'
import type { PlanOp } from '../plan/planned.ts'
import { readSide, type SideRead } from '../library/read-side.ts'
import { forAccount } from '../library/rows.ts'
import { createDirectory, usableAccounts } from './run.ts'
import { endPlan } from './interrupted.ts'
import { prepare, reportOf } from './run-feature.ts'
import { type EngineParts, type FeatureRun, type RunContext, SIDES } from '../feature-run.ts'
import {
  addUp,
  canRepeat,
  doneItems,
  failuresOf,
  isLeft,
  type Skipped,
  sumOf,
  type UndoCounts,
  undoEntryOf,
  type UndoOrder,
} from './undo-entry.ts'
import { rememberWritten, type Shown } from './remember-written.ts'
import { isListPlan } from '../lists/changes.ts'
import { undoListPlan } from '../lists/undo.ts'
import { verifySide } from './verify.ts'

export interface UndoPreview {
  readonly run_id: string
  /** Operations that were applied and not undone yet. The undo itself checks whether the account still has them in that state. */
  readonly reversible: number
  readonly by_op: { readonly add: number; readonly update: number; readonly remove: number }
  /** At most eight samples. */
  readonly titles: readonly string[]
  readonly irreversible: readonly Skipped[]
  /** Counts of all operations, including those that are not listed. */
  readonly irreversible_by_reason: Readonly<Record<string, number>>
}

const GONE = 'already_gone'
const THERE = 'already_there'

/** As the report of a run; its operations are those of the undo. */
interface UndoReport extends RunReport {
  readonly undone_run_id: string
  readonly undone: number
  readonly failed: number
  readonly skipped: readonly Skipped[]
  /** Operations that stay applied, by reason, except those whose account is already as before. */
  readonly not_undone: Readonly<Record<string, number>>
}

const MAX_TITLES = 8
const MAX_LISTED = 1_000

export async function previewUndo(engine: EngineParts, runId: string): Promise<UndoPreview> {
  const by_op = { add: 0, update: 0, remove: 0 }
  const titles: string[] = []
  const irreversible: Skipped[] = []
  const byReason: Record<string, number> = {}
  for (const plan of await plansToUndo(engine, runId)) {
    for await (const item of doneItems(engine, plan)) {
      const reason = irreversibleReason(item, plan)
      if (reason === undefined) {
        by_op[item.op] += 1
        if (titles.length < MAX_TITLES) titles.push(displayTitle(item.item))
        continue
      }
      addUp(byReason, { [reason]: 1 })
      if (irreversible.length < MAX_LISTED) irreversible.push({ ...undoEntryOf(plan, item), reason })
    }
  }
  return {
    run_id: runId,
    reversible: by_op.add + by_op.update + by_op.remove,
    by_op,
    titles,
    irreversible,
    irreversible_by_reason: byReason,
  }
}

/** Throws `PLH_NOT_FOUND` for a run without plans. */
export async function runUndo(
  engine: EngineParts,
  order: UndoOrder,
  listener: RunListener,
  signal: AbortSignal,
  runId: string,
): Promise<UndoReport> {
  const plans = await plansToUndo(engine, runId)
  if (plans.length === 0)
    throw new PlayheadError('PLH_NOT_FOUND', `The run ${runId} has no stored plans.`, { wire: 'run_not_found' })
  const accounts = createDirectory(engine, listener)
  const skipped: Skipped[] = []
  const pairs: PairReport[] = []
  const left: Record<string, number> = {}
  let undone = 0
  let failed = 0
  const add = (counts: UndoCounts) => {
    undone += counts.undone
    failed += sumOf(counts.failed)
    addUp(left, counts.failed)
  }

  async function ofPair({ pair_id: id, feature }: PlanHeader) {
    const pair = order.pairs.find((each) => each.id === id)
    if (pair === undefined) return undefined
    const sides = await accounts.of(pair)
    const own: RunContext = { engine, order: { ...order, pairs: [pair], request: { pair_id: id } }, listener, signal }
    const options = pair.features[feature] ?? { enabled: true, add: true, remove: true }
    const run = () => prepare({ ...own, pair, feature, options, accounts: sides })
    return { pair, accounts: usableAccounts(sides), run }
  }

  function ofAccount(plan: PlanHeader) {
    const { runId: planId, settings } = order
    return {
      pair: { id: NO_PAIR, mode: plan.mode },
      accounts: [{ provider: plan.sides.b.provider, instance: plan.sides.b.instance }],
      run: () => accountRun(engine, accountOf(plan), { planId, settings, cause: 'undo', listener, signal }),
    }
  }

  // Undo the last plan first.
  for (const plan of plans.reverse()) {
    if (signal.aborted) break
    const skipAll = async (reason: string) => {
      for await (const item of doneItems(engine, plan)) skipped.push({ ...undoEntryOf(plan, item), reason })
    }
    const target = plan.pair_id === NO_PAIR ? ofAccount(plan) : await ofPair(plan)
    if (target === undefined) {
      await skipAll('pair_not_found')
      continue
    }
    const { pair, accounts: held } = target
    try {
      using _hold = await engine.work.beginWhenFree(
        { kind: 'sync', label: 'The undo of a run', accounts: held, ...defined({ within: order.hold }) },
        { signal },
      )
      if (isListPlan(plan)) {
        add(await undoListPlan({ engine, order, listener, signal, skip: skipped }, plan))
        continue
      }
      const run = await target.run()
      const counts = typeof run === 'string' ? run : await undoPlan(run, plan, skipped)
      if (typeof counts === 'string') await skipAll(counts)
      else {
        add(counts)
        const { report } = counts
        if (report !== undefined)
          pairs.push({
            pair_id: pair.id,
            ...(pair.id === NO_PAIR ? { account: held[0]! } : {}),
            ...{ mode: pair.mode, status: report.status, features: [report] },
          })
      }
    } catch (error) {
      await endPlan(engine, undoIdOf(order, plan))
      if (signal.aborted) break
      engine.log.warn({ pair: pair.id, feature: plan.feature, error: failureCode(error) }, 'a plan could not be undone')
      const counts: Record<string, number> = {}
      for await (const _ of doneItems(engine, plan)) addUp(counts, { [failureCode(error)]: 1 })
      add({ undone: 0, failed: counts })
    }
  }
  const stays = skipped.filter(isLeft)
  for (const { reason } of stays) addUp(left, { [reason]: 1 })
  const result = signal.aborted
    ? 'cancelled'
    : failed === 0 && stays.length === 0
      ? 'ok'
      : undone > 0 || failed === 0
        ? 'partial'
        : 'failed'
  const left_to_undo = failed + stays.filter(canRepeat).length
  const about = { run_id: order.runId, undone_run_id: runId, result, pairs } as const
  return { ...about, undone, failed, skipped, not_undone: left, left_to_undo }
}

interface PlanCounts extends UndoCounts {
  readonly report?: FeatureReport
}

/** A reason if nothing of the plan can be undone. */
async function undoPlan(run: FeatureRun, plan: PlanHeader, skipped: Skipped[]): Promise<PlanCounts | string> {
  const { engine } = run
  if (SIDES.some((side) => run.sides[side].uid !== plan.sides[side].uid)) return 'account_changed'
  if (run.plays !== plan.plays) return 'changed_since_run'
  const isOneAccount = run.sides.a.uid === run.sides.b.uid
  const readAt = async (side: Side) => {
    const read = await readSide(run, run.sides[side], { fresh: true })
    return { read, lookup: createLookup(run, read.rows) }
  }
  const first = await readAt('a')
  const second = isOneAccount ? first : await readAt('b')
  const reads = { a: first.read, b: second.read }
  const lookups = { a: first.lookup, b: second.lookup }
  if (SIDES.some((side) => (accountIn(plan, side) ?? reads[side].account) !== reads[side].account))
    return 'account_changed'
  const planId = undoIdOf(run.order, plan)
  const sources: PlanItem[] = []
  const rows: NewPlanItem[] = []
  const severalPlays = await itemsWithSeveralPlays(run, plan, reads, lookups)
  for await (const item of doneItems(engine, plan)) {
    const reason = irreversibleReason(item, plan) ?? refusal(item)
    if (reason !== undefined) skipped.push({ ...undoEntryOf(plan, item), reason })
  }

  function refusal(item: PlanItem): string | undefined {
    const { side, op, current, before } = item
    const { rows: shown, complete } = reads[side]
    const at = lookups[side].find(item.item)
    if (at === undefined) return 'ambiguous_identity'
    if (at !== null && shown.skip(at) !== undefined) return 'changed_since_run'
    const row = at === null ? null : shown.item(at)
    const { support } = run.sides[side]
    if (op === 'remove') {
      if (row !== null) {
        if (!isAsWritten(run, { ...item, value: before ?? '' }, row, shown.value(at!))) return 'changed_since_run'
        return isUnsure(item) && support.add
          ? reverse(item, 'add', forAccount(current ?? item.item, { sameProvider: true }), undefined, before ?? '')
          : THERE
      }
      if (!complete) return 'read_incomplete'
      return support.add
        ? reverse(item, 'add', forAccount(current ?? item.item, { sameProvider: true }), undefined, before ?? '')
        : 'read_only'
    }
    if (row === null) {
      if (!complete) return 'read_incomplete'
      if (op === 'add' && isUnsure(item) && support.remove) return reverse(item, 'remove', item.item, undefined, '')
      // The pair need not wait for its write any more, nor carry a loss from before the undo.
      if (!isOneAccount && op === 'add') reverse(item, 'remove', item.item, undefined, '', GONE)
      return GONE
    }
    if (op === 'update' && isUnsure(item) && shown.value(at!) === before) return 'write_not_visible_yet'
    if (isEnteredSince(run, item, row) || !isAsWritten(run, item, row, shown.value(at!))) return 'changed_since_run'
    if (op === 'update') {
      if (current === null || before === null) return 'old_value_unknown'
      return support.update
        ? reverse(item, 'update', { ...current, ...defined({ native: row.native }) }, row, before)
        : 'read_only'
    }
    if (!support.remove) return 'read_only'
    if (!isRemovable(row)) return 'missing_ids'
    // Where history is by item, the removal would delete plays that the run did not add.
    if (severalPlays.has(item.id)) return 'exact_play_unknown'
    const isExact = support.plays?.removeOne === true && row.native?.event_id !== undefined
    return run.plays && !isExact ? 'exact_play_unknown' : reverse(item, 'remove', row, row, '')
  }

  /** The read may come from a cache of before the write. The service knows better, and plays are never sent on a guess. */
  function isUnsure({ side, done_at_ms: doneAtMs }: PlanItem): boolean {
    return run.feature !== 'history' && (doneAtMs ?? -Infinity) > reads[side].atMs - CACHE_MS
  }

  function reverse(
    source: PlanItem,
    op: PlanOp['op'],
    item: Item,
    current: Item | undefined,
    value: string,
    already?: string,
  ): undefined {
    const { side, key, value: before } = source
    const about = { n: rows.length, side, op, key, value, cause: 'undo', by: 'undo', reason: undefined } as const
    const row = newItem(run, { ...about, before: current === undefined ? null : before, item, current })
    rows.push(already === undefined ? row : { ...row, state: 'already', reason: already })
    sources.push(source)
    return undefined
  }

  if (rows.length === 0) return { undone: 0, failed: {} }
  const ops = rows.map((row): PlanOp => ({ ...toOp(row), reported: false }))
  const stored = rows.map((row, index): NewPlanItem => {
    // Pairs spread the undo at one account like the original operation.
    if (isOneAccount) return row
    const valueAt = (side: Side) => {
      const at = lookups[side].find(sources[index]!.item)
      return at == null ? undefined : { v: reads[side].rows.value(at) }
    }
    const shown: Shown = defined({ a: valueAt('a'), b: valueAt('b') })
    return { ...row, shown: JSON.stringify(shown) }
  })
  await insertPlanItems(engine.db, planId, stored)
  const header: PlanHeader = {
    ...plan,
    id: planId,
    run_id: run.order.runId,
    dry_run: false,
    created_at_ms: engine.now(),
    state: 'applying',
    ...(isOneAccount ? { cause: 'undo' } : {}),
  }
  await insertPlan(engine.db, header)
  const planned = { header, ops, reads }
  const applied = await applyPlan(run, planned)
  for (const side of applied.verify) await verifySide(run, planned, side)
  let asBefore = 0
  for (const [index, { op, state }] of ops.entries()) {
    // Only operations without a row are refused as needless, or sent on a guess.
    if (state !== 'already' || rows[index]!.current !== null) continue
    asBefore += 1
    if (rows[index]!.state === 'ready')
      skipped.push({ ...undoEntryOf(plan, sources[index]!), reason: op === 'add' ? THERE : GONE })
  }
  for (const [index, op] of ops.entries()) notifyOutcome(run, op, sources[index]!.item, sources[index]!.value)
  if (isOneAccount) {
    await remember(engine, header, writeOutcomes('done'))
    await setPlanState(engine.db, planId, 'done')
  } else await rememberWritten(engine.db, header, engine.now())
  await markUndone(
    engine.db,
    sources.filter((_, index) => isSettled(ops[index]!)).map(({ id }) => id),
  )
  const counts = countOps(ops)
  const undone = counts.applied + counts.already - asBefore
  const failed = ops.length - asBefore - undone
  const report = reportOf(run.feature, failed === 0 ? 'ok' : undone > 0 ? 'partial' : 'failed', {
    ...counts,
    plan_id: planId,
    read: { a: reads.a.rows.size, b: reads.b.rows.size },
    unresolved: failed,
  })
  run.listener.event({ type: 'report', pair_id: run.pair.id, mode: run.pair.mode, report })
  return { undone, failed: failuresOf(ops), report }
}

/** A person took the row off and entered it again, or rated it the same again: its time is later than any clock is ahead. */
function isEnteredSince({ feature }: FeatureRun, { done_at_ms: doneAtMs }: PlanItem, row: Item): boolean {
  if (feature === 'history' || feature === 'playlists' || doneAtMs === null) return false
  const time = parseTime(row[TIME_FIELDS[feature]])
  return time?.precision === 'second' && time.atMs > doneAtMs + MAX_CLOCK_MS
}

/** The account shows its rounding of the written value. */
function isAsWritten({ feature, sides, comparing }: FeatureRun, item: PlanItem, row: Item, value: string): boolean {
  if (value === item.value) return true
  if (feature === 'ratings') {
    const [shown, written] = [parseTime(row.rated_at), parseTime(item.item.rated_at)]
    // A rating that a person gave since has another time.
    if (shown !== undefined && written !== undefined && sameTime(shown, written, KEPT_TIME_MS)) return true
    return value === String(shownAs(Number(item.value), sides[item.side].support.ratingScale))
  }
  if (feature === 'progress') return !isOtherPosition(row, progressOf(item.item))
  const [shown, written] = [parseTime(row.watched_at), parseTime(item.item.watched_at)]
  return shown !== undefined && written !== undefined && sameTime(shown, written, comparing.toleranceMs)
}

/** Ids of added items whose removal would, or might, delete other plays. */
async function itemsWithSeveralPlays(
  run: FeatureRun,
  plan: PlanHeader,
  reads: Readonly<Record<Side, SideRead>>,
  lookups: Readonly<Record<Side, Lookup>>,
): Promise<ReadonlySet<number>> {
  if (run.feature !== 'history' || run.plays) return new Set()
  const added: Record<Side, Map<number, Item>> = { a: new Map(), b: new Map() }
  for await (const item of doneItems(run.engine, plan)) {
    if (item.op !== 'add') continue
    const at = lookups[item.side].find(item.item)
    if (at !== undefined && at !== null) added[item.side].set(item.id, reads[item.side].rows.item(at))
  }
  const found = await Promise.all(SIDES.map((side) => findMultiplePlays(run, side, added[side])))
  return found[0]!.union(found[1]!)
}

function undoIdOf({ runId }: Pick<UndoOrder, 'runId'>, { id }: PlanHeader): string {
  return `${runId}-undo-${id}`.slice(0, 200)
}

async function plansToUndo({ db }: EngineParts, runId: string): Promise<PlanHeader[]> {
  return (await plansOfRun(db, runId)).filter((plan) => !plan.dry_run)
}

function irreversibleReason(item: PlanItem, plan: PlanHeader): string | undefined {
  if (item.state === 'unknown' && !canTell(item, plan)) return 'outcome_unknown'
  // The former order is stored.
  if (plan.list !== undefined) return undefined
  if (item.op === 'update' && (item.current === null || item.before === null)) return 'old_value_unknown'
  return item.op === 'add' && plan.plays === false && !isRemovable(item.item) ? 'missing_ids' : undefined
}

/**
 * The process ended before the response arrived. The row did not exist before, so it is now present if it has the sent value.
 * Pairs settle such operations in their next run.
 */
function canTell({ op, before, reason }: PlanItem, { pair_id: pairId }: PlanHeader): boolean {
  return pairId === NO_PAIR && op === 'add' && before === null && reason === 'interrupted'
}
