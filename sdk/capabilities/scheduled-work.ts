// Work of other plugins that the scheduling starts at the times that people chose.

/** A job as the settings of the scheduling have it. */
export interface ScheduledJob {
  readonly id: string
  readonly label_template: string
  /** 0 keeps everything. */
  readonly retention_days: number
  readonly auto_delete_old: boolean
}

export interface ScheduledWorker<Job extends ScheduledJob> {
  /** Does the job to its end, and removes what it should no longer keep. Throws when it failed. */
  runScheduled(job: Job, signal?: AbortSignal): Promise<void>
}
