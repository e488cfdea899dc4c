// Applies a stored plan of changes to one account as a run: reads the account again, applies the operations that are still
// correct, and defers the rest. Held removals need an approval. The remaining operations of a plan can be run again.
import { FAILED } from '../record/outcome.ts'
import { type Comparing, defined, failureCode, PlayheadError, type RunRequest, type Tables } from '@playhead/sdk'
import { writeOutcomes } from '@playhead/sdk/provider'
import type { FeatureReport, RunListener, RunOrder, RunReport } from '../contract.ts'
import type { EngineParts, FeatureRun, RunContext } from '../feature-run.ts'
import { createLookup, type Lookup } from '../library/find-rows.ts'
import { readSide, type SideRead } from '../library/read-side.ts'
import { isListPlan, listToApply } from '../lists/changes.ts'
import { getRead } from '../lists/store.ts'
import { emitPlan } from '../plan/emit.ts'
import { shrinkLimit } from '../plan/read-checks.ts'
import type { PlanOp } from '../plan/planned.ts'
import {
  type ItemResult,
  markDone,
  NO_PAIR,
  type PlanHeader,
  type PlanItem,
  type PlanItemState,
  type PlannedList,
  planPages,
  setPlanState,
  tallyPlan,
} from '../store/plans.ts'
import { accountOf, accountRun, alreadyApplied, changeOf, changePlan } from './account-changes.ts'
import { applyPlan, notifyOutcome, type OutcomeScope } from './apply.ts'
import { countOps } from './commit.ts'
import { orEnd } from './interrupted.ts'
import { toOp } from './plan-op.ts'
import { remember } from './remember-changes.ts'
import { createDirectory, resultOf } from './run.ts'
import { endReport, reportOf } from './run-feature.ts'
import { verifySide } from './verify.ts'

/** Null while the operation is pending. */
type Verdict = Pick<ItemResult, 'state' | 'reason'> | null

/** Positions of the operations in the run. False if the operation is held and not approved. */
type Scope = ReadonlyMap<number, boolean>

const ALREADY: Verdict = { state: 'already', reason: null }
const CHANGED = deferred('changed_since_plan')

/**
 * Throws `PLH_CONFLICT` if a run would do nothing, or something other than requested: `dry_run`, `plan_of_another_feature`,
 * `plan_not_runnable`, `plan_dry`, `plan_waiting`, `busy`, `plan_applied`, `plan_outdated`, `removals_held`.
 */
export async function assertRunnable(
  { db }: Pick<EngineParts, 'db'>,
  header: PlanHeader,
  { dry_run: isDry, allow_mass_delete: approved, features }: RunRequest,
): Promise<void> {
  const refusal = (wire: string, text: string) => new PlayheadError('PLH_CONFLICT', text, { wire })
  if (isDry === true) throw refusal('dry_run', 'This plan is already a preview. Run it to write the changes.')
  if (features !== undefined && !features.includes(header.feature))
    throw refusal('plan_of_another_feature', `The plan is about ${header.feature}.`)
  if (header.maker_only === true)
    throw refusal(
      'plan_not_runnable',
      'The plan is part of a restore or a clear, and can only be looked at. Start that again: it captures the account first.',
    )
  if (header.dry_run) throw refusal('plan_dry', 'This plan is only a preview and cannot be run.')
  if (header.state === 'waiting')
    throw refusal('plan_waiting', 'The changes wait for the account, and are applied as soon as it is free.')
  if (header.state === 'applying') throw refusal('busy', 'The changes are being applied.')
  if (isListPlan(header)) {
    if (header.state === 'done') throw alreadyApplied()
    if ((await getRead(db, header.list.readId)) === undefined)
      throw refusal('plan_outdated', 'The list has changed since. Create the plan again.')
  }
  const left = await leftOf(db, header.id)
  // Moves are planned after the other changes were applied.
  const moves = isListPlan(header) ? header.sides.b.update : 0
  if (left.open + moves > 0 || (approved === true && left.held > 0)) return
  throw left.held > 0
    ? refusal('removals_held', 'Only removals that need approval are left. Send allow_mass_delete to approve them.')
    : alreadyApplied()
}

