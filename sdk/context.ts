// The plugin context: everything a plugin registers or opens goes through it and is released with the plugin.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { DataDirectory } from './data.ts'
import type { PluginDirectory } from './directory.ts'
import type { OpenDatabase, Tables } from './database.ts'
import type { PluginFiles } from './files.ts'
import type { Logger } from './logger.ts'
import type { LendModule, StartThread } from './thread.ts'
import type { Release, WorkRegistry } from './work.ts'
import type { Capability, CapabilityFamily, Remote } from './capability.ts'
import type { AnyHook, HealthFact, HookInput, HookResult, TapOptions, TapResult } from './hooks.ts'
import type { PluginManifest, VendorNotice } from './manifest.ts'
import type { ExternalSignIn } from './external-sign-in.ts'
import type { AccountStats, UpstreamCall, UpstreamFactory } from './upstream.ts'

/** Settings to merge into the stored section. */
export type SettingsChange = Readonly<Record<string, unknown>>

/** Maximum number of values per `setMany`. */
export const MAX_SET_MANY = 200

/** Key-value storage of one plugin. Values are JSON. Writes beyond the plugin's quota fail with `PLH_QUOTA`. */
export interface KeyValueStore {
  get<T = unknown>(key: string): Promise<T | undefined>
  /** @param ttlMs time to live in milliseconds */
  set(key: string, value: unknown, ttlMs?: number): Promise<void>
  /**
   * Writes all values or none, in one commit. One commit for many values is much faster than one each.
   * @param values at most `MAX_SET_MANY` (`TypeError`)
   * @param ttlMs time to live in milliseconds
   */
  setMany(values: ReadonlyMap<string, unknown>, ttlMs?: number): Promise<void>
  delete(key: string): Promise<boolean>
  has(key: string): Promise<boolean>
  clear(): Promise<void>
  entries<T = unknown>(): AsyncIterable<readonly [string, T]>
}

export interface StreamMessage {
  /** Increases within a topic, across restarts. */
  readonly id: number
  /** Name of the server-sent event; `message` when absent. */
  readonly event?: string
  readonly data: string
  readonly atMs: number
}

export interface OpenStreamOptions {
  readonly topics: readonly string[]
  /** Backlog: the last n messages of each topic. Default: all retained messages. */
  readonly tail?: number
  /** Only messages after this id. A `Last-Event-ID` header takes precedence. */
  readonly since?: number
  /** Names each event after the last segment of its topic. */
  readonly nameByTopic?: boolean
  /** Escapes each message for HTML. */
  readonly html?: boolean
}

/** Server-sent event streams. The core owns the connections: they stay open across plugin reloads. */
export interface Streams {
  /**
   * Publishes to a topic (the last 3000 messages are retained, in memory). Topics are `<plugin id>/<name>` or a
   * declared log channel.
   */
  publish(topic: string, message: { readonly event?: string; readonly data: string }): void
  /** The retained messages of a topic; empty for an unknown topic. */
  read(topic: string, options?: { readonly tail?: number; readonly since?: number }): readonly StreamMessage[]
  /** Names of the topics with a prefix. */
  topics(prefix: string): readonly string[]
  /** Answers the request as `text/event-stream`. The route handler returns the result. */
  open(request: FastifyRequest, reply: FastifyReply, options: OpenStreamOptions): FastifyReply
}

export interface PlayheadEvent {
  readonly id: number
  readonly name: string
  readonly atMs: number
  /** The emitting plugin, or `core`. */
  readonly source: string
  readonly data: Readonly<Record<string, unknown>>
}

/**
 * Event bus. Listeners run asynchronously, guarded and attributed to their plugin; a slow or failing listener affects
 * no other.
 */
export interface EventBus {
  /**
   * Names are `<area>.<event>`, for example `run.finished`. Data must be plain; secrets are redacted. Use the plugin's id
   * as the area, or one of `emits` in plugin.json. Areas of the host, ids of other plugins and what these have in `emits`
   * belong to them: `PLH_PLUGIN_UNDECLARED`.
   */
  emit(name: string, data: Readonly<Record<string, unknown>>): void
  /** @param name an event's name, `area.*`, or `*` */
  on(name: string, listener: (event: PlayheadEvent) => void | Promise<void>): void
  /** The most recent events (at most 1000), oldest first. */
  recent(options?: { readonly name?: string; readonly limit?: number }): readonly PlayheadEvent[]
}

