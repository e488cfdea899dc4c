// What a test asks of the test host.
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
} from '@playhead/sdk'
import type { Sleep } from '../../sdk/waiting.ts'
import type { LogLine } from './logs.ts'

export type Settings = Readonly<Record<string, unknown>>

export interface TestHostOptions {
  /** What definePlugin returned. */
  readonly plugin: DefinedPlugin
  /**
   * plugin.json: its path, its file URL, or the manifest itself. What the plugin registers is then checked against it,
   * as the host does. Without it nothing has to be declared, and the plugin reaches this machine only.
   */
  readonly manifest?: PluginManifest | string | URL
  /** Without a manifest: the `provider` block that it would have. */
  readonly provider?: PluginManifest['provider']
  /** The plugin's settings; defaults of its schema are filled in. */
  readonly config?: Settings
  /** What other plugins provide, by the tokens that plugin.json has. */
  readonly capabilities?: Readonly<Record<string, object>>
  /** Hooks that other plugins declare. */
  readonly hooks?: readonly AnyHook[]
  /** Default: the machine's clock. With one of createTestClock() waits for third parties take no time. */
  readonly clock?: { now(): number; sleep?: Sleep }
  /** Hosts that the plugin may reach beside those of its manifest, for example the address of a local server. */
  readonly allow?: readonly string[]
}

/** Something that failed and was contained: a tap, a listener, a release, a route that threw what nobody foresaw. */
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
  readonly events: {
    /** Emits as another plugin would. */
    emit(name: string, data: Readonly<Record<string, unknown>>): void
    recent(options?: { readonly name?: string; readonly limit?: number }): readonly PlayheadEvent[]
    /** Resolves when every event so far was delivered. */
    settled(): Promise<void>
  }
  /** Sends a request to the plugin's routes, signed in unless `caller` says otherwise. */
  inject(request: InjectOptions | string, caller?: Partial<Caller>): Promise<LightMyRequestResponse>
  /** Calls a hook as the host or another plugin would. */
  callHook<H extends AnyHook>(hook: H, input: HookInput<H>): Promise<HookResult<H>>
  /** Taps a hook as another plugin would; it counts when that plugin is loaded anew. */
  tap<H extends AnyHook>(hook: H, run: (input: HookInput<H>) => TapResult<H> | Promise<TapResult<H>>): Promise<void>
  /** What the plugin (or the test) provides now. */
  capability<T extends object>(reference: Capability<T>): Remote<T>
  /** Provides a capability as another plugin would, which is loaded anew for it; undefined takes it away. */
  provide(reference: Capability, value: object | undefined): Promise<void>
  /** Runs a job now and throws what it throws. */
  runJob(name: string): Promise<void>
  jobs(): readonly JobState[]
  /** Runs what waits because of `ctx.after`. */
  runDelayed(): Promise<void>
  /** Requests, waits and quotas of an account of `ctx.upstream`. */
  upstream(account: string): AccountStats | undefined
  /** Saves a change of the settings as a user would: the plugin handles it, or is loaded anew. */
  changeConfig(change: Settings): Promise<void>
  /** Loads the plugin anew, as after a change of its source: stored data stays, memory goes. */
  reload(plugin?: DefinedPlugin): Promise<void>
  close(): Promise<void>
}
