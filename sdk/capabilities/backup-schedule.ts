// The capability `backup-schedule`: the one backup job that people can set without the scheduling page.
import { capability } from '../capability.ts'
import type { BackupJob } from './backups.ts'

export const BACKUP_SCHEDULE = capability<BackupSchedule>('backup-schedule')

export interface ScheduledBackup extends BackupJob {
  readonly active: boolean
  /** `HH:MM`, in the time zone of the scheduling. */
  readonly at: string | null
  /** 1 is Monday; empty: every day. */
  readonly days: readonly number[]
}

export interface BackupSchedule {
  /** The job with this id; undefined if there is none. `advanced`: the advanced lists decide when syncs run. */
  read(id: string): { readonly job: ScheduledBackup | undefined; readonly advanced: boolean }
  /** Adds or replaces the job, as the first one. The times of syncs are unchanged. */
  save(job: ScheduledBackup): Promise<void>
}
