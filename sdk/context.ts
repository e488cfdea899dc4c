// What a plugin is given: everything it may do goes through its context, and everything it did is undone with it.
import type { Kysely } from 'kysely'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { OpenDatabase } from './database.ts'
import type { StartThread } from './thread.ts'
import type { Capability, CapabilityFamily } from './capability.ts'
import type { AnyHook, HealthFact, HookInput, HookResult, TapOptions, TapResult } from './hooks.ts'
import type { PluginManifest } from './manifest.ts'
import type { SignInDoor } from './sign-in-door.ts'
import type { AccountStats, UpstreamCall, UpstreamFactory } from './upstream.ts'

/** Structured logger: object first, constant text second. Secrets are redacted before a line is stored or printed. */
export interface Logger {
  trace(fields: object | string, text?: string): void
  debug(fields: object | string, text?: string): void
  info(fields: object | string, text?: string): void
  warn(fields: object | string, text?: string): void
  error(fields: object | string, text?: string): void
  /** The same logger writing to another channel, for example `WATCH`. The channel must be declared in plugin.json. */
  channel(tag: string): Logger
}

/** Settings to be merged into what is stored. */
export type SettingsChange = Readonly<Record<string, unknown>>

/** Something that is released when the plugin is. */
export type Release = () => void | Promise<void>

/** Values of one `setMany`. */
export const VALUES_AT_ONCE = 200

/** Key-value storage of one plugin. Values are JSON. Writes beyond the plugin's quota fail with `PLH_QUOTA`. */
export interface KeyValueStore {
  get<T = unknown>(key: string): Promise<T | undefined>
  /** @param ttlMs milliseconds after which the entry is gone */
  set(key: string, value: unknown, ttlMs?: number): Promise<void>
  /**
   * All of them or none, in one commit: a commit waits for the disk, so several at once are several times as fast.
   * @param values by their keys, `VALUES_AT_ONCE` at most (`TypeError`)
   * @param ttlMs milliseconds after which the entries are gone
   */
  setMany(values: ReadonlyMap<string, unknown>, ttlMs?: number): Promise<void>
  delete(key: string): Promise<boolean>
  has(key: string): Promise<boolean>
  clear(): Promise<void>
  entries<T = unknown>(): AsyncIterable<readonly [string, T]>
}

// Tables come and go with plugins and their migrations; their types are known where the queries are written.
// biome-ignore lint/suspicious/noExplicitAny: see above
export type Tables = Kysely<any>

/** One step of a plugin's tables. Names are unique within the plugin and never reused. */
export interface Migration {
  readonly name: string
  up(db: Tables): Promise<void>
}

export interface FileEntry {
  readonly name: string
  readonly isDir: boolean
  /** Bytes; only for files. */
  readonly size?: number
}

/** Files below one folder of the data directory. Paths are relative; leaving the folder fails with `PLH_FORBIDDEN`. */
export interface FileArea {
  read(path: string): Promise<Buffer>
  readStream(path: string): Promise<import('node:stream').Readable>
  /** Replaces the file in one step: readers see the old or the new content, never half. */
  write(path: string, content: string | Uint8Array): Promise<void>
  /** Streams into a temporary file and puts it in place when the source ended well. */
  writeStream(path: string, source: AsyncIterable<Uint8Array | string>): Promise<void>
  /**
   * Adds to the end of the file and resolves to its size when that is on disk; a file that is missing is made. With
   * `at`, what lies behind that byte is cut off first: so a file that was left half written goes on where it was right.
   * `PLH_CONFLICT` when it is shorter.
   */
  append(path: string, content: string | Uint8Array, at?: number): Promise<number>
  /** At most 5000 entries, by name. Links are listed as files without size and never followed. */
  list(path?: string): Promise<readonly FileEntry[]>
  stat(
    path: string,
  ): Promise<{ readonly isDir: boolean; readonly size: number; readonly modifiedAtMs: number } | undefined>
  remove(path: string): Promise<boolean>
}

