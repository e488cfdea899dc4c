// Runs one plugin in memory, with everything it may ask of a host, so that a test can look at it from all sides.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import type { JobState, KeyValueStore, PlayheadEvent, PluginContext, PluginFiles, Remote, Streams } from '../context.ts'
import type { DefinedPlugin } from '../define.ts'
import type { HookInput, HookKind, HookName, HookResult } from '../hooks.ts'
import { PlayheadError } from '../errors.ts'
import type { PluginManifest } from '../manifest.ts'
import { resolveAllowedHosts } from '../upstream/allowed-hosts.ts'
import type { AccountStats } from '../upstream/contract.ts'
import { createUpstreamHub } from '../upstream/hub.ts'
import type { Sleep } from '../upstream/sleep.ts'
import { CALLER_HEADER, SIGNED_IN, type TestCaller } from './app.ts'
import { createRemote } from './capabilities.ts'
import { createDatabase } from './database.ts'
import { createEvents } from './events.ts'
import { createFiles } from './files.ts'
import { createGeneration, type TestGeneration, type World } from './generation.ts'
import { callHook, createHookRules, type TapRecord } from './hooks.ts'
import { createKeyValueStore } from './key-value.ts'
import { createLogger, type LogLine } from './logs.ts'
import { loadManifest } from './manifest.ts'
import { mergeSettings, resolveSettings, type Settings } from './settings.ts'
import { createStreams } from './streams.ts'

const DEFAULT_STORAGE_BYTES = 5 * 1024 * 1024
const LOOPBACK = ['127.0.0.1', 'localhost', '::1']
const UNDECLARED: PluginManifest = {
  id: 'tested', name: 'Tested plugin', version: '0.0.0', api: '*', kind: 'service',
  needs: { files: ['captures', 'backups', 'reports', 'exports', 'cache', 'imports'], listFiles: true },
}

export interface TestHostOptions {
  /** What definePlugin returned. */
  readonly plugin: DefinedPlugin
  /**
   * plugin.json: its path, its file URL, or the manifest itself. What the plugin registers is then checked against it, as the
   * host does. Without it nothing has to be declared, and the plugin reaches this machine only.
   */
  readonly manifest?: PluginManifest | string | URL
  /** The plugin's settings; defaults of its schema are filled in. */
  readonly config?: Settings
  /** What other plugins provide, by token. */
  readonly capabilities?: Readonly<Record<string, object>>
  /** Hooks that other plugins declare, with their kinds. */
  readonly hooks?: Readonly<Record<string, HookKind>>
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
  inject(request: InjectOptions | string, caller?: Partial<TestCaller>): Promise<LightMyRequestResponse>
  /** Calls a hook as the host or another plugin would. */
  callHook<Name extends HookName>(name: Name, input: HookInput<Name>): Promise<HookResult<Name>>
  /** Taps a hook as another plugin would. */
  tap<Name extends HookName>(name: Name, run: (input: HookInput<Name>) => unknown): void
  /** What the plugin (or the test) provides now. */
  capability<T extends object>(token: string): Remote<T>
  /** Provides a capability as another plugin would; undefined takes it away. */
  provide(token: string, value: object | undefined): void
  /** Runs a job now and throws what it throws. */
  runJob(name: string): Promise<void>
  jobs(): readonly JobState[]
  /** Runs what the plugin registered with `ctx.after`. */
  runDelayed(): Promise<void>
  /** Requests, waits and quotas of an account of `ctx.upstream`. */
  upstream(account: string): AccountStats | undefined
  /** Saves a change of the settings as a user would: the plugin handles it, or is loaded anew. */
  changeConfig(change: Settings): Promise<void>
  /** Loads the plugin anew, as after a change of its source: stored data stays, memory goes. */
  reload(plugin?: DefinedPlugin): Promise<void>
  close(): Promise<void>
}

/**
 * @example
 * await using host = await createTestHost({ plugin, manifest: new URL('./plugin.json', import.meta.url) })
 * const answer = await host.inject('/api/hello')
 */
