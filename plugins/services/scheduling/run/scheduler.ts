// Queues the items that the host reports as due, starts one at a time, waits for its end and stores the result. Each
// step is stored before it is executed, so that a restart repeats nothing.
import {
  createTurns,
  defined,
  isPlayheadError,
  isRecent,
  type JobHandle,
  type JobSlot,
  type JobTime,
  type Logger,
  type Remote,
  type RunSummary,
  type SyncService,
} from '@playhead/sdk'
import { applyRules, type RuleOutcome } from '../plan/apply-rules.ts'
import { takeDue } from '../plan/due.ts'
import { entriesOf, GRACE_MS, timesOf } from '../plan/entries.ts'
import { matches, type PlaybackEvent } from '../plan/event-rules.ts'
import { allows, readinessOf } from '../plan/readiness.ts'
import type { SchedulingConfig } from '../settings.ts'
import { type Order, orderOf } from './starter.ts'
import { type EntryResult, type Item, type Running, startedBy, type State, type StateStore } from './state.ts'
import { doWork, type Workers } from './work.ts'

export interface SchedulerDependencies {
  readonly config: () => SchedulingConfig
  readonly store: StateStore
  readonly sync: Pick<Remote<SyncService>, 'start' | 'finished' | 'active' | 'pairs'>
  readonly workers: Workers
  /** Publishes the start or end of a scheduled run. It must not throw or block. */
  readonly announce: (
    order: Order,
    running: Running,
    end?: { readonly result: EntryResult; readonly summary?: RunSummary },
  ) => void
  /** Runs `tick` with the due slots. */
  readonly plan: JobHandle
  /** Runs `tick` at the last set time. */
  readonly wake: Pick<JobHandle, 'set'>
  readonly log: Logger
  readonly now: () => number
  readonly hostZone: string
  /** Identifies this generation of this process. */
  readonly owner: string
  readonly signal: AbortSignal
}

export interface Scheduler {
  /** Processes all due items until it has to wait. */
  tick(due?: readonly JobSlot[]): Promise<void>
  /** The planned slots, earliest first. */
  slots(state: State): Promise<readonly JobSlot[]>
  played(name: string, event: PlaybackEvent): Promise<RuleOutcome>
  /** Starts nothing more until `resume`. Running work continues. */
  pause(): Promise<void>
  resume(): Promise<void>
  /** Resolves when all captures and backups started here have ended. */
  settled(): Promise<void>
}

const RETRY_MS = 30_000
const RETRY_WORK_MS = 15 * 60_000
const MAX_RETRIES = 3
/** While something is queued or running: poll for its end, and retry. */
const BUSY = { every: '15s' } as const
/** How long another generation may take to record a run it has just started. */
const HANDOVER_MS = 60_000
const MAX_STEPS = 200

