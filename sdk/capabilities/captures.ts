// What a plugin that makes captures of accounts offers to the scheduling, as the capability `captures`.
import { capability } from '../capability.ts'
import type { ScheduledJob, ScheduledWorker } from './scheduled-work.ts'

export const CAPTURES = capability<ScheduledWorker<CaptureJob>>('captures')

export interface CaptureJob extends ScheduledJob {
  /** `MEDIAB` */
  readonly provider: string
  readonly instance: string
  readonly feature: 'watchlist' | 'ratings' | 'history' | 'progress' | 'all'
  /** The oldest beyond this number are removed; 0 is no limit. */
  readonly max_captures: number
}