/** Runs the plan of `request.plan_id`. Reports failures of the provider instead of throwing. */
export async function runAccountPlan(
  engine: EngineParts,
  order: RunOrder,
  listener: RunListener,
  signal: AbortSignal,
): Promise<RunReport> {
  const header = await changePlan(engine, order.request.plan_id ?? '')
  const report = await runPlan({ engine, order, listener, signal }, header)
  const { provider, instance } = header.sides.b
  const pair = { pair_id: NO_PAIR, account: { provider, instance }, mode: header.mode }
  const pairs = [{ ...pair, status: report.status, features: [report] }]
  return { run_id: order.runId, result: resultOf(pairs), pairs }
}

async function runPlan(context: RunContext, { id, feature, sides }: PlanHeader): Promise<FeatureReport> {
  const { engine, order, listener, signal } = context
  const { provider, instance, uid } = sides.b
  const route = { src: provider, dst: provider, feature }
  const about = [{ provider, instance }]
  const skip = (reason: string) => {
    listener.event({ type: 'feature:skipped', ...route, reason, about })
    return reportOf(feature, 'skipped', { reason, about, plan_id: id })
  }
  listener.event({ type: 'feature:start', ...route })
  try {
    using _hold = await engine.work.beginWhenFree(
      { ...(await changeOf(engine, sides.b)), kind: 'sync', ...defined({ within: order.hold }) },
      { signal },
    )
    // The plan may have been applied while this run waited for the account.
    const header = await changePlan(engine, id)
    await assertRunnable(engine, header, order.request)
    const known = await createDirectory(engine, listener).one(provider, instance)
    if (typeof known === 'string') return skip(known)
    if (known.account.uid !== uid) return skip('account_changed')
    const { status } = known.health
    if (status !== 'ok' && status !== 'degraded') return skip(status)
    const report = isListPlan(header) ? await applyList(context, header) : await applyRows(context, header)
    if (typeof report === 'string') return skip(report)
    listener.event({ type: 'feature:done', ...route })
    return report
  } catch (error) {
    if (signal.aborted) {
      listener.event({ type: 'feature:cancelled', ...route })
      return reportOf(feature, 'cancelled', { reason: 'cancelled', plan_id: id })
    }
    const reason = failureCode(error)
    engine.log.warn({ provider, instance, feature, error: reason }, 'a plan could not be applied')
    listener.event({ type: 'feature:error', ...route, error: reason, about })
    return reportOf(feature, 'failed', { reason, about, plan_id: id, errors: 1 })
  }
}

/** A reason if the account cannot be compared with the plan; then no operation was applied. */
async function applyRows(
  { engine, order: { runId, settings, request }, listener, signal }: RunContext,
  header: PlanHeader,
): Promise<FeatureReport | string> {
  const approved = request.allow_mass_delete === true
  const options = { planId: runId, settings, cause: header.cause ?? '', listener, signal }
  // No request waits for a run, so services may ask for longer pauses.
  const { maxWaitMs: _, ...own } = await accountRun(engine, accountOf(header), options)
  const run: FeatureRun = { ...own, comparing: { ...own.comparing, kinds: undefined } as Comparing }
  const scope = await scopeOf(engine, header, approved)
  const judged = await judgeAll(run, header, scope)
  if (typeof judged === 'string') return judged
  const { size, verdicts, account } = judged
  signal.throwIfAborted()
  return claimed(engine, header, { runId, approved }, async () => {
    await markDone(engine.db, verdicts, engine.now())
    const ops = await opsOf(engine, header, scope)
    const planned = { header, ops, ...(account === undefined ? {} : { reads: { b: { account } } }) }
    emitPlan(run, { ops, read: { a: 0, b: size } })
    const applied = await applyPlan(run, planned)
    if (applied.verify.includes('b')) await verifySide(run, planned, 'b')
    await remember(engine, header, writeOutcomes('done'))
    await setPlanState(engine.db, header.id, 'done')
    await notifyRest(engine, header, run, ops)
    return reportOfOps(header, ops, { size, isCancelled: applied.cancelled, doubt: applied.doubts.b })
  })
}

