// The interface of the test host.
import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import type {
  AccountStats,
  AnyHook,
  Caller,
  Capability,
  DefinedPlugin,
  HookInput,
  HookResult,
  JobState,
  KeyValueStore,
  PlayheadEvent,
  PluginContext,
  PluginFiles,
  PluginManifest,
  Remote,
  Streams,
  TapResult,
  WorkRegistry,
} from '../index.ts'
import type { Sleep } from '../waiting.ts'

type Settings = Readonly<Record<string, unknown>>

export interface TestHostOptions {
  /** The result of definePlugin. */
  readonly plugin: DefinedPlugin
  /**
   * plugin.json: its path, its file URL, or the manifest itself. Registrations are checked against it. Without it
   * all registrations are allowed, and the plugin can only connect to this machine.
   */
  readonly manifest?: PluginManifest | string | URL
  /** Runs the plugin on a thread of its own, from the files of this folder. `plugin` is not used. */
  readonly isolated?: string
  /** Without a manifest: its `provider` block. */
  readonly provider?: PluginManifest['provider']
  /** The plugin's settings, completed with schema defaults. */
  readonly config?: Settings
  /** Capabilities of other plugins, by token. */
  readonly capabilities?: Readonly<Record<string, object>>
  /** Hooks declared by other plugins. */
  readonly hooks?: readonly AnyHook[]
  /** Default: the system clock. With createTestClock() waits for third parties take no time. */
  readonly clock?: { now(): number; sleep?: Sleep }
  /** Additional hosts that the plugin may reach, for example a local server. */
  readonly allow?: readonly string[]
}

export interface LogLine {
  readonly level: 'trace' | 'debug' | 'info' | 'warn' | 'error'
  /** Empty for a plain text line. */
  readonly fields: Readonly<Record<string, unknown>>
  readonly text: string
  /** Set for lines of a channel. */
  readonly channel?: string
}

/** A contained failure: a tap, a listener, a release, or a route that threw unexpectedly. */
export interface ContainedFailure {
  readonly what: string
  readonly error: unknown
}

export interface TestHost extends AsyncDisposable {
  /** The plugin's own context. */
  readonly ctx: PluginContext
  /** All log lines, unredacted. */
  readonly logs: readonly LogLine[]
  readonly failures: readonly ContainedFailure[]
  readonly store: KeyValueStore
  readonly db: PluginContext['db']
  /** Tables of a database that the plugin opened. */
  ownTables(name: string): PluginContext['db']
  readonly files: PluginFiles
  readonly streams: Pick<Streams, 'read' | 'topics'>
  /** Acts as another plugin: holds accounts, or blocks new work. */
  readonly work: WorkRegistry
  readonly events: {
    /** Emits as another plugin. */
    emit(name: string, data: Readonly<Record<string, unknown>>): void
    recent(options?: { readonly name?: string; readonly limit?: number }): readonly PlayheadEvent[]
    /** Resolves when all events so far are delivered. */
    settled(): Promise<void>
  }
  /** Sends a request to the plugin's routes, signed in by default. */
  inject(request: InjectOptions | string, caller?: Partial<Caller>): Promise<LightMyRequestResponse>
  /** Calls a hook as the host or another plugin. */
  callHook<H extends AnyHook>(hook: H, input: HookInput<H>): Promise<HookResult<H>>
  /** Taps a hook as another plugin, which is reloaded for it. */
  tap<H extends AnyHook>(hook: H, run: (input: HookInput<H>) => TapResult<H> | Promise<TapResult<H>>): Promise<void>
  /** A capability of the plugin or the test. */
  capability<T extends object>(reference: Capability<T>): Remote<T>
  /** Provides a capability as another plugin, which is reloaded for it; undefined removes it. */
  provide(reference: Capability, value: object | undefined): Promise<void>
  /** Runs a job now, with those of several times that are due, and throws its error. */
  runJob(name: string): Promise<void>
  jobs(): readonly JobState[]
  /** Its tapped hooks, its events (`event:<name>`) and its secret settings, as `needs` of plugin.json lists them. */
  uses(): { readonly hooks: readonly string[]; readonly secrets: readonly string[] }
  /** Runs the work scheduled with `ctx.after`. */
  runDelayed(): Promise<void>
  /** Requests, waits and quotas of an account of `ctx.upstream`. */
  upstream(account: string): AccountStats | undefined
  /** Saves a settings change as a user: through the plugin's listener, or by a reload. */
  changeConfig(change: Settings): Promise<void>
  /** Reloads the plugin as after a source change: stored data remain, memory is lost. */
  reload(plugin?: DefinedPlugin): Promise<void>
  close(): Promise<void>
}
