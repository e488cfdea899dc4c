// A sync with run durations set by the test, a clock that the test moves, and an independent model of wall-clock times.
import {
  type JobTimes,
  type JobTiming,
  type Logger,
  PlayheadError,
  type RunRequest,
  type RunResult,
  type RunSummary,
} from '@playhead/sdk'
import {
  afterRun,
  firstDueOf,
  type JobHistory,
  planOf,
  planText,
  slotsOf,
  storedPlan,
  takeDue,
} from '../../../core/scheduling/plan.ts'
import { normalizeScheduling } from '../../../plugins/services/scheduling/plan/normalize.ts'
import { createScheduler, type SchedulerDependencies } from '../../../plugins/services/scheduling/run/scheduler.ts'
import type { SchedulingConfig } from '../../../plugins/services/scheduling/settings.ts'
import { emptyState, type State, type StateStore } from '../../../plugins/services/scheduling/run/state.ts'

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR
export const START = Date.UTC(2026, 2, 10, 8, 0, 30)

export interface Started {
  readonly atMs: number
  readonly request: RunRequest
  readonly result: RunResult
  endsAtMs: number
}

export const silent: Logger = { trace() {}, debug() {}, info() {}, warn() {}, error() {}, channel: () => silent }

/** The state as a database stores it: reads return copies, and no change is lost. */
export function createMemoryStore(first = emptyState('salt')): StateStore & { current(): State } {
  let text = JSON.stringify(first)
  const read = () => JSON.parse(text) as State
  return {
    current: read,
    load: async () => read(),
    async update(change) {
      const [state, result] = change(read())
      text = JSON.stringify(state)
      return result
    },
  }
}

/** The host's plan of several times, as it stores it. */
export function createPlan(now: () => number) {
  let stored: JobHistory | undefined
  const read = () => {
    const plan = storedPlan(stored)
    return plan === null ? null : planOf(plan, {}, stored, now())
  }
  const write = (plan: ReturnType<typeof read>) => {
    stored = { timing: planText(plan), nextAtMs: firstDueOf(plan), lastDueAtMs: null, lastStartedAtMs: null }
  }
  const next = () => {
    const plan = read()
    return plan === null ? [] : slotsOf(plan, now())
  }
  return {
    next,
    job: {
      set: (timing: JobTiming | JobTimes | null) =>
        write(timing === null ? null : planOf({ timing }, {}, stored, now())),
      next: async () => next(),
    },
    /** The due slots, which it then does not report again. */
    take() {
      const plan = storedPlan(stored)
      if (plan === null) return []
      const { due, rest } = takeDue(plan, {}, now())
      write(afterRun(rest, now()))
      return due
    },
  }
}

export interface Plan {
  readonly lastsMs?: number
  readonly result?: RunResult
  readonly refuse?: PlayheadError
}