async function applyList(
  { engine, order: { settings, runId, request }, listener, signal }: RunContext,
  header: PlanHeader & { readonly list: PlannedList },
): Promise<FeatureReport> {
  const apply = await listToApply({ engine, header, settings, listener, signal, runId })
  signal.throwIfAborted()
  return claimed(engine, header, { runId, approved: request.allow_mass_delete === true }, async () => {
    await apply()
    await setPlanState(engine.db, header.id, 'done')
    const ops = await opsOf(engine, header)
    const { feature, sides, read } = header
    await notifyRest(engine, header, { listener, pair: { id: NO_PAIR }, feature, sides }, ops)
    return reportOfOps(header, ops, { size: read.b, isCancelled: signal.aborted, doubt: undefined })
  })
}

/** After an error the plan must not stay in the state `applying`. */
async function claimed(
  engine: EngineParts,
  header: PlanHeader,
  by: { readonly runId: string; readonly approved: boolean },
  work: () => Promise<FeatureReport>,
): Promise<FeatureReport> {
  if (!(await claimForRun(engine.db, header, by))) throw alreadyApplied()
  return orEnd(engine, header.id, work)
}

async function scopeOf({ db }: EngineParts, { id }: PlanHeader, approved: boolean): Promise<Scope> {
  const scope = new Map<number, boolean>()
  for await (const page of planPages(db, id))
    for (const { n, state } of page) if (isOpen(state) || state === 'held') scope.set(n, approved || state !== 'held')
  return scope
}

/** Operations that no longer fit the current account, or the reason why the account cannot be compared. */
async function judgeAll(run: FeatureRun, header: PlanHeader, scope: Scope) {
  const verdicts: ItemResult[] = []
  // This service decides itself whether an item is already present.
  if (!run.sides.b.support.read) return { size: header.read.b, verdicts, account: header.basis?.account }
  const { basis } = header
  const read = await readSide(run, run.sides.b, { fresh: true })
  try {
    if (basis !== undefined && basis.account !== read.account) return 'account_changed'
    const { size } = read.rows
    const lookup = createLookup(run, read.rows)
    let removed = 0
    for await (const page of planPages(run.engine.db, header.id)) {
      for (const row of page) {
        const verdict = scope.get(row.n) === true ? judge(row, lookup, read, basis !== undefined) : null
        if (verdict !== null) verdicts.push({ id: row.id, ...verdict })
        if (row.op === 'remove' && row.state === 'applied') removed += 1
      }
    }
    const expected = basis === undefined ? 0 : header.read.b - removed
    if (read.complete && expected > 0 && size === 0) return 'empty_read'
    if (read.complete && expected - size > shrinkLimit(expected)) return 'shrunk_read'
    return { size, verdicts, account: read.account }
  } finally {
    read.rows.release()
  }
}

function judge(
  { op, item, current, before, value }: Pick<PlanItem, 'op' | 'item' | 'current' | 'before' | 'value'>,
  { find }: Lookup,
  { rows, complete }: SideRead,
  wasRead: boolean,
): Verdict {
  const at = find(op === 'add' ? item : (current ?? item))
  if (at === undefined) return deferred('ambiguous_identity')
  if (at === null) {
    if (!complete) return deferred('read_incomplete')
    if (op === 'remove') return ALREADY
    return op === 'add' && before === null ? null : CHANGED
  }
  // The service has the row, but does not list it.
  if (rows.skip(at) !== undefined) return CHANGED
  const now = rows.value(at)
  if (op !== 'remove' && now === value) return ALREADY
  const isKnown = before !== null || wasRead || op === 'add'
  return now === before || !isKnown ? null : CHANGED
}

