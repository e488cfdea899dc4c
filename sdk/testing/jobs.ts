// Jobs that run when the test says so.
import { Cron } from 'croner'
import type { JobHandle, JobOptions, JobState, JobTiming, JobWork } from '../context.ts'
import { parseDuration } from '../duration.ts'
import { PlayheadError } from '../errors.ts'

const DEFAULT_LIMIT_MS = 3_600_000

export interface TestJobs {
  /** @param timing null: it is set later, by the handle */
  add(name: string, timing: JobTiming | null, work: JobWork, options?: JobOptions): JobHandle
  /** Runs a job now and throws what it throws. */
  run(name: string): Promise<void>
  states(): readonly JobState[]
}

export function createJobs({ now, signal }: { readonly now: () => number; readonly signal: AbortSignal }): TestJobs {
  const jobs = new Map<
    string,
    { timing: JobTiming | null; readonly work: JobWork; readonly options: JobOptions; state: JobState }
  >()

  return {
    add(name, timing, work, options = {}) {
      if (jobs.has(name)) throw new PlayheadError('PLH_CONFLICT', `There are two jobs named "${name}".`)
      const state: JobState = {
        name,
        nextAtMs: nextRun(timing, now()),
        lastStartedAtMs: null,
        lastFinishedAtMs: null,
        lastOutcome: null,
        running: false,
      }
      const job = { timing, work, options, state }
      jobs.set(name, job)
      return {
        set(next) {
          job.state = { ...job.state, nextAtMs: nextRun(next, now()) }
          job.timing = next
        },
      }
    },

    async run(name) {
      const job = jobs.get(name)
      if (job === undefined) {
        throw new PlayheadError(
          'PLH_NOT_FOUND',
          `There is no job "${name}". Jobs: ${[...jobs.keys()].join(', ') || 'none'}.`,
        )
      }
      if (job.state.running)
        throw new PlayheadError('PLH_CONFLICT', `The job "${name}" is running; a run never overlaps with itself.`)
      const end = new AbortController()
      const abort = () => end.abort(signal.reason)
      const timer = setTimeout(
        () => end.abort(new PlayheadError('PLH_ABORTED', `The job "${name}" took too long.`)),
        job.options.timeoutMs ?? DEFAULT_LIMIT_MS,
      )
      if (signal.aborted) abort()
      else signal.addEventListener('abort', abort, { once: true })
      job.state = { ...job.state, running: true, lastStartedAtMs: now() }
      let lastOutcome: JobState['lastOutcome'] = 'done'
      try {
        await job.work(end.signal, { signal: end.signal, dueAtMs: now() })
      } catch (error) {
        lastOutcome = end.signal.aborted ? 'aborted' : 'failed'
        throw error
      } finally {
        clearTimeout(timer)
        signal.removeEventListener('abort', abort)
        job.state = {
          ...job.state,
          running: false,
          lastFinishedAtMs: now(),
          lastOutcome,
          nextAtMs: nextRun(job.timing, now()),
        }
      }
    },

    states: () => [...jobs.values()].map(({ state }) => state),
  }
}

// Reading the timing finds what is wrong with it, too.
function nextRun(timing: JobTiming | null, nowMs: number): number | null {
  if (timing === null) return null
  if ('at' in timing) return timing.at > nowMs ? timing.at : null
  try {
    if ('every' in timing) return nowMs + parseDuration(timing.every)
    const zone = timing.timeZone === undefined ? {} : { timezone: timing.timeZone }
    return new Cron(timing.cron, { paused: true, ...zone }).nextRun(new Date(nowMs))?.getTime() ?? null
  } catch (error) {
    throw new PlayheadError('PLH_INVALID', (error as Error).message, { cause: error })
  }
}
