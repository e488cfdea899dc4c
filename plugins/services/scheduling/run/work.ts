// Scheduled captures and backups.
import type { BackupJob, CaptureJob, ScheduledJob, ScheduledWorker } from '@playhead/sdk'
import type { SchedulingConfig } from '../settings.ts'
import type { Item } from './state.ts'

export interface Workers {
  /** Undefined without a capture service. */
  captures(): Pick<ScheduledWorker<CaptureJob>, 'runScheduled'> | undefined
  backups(): Pick<ScheduledWorker<BackupJob>, 'runScheduled'> | undefined
}

/** Runs a configured capture or backup; undefined without a worker or if the job was deleted. */
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

type Worker<Job extends ScheduledJob> = Pick<ScheduledWorker<Job>, 'runScheduled'>

function doJob<Job extends ScheduledJob>(
  worker: Worker<Job> | undefined,
  job: Job | undefined,
  signal: AbortSignal,
): Promise<void> | undefined {
  return worker === undefined || job === undefined ? undefined : worker.runScheduled(job, signal)
}
