// The core services that the plugin host needs.
import type { ExternalSignIn, HostFacts, Logger, Migration, Streams, Tables } from '@playhead/sdk'
import type { Clock, Timers } from '../clock.ts'
import type { CoreData } from '../data/data.ts'
import type { CoreEventBus } from '../events/bus.ts'
import type { Redactor } from '../events/redaction.ts'
import type { Logging } from '../log.ts'
import type { DirectoryPlaces } from '../packages/directory.ts'
import type { NpmRegistry } from '../packages/npm-registry.ts'
import type { PreludeDependencies } from '../http/prelude.ts'
import type { MigrationParts } from '../own-database/migrations.ts'
import type { forHost } from '../parts.ts'
import type { Running } from '../own-database/running.ts'
import type { Scheduler } from '../scheduling/scheduler.ts'
import type { KeyValueDatabase } from '../storage/key-value.ts'
import type { createPluginStorage } from '../storage/plugin-storage.ts'
import type { UpstreamHub } from '../upstream/hub.ts'
import type { CoreWork } from '../work/registry.ts'
import type { PluginData } from './isolated/wire.ts'
import type { PluginSources } from './load/sources.ts'

/** Dependencies of staging a plugin, from the core or from the plugin's own thread. */
export interface StageDependencies extends Omit<ReturnType<typeof createPluginStorage>, 'pathsOf'> {
  readonly log: Logger
  readonly pluginLogger: Logging['forPlugin']
  readonly redact: Redactor['redact']
  readonly directories: {
    /** Compiled plugins; null disables the cache. */
    readonly compiled: string | null
  }
  readonly database: Tables
  /** Default: every plugin has one. */
  readonly running?: Running
  readonly migrate: (owner: string, migrations: readonly Migration[], parts?: MigrationParts) => Promise<void>
  readonly keyValue: Pick<KeyValueDatabase, 'namespace'>
  readonly data: Pick<CoreData, 'of'>
  readonly events: Pick<CoreEventBus, 'recent' | 'emitAs'>
  readonly streams: Streams
  readonly work: Pick<CoreWork, 'of'>
  readonly externalSignIn: ExternalSignIn
  readonly scheduler: Pick<Scheduler, 'retime' | 'next' | 'jobs'>
  readonly upstream: Pick<UpstreamHub, 'factory'>
  /** Common setup of each plugin's Fastify instance. */
  readonly prelude: Pick<
    PreludeDependencies,
    'gate' | 'compilers' | 'headersFor' | 'onAnswer' | 'onAnswered' | 'stored'
  >
}

type CoreParts = ReturnType<typeof forHost>

export interface HostDependencies extends CoreParts, Omit<StageDependencies, keyof CoreParts> {
  readonly clock: Clock
  /** For delayed work of plugins. */
  readonly timers: Timers
  readonly startedAtMs: number
  /** @see HostFacts.dataEpoch */
  readonly dataEpoch: string
  /** The data directory was empty before this start: no plugin has run with it. */
  readonly isNewData: boolean
  /** The last repair could not bring back all rows: plugins settle that at each start. */
  readonly hasLostRows: boolean
  readonly directories: StageDependencies['directories'] & {
    /** The registry of bundled plugins. */
    readonly bundledRegistry: string
    /** The user's registry, which adds and overrides entries. */
    readonly userRegistry: string
    /** Where npm packages of the user's registry are installed. */
    readonly packages: string
    /** Persistent state of the host, such as snapshots. */
    readonly run: string
  }
  readonly sources: PluginSources
  /** The directory of plugins. */
  readonly directory: DirectoryPlaces
  /** The registry for packages of plugins; its settings are read at each use. */
  readonly npmRegistry: () => Promise<NpmRegistry>
  /** Copies a database before its tables are changed, for migrations on a plugin's own thread. */
  readonly beforeMigration: (file: string) => Promise<void>
  /** Locates the data of a plugin, for its own thread. */
  readonly pluginPaths: (plugin: string) => PluginData['paths']
  /** Drains the service and restarts it. */
  readonly restart: (reason: string) => void
  /** The core's own health checks. */
  readonly health: HostFacts['health']
  readonly process: HostFacts['process']
}