export function createScene(raw: unknown, { startMs = START, zone = 'UTC', state = emptyState('salt') } = {}) {
  const clock = { nowMs: startMs }
  const store = createMemoryStore(state)
  const started: Started[] = []
  const told: string[] = []
  const captured: string[] = []
  const settings = { config: normalizeScheduling(raw) }
  // The timing that the service stores; the first check happens on load.
  const wake = { timing: null as JobTiming | JobTimes | null, dueMs: startMs as number | null, looks: 0 }
  const plan = createPlan(() => clock.nowMs)
  const scene = {
    pairs: ['p1', 'p2', 'p3', 'p4'],
    next: (_request: RunRequest): Plan => ({}),
    captures: true,
    work: async (_id: string) => {},
  }
  let owner = 0
  let abort = new AbortController()

  const summaryOf = (id: string): RunSummary => {
    const run = started[Number(id)]
    if (run === undefined) throw new PlayheadError('PLH_NOT_FOUND', 'no such run', { wire: 'run_not_found' })
    const exit = { ok: 0, skipped: 0, failed: 1, cancelled: 1, partial: 2 }[run.result]
    return { run_id: id, running: false, result: run.result, exit_code: exit, dry_run: false }
  }
  const goingOn = () => started.findIndex(({ endsAtMs }) => endsAtMs > clock.nowMs)
  const sync: SchedulerDependencies['sync'] = {
    pairs: async () =>
      scene.pairs.map((id) => ({
        id,
        name: id,
        enabled: id !== 'p4',
        running: false,
        source: 'A',
        source_instance: 'default',
        target: 'B',
        target_instance: 'default',
      })),
    async start(request) {
      const { lastsMs = MINUTE, result = 'ok', refuse } = scene.next(request)
      if (refuse !== undefined) throw refuse
      if (goingOn() >= 0) throw new PlayheadError('PLH_CONFLICT', 'a run is going on', { wire: 'already_running' })
      started.push({ atMs: clock.nowMs, request, result, endsAtMs: clock.nowMs + lastsMs })
      return { status: 'accepted', run_id: String(started.length - 1) }
    },
    active: async () => (goingOn() < 0 ? null : { run_id: String(goingOn()), pair_ids: [] }),
    finished: (id) =>
      (started[Number(id)]?.endsAtMs ?? 0) > clock.nowMs
        ? new Promise(() => {})
        : Promise.resolve().then(() => summaryOf(id)),
  }
  const worker = {
    async runScheduled({ id }: { readonly id: string }) {
      captured.push(id)
      await scene.work(id)
    },
  }
  const create = () =>
    createScheduler({
      config: () => settings.config,
      store,
      sync,
      log: silent,
      plan: plan.job,
      wake: {
        set(timing) {
          if (JSON.stringify(timing) === JSON.stringify(wake.timing) && wake.dueMs !== null) return
          wake.dueMs = timing === null ? null : clock.nowMs + 15_000
          wake.timing = timing
        },
      },
      now: () => clock.nowMs,
      hostZone: zone,
      owner: String(owner++),
      signal: abort.signal,
      workers: { captures: () => (scene.captures ? worker : undefined), backups: () => worker },
      announce: ({ stepId }, { key }, end) =>
        void told.push(`${key}${stepId === null ? '' : `/${stepId}`} ${end === undefined ? 'started' : end.result}`),
    })
  let scheduler = create()

  return Object.assign(scene, {
    clock,
    store,
    started,
    told,
    captured,
    wake,
    plan,
    sync,
    scheduler: () => scheduler,
    config: () => settings.config,
    /** Starts a run outside the schedule. */
    runByHand: (lastsMs: number) =>
      sync.start({ source: 'ui' }).then(() => {
        started.at(-1)!.endsAtMs = clock.nowMs + lastsMs
      }),
    async save(change: unknown) {
      settings.config = normalizeScheduling(change)
      await scheduler.resume()
    },
    /** The process ends and starts again; in a crash, running runs end with it. */
    async restart({ crash = false } = {}) {
      abort.abort()
      abort = new AbortController()
      if (crash) for (const run of started) run.endsAtMs = Math.min(run.endsAtMs, clock.nowMs)
      scheduler = create()
      await scheduler.tick()
    },
    /** Advances time in steps; after each the service runs what is due. */
    async pass(ms: number, everyMs = 30_000) {
      const endMs = clock.nowMs + ms
      while (clock.nowMs < endMs) {
        clock.nowMs = Math.min(endMs, clock.nowMs + everyMs)
        const due = plan.take()
        if (due.length === 0 && (wake.dueMs === null || wake.dueMs > clock.nowMs)) continue
        wake.dueMs = wake.timing === null ? null : clock.nowMs + 15_000
        wake.looks += 1
        await scheduler.tick(due)
        await scheduler.settled()
      }
    },
    /** Started runs as text: `job:a p1 +90` means ninety minutes after the start. */
    names: () =>
      started.map(
        ({ request: { job_id: job, workflow_step_id: step, pair_id: pair, source }, atMs }) =>
          `${job ?? step ?? source} ${pair ?? 'all'} +${Math.floor((atMs - startMs) / MINUTE)}`,
      ),
  })
}

/** Every minute at which the clocks of a zone show a time, read minute by minute: the first occurrence, or the jump over it. */
export function slotsByTheClock({
  at,
  days,
  zone,
  fromMs,
  toMs,
}: {
  at: string
  days: readonly number[]
  zone: string
  fromMs: number
  toMs: number
}): number[] {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    weekday: 'short',
  })
  const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']
  const taken = new Set<string>()
  const slots: number[] = []
  let open: string | undefined
  for (let ms = Math.ceil((fromMs - DAY) / MINUTE) * MINUTE; ms <= toMs; ms += MINUTE) {
    const [weekday, date, time] = format.format(ms).split(', ') as [string, string, string]
    // A skipped time counts as reached in the first minute after it, even if that is on the next day.
    if (open !== undefined && open !== date && ms >= fromMs) slots.push(ms)
    open = undefined
    const isAllowed = days.length === 0 || days.includes(weekdays.indexOf(weekday) + 1)
    if (!isAllowed || taken.has(date)) continue
    if (time < at) {
      open = date
      continue
    }
    taken.add(date)
    if (ms >= fromMs) slots.push(ms)
  }
  return slots
}

export function withJobs(...jobs: readonly object[]): Partial<Record<keyof SchedulingConfig, unknown>> {
  return { advanced: { enabled: true, jobs } }
}
