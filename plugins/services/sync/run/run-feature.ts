// Runs one feature of one pair, from the reads to the commit.
import {
  BEFORE_PLAN,
  defined,
  failureCode,
  type Feature,
  featureCapability,
  type FeatureOptions,
  isAccepted,
  isPlayheadError,
  providerCapability,
  READ_FINISHED,
  type Side,
} from '@playhead/sdk'
import { createTextNumbers, type TextNumbers } from '@playhead/sdk/items'
import { type Counts, type FeatureReport, type FeatureStatus, isDryRun } from '../contract.ts'
import { endsOf, type Pair } from '../pairs/pair.ts'
import { mapRows, mappingOf } from '../library/anime.ts'
import { unlinkRemapped } from '../library/unlink-remapped.ts'
import { beginPlan, getPlan } from '../store/plans.ts'
import { forgetBase } from '../store/purge.ts'
import { disarm, hashOf, readState, saveState } from '../store/state.ts'
import { clearUnresolved, HELD } from '../store/unresolved.ts'
import type { Doubts } from './account-check.ts'
import { applyPlan } from './apply.ts'
import { scopeOf as scopeOfRun, VETO_FAILED } from '../plan/judge.ts'
import { commit, countOps, stateAfter } from './commit.ts'
import { mirrorOf, readApproved, scopeOf, sidesOfOthers } from '../plan/approval.ts'
import { fetchDroppedShows, skipDropped } from '../plan/dropped-shows.ts'
import { buildGroups } from '../library/groups.ts'
import { makePlan } from '../plan/planning.ts'
import {
  storeInventory,
  fetchSide,
  loadRead,
  readSide,
  type UnchangedRead,
  type SideRead,
} from '../library/read-side.ts'
import type { UnchangedProof } from '../store/unchanged-proofs.ts'
import { proveUnchanged, findUnchangedProof, touchInventories } from './unchanged.ts'
import {
  statusOf,
  emitBlocked,
  emitApplied,
  emitPlan,
  emitReads,
  emitImplausible,
  unusableReason,
} from '../plan/emit.ts'
import { policyMarks, takeAdds } from '../policy/in-run.ts'
import { checkReads } from '../plan/read-checks.ts'
import {
  bySide,
  type EngineParts,
  type FeatureRun,
  isSynced,
  type RunAccount,
  type RunContext,
  type SideContext,
  SIDES,
} from '../feature-run.ts'
import { endEarlierPlans, endPlan } from './interrupted.ts'
import { verifySide } from './verify.ts'
import { findWatched } from '../plan/watched.ts'
import { markOfRecorded, readRecorded } from './recorded-plays.ts'

export interface FeatureInput extends RunContext {
  readonly pair: Pair
  readonly feature: Feature
  readonly options: FeatureOptions
  /** Each account, or why it cannot be used. */
  readonly accounts: Readonly<Record<Side, RunAccount | string>>
}

/** Reports failures of providers instead of throwing. The caller holds the locks. */
export async function runFeature(input: FeatureInput): Promise<FeatureReport> {
  const { pair, feature, listener, engine } = input
  const about = routeOf(input)
  const progress: Progress = { reads: {} }
  const dryRun = isDryRun(input.order)
  listener.event({ type: 'feature:start', ...about })
  try {
    const run = await prepare(input)
    const isUnusable = (side: Side) => statusOf(input.accounts[side]) === run
    if (typeof run === 'string' && !dryRun) await disarmState(input)
    const report =
      typeof run === 'string' ? skipped(input, run, SIDES.filter(isUnusable)) : await syncFeature(run, progress)
    listener.event({ type: 'feature:done', ...about })
    return report
  } catch (error) {
    const read = bySide((side) => progress.reads[side]?.rows.size ?? null)
    await endPlan(engine, planIdOf(input))
    if (input.signal.aborted) {
      listener.event({ type: 'feature:cancelled', ...about })
      return reportOf(feature, 'cancelled', { reason: 'cancelled', read })
    }
    const reason = failureCode(error)
    engine.log[isPlayheadError(error) ? 'warn' : 'error'](
      { pair: pair.id, feature, error: isPlayheadError(error) ? error.message : error },
      'a feature of a pair failed',
    )
    const failed = accountsOf(pair, progress.failed === undefined ? [] : [progress.failed])
    listener.event({ type: 'feature:error', ...about, error: reason, ...failed })
    if (!dryRun) await disarmState(input)
    return reportOf(feature, 'failed', { reason, ...failed, read, errors: 1 })
  } finally {
    const inUse = new Set(input.histories?.values())
    for (const side of SIDES)
      if (progress.reads[side] !== undefined && !inUse.has(progress.reads[side].rows))
        progress.reads[side].rows.release()
  }
}

