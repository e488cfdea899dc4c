// The progress of the current backup or restore.
import { randomUUID } from 'node:crypto'
import { failureCode, type WorkObstacle } from '@playhead/sdk'

export interface Job {
  readonly id: string
  readonly kind: 'backup' | 'restore'
  readonly label: string
  readonly state: 'waiting' | 'running' | 'done' | 'failed'
  /** Why the job has not started yet. */
  readonly on_hold: { readonly reason: string; readonly detail: string; readonly since: number } | null
  readonly done_bytes: number
  readonly total_bytes: number
  readonly started_at: string
  readonly finished_at: string | null
  /** Path of the backup. */
  readonly path: string | null
  /** Code of the failure. */
  readonly error: string | null
}

export interface JobHandle {
  /** The job waits until `begins`. */
  waits(obstacle: WorkObstacle): void
  begins(): void
  total(bytes: number): void
  done(bytes: number): void
}

interface Jobs {
  /** The running job, else the waiting one, else the last one. */
  latest(): Job | null
  run<Result extends { readonly path: string }>(
    kind: Job['kind'],
    label: string,
    work: (job: JobHandle) => Promise<Result>,
  ): Promise<Result>
}

export function createJobs(now: () => number): Jobs {
  /** Oldest first. */
  const open = new Map<string, Job>()
  let last: Job | null = null
  return {
    latest() {
      const all = [...open.values()]
      return all.find(({ state }) => state === 'running') ?? all[0] ?? last
    },
    async run(kind, label, work) {
      const id = randomUUID()
      const iso = () => new Date(now()).toISOString()
      const own = () => open.get(id) as Job
      const change = (changed: Partial<Job>) => void open.set(id, { ...own(), ...changed })
      const end = (changed: Partial<Job>) => {
        last = { ...own(), on_hold: null, ...changed, finished_at: iso() }
        open.delete(id)
      }
      open.set(id, {
        id,
        kind,
        label,
        state: 'running',
        on_hold: null,
        done_bytes: 0,
        total_bytes: 0,
        started_at: iso(),
        finished_at: null,
        path: null,
        error: null,
      })
      try {
        const result = await work({
          waits({ code: reason, message: detail, sinceMs }) {
            change({ state: 'waiting', on_hold: { reason, detail, since: Math.floor(sinceMs / 1_000) } })
          },
          begins: () => change({ state: 'running', on_hold: null, started_at: iso() }),
          total: (bytes) => change({ total_bytes: bytes }),
          // A second pass over the files must not reduce the progress; files may have grown.
          done: (bytes) => change({ done_bytes: Math.min(own().total_bytes, Math.max(own().done_bytes, bytes)) }),
        })
        end({ state: 'done', path: result.path, done_bytes: own().total_bytes })
        return result
      } catch (error) {
        end({ state: 'failed', error: failureCode(error) })
        throw error
      }
    },
  }
}
