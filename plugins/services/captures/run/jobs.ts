// Jobs: captures, restores and clears, with progress, cancellation and a stored result.
import {
  failureCode,
  isFault,
  isPlayheadError,
  type Logger,
  PlayheadError,
  type StorageProblem,
  storageProblem,
  type Tables,
  type WorkObstacle,
} from '@playhead/sdk'
import { randomUUID } from 'node:crypto'
import type { CapturedFeature } from '../contract.ts'
import { JOBS } from '../store/tables.ts'
import { type JobState, type Operation, percentOf, type Progress, type ProgressChange } from './progress.ts'

export interface JobOrder {
  readonly operation: Operation
  readonly provider: string
  readonly instance: string
  readonly feature: string
  readonly features: number
  /** A name that the client chose. */
  readonly progressId?: string
}

/** Leftovers of an interrupted job. */
interface Left {
  /** Files of an unfinished bundle; the bundle itself is last. */
  readonly files?: readonly string[]
  /** Features of an account that is being changed. */
  readonly changes?: readonly CapturedFeature[]
  /** Features of an account that is being cleared. */
  readonly features?: readonly CapturedFeature[]
  /** The capture of the account before the change. */
  readonly before_path?: string
}

export interface Job {
  readonly id: string
  readonly signal: AbortSignal
  update(change: ProgressChange): void
  /** The job waits until the next update. */
  waits(obstacle: WorkObstacle): void
  /** Stores, before the work starts, what this job leaves behind if it is interrupted. */
  note(left: Left): Promise<void>
}

/** The result of a job; `ok: false` is a failure with a result. */
export interface JobResult {
  readonly ok: boolean
  readonly error?: string
  readonly path?: string
  readonly [field: string]: unknown
}

interface StartedJob {
  readonly id: string
  readonly done: Promise<JobResult>
}

export interface Jobs {
  /** Throws `PLH_INVALID` (`invalid_progress_id`), `PLH_CONFLICT` (`progress_id_used`). */
  start(order: JobOrder, work: (job: Job) => Promise<JobResult>, signal?: AbortSignal): Promise<StartedJob>
  progress(id: string): Promise<Progress | undefined>
  /** Undefined if there is no such job; false if it has ended. */
  cancel(id: string): Promise<boolean | undefined>
  running(): readonly Progress[]
  /** Paths of unfinished bundles. */
  unfinishedBundles(): readonly string[]
  /** Jobs that ended without success since the given time. */
  failed(sinceMs: number): Promise<readonly Progress[]>
  /** Ends the jobs of an earlier process and returns them. */
  recover(): Promise<readonly { readonly progress: Progress; readonly left: Left }[]>
  /** Cancels all jobs and waits for their ends. */
  close(): Promise<void>
}

interface Running {
  progress: Progress
  left: Left
  readonly stop: AbortController
  readonly done: Promise<unknown>
}

const ID = /^[A-Za-z0-9_-]{8,64}$/
const KEPT_JOBS = 500
const KEPT_MS = 30 * 86_400_000

