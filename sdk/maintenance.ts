// Maintenance actions: data of a plugin that people may clear or rebuild. Each action is a capability
// `maintenance:<id>`, listed and run by the maintenance plugin, which asks for a confirmation, makes a backup first and
// keeps other work away. No other plugin touches the data.
import { capabilityFamily } from './capability.ts'

/** @example ctx.provide(MAINTENANCE.of('my-cache'), action, { whileDormant: ['describe'] }) */
export const MAINTENANCE = capabilityFamily<MaintenanceAction>('maintenance:')

export interface MaintenanceDescription {
  /** For people, for example `Clear the picture cache`. */
  readonly title: string
  /** Which data are cleared and kept, and the consequences. */
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
  /** Data are lost that cannot be created again: people confirm it. */
  readonly losesData: boolean
  /** A backup of everything but captures and reports is made first. */
  readonly backupFirst: boolean
  /** Runs while no other work uses accounts or state. */
  readonly alone: boolean
  /** A later sync plans more than usual: people are advised to begin with a dry run. */
  readonly adviseDryRun?: boolean
  /** Names of supported options. An action is never run with an option that it does not support. */
  readonly options?: readonly string[]
}

/** Checked by the action: `PLH_INVALID` or `PLH_NOT_FOUND` before any change. */
export type MaintenanceOptions = Readonly<Record<string, unknown>>

/** One affected file, table or cache. */
export interface MaintenanceTouch {
  /** Path of a file or database, relative to the data directory; `''` for memory. */
  readonly path: string
  /** Table of a database. */
  readonly table?: string
  /** For people, for example `watchlist rows`. */
  readonly label: string
  readonly op: 'delete' | 'change'
  /** Rows of a table, 1 for a file, entries of memory. */
  readonly items: number
  /** Bytes of a file. */
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
  /** Lists the targets of `run` without writing anything. */
  preview(options: MaintenanceOptions): Promise<MaintenanceEffect>
  /**
   * Executes the action, in steps that a crash may separate but not corrupt, and lists the affected targets.
   * Idempotent: a second run changes nothing.
   */
  run(options: MaintenanceOptions, signal?: AbortSignal): Promise<MaintenanceEffect>
}
