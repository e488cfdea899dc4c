// Applies a plan in batches, both sides concurrently. On each side removals and updates precede adds. An operation is marked
// before it is sent, and its outcome is stored before the next batch, or before the one after it where batches may overlap.
import { isDeepStrictEqual } from 'node:util'
import {
  AFTER_WRITE,
  BEFORE_WRITE,
  FILTER_PLAN,
  type AccountName,
  type Feature,
  type Origin,
  PlayheadError,
  type PlayheadErrorCode,
  type Side,
  type WriteOutcome,
  type WriteResult,
  isPlayheadError,
  pause,
  withTimeLimit,
  failureCode,
} from '@playhead/sdk'
import { isWriteOutcome, writeOutcomes } from '@playhead/sdk/provider'
import type { ItemOutcome, RunListener } from '../contract.ts'
import type { Pair } from '../pairs/pair.ts'
import {
  deferReady,
  type ItemResult,
  markDone,
  markSent,
  nextPlanItems,
  NO_PAIR,
  type PlanItem,
  type PlanItemState,
} from '../store/plans.ts'
import { type Applicable, type PlanOp, type Tally, tallyOf } from '../plan/planned.ts'
import { emitNotTried } from '../plan/emit.ts'
import { judge, operationOf, scopeOf, VETOED } from '../plan/judge.ts'
import { type AccountCheck, createAccountCheck, type Doubts } from './account-check.ts'
import { CHANGED, type Comparison, createComparison, isChangedSince } from './compare.ts'
import { brief, type FeatureRun, OPS, SIDES } from '../feature-run.ts'

interface Applied {
  readonly cancelled: boolean
  readonly doubts: Doubts
  /** Sides with unknown outcomes, or whose provider's responses are not sufficient proof. */
  readonly verify: readonly Side[]
}

const DEFAULT_BATCH = 100
const MAX_BATCH = 500
// A longer pause defers the rest to the next run.
const MAX_WAIT_MS = 2 * 60_000
const MAX_TRIES = 3
const WRITE_LIMIT_MS = 10 * 60_000
/** Errors that prove that no request was sent. */
export const NOT_SENT: readonly PlayheadErrorCode[] = [
  'PLH_NOT_READY',
  'PLH_AUTH_FAILED',
  'PLH_RATE_LIMITED',
  'PLH_UNSUPPORTED',
  'PLH_INVALID',
  'PLH_CAPABILITY_GONE',
  'PLH_HOST_DENIED',
  'PLH_PLUGIN_QUARANTINED',
]

export async function applyPlan(run: FeatureRun, planned: Applicable): Promise<Applied> {
  const byPosition: PlanOp[] = []
  for (const op of planned.ops) if (op.n >= 0) byPosition[op.n] = op
  const check = createAccountCheck(run, planned)
  const { doubts } = check
  const ended = await Promise.allSettled(
    SIDES.map((side) =>
      applySide({ run, planned, byPosition, side, check, comparison: createComparison(run, planned, side) }),
    ),
  )
  for (const each of ended) if (each.status === 'rejected') throw each.reason
  const remaining = planned.ops.filter((op) => op.state === 'ready')
  for (const side of SIDES) {
    const left = remaining.filter((op) => op.side === side)
    if (left.length === 0) continue
    const reason = run.signal.aborted ? 'cancelled' : (doubts[side] ?? 'not_attempted')
    for (const op of left) {
      op.state = 'deferred'
      op.reason ??= reason
    }
    await deferReady(run.engine.db, planned.header!.id, { side, size: byPosition.length, reason })
  }
  const cancelled = run.signal.aborted && remaining.length > 0
  if (cancelled) for (const side of SIDES) emitCancelled(run, planned, side)
  else if (remaining.length > 0) emitNotTried(run, remaining, tallyOf(planned.ops), doubts)
  const tally = tallyOf(planned.ops)
  return { cancelled, doubts, verify: SIDES.filter((side) => needsVerify(run, tally, side)) }
}

type Counts = { [state in PlanItemState]?: number }

/** One side of a plan. */
interface Applying {
  readonly run: FeatureRun
  readonly planned: Applicable
  readonly byPosition: readonly PlanOp[]
  readonly side: Side
  readonly check: AccountCheck
  readonly comparison: Comparison
}

