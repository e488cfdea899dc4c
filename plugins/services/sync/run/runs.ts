// Starts, cancels and records runs, one at a time. A run is stored before it starts.
import {
  type AnyHook,
  createOnce,
  defined,
  FEATURES,
  type HookInput,
  itemsThatNeedYou,
  PlayheadError,
  type PluginContext,
  RUN_FINISHED,
  RUN_STARTED,
  type RunRequest,
  type RunStart,
  type RunSummary,
  sleep,
  type SyncStatus,
  untilAborted,
  type WorkHold,
} from '@playhead/sdk'
import { randomBytes } from 'node:crypto'
import { isDryRun, type RunListener, type RunOrder, type RunReport, type SyncSettings, TRIGGERS } from '../contract.ts'
import type { Pair } from '../pairs/pair.ts'
import { briefOf, endEvents, type RunBrief, totalsOf } from '../record/brief.ts'
import type { Recorder } from '../record/recording.ts'
import { logRunEvent } from '../record/run-log.ts'
import type { RunStore } from '../record/run-store.ts'
import type { RunStream } from '../record/run-stream.ts'
import { createRecord, reduceRun, sentOf, type RunFact, type RunRecord } from '../record/run-record.ts'
import { summaryOf } from '../record/summary.ts'
import { NO_PAIR, type PlanHeader } from '../store/plans.ts'
import { createTelemetry } from '../record/telemetry.ts'
import type { MainSide } from './main-side.ts'

// The end of a run of the replaced generation is visible only in the database.
const POLL_MS = 250
const ENDS: ReadonlySet<RunFact['type']> = new Set(['applied', 'feature:done', 'post_apply_refresh:done'])

const ASKED = ['source', ...TRIGGERS, 'pair_id'] as const

/** The work of a run: syncing pairs, or undoing another run. */
type RunWork = (order: RunOrder, listener: RunListener, signal: AbortSignal) => Promise<RunReport>

export type Runs = ReturnType<typeof createRuns>

interface Active {
  /** Once its end is published, a run counts as ended, even while the end is being stored. */
  record: RunRecord
  readonly stop: AbortController
  readonly done: Promise<RunSummary>
}

interface RunDependencies {
  readonly ctx: PluginContext
  readonly store: RunStore
  readonly stream: RunStream
  readonly version: string
  readonly now: () => number
  readonly pairs: () => readonly Pair[]
  readonly settings: () => SyncSettings
  readonly run: RunWork
  readonly recover: () => Promise<void>
  /** Throws `PLH_NOT_FOUND` (`plan_not_found`). */
  readonly planOf: (planId: string) => Promise<PlanHeader>
  /** For plans of changes to one account. */
  readonly assertRunnable: MainSide['assertRunnable']
  readonly runAccountPlan: RunWork
  readonly recorder: Recorder
  /** The status that a run left; null for runs that sync nothing. */
  readonly statusOf: (brief: RunBrief) => Promise<SyncStatus | null>
  /** Watchlist rows by provider. */
  readonly counts: () => Promise<Readonly<Record<string, number>>>
}

