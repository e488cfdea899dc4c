// The capability `backup-schedule`: the one backup job that people set without knowing the scheduling.
import { capability } from '../capability.ts'
import type { BackupJob } from './backups.ts'

export const BACKUP_SCHEDULE = capability<BackupSchedule>('backup-schedule')

export interface ScheduledBackup extends BackupJob {
  readonly active: boolean
  /** `HH:MM`, in the zone of the scheduling. */
  readonly at: string | null
  /** 1 is Monday; empty: every day. */
  readonly days: readonly number[]
}

export interface BackupSchedule {
  /** The job with this id; undefined if there is none. `advanced`: the advanced lists decide when syncs run. */
  read(id: string): { readonly job: ScheduledBackup | undefined; readonly advanced: boolean }
  /** Adds or replaces the job, as the first one. When syncs run stays as it is. */
  save(job: ScheduledBackup): Promise<void>
}