async function applySide(context: Applying): Promise<void> {
  const { run, planned, side } = context
  const tally = tallyOf(planned.ops)
  for (const op of OPS) {
    const total = tally(side, op, 'ready')
    if (total === 0 || run.signal.aborted) continue
    const about = applying(run, side, op)
    run.listener.event({ ...about, step: 'start', count: total })
    const counts: Counts = {}
    const mayContinue = await applyKind(context, op, total, counts)
    const all = (...states: readonly PlanItemState[]) => states.reduce((sum, state) => sum + (counts[state] ?? 0), 0)
    run.listener.event({
      ...{ ...about, step: 'done', attempted: total, applied: all('applied'), already: all('already') },
      unresolved: all(...writeOutcomes('refused', 'unknown')),
      errors: all(...writeOutcomes('failed')),
    })
    if (!mayContinue) return
  }
}

async function applyKind(context: Applying, op: PlanItem['op'], total: number, counts: Counts): Promise<boolean> {
  const { run, planned, byPosition, side, check, comparison } = context
  const { db } = run.engine
  const { support, instance } = run.sides[side]
  const size = Math.max(1, Math.min(support.maxBatch ?? DEFAULT_BATCH, MAX_BATCH))
  const next = (after: number) => nextPlanItems(db, planned.header!.id, side, op, after, size)
  // A comparison by the provider would be made a batch earlier.
  const mayOverlap = op === 'add' && support.overlaps === true && support.compares?.includes(op) !== true
  let done = 0

  // Stored first, so that it can be reported while the next batch is being sent.
  async function report(batch: readonly PlanItem[], results: readonly ItemResult[]): Promise<void> {
    const states = new Map(results.map((result) => [result.id, result]))
    for (const item of batch) {
      const result = states.get(item.id)
      if (result === undefined) continue
      const planOp = byPosition[item.n]!
      planOp.state = result.state
      planOp.reason = result.reason
      if (result.note !== undefined) planOp.note = result.note
      if (isChangedSince(result.reason)) planOp.unresolved = true
      counts[result.state] = (counts[result.state] ?? 0) + 1
      if (result.state !== 'unknown') notifyOutcome(run, planOp, item.item, item.before, item.origin)
    }
    if (run.engine.taps.has(AFTER_WRITE)) await tellWritten(context, op, batch, states)
    done += batch.length
    run.listener.event({
      ...{ ...applying(run, side, op), step: 'progress', instance, done, total },
      ok: (counts.applied ?? 0) + (counts.already ?? 0),
    })
    await run.listener.flush?.()
  }

  let following = next(-1)
  let stored: Batch | undefined
  let reported: Promise<void> = Promise.resolve()
  const reportStored = async () => {
    const one = stored
    stored = undefined
    if (one !== undefined) await report(one.batch, one.results)
  }
  /** Stores the outcomes of a batch. Resolves to whether more may be sent. */
  async function finish({ batch, results, sending }: Sending): Promise<boolean> {
    const sent = await sending
    if (sent !== undefined) {
      run.engine.checkpoint?.('answered')
      results.push(...sent.results)
    }
    await markDone(db, results, run.engine.now())
    await reported
    // Without another batch in between, the last one is not reported yet.
    await reportStored()
    stored = { batch, results }
    return sent?.stop !== true
  }
  /** The batch that is being written. */
  let open: Sending | undefined
  const finishOpen = async () => {
    const one = open
    open = undefined
    return one === undefined || (await finish(one))
  }
  try {
    for (;;) {
      if (run.signal.aborted) return false
      const batch = await following
      if (batch.length === 0) return await finishOpen()
      if (!(await check.isSure(side))) return false
      const results: ItemResult[] = []
      const allowed = await askPlugins(context, batch, results)
      const isUnchanged = await comparison
        .isUnchanged(op)
        .catch((error: unknown) => check.doubt(side, error) ?? undefined)
      if (isUnchanged === undefined) return false
      const send = allowed.filter((item) => {
        if (isUnchanged(item)) return true
        results.push({ id: item.id, state: 'deferred', reason: CHANGED })
        return false
      })
      const ids = send.map(({ id }) => id)
      const marked = ids.length === 0 ? new Set() : await markSent(db, ids, run.engine.now())
      let sending: ReturnType<typeof sendBatch> | undefined
      if (marked.size > 0) {
        run.engine.checkpoint?.('sent')
        const own = send.filter(({ id }) => marked.has(id))
        sending = sendBatch(context, op, own)
      }
      // Read ahead. Changes by another version of the plugin are detected when the operations are marked.
      following = next(batch.at(-1)!.n)
      reported = reportStored()
      // Their errors are thrown once the outcomes of this batch are stored.
      for (const one of [following, reported, sending]) one?.catch(() => {})
      const before = open
      open = { batch, results, sending }
      if (before !== undefined && !(await finish(before))) return false
      if (!mayOverlap && !(await finishOpen())) return false
    }
  } finally {
    await finishOpen()
    await reportStored()
  }
}

