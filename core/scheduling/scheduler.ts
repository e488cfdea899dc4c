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
  type PlannedJob,
  type PlannedTimes,
  type PlannedTiming,
  planJob,
  planTimes,
  settle,
  slotAfterEnd,
  slotAfterStart,
  slotsOf,
  startsAt,
  takeTimes,
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
  /** Runs a job now, outside its plan. False if it is already running, here or on another host. */
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
  /** The timing of the plan; null if unscheduled. */
  timing: PlannedTiming | PlannedTimes | null
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
    if (!isOwnTime(timing)) entry.timing = timing
    else entry.timing = planAgain(wanted, record, clock.now())
    await keepPlan(entry, record, firstOf(entry, record, clock.now()), wanted)
  }

  async function keepPlan(
    entry: Entry,
    before: JobRecord | undefined,
    nextAtMs: number | null,
    wanted = entry.taken,
  ): Promise<void> {
    const timing = JSON.stringify(entry.timing)
    const isStored = await store.plan(entry.job, before, { timing, nextAtMs }, clock.now())
    if (isStored) {
      entry.record = { ...(before ?? BLANK), timing, nextAtMs }
      entry.taken = wanted
    }
    // Not stored: another host planned in between, so its plan is read. Not as wanted: the jobs or the owner's time
    // changed.
    entry.loaded = isStored && isPlannedAsWanted(entry, clock.now())
  }

  async function startDue(entry: Entry): Promise<void> {
    const { job, record } = entry
    const nowMs = clock.now()
    const taken = takeDue(entry, nowMs)
    if (record === undefined || record.nextAtMs === null || taken.due.length === 0) {
      entry.timing = taken.timing
      return keepPlan(entry, record, taken.nextAtMs)
    }
    const slotMs = record.nextAtMs
    const [{ dueAtMs }] = taken.due as [JobSlot]
    await underLease(entry, async (holder) => {
      const start: JobStart = { timing: JSON.stringify(taken.timing), dueAtMs, nextAtMs: taken.nextAtMs }
      if (!(await store.claim(job, slotMs, start, nowMs))) {
        entry.loaded = false
        return false
      }
      entry.timing = taken.timing
      entry.record = { ...record, ...start, lastDueAtMs: dueAtMs, lastStartedAtMs: nowMs, lastOutcome: null }
      begin(entry, holder, { dueAtMs, due: taken.due })
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
        const planned = plannedOf(entry)
        const { nextAtMs: slotMs } = entry.record
        const nextAtMs = planned === null ? slotMs : slotAfterEnd(planned, slotMs, nowMs)
        if (entry.loaded && nextAtMs !== entry.record.nextAtMs) await keepPlan(entry, entry.record, nextAtMs)
      },
      onOver: sleep,
    })
  }

  async function trigger(owner: string, name: string): Promise<boolean> {
    const entry = entries.get(keyText({ owner, name }))
    if (entry === undefined) throw new PlayheadError('PLH_NOT_FOUND', `There is no job "${name}" of ${owner}`)
    if (!started) throw new PlayheadError('PLH_ABORTED', 'The service starts no jobs now.')
    if (entry.busy || runs.has(entry.job)) return false
    entry.busy = true
    try {
      if (!entry.loaded) await load(entry)
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
      const record = await store.load(key)
      const nowMs = clock.now()
      const timing = planAgain(latest, record, nowMs)
      if (timing !== null && 'known' in timing) return slotsOf(timing)
      const atMs = timing === null ? null : planJob({ timing, options }, record, nowMs)
      return atMs === null ? [] : [{ name: '', slotMs: atMs, dueAtMs: atMs }]
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
      // Starts in progress have completed or given up after this.
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
  return { job, timing: null, taken: undefined, record: undefined, loaded: false, retryAtMs: 0, busy: false }
}

/** Null for a job without a timing, and for one with several times. */
function plannedOf({ job: { options }, timing }: Entry): PlannedJob | null {
  return timing === null || 'known' in timing ? null : { timing, options }
}

function dueAt({ timing, record }: Entry, nowMs: number): number {
  return startsAt(timing === null || 'known' in timing ? null : timing, record?.nextAtMs ?? null, nowMs)
}

/** When the job is due first. */
function firstOf(entry: Entry, record: JobRecord | undefined, nowMs: number): number | null {
  const job = plannedOf(entry)
  return job === null ? firstTimeOf(entry.timing) : planJob(job, record, nowMs)
}

function firstTimeOf(timing: Entry['timing']): number | null {
  return timing !== null && 'known' in timing ? (slotsOf(timing)[0]?.dueAtMs ?? null) : null
}

/** The slots of a job that are due, and its plan after them. Nothing is due if the planned slot was missed or not plausible. */
function takeDue(
  entry: Entry,
  nowMs: number,
): Pick<Entry, 'timing'> & { readonly nextAtMs: number | null; readonly due: readonly JobSlot[] } {
  const { timing, record } = entry
  const job = plannedOf(entry)
  if (job === null) {
    if (timing === null || !('known' in timing)) return { timing, nextAtMs: null, due: [] }
    const { due, rest } = takeTimes(timing, nowMs)
    return { timing: rest, nextAtMs: firstTimeOf(rest), due }
  }
  const slotMs = settle(job, record?.nextAtMs ?? null, nowMs, record?.lastDueAtMs ?? null)
  if (slotMs === null || slotMs !== record?.nextAtMs) return { timing, nextAtMs: slotMs, due: [] }
  const dueAtMs = startsAt(job.timing, slotMs, nowMs)
  return { timing, nextAtMs: slotAfterStart(job, nowMs), due: [{ name: '', slotMs, dueAtMs }] }
}

/** The timing to plan with: what the owner set, with what is known of it, or else the stored one. */
function planAgain(latest: OwnTime['latest'], record: JobRecord | undefined, nowMs: number): Entry['timing'] {
  const stored = storedTiming(record)
  const wanted = latest === undefined ? stored : latest.timing
  if (wanted === null) return null
  if ('times' in wanted) return planTimes(wanted, stored !== null && 'known' in stored ? stored : null, nowMs)
  return latest !== undefined && 'at' in wanted ? { at: wanted.at, setAtMs: nowMs } : wanted
}

/** True also if the owner sets an equal time: the plan is then unchanged, unless its clock was wrong. */
function isPlannedAsWanted(entry: Entry, nowMs: number): boolean {
  const { timing } = entry.job
  if (!isOwnTime(timing)) return JSON.stringify(timing) === JSON.stringify(entry.timing)
  const { latest } = timing
  if (latest === undefined || latest === entry.taken) return true
  if (!entry.loaded || !isSameTime(latest.timing, entry.timing, nowMs)) return false
  entry.taken = latest
  return true
}

function isSameTime(wanted: JobTiming | JobTimes | null, planned: Entry['timing'], nowMs: number): boolean {
  if (wanted === null || planned === null || !('at' in wanted) || !('at' in planned)) {
    const isMany = planned !== null && 'known' in planned
    return JSON.stringify(wanted) === JSON.stringify(isMany ? { times: planned.times } : planned)
  }
  return wanted.at === planned.at && startsAt(planned, planned.at, nowMs) === planned.at
}

// A newer version of the service may have stored an unknown timing.
function storedTiming(record: JobRecord | undefined): Entry['timing'] {
  try {
    const timing = JSON.parse(record?.timing ?? 'null') as Entry['timing']
    if (timing !== null) checkTiming(timing)
    return timing
  } catch {
    return null
  }
}
