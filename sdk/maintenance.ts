// Maintenance actions: what a plugin lets people clear or rebuild of its own data. Each action is a capability
// `maintenance:<id>`, listed and run by the maintenance plugin, which asks for a confirmation, makes a backup first and
// keeps other work away. No other plugin touches its data.
import { capabilityFamily } from './capability.ts'

/** @example ctx.provide(MAINTENANCE.of('my-cache'), action, { whileDormant: ['describe'] }) */
export const MAINTENANCE = capabilityFamily<MaintenanceAction>('maintenance:')

export interface MaintenanceDescription {
  /** For people, for example `Clear the picture cache`. */
  readonly title: string
  /** What is cleared, what is kept, and what follows from it. */
  readonly note: string
  /** Actions of one group may be run together, see docs/reference/maintenance.md. */
  readonly group:
    | 'state'
    | 'cache'
    | 'provider-cache'
    | 'activity'
    | 'statistics'
    | 'reports'
    | 'tracker'
    | 'events'
    | 'other'
  /** Something that cannot be made again is lost: people confirm it. */
  readonly losesData: boolean
  /** A backup of everything but captures and reports is made first. */
  readonly backupFirst: boolean
  /** Runs while nothing else works on accounts or state. */
  readonly alone: boolean
  /** A later sync plans more than usual: people are advised to begin with a dry run. */
  readonly adviseDryRun?: boolean
  /** Names of options that it understands. An action is never run with an option that it does not understand. */
  readonly options?: readonly string[]
}

/** Checked by the action: `PLH_INVALID` or `PLH_NOT_FOUND` before anything is touched. */
export type MaintenanceOptions = Readonly<Record<string, unknown>>

/** One thing that is touched. */
export interface MaintenanceTouch {
  /** Of a file or database, relative to the data directory; `''` for memory. */
  readonly path: string
  /** Table of a database. */
  readonly table?: string
  /** For people, for example `watchlist rows`. */
  readonly label: string
  readonly op: 'delete' | 'change'
  /** Rows of a table, 1 for a file, entries of memory. */
  readonly items: number
  /** Of a file. */
  readonly bytes?: number
}

export interface MaintenanceEffect {
  /** Empty: there is nothing to do. */
  readonly touches: readonly MaintenanceTouch[]
  /** Facts for people and clients, for example what is kept. */
  readonly details?: Readonly<Record<string, unknown>>
}

export interface MaintenanceAction {
  describe(): MaintenanceDescription
  /** What `run` would touch now. Writes nothing. */
  preview(options: MaintenanceOptions): Promise<MaintenanceEffect>
  /**
   * Does it, in steps that a crash may separate but not corrupt, and says what it touched. Repeatable: a second run
   * touches nothing.
   */
  run(options: MaintenanceOptions, signal?: AbortSignal): Promise<MaintenanceEffect>
}