interface Progress {
  reads: Partial<Record<Side, SideRead>>
  /** The side that failed. */
  failed?: Side
}

/** The context of the run, or the reason why it cannot start. */
export async function prepare(input: FeatureInput): Promise<FeatureRun | string> {
  const { options: given, accounts, ...about } = input
  const { engine, order, pair, feature, listener } = about
  const unusable = unusableReason(accounts)
  if (unusable !== undefined) return unusable
  const [a, b] = [accounts.a as RunAccount, accounts.b as RunAccount]
  // Two profiles may be signed in to the same account.
  const sameAccount =
    a.account.provider === b.account.provider && a.health.account !== undefined && a.health.account === b.health.account
  if (sameAccount || a.account.uid === b.account.uid) return 'same_account'
  const supported = { a: isSynced(feature) && canUse(a, feature), b: isSynced(feature) && canUse(b, feature) }
  if (!supported.a || !supported.b) {
    const which = { src_supported: supported.a, dst_supported: supported.b }
    listener.event({ type: 'feature:unsupported', ...routeOf(input), ...which })
    return 'unsupported'
  }
  if (pair.mode === 'two_way' && !(a.description.bidirectional && b.description.bidirectional)) return 'unsupported'
  const policy = engine.use(featureCapability(feature))
  const options = await policy.normalize(given)
  const sides = { a: createSideContext(engine, 'a', a, feature), b: createSideContext(engine, 'b', b, feature) }
  const playsAllowed = a.health.plays !== false && b.health.plays !== false
  const support = bySide((side) => sides[side].support)
  const compareWith = (plays: boolean) => policy.compare({ options, mode: pair.mode, support, playsAllowed: plays })
  const comparing = await compareWith(playsAllowed)
  const variant = variantOf({ pair, comparing })
  await endEarlierPlans(engine, feature, { a, b })
  let state = await readState(engine.db, pair.id, feature)
  if (state !== null) {
    const sameSides = SIDES.every((side) => state!.uid[side] === sides[side].uid)
    // Comparing by item for a while would forget the known plays, because each change of the comparison starts with a first run.
    const isPaused =
      sameSides &&
      !playsAllowed &&
      state.variant !== variant &&
      state.variant === variantOf({ pair, comparing: await compareWith(true) }) &&
      engine.now() - state.lastRunAtMs < WITHOUT_PLAYS_MS
    if (isPaused) return 'plays_unavailable'
    if (!sameSides || state.variant !== variant) {
      // Another account or another comparison variant: the base does not apply.
      if (!isDryRun(order)) await forget(input)
      state = null
    }
  }
  return {
    ...{ ...about, policy, options, sides, state, comparing },
    ...{ plays: comparing.identity === 'play', playsAllowed },
    ...{ dryRun: isDryRun(order), approved: new Set(), nowMs: engine.now() },
  }
}

/** An account whose single plays cannot be used for longer than this is compared by item. */
const WITHOUT_PLAYS_MS = 7 * 86_400_000

/** Removals are held although the run may apply removals, because they are not the approved ones. */
const NOT_APPROVED = 'changed_since_approval'

function isApproval({ order: { request }, pair }: FeatureRun): boolean {
  return request.allow_mass_delete === true && request.pair_id === pair.id
}

function planIdOf({ order, pair, feature }: Pick<FeatureInput, 'order' | 'pair' | 'feature'>): string {
  return `${order.runId}-${hashOf([pair.id, feature]).slice(0, 10)}`
}

