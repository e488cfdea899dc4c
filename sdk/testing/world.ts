// What outlives the versions of a plugin in a test, and what one version is.
import type { FastifyInstance } from 'fastify'
import type { OpenDatabase } from '../database.ts'
import type { StartedThread } from '../own-thread/start.ts'
import type { ThreadOptions } from '../thread.ts'
import type { KeyValueStore, Logger, PluginContext, PluginFiles, Streams } from '../context.ts'
import type { DefinedPlugin } from '../define.ts'
import type { PluginManifest } from '../manifest.ts'
import type { SignInDoor } from '../sign-in-door.ts'
import type { UpstreamHub } from '../upstream/hub.ts'
import type { TestDatabase } from './database.ts'
import type { TestEvents } from './events.ts'
import type { Hook } from '../hooks.ts'
import type { HookRules, TapRecord } from './hooks.ts'
import type { TestJobs } from './jobs.ts'
import type { Settings } from './settings.ts'

/** What outlives a generation. */
export interface World {
  readonly manifest: PluginManifest
  /** False without a plugin.json: then nothing has to be declared. */
  readonly isDeclared: boolean
  readonly directory: string | null
  readonly now: () => number
  readonly startedAtMs: number
  readonly log: Logger
  readonly store: KeyValueStore
  readonly database: TestDatabase
  readonly openDatabase: OpenDatabase
  readonly startThread: (
    file: string,
    options: ThreadOptions | undefined,
    use: (token: string) => object,
  ) => StartedThread<object>
  readonly files: PluginFiles
  readonly events: TestEvents
  readonly streams: Streams
  readonly signIn: SignInDoor
  readonly hub: UpstreamHub
  readonly allowedHosts: () => readonly string[]
  readonly hookRules: HookRules
  settings(): Settings
  updateSettings(change: Settings | ((stored: Settings) => Settings)): Promise<void>
  find(token: string): object | undefined
  tokens(): readonly string[]
  call(hook: Hook, input: unknown): Promise<unknown>
  onFailure(what: string, error: unknown): void
}

export interface TestGeneration {
  readonly plugin: DefinedPlugin
  readonly ctx: PluginContext
  readonly app: FastifyInstance
  readonly jobs: TestJobs
  readonly taps: readonly TapRecord[]
  readonly capabilities: ReadonlyMap<string, object>
  readonly configListener: ((config: Settings) => unknown) | null
  /** Runs what was registered with `after` and has not run. */
  runDelayed(): Promise<void>
  close(): Promise<void>
}
