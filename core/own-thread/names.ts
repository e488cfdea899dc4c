// Names shared by both sides of a plugin's thread.
import type { WorkDescription } from '@playhead/sdk'

export const WORK = 'playhead:work'
export const HOST_LOG = 'playhead:log'
export const HOST_WORK = 'playhead:work-registry'
export const HOST_LIFE = 'playhead:life'

export interface StartData {
  readonly module: string
  /** Folder of the plugin's databases. */
  readonly databases: string
  readonly compileCache: string | null
}

/** Holds of a thread, by id. */
export interface WorkRelay {
  begin(work: WorkDescription): Promise<string>
  beginWhenFree(work: WorkDescription, signal: AbortSignal | null): Promise<string>
  release(id: string): Promise<void>
}

export interface LifeRelay {
  /** Whether the thread has to stay while it is idle. */
  stay(must: boolean): Promise<void>
}
