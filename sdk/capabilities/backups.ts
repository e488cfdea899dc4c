// The capability `backups`: creates backups for scheduled jobs.
import { capability } from '../capability.ts'
import type { ScheduledJob, ScheduledWorker } from './scheduled-work.ts'

export const BACKUPS = capability<ScheduledWorker<BackupJob>>('backups')

export interface BackupJob extends ScheduledJob {
  readonly scope: 'config_only' | 'app_state' | 'full'
  /** The oldest backups beyond this number are deleted; 0 means no limit. */
  readonly max_backups: number
  readonly include_snapshots: boolean
  readonly include_reports: boolean
  readonly include_cache: boolean
}
