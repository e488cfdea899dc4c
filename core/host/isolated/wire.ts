// The protocol between the host and a plugin's own thread. Everything is plain data.
import type { MessagePort } from 'node:worker_threads'
import type {
  AccountOptions,
  AccountStats,
  BlockReason,
  CapabilityFamily,
  HookKind,
  JobOptions,
  JobRun,
  JobTimes,
  JobTiming,
  PlayheadEvent,
  PluginManifest,
  SettingsChange,
  SocketRequest,
  UpstreamRequest,
  WorkDescription,
  WorkObstacle,
} from '@playhead/sdk'
import type { FaultPhase, SourcePosition } from '../run/fault.ts'

/** Served by the host. Other tokens are capabilities. */
export const HOST = 'playhead:host'
export const STORE = 'playhead:store'
export const UPSTREAM = 'playhead:upstream'
/** Served by the thread. Tokens of its capabilities have this prefix. */
export const PLUGIN = 'playhead:plugin'
export const OWN_CAPABILITY = 'own:'

/** Positions in the shared memory of host and thread. */
export const BEAT = 0
export const TIMERS = 1
/** Statements of running migrations; see core/own-database/running.ts. */
export const MIGRATING = 2
/** Megabytes of its buffers, which are outside of the heap. */
export const BUFFERS_MB = 3
/** Messages of the thread that the host has taken; wraps around. */
export const TAKEN = 4
/** The system's number of the thread; 0 where it is unknown. */
export const THREAD = 5
/** Bytes of the shared memory. */
export const CELLS_BYTES = 24

/** Data of a thread from its start, before it gets its plugin. */
export interface FreshThreadData {
  /** Path of the module that serves the plugin. */
  readonly thread: string
  /** Modules of the SDK that the plugin of a spare will need; null for a thread whose plugin is there already. */
  readonly spare: readonly string[] | null
  readonly compileCache: string | null
  readonly beats: Int32Array
  readonly bell: Int32Array
  readonly syncPort: MessagePort
}

/** The first message to a thread: its plugin. */
export interface PluginData {
  readonly code: string
  readonly manifest: PluginManifest
  readonly directory: string
  readonly seq: number
  readonly version: string
  readonly startedAtMs: number
  readonly dataEpoch: string
  readonly paths: {
    /** The database of the core and of the plugins' tables; null if it is not a file. */
    readonly database: string | null
    readonly ownDatabases: string
    readonly files: string
    readonly shared: Readonly<Record<string, string>>
    readonly compiled: string | null
  }
  /** Tables may have migrations of a later version. */
  readonly allowsNewer: boolean
}

/** A failed load as plain data: `LoadError` does not survive the transfer. */
export interface FailedLoad {
  readonly failed: {
    readonly phase: FaultPhase
    readonly code: string
    readonly message: string
    readonly position: SourcePosition | null
    readonly stack: string | null
  }
}

/** The parts of a definition that the host needs. */
export interface Described {
  /** Packed schemas. */
  readonly config: unknown
  readonly additions: Readonly<Record<string, unknown>> | null
  readonly hooks: readonly { readonly name: string; readonly kind: HookKind }[]
  readonly has: Readonly<
    Record<'normalizeConfig' | 'migrateConfig' | 'acceptsToken' | 'routes' | 'give' | 'take', boolean>
  >
  readonly services: readonly string[]
}

export interface StageInput {
  readonly config: Readonly<Record<string, unknown>>
  readonly hookKinds: readonly (readonly [name: string, kind: HookKind])[]
}

/** The plugin's registrations. Functions are named by their position. */
export interface Registered {
  readonly taps: readonly {
    readonly hook: string
    readonly kind: HookKind
    readonly name: string
    readonly stage: number
    readonly limitMs: number
  }[]
  readonly listeners: readonly string[]
  /** Without a timing the plugin sets it; `first` is the timing set during staging. */
  readonly jobs: readonly {
    readonly name: string
    readonly timing: JobTiming | null
    readonly first: { readonly timing: JobTiming | JobTimes | null } | null
    readonly options: JobOptions
  }[]
  readonly starts: readonly number[]
  readonly capabilities: readonly {
    readonly token: string
    readonly functions: readonly string[]
    readonly values: Readonly<Record<string, unknown>>
    readonly whileDormant: readonly string[]
  }[]
  readonly routes: readonly RegisteredRoute[]
  readonly listensToConfig: boolean
}

export interface RegisteredRoute {
  readonly method: string
  readonly url: string
  /** For the OpenAPI description; the thread validates. */
  readonly schema: unknown
  readonly bodyLimit: number | null
}

export interface WireRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly caller: unknown
  readonly address: string
  /** Read it with `HostSide.requestBody`. */
  readonly body: number | null
}

export interface WireResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  /** Read a number with `PluginSide.responseBody`. */
  readonly body: Uint8Array | number
  /** The host responds with a stream of these options instead. */
  readonly stream: unknown
}