async function syncFeature(given: FeatureRun, progress: Progress): Promise<FeatureReport> {
  let run = given
  const { engine, pair, feature } = run
  const changed = SIDES.filter((side) => isDifferent(run.state?.account[side], run.sides[side].health.account))
  if (changed.length > 0) return await accountChanged(run, changed)
  const numbers = createTextNumbers()
  const fetched = await fetchBoth(run, progress, numbers)
  run.signal.throwIfAborted()
  const others = SIDES.filter((side) => isDifferent(run.state?.account[side], fetched[side].account))
  if (others.length > 0) return await accountChanged(run, others)
  const planId = run.order.request.plan_id
  const reviewed = planId === undefined ? undefined : await getPlan(engine.db, planId)
  const foreign = reviewed === undefined ? [] : sidesOfOthers(run, reviewed, fetched)
  if (foreign.length > 0) return skipped(run, 'account_changed', foreign)
  emitReads(run, fetched)
  for (const side of SIDES) {
    const { provider, instance } = run.sides[side]
    const read = fetched[side]
    const rows = 'rows' in read ? read.rows.size : null
    const at = { ...scopeOfRun(run), account: { provider, instance } }
    await engine.taps.tell(READ_FINISHED, { ...at, rows, complete: read.complete })
  }
  // After the reads, so that a show dropped meanwhile is already out of scope.
  const mapping = await mappingOf(run)
  run = {
    ...run,
    dropped: await fetchDroppedShows(run),
    recordedMark: await markOfRecorded(run),
    ...defined({ mapping }),
    policyMarks: await policyMarks(run),
  }
  const scope = scopeOf(run)
  const mirror = mirrorOf(run, scope)
  run = { ...run, approved: await readApproved(run, reviewed), ...defined({ mirror }) }
  const proof = await findUnchangedProof(run, fetched, scope)
  if (proof !== undefined) return await finishUnchanged(run, fetched, proof)
  if (!run.dryRun) await engine.unchangedProofs.set(pair.id, feature, undefined)
  const reads = await loadBoth(fetched, progress)
  run = { ...run, policyMarks: await takeAdds(run, reads) }
  for (const side of SIDES) await skipDropped(run, reads[side], run.sides[side])
  await mapRows(run, { a: reads.a.rows, b: reads.b.rows }, numbers)
  await unlinkRemapped(run, reads, numbers)
  const read = { a: reads.a.rows.size, b: reads.b.rows.size }
  run.signal.throwIfAborted()
  const groups = await buildGroups(run, reads.a.rows, reads.b.rows, numbers, await readRecorded(run, reads))
  const checks = await checkReads(run, groups, reads)
  emitImplausible(run, groups, reads, checks)
  const watched = await findWatched(run, groups, (side) => readHistory(run, side))
  const accounts = SIDES.map((side) => ({ provider: run.sides[side].provider, instance: run.sides[side].instance }))
  await engine.taps.tell(BEFORE_PLAN, { ...scopeOfRun(run), accounts })
  const planned = await makePlan({ run, groups, reads, checks, watched }, planIdOf(run))
  emitPlan(run, { ...planned, read })
  emitBlocked(run, planned.ops)
  if (run.dryRun) {
    const counts = countOps(planned.ops)
    for (const side of SIDES) cacheForDryRun(run, run.sides[side], reads[side])
    const status: FeatureStatus =
      counts.held > 0 ? 'partial' : planned.ops.some(({ state }) => state === 'ready') ? 'ok' : 'nothing_to_do'
    return reportOf(feature, status, {
      ...counts,
      plan_id: planned.header?.id ?? null,
      read,
      unresolved: planned.notes.filter(({ reason }) => !isAccepted(reason)).length,
    })
  }
  for (const side of SIDES) await storeInventory(run, run.sides[side], reads[side], planned.own)
  let cancelled = run.signal.aborted
  let doubts: Doubts = {}
  const ending = { planned, scope, variant: variantOf(run) }
  if (planned.header !== null) {
    // An aborted run has not recorded the rows that it read.
    const readAtMs = run.state?.readAtMs ?? { a: null, b: null }
    const interrupted = { ...stateAfter({ ...ending, cancelled: true }), readAtMs, armed: false }
    await beginPlan(engine.db, planned.header.id, JSON.stringify(interrupted))
    const applied = await applyPlan(run, planned)
    ;({ cancelled, doubts } = applied)
    for (const side of applied.verify) await verifySide(run, planned, side)
  }
  const committed = await commit({ ...ending, cancelled })
  const { unresolved, notInLibrary, counts } = committed
  if (!cancelled) await engine.unchangedProofs.set(pair.id, feature, await proveUnchanged(planned, scope, committed))
  if (pair.mode === 'two_way') emitApplied(run, planned)
  const incomplete = SIDES.filter((side) => !reads[side].complete)
  const doubtful = SIDES.filter((side) => doubts[side] !== undefined)
  if (doubtful.length > 0) await disarmState(run)

  function endReason(): Pick<FeatureReport, 'reason' | 'about'> {
    if (cancelled) return { reason: 'cancelled' }
    if (doubtful.length > 0) return { reason: doubts[doubtful[0]!]!, ...accountsOf(pair, doubtful) }
    if (incomplete.length > 0) return { reason: 'read_incomplete', ...accountsOf(pair, incomplete) }
    if (counts.held > 0) return { reason: isApproval(run) ? NOT_APPROVED : HELD }
    return planned.ops.some(({ reason }) => reason === VETO_FAILED) ? { reason: VETO_FAILED } : {}
  }

  return endReport(run, cancelled, {
    ...counts,
    ...{ plan_id: planned.header?.id ?? null, read, unresolved, not_in_library: notInLibrary },
    ...endReason(),
  })
}

