// Runs jobs when they are due. The list of jobs changes with every composition; their state lives in the database, so
// that neither a reload nor a restart runs a slot twice or forgets one, and two hosts on one database share the work.
//
// A job is loaded (its plan is known) → waiting → starting (lease, then slot) → running → waiting. A host that does not
// get the lease, or finds the slot taken, reads the plan that the other host left and waits for that.
import { AsyncLocalStorage } from 'node:async_hooks'
import { PlayheadError, type JobOptions, type JobState, type JobTiming, type Logger, type Tables } from '@playhead/sdk'
import type { Clock } from '../clock.ts'
import { createActiveRuns } from './active-runs.ts'
import { createJobStore, keyText, type JobRecord } from './job-store.ts'
import { type PlannedJob, planJob, settle, slotAfterEnd, slotAfterStart } from './plan.ts'
import { systemTimers, type Timers } from './timers.ts'
import { checkTiming } from './timing.ts'

/**
 * The time of a job whose owner sets it while the service runs. Undefined: nothing was set by this generation, and the
 * time that is stored stays. What is set is another object each time.
 */
export interface OwnTime {
  latest: { readonly timing: JobTiming | null } | undefined
}

export function isOwnTime(timing: JobTiming | OwnTime): timing is OwnTime {
  return 'latest' in timing
}

export interface ScheduledJob {
  /** Plugin id, or `core`. */
  readonly owner: string
  readonly name: string
  readonly timing: JobTiming | OwnTime
  readonly options: JobOptions
  run(signal: AbortSignal, info: { readonly dueAtMs: number }): Promise<void>
}

export interface Scheduler {
  /** Replaces the list of jobs. State, plans and running work of jobs that stay are kept. */
  setJobs(jobs: readonly ScheduledJob[]): void
  /** The job's owner set another time. */
  retime(owner: string, name: string): void
  /** Begins to run jobs. */
  start(): void
  /** Starts nothing any more; what runs goes on. */
  stop(): void
  /**
   * Stops, waits for running jobs, and aborts those that need longer; the last part of the time is theirs to end in.
   * Resolves to the number of jobs that still run.
   */
  drain(withinMs: number): Promise<number>
  jobs(owner: string): readonly JobState[]
  all(): readonly (JobState & { readonly owner: string })[]
  /** Runs a job now, outside its plan. False when it runs already, here or on another host. */
  trigger(owner: string, name: string): Promise<boolean>
}

export interface SchedulerDependencies {
  readonly db: Tables
  readonly clock: Clock
  readonly log: Logger
  /** Differs between processes. */
  readonly hostId: string
  readonly timers?: Timers
}

// Short enough to notice a clock that was set, or a computer that slept.
const LONGEST_SLEEP_MS = 30_000
const RETRY_MS = 5_000
const CLOCK_SET_BACK_MS = 1_000
const DEFAULT_TIMEOUT_MS = 3_600_000
const FORGET_AFTER_MS = 400 * 24 * 3_600_000

interface Entry {
  job: ScheduledJob
  /** What the job is planned by; null: it waits for no time. */
  timing: JobTiming | null
  /** Of a job with a time of its own: what was set last and is stored. */
  taken: OwnTime['latest']
  record: JobRecord | undefined
  /** The record holds the plan for the job's present timing, as far as this host knows. */
  loaded: boolean
  /** Not to be touched before, after a failure or while another host runs it. */
  retryAtMs: number
  /** A step that reads or writes the state is under way. */
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
  // Whoever sets the list or triggers a job, the loop is the host's.
  const asHost = AsyncLocalStorage.snapshot()

  function setJobs(jobs: readonly ScheduledJob[]): void {
    const next = new Map<string, Entry>()
    for (const job of jobs) {
      const key = keyText(job)
      if (!isValid(job, next.has(key))) continue
      const entry = entries.get(key) ?? newEntry(job)
      // What the generation before set last stays, also where it is not stored yet.
      if (isOwnTime(job.timing) && isOwnTime(entry.job.timing)) job.timing.latest ??= entry.job.timing.latest
      entry.job = job
      if (!isPlannedAsWanted(entry)) entry.loaded = false
      next.set(key, entry)
    }
    entries = next
    wakeIn(0)
  }

  function isValid(job: ScheduledJob, isTwice: boolean): boolean {
    try {
      if (isTwice) throw new PlayheadError('PLH_CONFLICT', 'there are two jobs of this name')
      if (!isOwnTime(job.timing)) checkTiming(job.timing)
      return true
    } catch (error) {
      log.error({ owner: job.owner, job: job.name, err: error }, 'a job cannot be scheduled')
      return false
    }
  }