/**
 * When a job runs: an interval (`15m`, or milliseconds; at least one second), a cron expression in wall-clock time of
 * `timeZone` (IANA name, default the host's), or once at a time in epoch milliseconds.
 *
 * An interval counts from the last start. With `from` it has fixed slots: whole intervals before and after an instant in
 * epoch milliseconds, or after each local midnight of `timeZone`.
 *
 * A cron timing with `from` is planned from that instant, so that slots since then count as missed.
 *
 * A time of day that daylight saving skips is due when the clocks jump, and one that it repeats is due the first time.
 * Cron patterns with wildcards or steps in the hours, and intervals, follow real time.
 */
export type JobTiming =
  | {
      readonly every: string | number
      readonly startAfter?: string | number
      readonly from?: number | 'midnight'
      readonly timeZone?: string
    }
  | { readonly cron: string; readonly timeZone?: string; readonly from?: number }
  | { readonly at: number }

/**
 * Several times of one job, each with a name. One run takes all that are due. Each remembers its own slots: a time that
 * is set again unchanged keeps them, and a new or changed one starts now.
 *
 * @example wake.set({ times: { night: { cron: '30 3 * * *', missed: 'once' }, poll: { every: '15s' } } })
 */
export interface JobTimes {
  readonly times: Readonly<Record<string, JobTime>>
}

export type JobTime = Exclude<JobTiming, { readonly at: number }> &
  Pick<JobOptions, 'missed'> & {
    /**
     * Delays each slot by up to `maxMs` (milliseconds), so that installations do not ask a service at the same second.
     * The delay of a slot is always the same; `seed` makes it differ between installations.
     */
    readonly jitter?: { readonly maxMs: number; readonly seed: string }
  }

/** A coming or due run of a job. */
export interface JobSlot {
  /** The name in `times`; empty for a single timing. */
  readonly name: string
  /** The slot before jitter, epoch milliseconds. */
  readonly slotMs: number
  /** When it is due, epoch milliseconds. */
  readonly dueAtMs: number
}

export interface ProvideOptions {
  /**
   * Functions without arguments whose plain-data result depends only on the plugin's code and settings. While the
   * plugin is dormant they return the last result; any other call loads the plugin.
   */
  readonly whileDormant?: readonly string[]
}

export interface JobOptions {
  /**
   * Runs missed while the service was down. `once`: one run soon after start. `skip`: wait for the next. Default `skip`
   * for intervals, `once` for cron and `at`. A run less than ten minutes late always runs. Long intervals (a week)
   * should use `once`.
   */
  readonly missed?: 'once' | 'skip'
  /** Maximum duration in milliseconds; then the signal aborts. Default one hour. */
  readonly timeoutMs?: number
}

/** A job whose time can change while the plugin runs. */
export interface JobHandle {
  /**
   * Reschedules the job; null unschedules it. A current run continues. A past `at` is due now; the same `at` never runs
   * twice, and setting an equal time has no effect. Throws `PLH_INVALID` for an invalid time. Ignored once a newer
   * generation is active.
   */
  set(timing: JobTiming | JobTimes | null): void
  /** The next slot of each time that was set, earliest first; a missed one that still runs is in the past. */
  next(): Promise<readonly JobSlot[]>
}

export interface JobRun {
  readonly signal: AbortSignal
  /** When the run was due, epoch milliseconds. */
  readonly dueAtMs: number
  /**
   * The due slots, earliest first, equal ones in the order of `times`. Empty for a run outside the plan. If the process
   * ends during a run of several times, the next process gives the same slots again.
   */
  readonly due: readonly JobSlot[]
}

export type JobWork = (signal: AbortSignal, run: JobRun) => void | Promise<void>

export interface JobState {
  readonly name: string
  readonly nextAtMs: number | null
  readonly lastStartedAtMs: number | null
  readonly lastFinishedAtMs: number | null
  readonly lastOutcome: 'done' | 'failed' | 'aborted' | null
  readonly running: boolean
}

export interface PluginSummary {
  readonly id: string
  readonly name: string
  readonly version: string
  readonly kind: string
  readonly state: string
  readonly generation: number | null
  /** The identity of a provider, also while its plugin is not running. */
  readonly provider?: { readonly id: string; readonly token: string; readonly label: string }
  /** Notices of plugin.json. */
  readonly notices?: readonly VendorNotice[]
  /** Identifies the running code; changes with every edit. */
  readonly build?: string
  /** Error code of the last failure, while the plugin is not active. */
  readonly error?: string
  /** Why the newest version or settings of an active plugin could not be used. The previous version keeps running. */
  readonly edit?: {
    readonly code: string
    readonly message: string
    readonly file: string | null
    readonly line: number | null
    readonly atMs: number
  }
  /** Since the service started: failures of the plugin, and reloads. */
  readonly faults: number
  readonly reloads: number
}

