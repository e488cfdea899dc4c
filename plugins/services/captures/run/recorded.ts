// Records restores and clears as runs.
import { failureCode, type RunResult } from '@playhead/sdk'
import type { CapturedFeature } from '../contract.ts'
import type { Parts } from '../parts.ts'
import type { Job, JobResult } from './jobs.ts'

interface RecordedWork {
  readonly kind: 'restore' | 'clear'
  readonly account: { readonly provider: string; readonly instance: string }
  readonly features: readonly CapturedFeature[]
}

/** The plans of a job belong to this group. */
export const groupOf = (kind: RecordedWork['kind'], jobId: string) => `${kind}-${jobId}`

/** A restore that only requests confirmations changed nothing, and does not count as a run. */
const ASKS = 'confirmation_required'

export async function recorded(
  parts: Parts,
  work: RecordedWork,
  job: Job,
  run: () => Promise<JobResult>,
): Promise<JobResult> {
  const startedAtMs = parts.now()
  try {
    const result = await run()
    const ended: RunResult = result.ok ? 'ok' : job.signal.aborted ? 'cancelled' : 'failed'
    await record(parts, work, job.id, { startedAtMs, result: ended })
    return result
  } catch (error) {
    const reason = failureCode(error)
    const result: RunResult = job.signal.aborted ? 'cancelled' : 'failed'
    if (reason !== ASKS) await record(parts, work, job.id, { startedAtMs, result, reason })
    throw error
  }
}

/** The account is already changed, so a record that cannot be stored is only logged. */
export async function record(
  { library, log, now }: Pick<Parts, 'log' | 'now'> & { readonly library: Pick<Parts['library'], 'recordRun'> },
  { kind, account, features }: RecordedWork,
  jobId: string,
  end: { readonly startedAtMs: number; readonly result: RunResult; readonly reason?: string },
): Promise<void> {
  const id = groupOf(kind, jobId)
  try {
    await library.recordRun({ id, source: kind, account, features, finishedAtMs: now(), ...end })
  } catch (error) {
    log.warn({ err: error, run: id }, 'it could not be listed among the runs')
  }
}
