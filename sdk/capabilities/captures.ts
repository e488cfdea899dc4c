// The capability `captures`: captures accounts for scheduled jobs.
import { capability } from '../capability.ts'
import type { ScheduledJob, ScheduledWorker } from './scheduled-work.ts'

export const CAPTURES = capability<ScheduledWorker<CaptureJob>>('captures')

export interface CaptureJob extends ScheduledJob {
  /** `MEDIAB` */
  readonly provider: string
  readonly instance: string
  readonly feature: 'watchlist' | 'ratings' | 'history' | 'progress' | 'all'
  /** The oldest captures beyond this number are deleted; 0 means no limit. */
  readonly max_captures: number
}