/** Items that a service lacks or rejects are listed; they do not make the run partial. */
export function endReport(
  { feature }: Pick<FeatureRun, 'feature'>,
  isCancelled: boolean,
  fields: Partial<FeatureReport> & Counts,
): FeatureReport {
  const status =
    fields.reason !== undefined || fields.errors > 0 ? 'partial' : fields.planned === 0 ? 'nothing_to_do' : 'ok'
  return reportOf(feature, isCancelled ? 'cancelled' : status, fields)
}

/** Reuses the result of the last run. Updates counters, read times and inventories. */
async function finishUnchanged(
  run: FeatureRun,
  fetched: FetchedReads,
  { counts, unresolved, notInLibrary = 0, read }: UnchangedProof,
): Promise<FeatureReport> {
  const {
    engine: { db, now },
    pair,
    feature,
    order,
  } = run
  const state = run.state!
  emitPlan(run, { ops: [], read })
  await touchInventories(run, fetched)
  await saveState(db, pair.id, feature, order.runId, {
    ...state,
    readAtMs: { a: fetched.a.atMs, b: fetched.b.atMs },
    sizes: read,
    runs: state.runs + 1,
    lastRunStartedAtMs: order.startedAtMs,
    lastRunAtMs: now(),
  })
  if (pair.mode === 'two_way') emitApplied(run, { ops: [] })
  return reportOf(feature, 'nothing_to_do', { ...counts, read, unresolved, not_in_library: notInLibrary })
}

/** A run that writes would have stored the state. */
function cacheForDryRun({ histories, feature }: FeatureRun, { uid }: SideContext, { complete, rows }: SideRead): void {
  if (histories === undefined || feature !== 'history' || !complete) return
  histories.get(uid)?.release()
  histories.set(uid, rows)
}

type FetchedReads = Readonly<Record<Side, SideRead | UnchangedRead>>

/** Reads both sides concurrently. If one fails, the other is stopped. */
async function fetchBoth(run: FeatureRun, progress: Progress, numbers: TextNumbers): Promise<FetchedReads> {
  const stop = new AbortController()
  const signal = AbortSignal.any([run.signal, stop.signal])
  const fetched: Partial<Record<Side, SideRead | UnchangedRead>> = {}
  let failure: { readonly error: unknown; readonly side: Side } | undefined
  await Promise.all(
    SIDES.map(async (side) => {
      try {
        const read = (fetched[side] = await fetchSide({ ...run, signal }, run.sides[side], {
          numbers,
          fresh: run.state?.unproven?.[side] === true,
        }))
        if (!('load' in read)) progress.reads[side] = read
      } catch (error) {
        failure ??= { error, side }
        stop.abort()
      }
    }),
  )
  if (failure !== undefined) {
    // The progress of the other side is arbitrary, so neither side is reported.
    for (const side of SIDES) {
      progress.reads[side]?.rows.release()
      delete progress.reads[side]
    }
    progress.failed = failure.side
    throw failure.error
  }
  return fetched as FetchedReads
}