  function wakeIn(delayMs: number): void {
    if (!started) return
    timers.clear(wakeTimer)
    wakeTimer = asHost(timers.set, tick, Math.min(Math.max(delayMs, 0), LONGEST_SLEEP_MS))
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
      else if ((entry.record?.nextAtMs ?? Infinity) <= nowMs) step(entry, () => startDue(entry))
    }
    sleep()
  }

  function sleep(): void {
    const nowMs = clock.now()
    let wakeAtMs = nowMs + LONGEST_SLEEP_MS
    for (const entry of entries.values()) {
      if (entry.busy || runs.has(entry.job)) continue
      const dueAtMs = entry.loaded ? (entry.record?.nextAtMs ?? Infinity) : nowMs
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
    else entry.timing = wanted === undefined ? storedTiming(record) : wanted.timing
    const job = plannedOf(entry)
    await keepPlan(entry, record, job === null ? null : planJob(job, record, clock.now()), wanted)
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
    // Not stored: another host planned in between, and its plan is to be read. Not as wanted any more: the list of
    // jobs, or the time that the owner set, is another one by now.
    entry.loaded = isStored && isPlannedAsWanted(entry)
  }

  async function startDue(entry: Entry): Promise<void> {
    const { job, record } = entry
    const planned = plannedOf(entry)
    const nowMs = clock.now()
    const dueAtMs =
      planned === null ? null : settle(planned, record?.nextAtMs ?? null, nowMs, record?.lastDueAtMs ?? null)
    if (planned === null || record === undefined || dueAtMs === null || dueAtMs !== record.nextAtMs)
      return keepPlan(entry, record, dueAtMs)
    await underLease(entry, async (holder) => {
      const nextAtMs = slotAfterStart(planned, nowMs)
      if (!(await store.claim(job, dueAtMs, nextAtMs, nowMs))) {
        entry.loaded = false
        return false
      }
      entry.record = { ...record, nextAtMs, lastDueAtMs: dueAtMs, lastStartedAtMs: nowMs, lastOutcome: null }
      begin(entry, holder, dueAtMs)
      return true
    })
  }

  /** Calls `work` with the job's lease, which it keeps when it answers true. */
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
      // The job may have left the list meanwhile, or the service be stopping.
      if (started && entries.get(keyText(job)) === entry) isKept = await work(holder)
    } finally {
      if (!isKept) await runs.giveUp(job, holder)
    }
    return isKept
  }

  function begin(entry: Entry, holder: string, dueAtMs: number): void {
    const { job } = entry
    runs.begin({
      key: job,
      holder,
      timeoutMs: job.options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
      work: async (signal) => job.run(signal, { dueAtMs }),
      async onEnded(outcome, nowMs) {
        if (entry.record === undefined) return
        entry.record = { ...entry.record, lastFinishedAtMs: nowMs, lastOutcome: outcome }
        const planned = plannedOf(entry)
        const nextAtMs = planned === null ? null : slotAfterEnd(planned, entry.record.nextAtMs, nowMs)
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
        begin(entry, holder, nowMs)
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
      if (entry === undefined || isPlannedAsWanted(entry)) return
      entry.loaded = false
      wakeIn(0)
    },
    start() {
      if (started) return
      started = true
      store
        .forget(clock.now() - FORGET_AFTER_MS)
        .catch((error: unknown) => log.warn({ err: error }, 'old job states could not be deleted'))
      wakeIn(0)
    },
    stop,
    async drain(withinMs) {
      stop()
      // What was about to begin when the stop came has begun or given up after this.
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
  nextAtMs: null,
  lastDueAtMs: null,
  lastStartedAtMs: null,
  lastFinishedAtMs: null,
  lastOutcome: null,
}

function newEntry(job: ScheduledJob): Entry {
  return { job, timing: null, taken: undefined, record: undefined, loaded: false, retryAtMs: 0, busy: false }
}

function plannedOf({ job: { options }, timing }: Entry): PlannedJob | null {
  return timing === null ? null : { timing, options }
}

/** Also where the owner sets the time that the job has: a plan that is under way is not begun anew. */
function isPlannedAsWanted(entry: Entry): boolean {
  const { timing } = entry.job
  if (!isOwnTime(timing)) return JSON.stringify(timing) === JSON.stringify(entry.timing)
  const { latest } = timing
  if (latest === undefined || latest === entry.taken) return true
  if (!entry.loaded || JSON.stringify(latest.timing) !== JSON.stringify(entry.timing)) return false
  entry.taken = latest
  return true
}

// What a newer version of the service stored may not be understood by this one.
function storedTiming(record: JobRecord | undefined): JobTiming | null {
  try {
    const timing = JSON.parse(record?.timing ?? 'null') as JobTiming | null
    if (timing !== null) checkTiming(timing)
    return timing
  } catch {
    return null
  }
}
