// What is started besides syncs: whoever makes captures or backups provides the capability of that name with this shape.
import type { BackupJob, CaptureJob } from './settings.ts'

export interface ScheduledWorker<Job> {
  /** Does the job to its end, and clears away what it should no longer keep. Throws when it failed. */
  runScheduled(job: Job, signal?: AbortSignal): Promise<void>
}

export interface Workers {
  /** Undefined while nobody provides it. */
  captures(): Pick<ScheduledWorker<CaptureJob>, 'runScheduled'> | undefined
  backups(): Pick<ScheduledWorker<BackupJob>, 'runScheduled'> | undefined
}