export function createRuns(deps: RunDependencies) {
  const { ctx, store, stream, now } = deps
  const log = ctx.log.channel('SYNC')
  // Not awaited: a run does not wait for plugins that only observe.
  const tell = <H extends AnyHook>(hook: H, input: HookInput<H>) => void ctx.callHook(hook, input).catch(() => {})
  let active: Active | undefined
  let starting = false
  let inherited: string | null = null

  const closed = createOnce(async () => {
    const interrupted = await store.closeInterrupted(now(), inherited)
    if (interrupted.length > 0)
      log.warn({ runs: interrupted }, 'the service stopped during a run; the next run verifies what was sent')
  })

  // Recovery would revert the current work of a run of the replaced generation.
  const ready = createOnce(async () => {
    await closed()
    while ((await inheritedRun()) !== undefined) await sleep(POLL_MS, ctx.signal)
    await deps.recover()
  })

  async function readyUnlessInherited(): Promise<string | undefined> {
    const other = await inheritedRun()
    if (other === undefined) await ready()
    return other
  }

  async function startWork(pairs: readonly Pair[], request: RunRequest, work: RunWork): Promise<RunStart> {
    const other = await readyUnlessInherited()
    // The end of a run is published before it is stored; a start in between waits until it is stored.
    if (active?.record.end !== undefined) await active.done
    // No await between this check and `starting`, so that one of two concurrent starts is rejected.
    if (active !== undefined || starting || other !== undefined)
      throw alreadyRunning(active?.record.order.runId ?? other ?? null)
    starting = true
    try {
      const startedAtMs = now()
      const runId = createRunId(startedAtMs)
      const order: RunOrder = { runId, pairs, request, settings: deps.settings(), startedAtMs }
      const record = createRecord(order, deps.version, await deps.counts())
      await store.save(summaryOf(record), { startedAtMs }, pairIdsOf(order))
      const stop = new AbortController()
      const { promise: done, resolve } = Promise.withResolvers<RunSummary>()
      active = { record, stop, done }
      resolve(execute(active, work, AbortSignal.any([stop.signal, ctx.signal])))
      return { status: 'accepted', run_id: runId }
    } finally {
      starting = false
    }
  }

  async function startOfAccount(plan: PlanHeader, request: RunRequest): Promise<RunStart> {
    if (request.pair_id !== undefined || request.pair_ids !== undefined) throw otherPair()
    // Recovery settles operations that an earlier process was applying.
    await readyUnlessInherited()
    const isDry = isDryRun({ request, settings: deps.settings() })
    await deps.assertRunnable(await deps.planOf(plan.id), { ...request, dry_run: isDry })
    return startWork([], request, deps.runAccountPlan)
  }

  async function inheritedRun(): Promise<string | undefined> {
    if (inherited === null) return undefined
    if ((await store.get(inherited))?.running === true) return inherited
    inherited = null
    return undefined
  }

  function take(run: Active, fact: RunFact): void {
    const { record } = run
    const sent = sentOf(fact)
    run.record = reduceRun(record, fact, sent)
    deps.recorder.take(run.record, fact)
    logRunEvent(log, fact)
    for (const event of sent) stream.event(event)
    if (run.record !== record) stream.changed(() => summaryOf(run.record))
  }

  async function execute(run: Active, work: RunWork, signal: AbortSignal): Promise<RunSummary> {
    const { order } = run.record
    const { runId } = order
    const pairIds = pairIdsOf(order)
    const dryRun = isDryRun(order)
    const telemetry = createTelemetry(ctx.host, order)
    const listener: RunListener = {
      event(fact) {
        take(run, fact.type === 'health' ? { ...fact, api: telemetry.quotaOf(fact) } : fact)
        if (isEnd(fact)) for (const low of telemetry.low()) take(run, low)
      },
      flush: deps.recorder.flush,
    }
    stream.begin(summaryOf(run.record))
    take(run, { type: 'begin' })
    let end: RunFact & { readonly type: 'end' }
    try {
      using hold = await untilFree(run, signal)
      const source = order.request.source ?? 'api'
      ctx.events.emit('run.started', { run_id: runId, dry_run: dryRun, pairs: pairIds, source })
      tell(RUN_STARTED, { runId, dryRun, pairIds, source })
      listener.event({ type: 'run:start', run_id: runId, dry_run: dryRun, mode: deps.version })
      const report: RunReport =
        hold === null
          ? { run_id: runId, result: 'cancelled', pairs: [] }
          : await work({ ...order, hold: hold.id }, listener, signal)
      await countAfter(run)
      end = { type: 'end', result: report.result, report, finishedAtMs: now() }
    } catch (error) {
      log.error({ run: runId, error }, 'the run failed with an internal error')
      end = { type: 'end', result: 'failed', reason: 'internal', finishedAtMs: now() }
    }
    // When the run is shown as ended, the archive has its records.
    await deps.recorder.finish()
    take(run, end)
    await deps.recorder.finish()
    const result = summaryOf(run.record)
    for (const event of [...telemetry.totals(), ...endEvents(result, order.pairs.length)]) take(run, event)
    stream.flush(result)
    try {
      await store.save(result, { startedAtMs: order.startedAtMs, finishedAtMs: now() }, pairIds)
    } catch (error) {
      log.error({ run: runId, error }, 'the summary of the run could not be stored')
    }
    const status = await deps.statusOf(briefOf(result, pairIds)).catch(() => null)
    active = undefined
    const totals = totalsOf(result)
    const { added, removed, updated, unresolved, errors, held } = totals
    const counts = { added, removed, updated, unresolved, errors, held }
    tell(RUN_FINISHED, { runId, dryRun, pairIds, result: result.result ?? 'failed', ...counts })
    ctx.events.emit('run.finished', {
      ...{ run_id: runId, result: result.result, exit_code: result.exit_code, dry_run: dryRun, pairs: pairIds },
      ...defined(Object.fromEntries(ASKED.map((name) => [name, order.request[name]]))),
      ...counts,
      open: itemsThatNeedYou(totals),
      ...(status === null ? {} : { status: { state: status.state, count: status.count, text: status.text } }),
      ...defined({ not_undone: result.not_undone }),
    })
    return result
  }

  /** Holds the run until it can start. Null if it was cancelled before. */
  async function untilFree(run: Active, signal: AbortSignal): Promise<WorkHold | null> {
    const { runId, pairs } = run.record.order
    const { length } = pairs
    const label =
      length === 0
        ? 'Changes to one account'
        : length === 1
          ? `The sync of ${pairs[0]!.name}`
          : `A sync of ${length} pairs`
    try {
      return await ctx.work.beginWhenFree(
        { kind: 'sync', label },
        {
          signal,
          onWait({ code, message, sinceMs }) {
            log.warn({ run: runId, reason: code }, `the run is on hold: ${message}`)
            const onHold = { reason: code, detail: message, since: Math.floor(sinceMs / 1_000) }
            take(run, { type: 'hold', onHold })
            ctx.events.emit('run.on_hold', { run_id: runId, reason: code, detail: message })
          },
        },
      )
    } catch (error) {
      if (signal.aborted) return null
      throw error
    } finally {
      if (run.record.onHold !== null) take(run, { type: 'hold', onHold: null })
    }
  }

  // Missing counts must not fail a run.
  async function countAfter(run: Active): Promise<void> {
    try {
      take(run, { type: 'rows', after: await deps.counts() })
    } catch (error) {
      log.warn({ run: run.record.order.runId, err: error }, 'the rows of accounts could not be counted after the run')
    }
  }

  return {
    /**
     * Recovers interrupted work of an earlier process, once a run of the replaced generation has ended. Writes nothing
     * before that.
     */
    ready,
    /** As `ready`, but does not wait for a run of the replaced generation that is still active: it returns its id. */
    readyUnlessInherited,
    /** As `ready`. Throws `PLH_CONFLICT` (`busy`) while a run of the replaced generation is active. */
    async readyForChanges(): Promise<void> {
      if ((await readyUnlessInherited()) === undefined) return
      const run = ctx.work.current().find(({ kind }) => kind === 'sync')
      throw new PlayheadError('PLH_CONFLICT', 'A run is using this account. Try again when it has ended.', {
        wire: 'busy',
        details: { holder: 'sync', ...(run === undefined ? {} : { since: Math.floor(run.startedAtMs / 1_000) }) },
      })
    },
    /** Starts other work under the same rules: one at a time, with summary, stream and cancel. */
    startWork,
    /** Stores a run that was not a sync. */
    record: store.save,
    takeOver(runId: string | null): void {
      inherited = runId
    },
    /** Starts a sync of the pairs. */
    async start(request: RunRequest): Promise<RunStart> {
      const plan = request.plan_id === undefined ? undefined : await deps.planOf(request.plan_id)
      if (plan?.pair_id === NO_PAIR) return startOfAccount(plan, request)
      const pairs = await pairsFor(request, plan, deps)
      const [pair] = pairs
      if (pair === undefined) return { status: 'skipped', skipped: 'no_pairs_configured' }
      // A plan belongs to one pair, so an approval sent with it applies to that pair.
      return startWork(pairs, request.plan_id === undefined ? request : { ...request, pair_id: pair.id }, deps.run)
    },
    /** Throws `PLH_CONFLICT` (`already_running`). */
    assertIdle(): void {
      if (active !== undefined && active.record.end === undefined) throw alreadyRunning(active.record.order.runId)
    },
    active: () =>
      active === undefined || active.record.end !== undefined
        ? null
        : {
            run_id: active.record.order.runId,
            on_hold: active.record.onHold,
            pair_ids: pairIdsOf(active.record.order),
            cancel_requested_at: active.record.cancelRequestedAtMs,
          },
    /** The run that is being cancelled, or null if none is active. */
    cancel() {
      if (active === undefined) return null
      take(active, { type: 'cancel', atMs: now() })
      active.stop.abort(new PlayheadError('PLH_ABORTED', 'The run was cancelled.'))
      const { order, cancelRequestedAtMs } = active.record
      return { run_id: order.runId, requested_at: cancelRequestedAtMs }
    },
    async finished(runId: string, signal?: AbortSignal): Promise<RunSummary> {
      await closed()
      if (active?.record.order.runId === runId)
        return signal === undefined ? active.done : untilAborted(active.done, signal)
      while (runId === (await inheritedRun())) await sleep(POLL_MS, signal ?? ctx.signal)
      const stored = await store.get(runId)
      if (stored === undefined)
        throw new PlayheadError('PLH_NOT_FOUND', `There is no run ${runId}.`, { wire: 'run_not_found' })
      return stored
    },
    /** The summary of the active run, or else of the last one. */
    async summary(): Promise<RunSummary | undefined> {
      await closed()
      return active === undefined ? store.latest() : summaryOf(active.record)
    },
    /** Runs that have ended, newest first. */
    async ended(limit: number): Promise<readonly RunSummary[]> {
      await closed()
      return store.ended(limit)
    },
    /** All stored runs, newest first, with the current state of the active one. */
    async briefs(): Promise<readonly RunBrief[]> {
      await closed()
      const now = active === undefined ? undefined : briefOf(summaryOf(active.record), pairIdsOf(active.record.order))
      return (await store.briefs()).map((brief) => (brief.run_id === now?.run_id ? now : brief))
    },
    async get(runId: string): Promise<RunSummary | undefined> {
      await closed()
      return active?.record.order.runId === runId ? summaryOf(active.record) : await store.get(runId)
    },
  }
}

