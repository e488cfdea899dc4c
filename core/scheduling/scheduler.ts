// Runs jobs when due. The list of jobs changes with every composition; their state is in the database, so that neither
// a reload nor a restart repeats or loses a slot, and several hosts can share it.
//
// A job is loaded (its plan is known) → waiting → starting (lease, then slot) → running → waiting. A host that does not
// get the lease or the slot reads the new plan and waits for it.
import { AsyncLocalStorage } from 'node:async_hooks'
import {
  PlayheadError,
  type JobOptions,
  type JobRun,
  type JobSlot,
  type JobState,
  type JobTimes,
  type JobTiming,
  type Logger,
  type Tables,
} from '@playhead/sdk'
import type { Clock } from '../clock.ts'
import { createActiveRuns } from './active-runs.ts'
import { createJobStore, keyText, type JobKey, type JobRecord, type JobStart } from './job-store.ts'
import {
  afterRun,
  firstDueOf,
  isOfWrongClock,
  type Plan,
  planOf,
  planText,
  slotsOf,
  storedPlan,
  takeDue,
} from './plan.ts'
import { systemTimers, type Timers } from '../clock.ts'
import { checkTiming } from './timing.ts'

/**
 * The time of a job that its owner sets at run time. Undefined: not set by this generation; the stored time applies.
 * Compared by identity.
 */
export interface OwnTime {
  latest: { readonly timing: JobTiming | JobTimes | null } | undefined
}

export function isOwnTime(timing: JobTiming | OwnTime): timing is OwnTime {
  return 'latest' in timing
}

export interface ScheduledJob {
  /** Plugin id, or `core`. */
  readonly owner: string
  readonly name: string
  readonly timing: JobTiming | OwnTime
  /** The timing was checked when the job was noted. */
  readonly isChecked?: boolean
  readonly options: JobOptions
  run(signal: AbortSignal, info: Omit<JobRun, 'signal'>): Promise<void>
}

export interface Scheduler {
  /** Replaces the list of jobs. State, plans and current runs of remaining jobs continue. */
  setJobs(jobs: readonly ScheduledJob[]): void
  /** The owner set another time. */
  retime(owner: string, name: string): void
  /** The next slots of a job whose owner set `latest`, also before that is stored. */
  next(key: JobKey, latest: OwnTime['latest'], options: JobOptions): Promise<readonly JobSlot[]>
  /** Starts running jobs, the first ones after the delay. */
  start(delayMs?: number): void
  /** Starts no more jobs; current runs continue. */
  stop(): void
  /**
   * Stops, waits for current runs, then aborts the remaining ones, which get the last part of the time. Resolves to the
   * number of runs that are still active.
   */
  drain(withinMs: number): Promise<number>
  jobs(owner: string): readonly JobState[]
  all(): readonly (JobState & { readonly owner: string })[]
  /** Runs a job now, outside its plan, or with those of several times that are due. False if it is already running, here or on another host. */
  trigger(owner: string, name: string): Promise<boolean>
}

interface SchedulerDependencies {
  readonly db: Tables
  readonly clock: Clock
  readonly log: Logger
  /** Unique per process. */
  readonly hostId: string
  readonly timers?: Timers
}

// Short enough to notice clock changes and suspend.
const MAX_SLEEP_MS = 30_000
const RETRY_MS = 5_000
const CLOCK_SET_BACK_MS = 1_000
const DEFAULT_TIMEOUT_MS = 3_600_000
const FORGET_AFTER_MS = 400 * 24 * 3_600_000

interface Entry {
  job: ScheduledJob
  /** Null if unscheduled. */
  plan: Plan | null
  /** For a job with its own time: the last stored one. */
  taken: OwnTime['latest']
  record: JobRecord | undefined
  /** The plan for the job's current timing is loaded. */
  loaded: boolean
  /** Do not retry earlier, after a failure or while another host runs it. */
  retryAtMs: number
  /** A state access is in progress. */
  busy: boolean
}