export async function createTestHost(options: TestHostOptions): Promise<TestHost> {
  const loaded = options.manifest === undefined ? { manifest: UNDECLARED, directory: null } : await loadManifest(options.manifest)
  const { manifest, directory } = loaded
  const isDeclared = options.manifest !== undefined
  const clock = options.clock ?? { now: () => Date.now() }
  const now = () => clock.now()
  const logs: LogLine[] = []
  const failures: ContainedFailure[] = []
  const provided = new Map(Object.entries(options.capabilities ?? {}))
  const outsideTaps: TapRecord[] = []
  const channels = new Set((manifest.logChannels ?? []).map(({ tag }) => tag))
  const log = createLogger(logs, (tag) => !isDeclared || channels.has(tag))
  const sleep = clock.sleep === undefined ? {} : { sleep: clock.sleep.bind(clock) }
  const hub = createUpstreamHub({ clock, log, redact: (text) => text, ...sleep })
  const onFailure = (what: string, error: unknown) => {
    failures.push({ what, error })
    log.error({ err: error, what }, 'the plugin failed')
  }

  let stored: Settings = options.config ?? {}
  let settings = resolveSettings(options.plugin, stored)
  let generation: TestGeneration | null = null
  let loads = 0
  let hookRules = createHookRules(options.plugin.hooks, options.hooks)
  const current = (): TestGeneration => {
    if (generation === null) throw new PlayheadError('PLH_PLUGIN_DISPOSED', 'The test host is closed.')
    return generation
  }
  const save = (change: Settings) => {
    const changed = mergeSettings(stored, structuredClone(change))
    settings = resolveSettings(generation?.plugin ?? options.plugin, changed)
    stored = changed
  }

  const folder = await mkdtemp(join(tmpdir(), 'playhead-test-'))
  const database = createDatabase(manifest.id)
  const world: World = {
    manifest,
    isDeclared,
    directory,
    now,
    startedAtMs: now(),
    log,
    store: createKeyValueStore({ quotaBytes: manifest.needs?.storage ?? DEFAULT_STORAGE_BYTES, now }),
    database,
    files: createFiles(folder, manifest.needs ?? {}),
    events: createEvents({ now, onFailure: (name, error) => onFailure(`a listener of ${name}`, error) }),
    streams: createStreams({ now, mayPublish: (topic) => topic.startsWith(`${manifest.id}/`) || channels.has(topic) }),
    hub,
    allowedHosts: () => [
      ...resolveAllowedHosts(manifest.needs?.hosts ?? [], settings),
      ...(isDeclared ? [] : LOOPBACK),
      ...(options.allow ?? []),
    ],
    get hookRules() {
      return hookRules
    },
    settings: () => settings,
    async updateSettings(change) {
      save(change)
      await generation?.configListener?.(settings)
    },
    find: (token) => generation?.capabilities.get(token) ?? provided.get(token),
    tokens: () => [...new Set([...generation?.capabilities.keys() ?? [], ...provided.keys()])].sort(),
    call: (hook, input) => callHook(
      hookRules.kindOf(hook),
      [...generation?.taps ?? [], ...outsideTaps].filter((tap) => tap.hook === hook),
      input,
      (error) => onFailure(`a tap of ${hook}`, error),
    ),
    onFailure,
  }

  async function load(plugin: DefinedPlugin): Promise<void> {
    const before = generation
    const [oldSettings, oldRules] = [settings, hookRules]
    settings = resolveSettings(plugin, stored)
    hookRules = createHookRules(plugin.hooks, options.hooks)
    let next: TestGeneration | null = null
    try {
      next = await createGeneration(plugin, world, loads + 1)
      if (before !== null && plugin.handover !== undefined && before.plugin.handover !== undefined) {
        plugin.handover.take(next.ctx as never, structuredClone(before.plugin.handover.give(before.ctx as never)))
      }
    } catch (error) {
      // The old generation goes on with what it had.
      ;[settings, hookRules] = [oldSettings, oldRules]
      await next?.close()
      throw error
    }
    loads += 1
    generation = next
    await before?.close()
  }

  async function close(): Promise<void> {
    const last = generation
    generation = null
    await last?.close()
    await world.events.settled()
    await database.close()
    await rm(folder, { recursive: true, force: true })
  }

  try {
    await load(options.plugin)
  } catch (error) {
    await close()
    throw error
  }

  return {
    get ctx() {
      return current().ctx
    },
    logs,
    failures,
    store: world.store,
    db: database.db,
    files: world.files,
    streams: world.streams,
    events: { emit: (name, data) => world.events.emitAs('test', name, data), recent: world.events.recent, settled: world.events.settled },
    inject(request, caller = {}) {
      const injected = typeof request === 'string' ? { url: request } : request
      const headers = { ...injected.headers, [CALLER_HEADER]: JSON.stringify({ ...SIGNED_IN, ...caller }) }
      return current().app.inject({ ...injected, headers })
    },
    callHook: async (name, input) => await world.call(name, input) as never,
    tap(name, run) {
      hookRules.kindOf(name)
      outsideTaps.push({ hook: name, stage: 0, run: run as TapRecord['run'] })
    },
    capability: (token) => createRemote(token, () => world.find(token)),
    provide(token, value) {
      if (value === undefined) provided.delete(token)
      else provided.set(token, value)
    },
    runJob: (name) => current().jobs.run(name),
    jobs: () => current().jobs.states(),
    runDelayed: () => current().runDelayed(),
    upstream: (account) => hub.stats().find((stats) => stats.account === account),
    async changeConfig(change) {
      save(change)
      const { configListener, plugin } = current()
      if (configListener === null) await load(plugin)
      else await configListener(settings)
    },
    reload: (plugin = current().plugin) => load(plugin),
    close,
    [Symbol.asyncDispose]: close,
  }
}
