// What is started besides syncs: whoever makes captures or backups provides the capability of that name with this
// shape.
import type { BackupJob, CaptureJob, SchedulingConfig } from './settings.ts'
import type { Item } from './state.ts'

export interface ScheduledWorker<Job> {
  /** Does the job to its end, and clears away what it should no longer keep. Throws when it failed. */
  runScheduled(job: Job, signal?: AbortSignal): Promise<void>
}

export interface Workers {
  /** Undefined while nobody provides it. */
  captures(): Pick<ScheduledWorker<CaptureJob>, 'runScheduled'> | undefined
  backups(): Pick<ScheduledWorker<BackupJob>, 'runScheduled'> | undefined
}

/** Does a capture or backup of the settings; undefined when nobody does such work, or the job is gone. */
export function doWork(
  workers: Workers,
  { kind, id }: Pick<Item, 'kind' | 'id'>,
  { advanced }: SchedulingConfig,
  signal: AbortSignal,
): Promise<void> | undefined {
  return kind === 'capture'
    ? doJob(
        workers.captures(),
        advanced.capture_jobs.find((job) => job.id === id),
        signal,
      )
    : doJob(
        workers.backups(),
        advanced.backup_jobs.find((job) => job.id === id),
        signal,
      )
}

type Worker<Job> = Pick<ScheduledWorker<Job>, 'runScheduled'>

function doJob<Job>(
  worker: Worker<Job> | undefined,
  job: Job | undefined,
  signal: AbortSignal,
): Promise<void> | undefined {
  return worker === undefined || job === undefined ? undefined : worker.runScheduled(job, signal)
}