/** Resource usage of the process. */
export interface ProcessFacts {
  readonly rssBytes: number
  readonly heapUsedBytes: number
  readonly heapLimitBytes: number
  /** Memory outside the heap, such as buffers. */
  readonly externalBytes: number
  /** CPU seconds since the start, in user and system mode. */
  readonly cpuUserSeconds: number
  readonly cpuSystemSeconds: number
  /** Event loop delay since the previous reading, in milliseconds; null for the first reading. */
  readonly loopDelayMs: { readonly mean: number; readonly p99: number; readonly max: number } | null
}

/** Facts about the running service. */
export interface HostFacts {
  readonly version: string
  readonly startedAtMs: number
  /**
   * Changes when the stored data are not those that the service stored last: after the restore of a backup, or when an
   * older data directory or database was put in place by hand. Stored account state is then as old as the data, and a
   * missing row may have been restored and removed any number of times since. Empty for data that were
   * never replaced.
   */
  readonly dataEpoch: string
  /** The setting `runtime.debug` or `runtime.debug_mods`. */
  debug(): boolean
  /** All known plugins, ordered by id. */
  plugins(): readonly PluginSummary[]
  /**
   * A short text that changes with every setting, and with every plugin that is loaded, reloaded, turned off or fails;
   * between the save of settings and the moment at which all plugins have them, it differs with each call. For the
   * revision of an answer, see `FastifyContextConfig.revision`. Valid until the service ends.
   */
  revision(): string
  /** All log channels; `watcher` marks the channels of `/api/logs/watcher`. */
  logChannels(): readonly { readonly tag: string; readonly watcher: boolean }[]
  /** Health checks of the core and of the hook `healthDetail`. */
  health(): Promise<readonly HealthFact[]>
  /** Requests, waits and quotas of all accounts that were opened since the start, by name. */
  upstream(): readonly AccountStats[]
  /** The last 2,000 exchanges with services, oldest first. */
  upstreamCalls(): readonly UpstreamCall[]
  process(): ProcessFacts
  /** Removes stored secrets and anything that looks like a secret. JSON stays valid. */
  redact(text: string): string
}

/** A view of the whole service for signed-in people. Plain data without secrets. */
export interface Inspection {
  /** Node version, platform (`linux`) and architecture (`x64`). */
  runtime(): { readonly node: string; readonly platform: string; readonly architecture: string }
  /** All settings with defaults, secrets masked. Throws `PLH_NOT_READY` while the configuration cannot be read. */
  settings(): Readonly<Record<string, unknown>>
  /** Every plugin as `GET /api/plugins/{id}` shows it: state, last error, recent faults, jobs. */
  plugins(): readonly Readonly<Record<string, unknown>>[]
}

/** Services that a factory can request by name, beside the plugin's own. */
export interface ServiceInputs<Config = unknown> extends HostInputs<Config> {
  /** The whole context, for services that use capabilities, call hooks or start work later. */
  readonly ctx: PluginContext<Config>
}

/** Services of the host. */
export interface HostInputs<Config = unknown> {
  readonly config: Readonly<Config>
  readonly log: Logger
  readonly signal: AbortSignal
  readonly store: KeyValueStore
  readonly db: Tables
  /**
   * Opens a database file of the plugin. Throws `PLH_PLUGIN_UNDECLARED` unless plugin.json declares `needs.database`.
   */
  readonly openDatabase: OpenDatabase
  readonly startThread: StartThread
  readonly lendModule: LendModule
  readonly files: PluginFiles
  readonly events: EventBus
  readonly streams: Streams
  readonly upstream: UpstreamFactory
  /** Work in progress in the service, and locks against conflicting work. Holds end with the plugin. */
  readonly work: WorkRegistry
  readonly host: HostFacts
}

export interface PluginContext<Config = unknown, Services = unknown> extends HostInputs<Config> {
  readonly id: string
  /** plugin.json as the host read it; frozen. */
  readonly manifest: PluginManifest
  /** Number of this load of the plugin since the service started. */
  readonly generation: number
  readonly services: Services
  /** Read-only files shipped with the plugin. */
  readonly assets: { path(relative: string): string; read(relative: string): Promise<Buffer> }