function pairIdsOf({ pairs }: RunOrder): readonly string[] {
  return pairs.map(({ id }) => id)
}

async function pairsFor(
  request: RunRequest,
  plan: PlanHeader | undefined,
  { pairs }: RunDependencies,
): Promise<readonly Pair[]> {
  const { pair_id: asked, pair_ids: several, features } = request
  const unknown = (features ?? []).filter((feature) => !FEATURES.includes(feature))
  if (unknown.length > 0)
    throw new PlayheadError(
      'PLH_INVALID',
      `There is no feature ${unknown.join(', ')}; there are ${FEATURES.join(', ')}.`,
      { wire: 'unknown_feature' },
    )
  if (several !== undefined && (asked !== undefined || plan !== undefined))
    throw new PlayheadError('PLH_INVALID', 'Send only one of pair_id, pair_ids and plan_id.', { wire: 'pair_or_pairs' })
  const pairId = plan === undefined ? asked : plan.pair_id
  if (asked !== undefined && asked !== pairId) throw otherPair()
  if ((request.allow_mass_delete === true || request.confirm_mirror === true) && pairId === undefined) {
    throw new PlayheadError('PLH_INVALID', 'Removals are approved for one pair. Send pair_id, too.', {
      wire: 'pair_id_required',
    })
  }
  const wanted = pairId === undefined ? several : [pairId]
  if (wanted === undefined) return pairs().filter(({ enabled }) => enabled)
  const missing = wanted.find((one) => !pairs().some(({ id }) => id === one))
  if (missing !== undefined)
    throw new PlayheadError('PLH_NOT_FOUND', `There is no pair ${JSON.stringify(missing.slice(0, 80))}.`, {
      wire: 'pair_not_found',
    })
  const found = pairs().filter(({ id }) => wanted.includes(id))
  const off = found.find(({ enabled }) => !enabled)
  if (off !== undefined)
    throw new PlayheadError('PLH_CONFLICT', `The pair "${off.name}" is off.`, { wire: 'pair_disabled' })
  return found
}

function otherPair(): PlayheadError {
  return new PlayheadError('PLH_CONFLICT', 'The plan belongs to another pair.', { wire: 'plan_of_another_pair' })
}

/** The last event with requests, after which quotas are checked. */
function isEnd(event: RunFact): boolean {
  return event.type === 'apply' ? event.step === 'done' : ENDS.has(event.type)
}

function alreadyRunning(runId: string | null): PlayheadError {
  return new PlayheadError('PLH_CONFLICT', 'A run is in progress. Wait until it ends, or cancel it.', {
    wire: 'already_running',
    details: { status: 'skipped', run_id: runId },
  })
}

// A ULID (https://github.com/ulid/spec): ids sort by time and are unique within a millisecond.
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** 26 characters: ten of time, sixteen random. */
function createRunId(nowMs: number): string {
  let time = ''
  for (let rest = nowMs, place = 0; place < 10; place += 1, rest = Math.floor(rest / 32))
    time = DIGITS[rest % 32] + time
  return time + Array.from(randomBytes(16), (byte) => DIGITS[byte % 32]).join('')
}