async function loadBoth(fetched: FetchedReads, progress: Progress): Promise<Readonly<Record<Side, SideRead>>> {
  for (const side of SIDES) {
    progress.failed = side
    progress.reads[side] = await loadRead(fetched[side])
  }
  delete progress.failed
  return progress.reads as Readonly<Record<Side, SideRead>>
}

/** The accounts of these sides, for a report. */
function accountsOf(pair: Pair, sides: readonly Side[]): Pick<FeatureReport, 'about'> {
  return sides.length === 0 ? {} : { about: sides.map((side) => endsOf(pair)[side]) }
}

/** After a failure the next complete read proves no absence, and nothing is unchanged: a service may recover with fewer rows. */
async function disarmState({
  engine: { db, log, unchangedProofs },
  pair,
  feature,
}: Pick<FeatureInput, 'engine' | 'pair' | 'feature'>): Promise<void> {
  try {
    await disarm(db, pair.id, feature)
    await unchangedProofs.set(pair.id, feature, undefined)
  } catch (error) {
    log.error({ error }, 'the state of a pair could not be updated')
  }
}

/** The profile now reaches another account, so the base does not apply. */
async function accountChanged(run: FeatureRun, sides: readonly Side[]): Promise<FeatureReport> {
  const report = skipped(run, 'account_changed', sides)
  if (!run.dryRun) await forget(run)
  return report
}

function skipped(
  input: Pick<FeatureInput, 'pair' | 'feature' | 'listener'>,
  reason: string,
  sides: readonly Side[],
): FeatureReport {
  const why = { reason, ...accountsOf(input.pair, sides) }
  input.listener.event({ type: 'feature:skipped', ...routeOf(input), ...why })
  return reportOf(input.feature, 'skipped', why)
}

function routeOf({ pair, feature }: Pick<FeatureInput, 'pair' | 'feature'>) {
  return { src: pair.source, dst: pair.target, feature }
}

async function forget({
  engine: { db, unchangedProofs },
  pair,
  feature,
}: Pick<FeatureInput, 'engine' | 'pair' | 'feature'>): Promise<void> {
  await unchangedProofs.set(pair.id, feature, undefined)
  await db.deleteFrom('sync__state').where('pair_id', '=', pair.id).where('feature', '=', feature).execute()
  await forgetBase(db, pair.id, feature)
  await clearUnresolved(db, { pairId: pair.id, feature })
}

function isDifferent(known: string | undefined, now: string | undefined): boolean {
  return known !== undefined && now !== undefined && known !== now
}

function canUse({ description, health }: RunAccount, feature: Feature): boolean {
  const support = description.features[feature]
  return support?.read === true && health.features?.[feature] !== false
}

export function createSideContext(
  engine: EngineParts,
  side: Side,
  { account, health, description }: RunAccount,
  feature: Feature,
): SideContext {
  return {
    side,
    provider: account.provider,
    instance: account.instance,
    uid: account.uid,
    account,
    health,
    description,
    support: description.features[feature]!,
    api: engine.use(providerCapability(account.provider)),
  }
}

/** The history of an account whose pair does not sync it; undefined if its service has none that can be read. */
async function readHistory({ engine, ...run }: FeatureRun, side: Side): Promise<SideRead | undefined> {
  const { account, health, description } = run.sides[side]
  if (description.features.history?.read !== true) return undefined
  const policy = engine.use(featureCapability('history'))
  const options = await policy.normalize({ enabled: true, add: false, remove: false })
  const own = (name: Side) => createSideContext(engine, name, { account, health, description }, 'history')
  const sides = bySide(own)
  const support = bySide((name) => sides[name].support)
  const comparing = await policy.compare({ options, mode: run.pair.mode, support, playsAllowed: false })
  const about = { feature: 'history', policy, options, sides, comparing, state: null, plays: false } as const
  return await readSide({ ...run, engine, ...about, playsAllowed: false }, sides[side])
}

function variantOf({ comparing, pair }: Pick<FeatureRun, 'comparing' | 'pair'>): string {
  return hashOf([comparing.variant, comparing.identity, pair.mode])
}

export function reportOf(feature: Feature, status: FeatureStatus, fields: Partial<FeatureReport> = {}): FeatureReport {
  return { feature, status, plan_id: null, read: { a: null, b: null }, unresolved: 0, ...countOps([]), ...fields }
}