export function createJobs({
  db,
  log,
  now,
  signal: ending,
}: {
  db: Tables
  log: Logger
  now: () => number
  signal: AbortSignal
}): Jobs {
  const running = new Map<string, Running>()
  const reserved = new Set<string>()
  /** Results that could not be stored yet, for example on a full disk. */
  const unstored = new Map<string, Running>()
  const seconds = () => Math.floor(now() / 1_000)

  async function store({ progress, left }: Pick<Running, 'progress' | 'left'>): Promise<void> {
    const row = { id: progress.id, at: now(), state: progress.state, doc: JSON.stringify({ progress, left }) }
    await db
      .insertInto(JOBS)
      .values(row)
      .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
      .execute()
  }

  /** The write fails on a full disk, for example. */
  async function storeEnds(): Promise<void> {
    for (const [id, own] of unstored) {
      await store(own)
      unstored.delete(id)
    }
  }

  async function stored(id: string): Promise<Progress | undefined> {
    const row = await db.selectFrom(JOBS).select('doc').where('id', '=', id).executeTakeFirst()
    return row === undefined ? undefined : (JSON.parse(String(row['doc'])) as Stored).progress
  }

  async function prune(): Promise<void> {
    await db
      .deleteFrom(JOBS)
      .where('at', '<', now() - KEPT_MS)
      .where('state', 'in', ENDED)
      .execute()
    const old = await db
      .selectFrom(JOBS)
      .select('id')
      .where('state', 'in', ENDED)
      .orderBy('at', 'desc')
      .offset(KEPT_JOBS)
      .limit(200)
      .execute()
    if (old.length > 0)
      await db
        .deleteFrom(JOBS)
        .where(
          'id',
          'in',
          old.map(({ id }) => String(id)),
        )
        .execute()
  }

  function change(own: Running, { share = 0, ...given }: ProgressChange): void {
    if (own.progress.done) return
    const next = { ...own.progress, ...given, state: 'running' as const, on_hold: null, updated_at: seconds() }
    const at = { index: next.feature_index, total: next.feature_total, share }
    own.progress = { ...next, percent: Math.max(own.progress.percent, percentOf(next.operation, next.stage, at)) }
  }

  function end(own: Running, state: JobState, more: Partial<Progress>): void {
    const ok = state === 'succeeded'
    own.progress = {
      ...own.progress,
      ...more,
      ...{ state, ok, done: true, on_hold: null, stage: ok ? 'done' : 'error', percent: 100, updated_at: seconds() },
    }
  }

  async function run(own: Running, work: (job: Job) => Promise<JobResult>): Promise<JobResult> {
    const { id } = own.progress
    const job: Job = {
      id,
      signal: own.stop.signal,
      update: (given) => change(own, given),
      waits({ code: reason, message: detail, sinceMs }) {
        if (own.progress.done) return
        const since = Math.floor(sinceMs / 1_000)
        const held = { stage: 'queued', message: detail, on_hold: { reason, detail, since } }
        own.progress = { ...own.progress, state: 'queued', ...held, updated_at: seconds() }
      },
      async note(left) {
        own.left = { ...own.left, ...left }
        const { before_path: path } = own.left
        if (path !== undefined) own.progress = { ...own.progress, before_path: path }
        await store(own)
      },
    }
    try {
      change(own, { stage: 'starting', message: 'Starting' })
      const result = await work(job)
      const path = result.path === undefined ? {} : { result_path: result.path }
      const isCancelled = !result.ok && own.stop.signal.aborted
      end(own, result.ok ? 'succeeded' : isCancelled ? 'cancelled' : 'failed', {
        ...path,
        result,
        message: result.ok ? 'Done' : 'Ended with problems',
        ...(result.ok ? {} : { error: result.error ?? 'not_complete' }),
      })
      return result
    } catch (error) {
      if (isFault(error) && !own.stop.signal.aborted) log.error({ err: error, job: id }, 'a job of captures failed')
      const failure = own.stop.signal.aborted ? cancelled() : error
      end(own, own.stop.signal.aborted ? 'cancelled' : 'failed', {
        message: messageOf(failure),
        error: failureCode(failure),
        ...(isPlayheadError(failure) && failure.details !== undefined
          ? { result: { ok: false, ...failure.details } }
          : {}),
      })
      throw failure
    } finally {
      unstored.set(id, own)
      await storeEnds().catch((error: unknown) =>
        log.error({ err: error, job: id }, 'the end of a job could not be stored; it is tried again'),
      )
      running.delete(id)
      await prune().catch(() => {})
    }
  }

  return {
    async start({ features, progressId, ...about }, work, signal) {
      const id = progressId ?? randomUUID()
      if (!ID.test(id))
        throw new PlayheadError('PLH_INVALID', 'A progress_id has 8 to 64 characters: letters, digits, "_" and "-".', {
          wire: 'invalid_progress_id',
        })
      const used = () =>
        new PlayheadError('PLH_CONFLICT', 'This progress_id was already used. Leave it out to get a new one.', {
          wire: 'progress_id_used',
        })
      if (reserved.has(id) || running.has(id) || unstored.has(id)) throw used()
      reserved.add(id)
      try {
        if ((await stored(id)) !== undefined) throw used()
        const atS = seconds()
        const stop = new AbortController()
        const ended = Promise.withResolvers<void>()
        const own: Running = {
          progress: {
            ...{ id, ok: false, done: false, state: 'queued', ...about, stage: 'queued', message: 'Queued' },
            ...{ current_feature: null, feature_index: 0, feature_total: features, feature_items: 0, items_done: 0 },
            ...{
              total_items: null,
              bytes_written: 0,
              added: 0,
              removed: 0,
              percent: 1,
              started_at: atS,
              updated_at: atS,
            },
          },
          left: {},
          stop,
          done: ended.promise,
        }
        await store(own)
        running.set(id, own)
        for (const one of [signal, ending])
          if (one?.aborted === true) stop.abort()
          else one?.addEventListener('abort', () => stop.abort(), { once: true, signal: stop.signal })
        const done = run(own, work)
        // No caller awaits a background job.
        done.then(
          () => ended.resolve(),
          () => ended.resolve(),
        )
        return { id, done }
      } finally {
        reserved.delete(id)
      }
    },
    async progress(id) {
      await storeEnds().catch(() => {})
      return (running.get(id) ?? unstored.get(id))?.progress ?? stored(id)
    },
    async cancel(id) {
      const own = running.get(id)
      if (own === undefined) return (await stored(id)) === undefined ? undefined : false
      own.progress = { ...own.progress, cancel_requested: true, updated_at: seconds() }
      own.stop.abort()
      return true
    },
    running: () => [...running.values()].map(({ progress }) => progress),
    unfinishedBundles: () => [...running.values()].flatMap(({ left }) => left.files?.at(-1) ?? []),
    async failed(sinceMs) {
      const rows = await db
        .selectFrom(JOBS)
        .select('doc')
        .where('at', '>=', sinceMs)
        .where('state', '=', 'failed')
        .orderBy('at', 'desc')
        .limit(20)
        .execute()
      return rows.map(({ doc }) => (JSON.parse(String(doc)) as Stored).progress)
    },
    async recover() {
      const rows = await db.selectFrom(JOBS).select('doc').where('state', 'in', ['queued', 'running']).execute()
      const cut = rows
        .map(({ doc }) => JSON.parse(String(doc)) as Stored)
        .filter(({ progress }) => !running.has(progress.id))
      for (const one of cut) {
        const own = { progress: one.progress, left: {} } as unknown as Running
        end(own, 'failed', { message: 'The service stopped before it ended.', error: 'interrupted' })
        await store(own)
      }
      return cut
    },
    async close() {
      for (const { stop } of running.values()) stop.abort()
      await Promise.allSettled([...running.values()].map(({ done }) => done))
      // A job that is not stored as ended counts as interrupted at the next start.
      await storeEnds()
    },
  }
}

interface Stored {
  readonly progress: Progress
  readonly left: Left
}

const ENDED: readonly JobState[] = ['succeeded', 'failed', 'cancelled']

const STORAGE: Readonly<Record<StorageProblem, string>> = {
  disk_full: 'The disk is full. Free some space and try again.',
  data_read_only: 'The data directory cannot be written to.',
}

function messageOf(error: unknown): string {
  const problem = storageProblem(error)
  if (problem !== undefined) return STORAGE[problem]
  return isPlayheadError(error) ? error.message : 'An unexpected error; the log has it.'
}

function cancelled(): PlayheadError {
  return new PlayheadError('PLH_ABORTED', 'It was cancelled.', { wire: 'cancelled', status: 409 })
}
