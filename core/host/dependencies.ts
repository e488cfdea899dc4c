// What the plugin host needs from the core's services.
import type {
  EventBus,
  HostFacts,
  KeyValueStore,
  Logger,
  Migration,
  OpenDatabase,
  PluginFiles,
  PluginNeeds,
  ExternalSignIn,
  Streams,
  Tables,
  UpstreamFactory,
} from '@playhead/sdk'
import type { Clock } from '../clock.ts'
import type { ConfigService } from '../config/contract.ts'
import type { PluginListener } from '../events/bus.ts'
import type { PreludeDependencies } from '../http/prelude.ts'
import type { Scheduler } from '../scheduling/scheduler.ts'
import type { Timers } from '../scheduling/timers.ts'
import type { PluginSources } from './load/sources.ts'

export interface HostDependencies {
  readonly clock: Clock
  /** For work that plugins put off. */
  readonly timers: Timers
  readonly log: Logger
  /** A logger whose lines carry the plugin and go to its channel. */
  readonly pluginLogger: (owner: {
    readonly plugin: string
    readonly generation: number
    readonly channels: readonly string[]
    readonly tag?: string | undefined
  }) => Logger
  readonly redact: (text: string) => string
  readonly version: string
  readonly startedAtMs: number
  readonly directories: {
    /** The registry of the plugins that ship. */
    readonly bundledRegistry: string
    /** The registry of the user, which adds and overrides. */
    readonly userRegistry: string
    /** Where npm packages of the user's registry are installed. */
    readonly packages: string
    /** Compiled plugins; null compiles anew each time. */
    readonly compiled: string | null
    /** Notes between runs. */
    readonly run: string
  }
  readonly sources: PluginSources
  readonly config: ConfigService
  readonly database: Tables
  readonly migrate: (owner: string, migrations: readonly Migration[]) => Promise<void>
  readonly keyValue: { namespace(name: string, options: { readonly quotaBytes: number }): KeyValueStore }
  /** Databases of a plugin's own; whoever opens one closes it. */
  readonly ownDatabases: (plugin: string, log: Logger) => OpenDatabase
  /** Where the databases of a plugin are. */
  readonly databaseFolder: (plugin: string) => string
  readonly files: (plugin: string, needs: PluginNeeds) => PluginFiles
  readonly events: Omit<EventBus, 'on'> & {
    emitAs(source: string, name: string, data: Readonly<Record<string, unknown>>): void
    setPluginListeners(listeners: readonly PluginListener[]): void
  }
  readonly streams: Streams
  readonly externalSignIn: ExternalSignIn
  readonly scheduler: Pick<Scheduler, 'setJobs' | 'retime' | 'jobs'>
  readonly upstream: {
    stats: HostFacts['upstream']
    calls: HostFacts['upstreamCalls']
    factory(options: {
      readonly plugin: string
      readonly allowedHosts: () => readonly string[]
      readonly signal: AbortSignal
      readonly log: Logger
      readonly run: <Result>(work: () => Result) => Result
      readonly onEntered?: ((origin: string) => void) | undefined
    }): UpstreamFactory & { close(): Promise<void> }
  }
  /** What each plugin's Fastify instance begins with. */
  readonly prelude: Pick<PreludeDependencies, 'gate' | 'compilers' | 'headersFor' | 'openapiInfo'>
  readonly logChannels: HostFacts['logChannels']
  /** The service's own health checks. */
  readonly health: HostFacts['health']
  readonly process: HostFacts['process']
  /** Called with the names of all plugins, live or not, and of what they offer, whenever they change. */
  readonly setPublicNames: (names: ReadonlySet<string>) => void
  /** Called with the log channels of all live plugins whenever they change. */
  readonly setLogChannels: (channels: readonly { readonly tag: string; readonly watcher: boolean }[]) => void
}