export interface PluginFiles extends FileArea {
  /** A shared folder declared in `needs.files`. */
  shared(folder: string): FileArea
  /** Lists `path` below the shared folders; needs `needs.listFiles`. `''` lists the folders themselves. */
  listShared(path: string): Promise<readonly FileEntry[]>
}

export interface StreamMessage {
  /** Grows within a topic, also over restarts. */
  readonly id: number
  /** Name of the server-sent event; `message` when absent. */
  readonly event?: string
  readonly data: string
  readonly atMs: number
}

export interface OpenStreamOptions {
  readonly topics: readonly string[]
  /** Backlog: the last n messages of each topic. Default: all that are kept. */
  readonly tail?: number
  /** Only messages after this id. A `Last-Event-ID` header wins over it. */
  readonly since?: number
  /** Names each event after its topic's last part instead of the message's own name. */
  readonly nameByTopic?: boolean
  /** Escapes each message for use inside HTML. */
  readonly html?: boolean
}

/** Live streams. They belong to the core: a client's stream stays open while plugins come and go. */
export interface Streams {
  /**
   * Adds a message to a topic (at most 3000 are kept, in memory). Topics are `<plugin id>/<name>` or a declared log
   * channel.
   */
  publish(topic: string, message: { readonly event?: string; readonly data: string }): void
  /** The kept messages of a topic; empty for a topic that nobody wrote to. */
  read(topic: string, options?: { readonly tail?: number; readonly since?: number }): readonly StreamMessage[]
  /** Names of all topics with a prefix. */
  topics(prefix: string): readonly string[]
  /** Answers the request as `text/event-stream` and hands it to the core. The route handler returns its result. */
  open(request: FastifyRequest, reply: FastifyReply, options: OpenStreamOptions): FastifyReply
}

export interface PlayheadEvent {
  readonly id: number
  readonly name: string
  readonly atMs: number
  /** Plugin that emitted it, or `core`. */
  readonly source: string
  readonly data: Readonly<Record<string, unknown>>
}

/** Typed bus. Listeners run after the emitter, guarded and attributed; a slow or failing one delays nobody. */
export interface EventBus {
  /** Names are `<area>.<what happened>`, for example `run.finished`. Data must be plain; secrets in it are redacted. */
  emit(name: string, data: Readonly<Record<string, unknown>>): void
  /** @param name an event's name, `area.*`, or `*` */
  on(name: string, listener: (event: PlayheadEvent) => void | Promise<void>): void
  /** The most recent events (at most 1000), oldest first. */
  recent(options?: { readonly name?: string; readonly limit?: number }): readonly PlayheadEvent[]
}

/**
 * When a job runs: each interval (`15m`, or milliseconds; a second at least), at the times of a cron expression, which
 * are wall clock in `timeZone` (IANA name, default the host's) and follow daylight saving, or once at a moment, in
 * epoch milliseconds.
 */
export type JobTiming =
  | { readonly every: string | number; readonly startAfter?: string | number }
  | { readonly cron: string; readonly timeZone?: string }
  | { readonly at: number }

export interface ProvideOptions {
  /**
   * Functions without arguments whose answer depends on the plugin's code and settings alone, and is plain data. While
   * the plugin is dormant they are answered from what they answered last; any other call loads the plugin.
   */
  readonly whileDormant?: readonly string[]
}

export interface JobOptions {
  /**
   * What to do about runs missed while the service was down. `once`: one run soon after start. `skip`: wait for the
   * next. Default `skip` for intervals, `once` for cron and `at`. A slot of the last ten minutes is late, not missed:
   * it runs in either case. Long intervals (a week) want `once`.
   */
  readonly missed?: 'once' | 'skip'
  /** Longest run in milliseconds; then its signal aborts. Default one hour. */
  readonly timeoutMs?: number
}

/** A job whose time changes while the plugin lives. */
export interface JobHandle {
  /**
   * Replaces the time of the job at once; null takes it out of the plan. A run that is under way goes on. A moment that
   * has passed is due now; the same moment never runs twice, and the time that the job has already changes nothing.
   * Throws `PLH_INVALID` for a time that cannot be understood. Without effect once a newer generation is live.
   */
  set(timing: JobTiming | null): void
}

