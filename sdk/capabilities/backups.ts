// The capability `backups`: creates backups for scheduled jobs, and before data is cleared or replaced.
import { capability } from '../capability.ts'
import type { ScheduledJob, ScheduledWorker } from './scheduled-work.ts'

export const BACKUPS = capability<BackupService>('backups')

export type BackupScope = 'config_only' | 'app_state' | 'full'

export interface BackupJob extends ScheduledJob {
  readonly scope: BackupScope
  /** The oldest backups beyond this number are deleted; 0 means no limit. */
  readonly max_backups: number
  readonly include_snapshots: boolean
  readonly include_reports: boolean
  readonly include_cache: boolean
  /** A run that was missed while the service was off is made up for, once. */
  readonly catch_up: boolean
}

export interface BackupOrder {
  readonly scope: BackupScope
  readonly label: string
  /** The cause, for example `maintenance_clear-state`. */
  readonly trigger: string
  /** Id of the hold that the backup is a part of, see `WorkDescription`. */
  readonly within?: string
}

export interface BackupService extends ScheduledWorker<BackupJob> {
  /** Creates a complete, valid backup, or throws. */
  create(
    order: BackupOrder,
    signal?: AbortSignal,
  ): Promise<{
    /** Name in the folder of backups. */
    readonly path: string
    readonly sizeBytes: number
  }>
}