/** The plugin, served by its thread. */
export interface PluginSide {
  describe(): Described | FailedLoad
  stage(input: StageInput): Promise<Registered | FailedLoad>
  tap(index: number, input: unknown): unknown
  event(index: number, event: PlayheadEvent): unknown
  job(index: number, signal: AbortSignal, due: Omit<JobRun, 'signal'>): unknown
  startWork(index: number, signal: AbortSignal): unknown
  /** Also calls the plugin's listener. */
  configChanged(config: Readonly<Record<string, unknown>>): unknown
  setConfig(config: Readonly<Record<string, unknown>>): void
  normalizeConfig(section: unknown): unknown
  migrateConfig(section: unknown, from: { readonly version: string }): unknown
  acceptsToken(token: string): Promise<boolean>
  give(): unknown
  take(value: unknown): void
  request(request: WireRequest, signal: AbortSignal): Promise<WireResponse>
  responseBody(id: number): AsyncIterable<Uint8Array>
  refreshCredential(account: number, refresh: number, signal: AbortSignal): Promise<CredentialState>
  workWaits(wait: number, obstacle: WorkObstacle): void
  retire(reason: string): Promise<void>
}

/** The host's functions for the thread. Calls without a result are sent without waiting. */
export interface HostSide {
  /** Called before tables are changed. `own`: name of the file of an own database; null: the shared one. */
  beforeMigration(own: string | null): Promise<void>
  emit(name: string, data: Readonly<Record<string, unknown>>): void
  publish(topic: string, message: { readonly event?: string; readonly data: string }): void
  callHook(name: string, input: unknown): Promise<unknown>
  health(): Promise<readonly unknown[]>
  /**
   * Applies the change if the stored settings are still `expected` (as JSON); otherwise returns the stored ones. An
   * `expected` of null applies to any.
   */
  updateConfig(
    expected: string | null,
    change: SettingsChange,
  ): Promise<{ readonly stored: Readonly<Record<string, unknown>> } | null>
  /** A failure outside of any call. */
  stray(what: string, error: unknown): void
  retime(job: string, timing: JobTiming | JobTimes | null): void
  /** The next slots of a job. */
  next(job: string): unknown
  /** Resolves to the id of the hold. `wait` names the wait in `PluginSide.workWaits`. */
  workBeginWhenFree(work: WorkDescription, wait: number | null, signal: AbortSignal): Promise<string>
  workRelease(hold: string): void
  workUnblock(block: number): void
  requestBody(id: number): AsyncIterable<Uint8Array>
}

/** The synchronous members of the plugin context. */
export interface SyncSide {
  recentEvents(options?: { readonly name?: string; readonly limit?: number }): unknown
  plugins(): unknown
  revision(): string
  logChannels(): unknown
  upstreamStats(): unknown
  upstreamCalls(): unknown
  processFacts(): unknown
  debug(): boolean
  redact(text: string): string
  readStream(topic: string, options?: { readonly tail?: number; readonly since?: number }): unknown
  streamTopics(prefix: string): readonly string[]
  jobs(): unknown
  tappedBy(hook: string): readonly string[]
  eventOwners(area: string): readonly string[]
  capabilityTokens(prefix: CapabilityFamily['prefix']): readonly string[]
  /** Members of a capability that are not functions; null if nothing provides it. */
  capability(token: string): Readonly<Record<string, unknown>> | null
  inspect(what: 'runtime' | 'settings' | 'plugins'): unknown
  isAllowed(host: string, port: number): boolean
  /** The id of the hold. */
  workBegin(work: WorkDescription): string
  workCurrent(): unknown
  /** The id of the block. */
  workBlock(reason: BlockReason): number
  workBlocks(): unknown
  openAccount(id: number, options: Omit<AccountOptions, 'credential'>, credential: WireCredential | null): void
  accountStats(id: number): AccountStats
  socketSend(id: number, text: string): void
  socketClose(id: number): void
}

export interface CredentialState {
  readonly secrets: Readonly<Record<string, string | undefined>>
  readonly expiresAtMs: number | undefined
}

interface WireCredential extends CredentialState {
  readonly place: NonNullable<AccountOptions['credential']>['place']
  readonly refreshSkewMs: number | undefined
  readonly canRefresh: boolean
}

export interface UpstreamCallContext {
  readonly account: number
  readonly credential: CredentialState | null
  /** The refresh in which the call is made. */
  readonly refresh: number | null
}

interface WireAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
}

/** The HTTP client, served to the thread. */
export interface UpstreamSide {
  /** Read the response with `text` or `body`, or release it with `discard`. */
  request(context: UpstreamCallContext, request: UpstreamRequest): Promise<WireAnswer & { readonly id: number }>
  document(context: UpstreamCallContext, request: UpstreamRequest): Promise<{ readonly text: string }>
  text(answer: number): Promise<string>
  body(answer: number): AsyncIterable<Uint8Array>
  discard(answer: number): void
  socket(context: UpstreamCallContext, request: SocketRequest): Promise<number>
  socketMessages(id: number): AsyncIterable<string>
}
