// What a plugin that makes backups offers to the scheduling, as the capability `backups`.
import { capability } from '../capability.ts'
import type { ScheduledJob, ScheduledWorker } from './scheduled-work.ts'

export const BACKUPS = capability<ScheduledWorker<BackupJob>>('backups')

export interface BackupJob extends ScheduledJob {
  readonly scope: 'config_only' | 'app_state' | 'full'
  /** The oldest beyond this number are removed; 0 is no limit. */
  readonly max_backups: number
  readonly include_snapshots: boolean
  readonly include_reports: boolean
  readonly include_cache: boolean
}
