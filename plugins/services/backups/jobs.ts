// The backup or restore that is going on, for people who wait.
import { randomUUID } from 'node:crypto'
import { failureCode } from '@playhead/sdk'

export interface Job {
  readonly id: string
  readonly kind: 'backup' | 'restore'
  readonly label: string
  readonly state: 'running' | 'done' | 'failed'
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
  total(bytes: number): void
  done(bytes: number): void
}

export interface Jobs {
  /** The current or the last one. */
  latest(): Job | null
  run<Result extends { readonly path: string }>(
    kind: Job['kind'],
    label: string,
    work: (job: JobHandle) => Promise<Result>,
  ): Promise<Result>
}

export function createJobs(now: () => number): Jobs {
  let latest: Job | null = null
  return {
    latest: () => latest,
    async run(kind, label, work) {
      const id = randomUUID()
      const iso = () => new Date(now()).toISOString()
      const change = (changed: Partial<Job>) => {
        // A newer one is shown instead.
        if (latest?.id === id) latest = { ...latest, ...changed }
      }
      latest = {
        id,
        kind,
        label,
        state: 'running',
        done_bytes: 0,
        total_bytes: 0,
        started_at: iso(),
        finished_at: null,
        path: null,
        error: null,
      }
      try {
        const result = await work({
          total: (bytes) => change({ total_bytes: bytes }),
          // A second pass over the files does not go back; they may have grown.
          done: (bytes) =>
            change({ done_bytes: Math.min(latest?.total_bytes ?? 0, Math.max(latest?.done_bytes ?? 0, bytes)) }),
        })
        change({ state: 'done', finished_at: iso(), path: result.path, done_bytes: latest?.total_bytes ?? 0 })
        return result
      } catch (error) {
        change({ state: 'failed', finished_at: iso(), error: failureCode(error) })
        throw error
      }
    },
  }
}