export interface JobRun {
  readonly signal: AbortSignal
  /** When the run was due, epoch milliseconds. */
  readonly dueAtMs: number
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
  /** Of a provider: how it is called, also while its plugin does not run. */
  readonly provider?: { readonly id: string; readonly token: string; readonly label: string }
  /** Names the code that runs: another text after any change of it. */
  readonly build?: string
  /** Code of what last went wrong, while the plugin is not active. */
  readonly error?: string
  /**
   * Of an active plugin: why its newest version, or its newest settings, could not be used. The one before keeps
   * running.
   */
  readonly edit?: {
    readonly code: string
    readonly message: string
    readonly file: string | null
    readonly line: number | null
    readonly atMs: number
  }
  /** Since the service started: failures on its account, and versions after the first. */
  readonly faults: number
  readonly reloads: number
}

/** What the process takes, as of now. */
export interface ProcessFacts {
  readonly rssBytes: number
  readonly heapUsedBytes: number
  readonly heapLimitBytes: number
  /** Memory of buffers and the like, outside the heap. */
  readonly externalBytes: number
  /** Seconds of processor time since the start, in the program and in the system for it. */
  readonly cpuUserSeconds: number
  readonly cpuSystemSeconds: number
  /** How late the event loop was since the last reading by anybody, in milliseconds; null for the first. */
  readonly loopDelayMs: { readonly mean: number; readonly p99: number; readonly max: number } | null
}

/** Facts about the running service. */
export interface HostFacts {
  readonly version: string
  readonly startedAtMs: number
  /** The setting `runtime.debug`. */
  debug(): boolean
  /** All known plugins, ordered by id. */
  plugins(): readonly PluginSummary[]
  /** All log channels; `watcher` marks those that are shown together while playback is watched. */
  logChannels(): readonly { readonly tag: string; readonly watcher: boolean }[]
  /** The service's own checks and those that plugins add through the hook `healthDetail`. */
  health(): Promise<readonly HealthFact[]>
  /** Requests, waits and quotas of all accounts that were opened since the start, by name. */
  upstream(): readonly AccountStats[]
  /** The last 2,000 exchanges with services, oldest first. */
  upstreamCalls(): readonly UpstreamCall[]
  process(): ProcessFacts
  /** The text without secrets, those that are stored now and what is written like one. JSON stays JSON. */
  redact(text: string): string
}

/** The service as people who are signed in see it. Plain data; no secret is in it. */
export interface Inspection {
  /** What the service runs on: version of Node, `linux`, `x64`. */
  runtime(): { readonly node: string; readonly platform: string; readonly architecture: string }
  /** All settings with their defaults, every secret masked. Throws `PLH_NOT_READY` while they cannot be read. */
  settings(): Readonly<Record<string, unknown>>
  /** Every plugin as `GET /api/plugins/{id}` shows it: state, last error, recent faults, jobs. */
  plugins(): readonly Readonly<Record<string, unknown>>[]
}

/**
 * A late-bound capability: every function answers a promise and runs under the lease of the plugin that provides it
 * now.
 */
export type Remote<T> = {
  readonly [Key in keyof T]: T[Key] extends (...args: infer Args) => infer Result
    ? Result extends AsyncIterable<infer Item>
      ? (...args: Args) => AsyncIterable<Item>
      : (...args: Args) => Promise<Awaited<Result>>
    : T[Key]
}

/** What a service factory can ask for by name, next to the plugin's other services. */
export interface ServiceInputs<Config = unknown> extends HostInputs<Config> {
  /** All of the context, for services that use capabilities, call hooks or start work later. */
  readonly ctx: PluginContext<Config>
}

/** What the host gives a plugin apart from the plugin's own services. */
export interface HostInputs<Config = unknown> {
  readonly config: Readonly<Config>
  readonly log: Logger
  readonly signal: AbortSignal
  readonly store: KeyValueStore
  readonly db: Tables
  /**
   * Opens a database file of the plugin's own. Throws `PLH_PLUGIN_UNDECLARED` unless plugin.json declares
   * `needs.database`.
   */
  readonly openDatabase: OpenDatabase
  readonly startThread: StartThread
  readonly files: PluginFiles
  readonly events: EventBus
  readonly streams: Streams
  readonly upstream: UpstreamFactory
  readonly host: HostFacts
}