export function createScheduler(dependencies: SchedulerDependencies): Scheduler {
  const { store, sync, workers, plan, wake, log, now, hostZone, owner, signal } = dependencies
  let watched: string | null = null
  /** Due slots that are not in the stored queue yet. */
  let taken: readonly JobSlot[] = []
  const background = new Set<Promise<void>>()

  /** Serialized: a decision must still hold when it is executed. */
  const inTurn = createTurns()

  function keep(work: Promise<void>): void {
    const tracked: Promise<void> = work
      .catch((error: unknown) => log.error({ err: error }, 'a scheduling tick failed; it is retried soon'))
      .finally(() => background.delete(tracked))
    background.add(tracked)
  }

  async function checkDue(due: readonly JobSlot[]): Promise<void> {
    if (signal.aborted) return
    taken = [...taken, ...due]
    // If the tick fails, retry soon.
    let isBusy = true
    try {
      await proceed()
      const state = await store.load()
      setTimes(state)
      isBusy = state.running !== null || state.queue.length > 0
    } finally {
      wake.set(isBusy ? BUSY : null)
    }
  }

  function setTimes(state: State): void {
    plan.set(state.paused ? null : timesOf(dependencies.config(), { ...state, hostZone }))
  }

  /** Slots that passed while an earlier version was off, which had planned itself. */
  async function takeOver({ plannedUntilMs, ...state }: State): Promise<void> {
    if (plannedUntilMs === undefined) return
    const { times } = timesOf(dependencies.config(), { ...state, hostZone })
    const from = ([name, time]: [string, JobTime]) => {
      const untilMs = plannedUntilMs[name]
      return [name, 'cron' in time && untilMs !== undefined ? { ...time, from: untilMs } : time] as const
    }
    if (!state.paused) {
      plan.set({ times: Object.fromEntries(Object.entries(times).map(from)) })
      const missed = (await plan.next()).filter(({ dueAtMs }) => dueAtMs <= now())
      taken = [...missed, ...taken]
    }
  }

  async function proceed(): Promise<void> {
    await takeOver(await store.load())
    const due = taken
    const dropped = await store.update((state) => takeDue(state, { due, config: dependencies.config(), nowMs: now() }))
    taken = taken.slice(due.length)
    for (const { key, slotMs } of dropped) {
      log.warn({ key, due: new Date(slotMs).toISOString() }, 'not started: the service was not running')
    }
    for (let steps = 0; steps < MAX_STEPS && !signal.aborted; steps++) {
      const state = await store.load()
      const isMoved = state.running === null ? await startNext(state) : await followUp(state.running)
      if (!isMoved) return
    }
  }

  async function followUp(running: Running): Promise<boolean> {
    if (running.kind === 'capture' || running.kind === 'backup')
      return running.owner === owner ? false : tryAgain(running, 'interrupted')
    if (running.runId === null) {
      const mayStillStart = running.owner !== owner && isRecent(running.startedAtMs, now(), HANDOVER_MS)
      return mayStillStart ? false : end(running, 'interrupted')
    }
    if ((await sync.active())?.run_id === running.runId) {
      watch(running.runId)
      return false
    }
    const summary = await summaryOf(running.runId)
    return end(
      running,
      summary === undefined ? 'interrupted' : summary.result === '' ? 'failed' : summary.result,
      summary,
    )
  }

  async function summaryOf(runId: string): Promise<RunSummary | undefined> {
    try {
      return await sync.finished(runId, signal)
    } catch (error) {
      if (isPlayheadError(error, 'PLH_NOT_FOUND')) return undefined
      throw error
    }
  }

  function watch(runId: string): void {
    if (watched === runId || signal.aborted) return
    watched = runId
    const ended = sync.finished(runId, signal).then(
      () => scheduler.tick(),
      () => {},
    )
    void ended
      .catch((error: unknown) => log.warn({ err: error }, 'a scheduling tick failed; it is retried soon'))
      .finally(() => {
        if (watched === runId) watched = null
      })
  }

  async function startNext(state: State): Promise<boolean> {
    if (state.paused) return false
    const config = dependencies.config()
    const entries = entriesOf(config)
    for (const item of state.queue) {
      const readiness = readinessOf(item, { state, config, entries, hostZone, nowMs: now() })
      if (readiness.is === 'waiting') continue
      if (readiness.is === 'drop') {
        log.warn({ key: item.key, reason: readiness.reason }, 'not started: the previous step did not succeed')
        await store.update((latest) => [{ ...latest, queue: removeFrom(latest.queue, item) }, undefined])
        return true
      }
      const active = await sync.active()
      if (active === null) return start(item, config)
      watch(active.run_id)
      return false
    }
    return false
  }

  async function start(item: Item, config: SchedulingConfig): Promise<boolean> {
    const order = orderOf(item, config)
    const startedAtMs = now()
    const running: Running = { ...item, pairId: order?.pairId ?? item.pairId, runId: null, startedAtMs, owner }
    const taken = await store.update((state) => {
      const isMine = !state.paused && state.running === null && state.queue.some((one) => isSame(one, item))
      if (!isMine) return [state, false]
      const queue = removeFrom(state.queue, item)
      if (order === undefined) return [{ ...state, queue }, true]
      const startedMs = item.kind === 'standard' ? startedAtMs : state.startedMs
      return [{ ...state, queue, startedMs, running, last: startedBy(running, startedAtMs, order.last) }, true]
    })
    if (!taken || order === undefined) return true
    if (item.kind === 'capture' || item.kind === 'backup') return work(running, config)
    try {
      const started = await sync.start(order.request)
      if (started.status === 'skipped') return await end(running, 'skipped')
      const accepted: Running = { ...running, runId: started.run_id }
      await store.update((state) => {
        const isMine = state.running !== null && isSame(state.running, item)
        return [isMine ? { ...state, running: accepted } : state, undefined]
      })
      dependencies.announce(order, accepted)
      watch(started.run_id)
      return true
    } catch (error) {
      return refused(item, running, error)
    }
  }

  // The sync is busy: the item keeps waiting. Temporary errors are retried for a while.
  async function refused(item: Item, running: Running, error: unknown): Promise<boolean> {
    const wire = isPlayheadError(error) ? error.wire : 'failed'
    const isBusy = wire === 'already_running' || wire === 'busy'
    const isFinal = isPlayheadError(error, 'PLH_NOT_FOUND') || (isPlayheadError(error, 'PLH_CONFLICT') && !isBusy)
    const triedMs = item.triedMs ?? now()
    if (!isBusy && (isFinal || now() - Math.max(item.dueMs, triedMs) >= GRACE_MS))
      return end(running, 'refused', undefined, wire)
    log.info({ key: item.key, reason: wire }, 'could not be started yet')
    await store.update((state) => {
      if (state.running === null || !isSame(state.running, item)) return [state, undefined]
      const again: Item = { ...item, triedMs, notBeforeMs: now() + RETRY_MS }
      return [{ ...state, running: null, queue: [again, ...state.queue] }, undefined]
    })
    return true
  }

  async function work(running: Running, config: SchedulingConfig): Promise<boolean> {
    const done = doWork(workers, running, config, signal)
    if (done === undefined) return end(running, 'refused', undefined, `${running.kind}s_unavailable`)
    keep(
      done
        .then(
          () => undefined,
          (error: unknown) => {
            log.error({ err: error, key: running.key }, 'scheduled work failed')
            return isPlayheadError(error) ? error.wire : 'failed'
          },
        )
        .then(async (failure) => {
          await inTurn(() => (failure === undefined ? end(running, 'ok') : tryAgain(running, failure)))
          await scheduler.tick()
        }),
    )
    return false
  }

  /** Retries a few times later: a full disk or an unreachable service may have recovered. */
  async function tryAgain(running: Running, failure: string): Promise<boolean> {
    const failures = (running.failures ?? 0) + 1
    if (failures > MAX_RETRIES) return end(running, 'failed', undefined, failure)
    await store.update((state) => {
      if (state.running === null || !isSame(state.running, running)) return [state, undefined]
      const { runId, startedAtMs, owner: by, ...item } = running
      const again: Item = { ...item, failures, notBeforeMs: now() + RETRY_WORK_MS }
      const last = { ...state.last, ok: false, error: failure }
      return [{ ...state, running: null, queue: [...state.queue, again], last }, undefined]
    })
    log.warn({ key: running.key, reason: failure, failures }, 'scheduled work is tried again in 15 minutes')
    return true
  }

  async function end(running: Running, result: EntryResult, summary?: RunSummary, error = ''): Promise<boolean> {
    const config = dependencies.config()
    const order = orderOf(running, config)
    const ended = await store.update((state) => {
      if (state.running === null || !isSame(state.running, running)) return [state, false]
      const isWell = allows(result, false) || result === 'skipped'
      const steps = order?.entry?.steps.length ?? 0
      const hasNext =
        running.step + 1 < steps && !state.paused && allows(result, order?.entry?.continueOnError === true)
      const { runId, startedAtMs, owner: by, triedMs, notBeforeMs, ...item } = running
      // Stopping a run also cancels the rest of its batch.
      const rest = result === 'cancelled' ? state.queue.filter(({ batch }) => batch !== running.batch) : state.queue
      return [
        {
          ...state,
          running: null,
          queue: hasNext ? [{ ...item, step: item.step + 1 }, ...rest] : rest,
          results: { ...remembered(state, config), [running.key]: { slotMs: running.slotMs, result } },
          last: { ...state.last, ok: isWell, error: isWell ? '' : error || result },
        },
        true,
      ]
    })
    if (!ended) return true
    log.info({ key: running.key, run_id: running.runId, result }, 'ended')
    if (order !== undefined) dependencies.announce(order, running, { result, ...defined({ summary }) })
    return true
  }

  // Drops results of entries that are no longer in the settings.
  function remembered({ results }: State, config: SchedulingConfig): State['results'] {
    const keys = new Set(entriesOf(config).map(({ key }) => key))
    return Object.fromEntries(Object.entries(results).filter(([key]) => keys.has(key)))
  }

  async function play(name: string, event: PlaybackEvent): Promise<RuleOutcome> {
    const rules = dependencies.config().advanced
    const isAboutAny = rules.enabled && rules.event_rules.some((rule) => matches(rule, name, event))
    const pairs = isAboutAny ? (await sync.pairs()).filter(({ enabled }) => enabled).map(({ id }) => id) : []
    return store.update((state) => applyRules(state, { rules, pairs, name, event, nowMs: now() }))
  }

  const scheduler: Scheduler = {
    slots(state) {
      setTimes(state)
      return plan.next()
    },
    tick: (due = []) => inTurn(() => checkDue(due)),
    async played(name, event) {
      const outcome = await inTurn(() => play(name, event))
      if (outcome.triggered > 0) await scheduler.tick()
      return outcome
    },
    pause: () =>
      inTurn(async () => {
        const state = await store.update((before) => {
          const paused: State = { ...before, paused: true, queue: [] }
          return [paused, paused]
        })
        setTimes(state)
        wake.set(state.running === null ? null : BUSY)
      }),
    async resume() {
      await inTurn(() => store.update((state) => [{ ...state, paused: false }, undefined]))
      await scheduler.tick()
    },
    async settled() {
      while (background.size > 0) await Promise.all(background)
      await inTurn(async () => {})
    },
  }
  return scheduler
}

function isSame(one: Item, other: Item): boolean {
  return one.key === other.key && one.slotMs === other.slotMs && one.step === other.step
}

function removeFrom(queue: readonly Item[], item: Item): readonly Item[] {
  return queue.filter((one) => !isSame(one, item))
}