  /** Provides a capability declared in `provides` of plugin.json. At most one active plugin per token. */
  provide<T extends object>(reference: Capability<T>, value: NoInfer<T>, options?: ProvideOptions): void
  /**
   * A capability of any plugin, resolved at each call. Calls fail with `PLH_CAPABILITY_GONE` (503) while it is
   * unavailable; while its plugin is being loaded, they wait up to five seconds for it, except in `setup`.
   */
  use<T extends object>(reference: Capability<T>): Remote<T>
  /** As `use`; undefined while no plugin provides it. */
  tryUse<T extends object>(reference: Capability<T>): Remote<T> | undefined
  /** The available capabilities of a family. */
  capabilities<T extends object>(family: CapabilityFamily<T>): readonly Capability<T>[]
  /**
   * Signs in people whom an external service has identified. Throws `PLH_PLUGIN_UNDECLARED` unless plugin.json declares
   * `needs.signIn`.
   */
  signIn(): ExternalSignIn
  /**
   * Inspects the whole service on behalf of signed-in people. Throws `PLH_PLUGIN_UNDECLARED` unless plugin.json
   * declares `needs.inspect`.
   */
  inspect(): Inspection
  /**
   * The whole data directory, to back it up, restore, check or repair it. Throws `PLH_PLUGIN_UNDECLARED` unless
   * plugin.json declares `needs.data`.
   */
  data(): DataDirectory
  /**
   * The directory of plugins. Throws `PLH_PLUGIN_UNDECLARED` unless plugin.json declares `needs.directory`.
   */
  directory(): PluginDirectory
  /**
   * Taps a hook of the core or of another plugin. A hook that no plugin calls is allowed. Throws `PLH_HOOK_UNKNOWN`
   * when the hook exists with another kind.
   *
   * @param options a label for reports, or more
   */
  tap<H extends AnyHook>(
    hook: H,
    options: string | TapOptions,
    run: (input: HookInput<H>) => TapResult<H> | Promise<TapResult<H>>,
  ): void
  /** Calls a hook that this plugin declared. */
  callHook<H extends AnyHook>(hook: H, input: HookInput<H>): Promise<HookResult<H>>
  /** Ids of the plugins that tap a hook that this plugin declared. Empty: a call would have no effect. */
  tappedBy(hook: AnyHook): readonly string[]

  /** Runs `work` at an interval. Runs of a job never overlap, even with several hosts on one data directory. */
  every(interval: string | number, name: string, work: JobWork, options?: JobOptions): void
  /** Runs `work` at the times of a cron expression. */
  cron(expression: string, name: string, work: JobWork, options?: JobOptions & { readonly timeZone?: string }): void
  /**
   * A job whose time is set through its handle. The time survives reloads and restarts; a due job loads a dormant plugin. If
   * the clock was set back by more than ten minutes since a time `at` was set, the job runs at once, because that time may
   * come from the wrong clock: compare with the clock, and set the next time.
   *
   * @example const wake = ctx.schedule('wake', () => queue.next()); wake.set({ at: Date.now() + 60_000 })
   */
  schedule(name: string, work: JobWork, options?: JobOptions): JobHandle
  /**
   * Runs `work` once, `delayMs` after the plugin became active; dropped when the plugin is replaced. It loads the plugin only
   * at a start after an unclean end or a restore: set the time of a job of `schedule` for what is left at a stop.
   */
  after(delayMs: number, work: (signal: AbortSignal) => void | Promise<void>): void
  /** State of this plugin's jobs. */
  jobs(): readonly JobState[]

  /** Handles changed settings in place. Without a listener the host reloads the plugin. */
  onConfigChange(listener: (config: Readonly<Config>) => void | Promise<void>): void
  /**
   * Merges a change into the plugin's stored settings, validated and atomic. Lists are replaced; undefined deletes a
   * value. A function receives the stored settings at that moment (without defaults; keyed by section if there are
   * several) and returns the change, so no concurrent change is lost. It must be synchronous; throwing cancels the
   * change.
   */
  updateConfig(change: SettingsChange | ((stored: Readonly<Record<string, unknown>>) => SettingsChange)): Promise<void>
  /** Registers a release; releases run last-in first-out when the plugin ends, each with a limit of 5 s. */
  defer(release: Release): void
}