export function createScheduler({ db, clock, log, hostId, timers = systemTimers }: SchedulerDependencies): Scheduler {
  const store = createJobStore(db)
  const runs = createActiveRuns({ store, clock, timers, log, hostId })
  const steps = new Set<Promise<void>>()
  let entries = new Map<string, Entry>()
  let started = false
  let wakeTimer: unknown
  let lastTickMs = -Infinity
  // The loop belongs to the host, not to the context that triggers it.
  const asHost = AsyncLocalStorage.snapshot()

  function setJobs(jobs: readonly ScheduledJob[]): void {
    const next = new Map<string, Entry>()
    for (const job of jobs) {
      const key = keyText(job)
      if (!isValid(job, next.has(key))) continue
      const entry = entries.get(key) ?? newEntry(job)
      // The previous generation's time remains, even if it is not stored yet.
      if (isOwnTime(job.timing) && isOwnTime(entry.job.timing)) job.timing.latest ??= entry.job.timing.latest
      entry.job = job
      if (!isPlannedAsWanted(entry, clock.now())) entry.loaded = false
      next.set(key, entry)
    }
    entries = next
    wakeIn(0)
  }

  function isValid(job: ScheduledJob, isTwice: boolean): boolean {
    try {
      if (isTwice) throw new PlayheadError('PLH_CONFLICT', 'there are two jobs of this name')
      if (!isOwnTime(job.timing) && job.isChecked !== true) checkTiming(job.timing)
      return true
    } catch (error) {
      log.error({ owner: job.owner, job: job.name, err: error }, 'a job cannot be scheduled')
      return false
    }
  }

  function wakeIn(delayMs: number): void {
    if (!started) return
    timers.clear(wakeTimer)
    wakeTimer = asHost(timers.set, tick, Math.min(Math.max(delayMs, 0), MAX_SLEEP_MS))
  }

  function tick(): void {
    const nowMs = clock.now()
    const isSetBack = nowMs < lastTickMs - CLOCK_SET_BACK_MS
    lastTickMs = nowMs
    for (const entry of entries.values()) {
      if (isSetBack) {
        entry.loaded = false
        entry.retryAtMs = 0
      }
      if (entry.busy || runs.has(entry.job) || nowMs < entry.retryAtMs) continue
      if (!entry.loaded) step(entry, () => load(entry))
      else if (dueAt(entry, nowMs) <= nowMs) step(entry, () => startDue(entry))
    }
    sleep()
  }

  function sleep(): void {
    const nowMs = clock.now()
    let wakeAtMs = nowMs + MAX_SLEEP_MS
    for (const entry of entries.values()) {
      if (entry.busy || runs.has(entry.job)) continue
      const dueAtMs = entry.loaded ? dueAt(entry, nowMs) : nowMs
      wakeAtMs = Math.min(wakeAtMs, Math.max(dueAtMs, entry.retryAtMs))
    }
    wakeIn(wakeAtMs - nowMs)
  }

  function step(entry: Entry, work: () => Promise<void>): void {
    entry.busy = true
    const done = work()
      .catch((error: unknown) => {
        entry.retryAtMs = clock.now() + RETRY_MS
        const { owner, name } = entry.job
        log.error(
          { owner, job: name, err: error },
          'the state of a job could not be read or written; trying again soon',
        )
      })
      .finally(() => {
        entry.busy = false
        steps.delete(done)
        sleep()
      })
    steps.add(done)
  }

  async function load(entry: Entry): Promise<void> {
    const record = await store.load(entry.job)
    const { timing } = entry.job
    const wanted = isOwnTime(timing) && timing.latest !== entry.taken ? timing.latest : undefined
    await keepPlan(entry, record, planAgain(isOwnTime(timing) ? wanted : timing, entry.job.options, record), wanted)
  }

  /** The plan of a fixed timing, of one that the owner set, or again of the stored one. */
  function planAgain(
    wanted: JobTiming | OwnTime['latest'],
    options: JobOptions,
    record: JobRecord | undefined,
  ): Plan | null {
    const nowMs = clock.now()
    if (wanted === undefined) {
      const stored = storedPlan(record)
      return stored === null ? null : planOf(stored, options, record, nowMs)
    }
    if (!('timing' in wanted)) return planOf({ timing: wanted }, options, record, nowMs)
    const { timing } = wanted
    if (timing === null) return null
    return planOf({ timing, setAtMs: 'at' in timing ? nowMs : undefined }, options, record, nowMs)
  }

  async function keepPlan(
    entry: Entry,
    before: JobRecord | undefined,
    plan: Plan | null,
    wanted = entry.taken,
  ): Promise<void> {
    const stored = { timing: planText(plan), nextAtMs: firstDueOf(plan) }
    const isStored = await store.plan(entry.job, before, stored, clock.now())
    entry.plan = plan
    if (isStored) {
      entry.record = { ...(before ?? BLANK), ...stored }
      entry.taken = wanted
    }
    // Not stored: another host planned in between, so its plan is read. Not as wanted: the jobs or the owner's time
    // changed.
    entry.loaded = isStored && isPlannedAsWanted(entry, clock.now())
  }

  async function startDue(entry: Entry): Promise<void> {
    const { job, record, plan } = entry
    if (record === undefined || record.nextAtMs === null || plan === null) return
    const slotMs = record.nextAtMs
    const nowMs = clock.now()
    const { due, rest } = takeDue(plan, job.options, nowMs)
    const [first] = due
    if (first === undefined) return keepPlan(entry, record, rest)
    const { dueAtMs } = first
    await underLease(entry, async (holder) => {
      const start: JobStart = { timing: planText(rest), dueAtMs, nextAtMs: firstDueOf(rest) }
      if (!(await store.claim(job, slotMs, start, nowMs))) {
        entry.loaded = false
        return false
      }
      entry.plan = rest
      entry.record = { ...record, ...start, lastDueAtMs: dueAtMs, lastStartedAtMs: nowMs, lastOutcome: null }
      begin(entry, holder, { dueAtMs, due })
      return true
    })
  }

  /** Calls `work` with the job's lease; a result of true keeps the lease. */
  async function underLease(entry: Entry, work: (holder: string) => Promise<boolean>): Promise<boolean> {
    const { job } = entry
    const holder = await runs.lease(job)
    if (holder === null) {
      entry.retryAtMs = clock.now() + RETRY_MS
      entry.loaded = false
      return false
    }
    let isKept = false
    try {
      // The job may have been removed, or the service may be stopping.
      if (started && entries.get(keyText(job)) === entry) isKept = await work(holder)
    } finally {
      if (!isKept) await runs.giveUp(job, holder)
    }
    return isKept
  }

  function begin(entry: Entry, holder: string, info: Omit<JobRun, 'signal'>): void {
    const { job } = entry
    runs.begin({
      key: job,
      holder,
      timeoutMs: job.options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
      work: async (signal) => job.run(signal, info),
      async onEnded(outcome, nowMs) {
        if (entry.record === undefined) return
        entry.record = { ...entry.record, lastFinishedAtMs: nowMs, lastOutcome: outcome }
        // The next process runs it again.
        if (outcome === 'aborted' && !started) return
        const rest = entry.plan === null ? null : afterRun(entry.plan, nowMs)
        if (firstDueOf(rest) !== entry.record.nextAtMs) await keepPlan(entry, entry.record, rest)
      },
      onOver: sleep,
    })
  }

  async function trigger(owner: string, name: string): Promise<boolean> {
    const entry = entries.get(keyText({ owner, name }))
    if (entry === undefined) throw new PlayheadError('PLH_NOT_FOUND', `There is no job "${name}" of ${owner}`)
    if (!started) throw new PlayheadError('PLH_ABORTED', 'Playhead is not starting jobs now.')
    if (entry.busy || runs.has(entry.job)) return false
    entry.busy = true
    try {
      if (!entry.loaded) await load(entry)
      if (
        entry.plan?.timing !== undefined &&
        'times' in entry.plan.timing &&
        dueAt(entry, clock.now()) <= clock.now()
      ) {
        await startDue(entry)
        return runs.has(entry.job)
      }
      return await underLease(entry, async (holder) => {
        const nowMs = clock.now()
        await store.start(entry.job, nowMs)
        if (entry.record !== undefined) entry.record = { ...entry.record, lastStartedAtMs: nowMs, lastOutcome: null }
        begin(entry, holder, { dueAtMs: nowMs, due: [] })
        return true
      })
    } finally {
      entry.busy = false
      sleep()
    }
  }

  function stop(): void {
    started = false
    timers.clear(wakeTimer)
  }

  const all = (): readonly (JobState & { readonly owner: string })[] =>
    [...entries.values()].map(({ job, record }) => ({
      owner: job.owner,
      name: job.name,
      nextAtMs: record?.nextAtMs ?? null,
      lastStartedAtMs: record?.lastStartedAtMs ?? null,
      lastFinishedAtMs: record?.lastFinishedAtMs ?? null,
      lastOutcome: record?.lastOutcome ?? null,
      running: runs.has(job),
    }))

  return {
    setJobs,
    retime(owner, name) {
      const entry = entries.get(keyText({ owner, name }))
      if (entry === undefined || isPlannedAsWanted(entry, clock.now())) return
      entry.loaded = false
      wakeIn(0)
    },
    async next(key, latest, options) {
      const plan = planAgain(latest, options, await store.load(key))
      return plan === null ? [] : slotsOf(plan, clock.now())
    },
    start(delayMs = 0) {
      if (started) return
      started = true
      store
        .forget(clock.now() - FORGET_AFTER_MS)
        .catch((error: unknown) => log.warn({ err: error }, 'old job states could not be deleted'))
      wakeIn(delayMs)
    },
    stop,
    async drain(withinMs) {
      stop()
      // After this time, starts in progress have completed or given up.
      await Promise.all(steps)
      return runs.drain(withinMs)
    },
    jobs: (owner) =>
      all()
        .filter((state) => state.owner === owner)
        .map(({ owner: _owner, ...state }) => state),
    all,
    trigger,
  }
}

const BLANK: JobRecord = {
  timing: '',
  seenAtMs: 0,
  nextAtMs: null,
  lastDueAtMs: null,
  lastStartedAtMs: null,
  lastFinishedAtMs: null,
  lastOutcome: null,
}

function newEntry(job: ScheduledJob): Entry {
  return { job, plan: null, taken: undefined, record: undefined, loaded: false, retryAtMs: 0, busy: false }
}

function dueAt({ plan }: Entry, nowMs: number): number {
  return firstDueOf(plan, nowMs) ?? Infinity
}

/** True also if the owner sets an equal time: the plan is then unchanged, unless its clock was wrong. */
function isPlannedAsWanted(entry: Entry, nowMs: number): boolean {
  const { job, plan } = entry
  const isSame = (timing: Plan['timing'] | null) => JSON.stringify(timing) === JSON.stringify(plan?.timing ?? null)
  if (!isOwnTime(job.timing)) return isSame(job.timing)
  const { latest } = job.timing
  if (latest === undefined || latest === entry.taken) return true
  if (!entry.loaded || !isSame(latest.timing) || (plan !== null && isOfWrongClock(plan, nowMs))) return false
  entry.taken = latest
  return true
}
