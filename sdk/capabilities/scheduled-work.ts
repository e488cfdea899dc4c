// Jobs of other plugins, which the scheduling plugin runs.

/** A job of the scheduling settings. */
export interface ScheduledJob {
  readonly id: string
  readonly label_template: string
  /** 0 keeps everything. */
  readonly retention_days: number
  readonly auto_delete_old: boolean
}

export interface ScheduledWorker<Job extends ScheduledJob> {
  /** Runs the job to its end and applies its retention. Throws on failure. */
  runScheduled(job: Job, signal?: AbortSignal): Promise<void>
}