function deferred(reason: string): Verdict {
  return { state: 'deferred', reason }
}

/** Default: all remaining operations of the plan, except skipped ones. */
async function opsOf({ db }: EngineParts, { id }: PlanHeader, scope?: Scope): Promise<readonly PlanOp[]> {
  const ops: PlanOp[] = []
  for await (const page of planPages(db, id))
    for (const item of page)
      if (scope?.has(item.n) ?? item.state !== 'filtered') ops.push({ ...toOp(item), reported: false })
  return ops
}

async function notifyRest({ db }: EngineParts, { id }: PlanHeader, run: OutcomeScope, ops: readonly PlanOp[]) {
  const byPosition = new Map(ops.map((op) => [op.n, op]))
  for await (const page of planPages(db, id)) {
    for (const { n, item, before, origin } of page) {
      const op = byPosition.get(n)
      if (op !== undefined) notifyOutcome(run, op, item, before, origin)
    }
    await run.listener.flush?.()
  }
}

function reportOfOps(
  { id, feature }: PlanHeader,
  ops: readonly PlanOp[],
  {
    size,
    isCancelled,
    doubt,
  }: { readonly size: number; readonly isCancelled: boolean; readonly doubt: string | undefined },
): FeatureReport {
  const counts = countOps(ops)
  const isIncomplete = ops.some(({ reason }) => reason === 'read_incomplete')
  const reason = isCancelled
    ? 'cancelled'
    : (doubt ?? (isIncomplete ? 'read_incomplete' : counts.held > 0 ? 'held_mass_delete' : undefined))
  return endReport({ feature }, isCancelled, {
    ...counts,
    plan_id: id,
    read: { a: null, b: size },
    unresolved: ops.filter(({ state }) => FAILED.has(state)).length,
    ...defined({ reason }),
  })
}

/** Operations that are certainly not applied yet. Held removals wait for an approval. */
const OPEN: readonly PlanItemState[] = ['ready', 'deferred', ...writeOutcomes('failed')]

interface LeftOfPlan {
  readonly open: number
  readonly held: number
}

function isOpen(state: PlanItemState): boolean {
  return OPEN.includes(state)
}

async function leftOf(db: Tables, id: string): Promise<LeftOfPlan> {
  const left = { open: 0, held: 0 }
  for (const { state, count } of await tallyPlan(db, id))
    if (state === 'held' || isOpen(state)) left[state === 'held' ? 'held' : 'open'] += count
  return left
}

/**
 * The run takes the remaining operations of the plan. False if another run or change took the plan since.
 *
 * @param approved held removals are applied too
 */
async function claimForRun(
  db: Tables,
  header: PlanHeader,
  { runId, approved }: { readonly runId: string; readonly approved: boolean },
): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    const claimed = await transaction
      .updateTable('sync__plan')
      .set({ state: 'applying', run_id: runId, header: JSON.stringify({ ...header, run_id: runId }) })
      .where(({ and }) => and({ id: header.id, pair_id: NO_PAIR, state: header.state }))
      .executeTakeFirst()
    if (Number(claimed.numUpdatedRows) === 0) return false
    // Plugins judge deferred operations again.
    await transaction
      .updateTable('sync__plan_item')
      .set({ note: null })
      .where(({ and }) => and({ plan_id: header.id, state: 'deferred' }))
      .execute()
    await transaction
      .updateTable('sync__plan_item')
      .set({ state: 'ready', reason: null })
      .where('plan_id', '=', header.id)
      .where('state', 'in', approved ? [...OPEN, 'held'] : OPEN)
      .execute()
    return true
  })
}