interface Batch {
  readonly batch: readonly PlanItem[]
  readonly results: ItemResult[]
}

interface Sending extends Batch {
  /** Undefined if none of its operations is sent. */
  readonly sending: ReturnType<typeof sendBatch> | undefined
}

async function sendBatch(
  { run, side, check }: Applying,
  op: PlanItem['op'],
  batch: readonly PlanItem[],
): Promise<{ readonly results: ItemResult[]; readonly stop: boolean }> {
  const { api, provider, instance } = run.sides[side]
  const results: ItemResult[] = []
  const end = (items: readonly PlanItem[], state: PlanItemState, reason: string) =>
    results.push(...items.map(({ id }) => ({ id, state, reason })))
  let remaining = batch
  for (let attempt = 1; ; attempt += 1) {
    // Keys within a request must be unique.
    const used = new Set<string>()
    const nameOf = ({ key, id }: PlanItem) => {
      const name = used.has(key) ? `${key} ${id}` : key
      used.add(name)
      return name
    }
    const items = remaining.map((row) => ({
      key: nameOf(row),
      item: row.item,
      ...(row.current === null ? {} : { current: row.current }),
    }))
    let answer: WriteResult
    try {
      // After a timeout the write may or may not have happened.
      answer = await withTimeLimit(
        api.write(instance, { feature: run.feature, op, ...(run.plays ? { plays: true } : {}), items }, run.signal),
        WRITE_LIMIT_MS,
        () => new PlayheadError('PLH_UPSTREAM_TIMEOUT', 'The provider did not answer a write for ten minutes.'),
      )
    } catch (error) {
      const reason = failureCode(error)
      run.engine.log.warn({ provider, feature: run.feature, op, error: reason }, 'a batch of writes failed')
      const isSure = isPlayheadError(error) && NOT_SENT.includes(error.code)
      const isLimited = isPlayheadError(error, 'PLH_RATE_LIMITED')
      end(remaining, isSure ? (isLimited ? 'rate_limited' : 'failed') : 'unknown', reason)
      return { results, stop: true }
    }
    const outcomes = readOutcomes(answer)
    const limited: PlanItem[] = []
    for (const [index, row] of remaining.entries()) {
      const { outcome, reason = null } = outcomes.get(items[index]!.key) ?? { outcome: 'unknown', reason: 'no_outcome' }
      if (outcome === 'rate_limited') limited.push(row)
      else if (isChangedSince(reason)) end([row], 'deferred', CHANGED)
      else results.push({ id: row.id, state: outcome, reason })
    }
    const waitMs = answer.retryAfterMs ?? 0
    const canWait = waitMs <= (run.maxWaitMs ?? MAX_WAIT_MS) && !run.signal.aborted
    if (waitMs > 0 && canWait) await wait(run, side, waitMs)
    if (limited.length === 0) return { results, stop: !canWait }
    const isSure = await check.isSure(side)
    if (!isSure) end(limited, 'deferred', check.doubts[side]!)
    else if (canWait && attempt < MAX_TRIES && !run.signal.aborted) {
      remaining = limited
      continue
    } else end(limited, 'rate_limited', 'rate_limited')
    return { results, stop: true }
  }
}

/**
 * Returns the operations that no plugin rejects; the others get their results. Changes to one account are judged again,
 * because they may be older than the plugin.
 */
async function askPlugins(
  { run, planned: { header } }: Applying,
  batch: readonly PlanItem[],
  results: ItemResult[],
): Promise<readonly PlanItem[]> {
  let allowed = batch
  for (const hook of run.pair.id === NO_PAIR ? [FILTER_PLAN, BEFORE_WRITE] : [BEFORE_WRITE]) {
    if (!run.engine.taps.has(hook)) continue
    const operations = allowed.map((item) => operationOf(run, item))
    const judged = await judge({ run, hook, planId: header!.id, operations })
    allowed = allowed.filter(({ n, id, item }) => {
      const verdict = judged.get(n)
      if (verdict === undefined) return true
      const { note } = verdict
      if ('reason' in verdict)
        results.push({ id, state: verdict.reason === VETOED ? 'filtered' : 'deferred', reason: verdict.reason, note })
      else if (isDeepStrictEqual(verdict.item, item)) return true
      else results.push({ id, state: 'deferred', reason: 'changed_since_plan', note })
      return false
    })
  }
  return allowed
}