export interface PluginContext<Config = unknown, Services = unknown> extends HostInputs<Config> {
  readonly id: string
  /** plugin.json as the host read it; frozen. */
  readonly manifest: PluginManifest
  /** Counts the loads of this plugin since the service started. */
  readonly generation: number
  readonly services: Services
  /** Read-only files that the plugin ships beside its entry. */
  readonly assets: { path(relative: string): string; read(relative: string): Promise<Buffer> }

  /** Offers a capability declared in `provides` of plugin.json. One live plugin per token. */
  provide<T extends object>(reference: Capability<T>, value: NoInfer<T>, options?: ProvideOptions): void
  /**
   * A capability of any plugin, looked up at each use. Calls fail with `PLH_CAPABILITY_GONE` (503) while nobody
   * provides it.
   */
  use<T extends object>(reference: Capability<T>): Remote<T>
  /** As `use`; undefined when no plugin provides it now. */
  tryUse<T extends object>(reference: Capability<T>): Remote<T> | undefined
  /** Those of a family that are provided now. */
  capabilities<T extends object>(family: CapabilityFamily<T>): readonly Capability<T>[]
  /** Lets a proven person in. Throws `PLH_PLUGIN_UNDECLARED` unless plugin.json declares `needs.signIn`. */
  signIn(): SignInDoor
  /**
   * What people who are signed in may see of the whole service. Throws `PLH_PLUGIN_UNDECLARED` unless plugin.json
   * declares `needs.inspect`.
   */
  inspect(): Inspection
  /**
   * Answers calls of a hook, of the core or of another plugin; while no plugin calls it nothing happens. Throws
   * `PLH_HOOK_UNKNOWN` when the hook is known with another kind.
   *
   * @param options how the tap is called in reports, or more
   */
  tap<H extends AnyHook>(
    hook: H,
    options: string | TapOptions,
    run: (input: HookInput<H>) => TapResult<H> | Promise<TapResult<H>>,
  ): void
  /** Calls a hook that this plugin declared. */
  callHook<H extends AnyHook>(hook: H, input: HookInput<H>): Promise<HookResult<H>>

  /** Runs `work` again and again. A run never overlaps with itself, also across hosts on one data directory. */
  every(interval: string | number, name: string, work: JobWork, options?: JobOptions): void
  /** Runs `work` at the times of a cron expression. */
  cron(expression: string, name: string, work: JobWork, options?: JobOptions & { readonly timeZone?: string }): void
  /**
   * A job whose time is set later, and as often as wanted, by its handle. The time that was set last stays, over
   * reloads and restarts, until another one is set; a dormant plugin is loaded by it.
   *
   * @example const wake = ctx.schedule('wake', () => queue.next()); wake.set({ at: Date.now() + 60_000 })
   */
  schedule(name: string, work: JobWork, options?: JobOptions): JobHandle
  /** Runs `work` once, `delayMs` after the plugin went live; forgotten when the plugin is replaced. */
  after(delayMs: number, work: (signal: AbortSignal) => void | Promise<void>): void
  /** State of this plugin's jobs. */
  jobs(): readonly JobState[]

  /** Handles changed settings in place. Without it the host loads the plugin anew with the changed settings. */
  onConfigChange(listener: (config: Readonly<Config>) => void | Promise<void>): void
  /**
   * Saves a change of the plugin's own settings: merged into the stored section, checked, atomic. A list replaces a
   * list; undefined takes a value away. A function gets what is stored at that moment (no defaults; keyed by section
   * where there are several) and gives the change, so that nothing another writer did in between is lost; it must
   * answer at once, and what it throws abandons the change.
   */
  updateConfig(change: SettingsChange | ((stored: Readonly<Record<string, unknown>>) => SettingsChange)): Promise<void>
  /** Registers a release; releases run last-in first-out, each with 5 s, when the plugin ends. */
  defer(release: Release): void
}
