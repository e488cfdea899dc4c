// The displayed progress of a job. It only grows, and its end is final.
export type Operation = 'capture' | 'restore' | 'cleanup'
export type JobState = 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled'

interface OnHold {
  /** `busy`, or the code of the condition that blocks the start. */
  readonly reason: string
  /** A text for display. */
  readonly detail: string
  /** Epoch seconds. */
  readonly since: number
}

export interface Progress {
  readonly id: string
  readonly ok: boolean
  readonly done: boolean
  readonly state: JobState
  readonly operation: Operation
  readonly stage: string
  readonly message: string
  readonly provider: string
  readonly instance: string
  readonly feature: string
  readonly current_feature: string | null
  readonly feature_index: number
  readonly feature_total: number
  readonly feature_items: number
  readonly items_done: number
  readonly total_items: number | null
  readonly bytes_written: number
  readonly added: number
  readonly removed: number
  readonly percent: number
  /** Epoch seconds. */
  readonly started_at: number
  readonly updated_at: number
  readonly cancel_requested?: boolean
  /** Why the job has not started yet. */
  readonly on_hold?: OnHold | null
  readonly result_path?: string
  /** The capture made before the account was changed. */
  readonly before_path?: string
  readonly result?: unknown
  readonly error?: string
}

export type ProgressChange = Partial<
  Pick<
    Progress,
    | 'stage'
    | 'message'
    | 'current_feature'
    | 'feature_index'
    | 'feature_items'
    | 'items_done'
    | 'total_items'
    | 'bytes_written'
    | 'added'
    | 'removed'
  >
> & {
  /** Completed part of the stage, 0 to 1. */
  readonly share?: number
}

/** Start and share of each stage within its feature. */
const STAGES: Readonly<Record<Operation, Readonly<Record<string, readonly [from: number, length: number]>>>> = {
  capture: { reading: [0.12, 0.46], normalizing: [0.62, 0], writing: [0.84, 0], feature_done: [0.96, 0] },
  restore: {
    reading: [0.05, 0.2],
    planning: [0.28, 0],
    capturing: [0.29, 0],
    clearing: [0.3, 0.28],
    restoring: [0.6, 0.3],
    verifying: [0.92, 0],
    feature_done: [0.96, 0],
  },
  cleanup: {
    loading: [0.12, 0],
    capturing: [0.15, 0],
    removing: [0.34, 0.46],
    verifying: [0.82, 0],
    feature_done: [0.96, 0],
  },
}
const FIXED: Readonly<Record<string, number>> = {
  queued: 1,
  starting: 3,
  bundling: 96,
  finalizing: 98,
  done: 100,
  error: 100,
}

/** Percent of a stage; never 100 before the end. */
export function percentOf(
  operation: Operation,
  stage: string,
  at: { index: number; total: number; share: number },
): number {
  const fixed = FIXED[stage]
  if (fixed !== undefined) return fixed
  const [from, length] = STAGES[operation][stage] ?? [0, 0]
  const done = from + length * Math.min(1, Math.max(0, at.share))
  const percent = Math.floor(((Math.max(1, at.index) - 1 + done) / Math.max(1, at.total)) * 92) + 4
  return Math.min(99, Math.max(4, percent))
}