async function tellWritten(
  { run, planned: { header }, side }: Applying,
  op: PlanItem['op'],
  batch: readonly PlanItem[],
  states: ReadonlyMap<number, ItemResult>,
): Promise<void> {
  const { provider, instance } = run.sides[side]
  const outcomes = batch.flatMap(({ id, key, item }) => {
    const { state, reason } = states.get(id) ?? {}
    return state === undefined || state === 'filtered' || state === 'deferred'
      ? []
      : [{ key, item, outcome: state, reason: reason ?? null }]
  })
  if (outcomes.length === 0) return
  const about = { ...scopeOf(run), planId: header!.id, account: { provider, instance }, op }
  await run.engine.taps.tell(AFTER_WRITE, { ...about, outcomes })
}

/** Outcomes by key. The first outcome of a key counts. */
function readOutcomes(answer: WriteResult | undefined): Map<string, WriteOutcome> {
  const found = new Map<string, WriteOutcome>()
  const list = Array.isArray(answer?.outcomes) ? (answer.outcomes as readonly WriteOutcome[]) : []
  for (const outcome of list)
    if (isWriteOutcome(outcome?.outcome) && !found.has(outcome.key)) found.set(outcome.key, outcome)
  return found
}

async function wait(run: FeatureRun, side: Side, ms: number): Promise<void> {
  const { provider, instance } = run.sides[side]
  run.listener.event({ type: 'rate:slow', provider, instance, remaining: 0, base_ms: 0, extra_ms: ms })
  if (run.engine.sleep !== undefined) return run.engine.sleep(ms, run.signal)
  return pause(ms, run.signal)
}

function needsVerify(run: FeatureRun, tally: Tally, side: Side): boolean {
  const has = (state: PlanItemState) => tally(side, 'any', state) > 0
  // A removal is confirmed only once a read misses the item. If the item shows later, a person added it again.
  return (
    has('unknown') ||
    tally(side, 'remove', 'applied') + tally(side, 'remove', 'already') > 0 ||
    (run.sides[side].support.verifyAfterWrite === true &&
      run.order.settings.verify_after_write &&
      (has('applied') || has('already')))
  )
}

/** The account fields of an outcome. */
export interface OutcomeScope {
  readonly listener: RunListener
  readonly pair: Pick<Pair, 'id'>
  readonly feature: Feature
  readonly sides: Readonly<Record<Side, AccountName>>
}

/** @param before value of the row before the write */
export function notifyOutcome(
  run: OutcomeScope,
  op: PlanOp,
  item: Parameters<typeof brief>[0],
  before: string | null,
  origin: Origin | null = null,
): void {
  if (op.reported) return
  op.reported = true
  const { side, key, cause, value, state, reason } = op
  const { provider, instance } = run.sides[side]
  const outcome: ItemOutcome = {
    ...{ pair_id: run.pair.id, feature: run.feature, provider, instance, op: op.op, key },
    outcome: state === 'ready' || state === 'sent' ? 'deferred' : state,
    ...(reason === null ? {} : { reason }),
    ...{ side, cause, before, value, item: brief(item) },
    ...(origin === null ? {} : { origin }),
  }
  run.listener.event({ type: 'item', item: outcome })
}

function applying({ sides, pair, feature }: FeatureRun, side: Side, op: PlanItem['op']) {
  return { type: 'apply', op, side, mode: pair.mode, dst: sides[side].provider, feature } as const
}

function emitCancelled(run: FeatureRun, planned: Applicable, side: Side): void {
  for (const op of OPS) {
    const own = planned.ops.filter(
      (each) =>
        each.side === side && each.op === op && each.n >= 0 && each.state !== 'held' && each.state !== 'filtered',
    )
    const deferred = own.filter(({ state, reason }) => state === 'deferred' && reason === 'cancelled').length
    const total = own.length
    if (deferred > 0)
      run.listener.event({ ...applying(run, side, op), step: 'cancelled', done: total - deferred, total })
  }
}
