// Runs one plugin in memory, with everything it may ask of a host, so that a test can look at it from all sides.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { tokenOf } from '../capability.ts'
import type { Tables } from '../context.ts'
import type { DefinedPlugin } from '../define.ts'
import { PlayheadError } from '../errors.ts'
import type { PluginManifest } from '../manifest.ts'
import { openOwnDatabase } from '../own-database/open.ts'
import { openTables } from '../own-database/tables.ts'
import { createOwnThread } from '../own-thread/start.ts'
import { ENTERED, resolveAllowedHosts } from '../upstream/allowed-hosts.ts'
import { createUpstreamHub } from '../upstream/hub.ts'
import { CALLER_HEADER, SIGNED_IN } from './app.ts'
import type { ContainedFailure, TestHost, TestHostOptions } from './contract.ts'
import { createRemote } from './capabilities.ts'
import { createDatabase } from './database.ts'
import { createEvents } from './events.ts'
import { createFiles } from './files.ts'
import { createGeneration } from './generation.ts'
import { callHook, createHookRules, tapRecord, type TapRecord } from './hooks.ts'
import { createKeyValueStore } from './key-value.ts'
import { createLogger, type LogLine } from './logs.ts'
import { loadManifest } from './manifest.ts'
import { deepFreeze, mergeSettings, resolveSettings, type Settings } from './settings.ts'
import { createSignInDoor } from './sign-in.ts'
import { createStreams } from './streams.ts'
import type { TestGeneration, World } from './world.ts'

const DEFAULT_STORAGE_BYTES = 5 * 1024 * 1024
const LOOPBACK = ['127.0.0.1', 'localhost', '::1']
const UNDECLARED: PluginManifest = {
  id: 'tested',
  name: 'Tested plugin',
  version: '0.0.0',
  api: '*',
  kind: 'service',
  needs: { database: true, files: ['captures', 'backups', 'reports', 'exports', 'cache', 'imports'], listFiles: true },
}

/**
 * @example
 * await using host = await createTestHost({ plugin, manifest: new URL('./plugin.json', import.meta.url) })
 * const answer = await host.inject('/api/hello')
 */
export async function createTestHost(options: TestHostOptions): Promise<TestHost> {
  const loaded =
    options.manifest === undefined ? { manifest: UNDECLARED, directory: null } : await loadManifest(options.manifest)
  const { directory } = loaded
  const manifest = deepFreeze(withProvider(loaded.manifest, options))
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
  const opened = new Map<string, Tables>()
  const world: World = {
    manifest,
    isDeclared,
    directory,
    now,
    startedAtMs: now(),
    log,
    store: createKeyValueStore({ quotaBytes: manifest.needs?.storage ?? DEFAULT_STORAGE_BYTES, now }),
    database,
    openDatabase: (name, given) =>
      openOwnDatabase({ folder: join(folder, 'databases'), owner: manifest.id, name, options: given, log, now }),
    startThread: (file, given, use) =>
      createOwnThread({
        module: async () => resolve(directory ?? '.', file),
        databases: join(folder, 'databases'),
        log,
        use,
        ...given,
      }),
    files: createFiles(folder, manifest.needs ?? {}),
    events: createEvents({ now, onFailure: (name, error) => onFailure(`a listener of ${name}`, error) }),
    streams: createStreams({ now, mayPublish: (topic) => topic.startsWith(`${manifest.id}/`) || channels.has(topic) }),
    signIn: createSignInDoor(now),
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
      save(typeof change === 'function' ? change(structuredClone(stored)) : change)
      await generation?.configListener?.(settings)
    },
    find: (token) => generation?.capabilities.get(token) ?? provided.get(token),
    tokens: () => [...new Set([...(generation?.capabilities.keys() ?? []), ...provided.keys()])].sort(),
    call: (hook, input) =>
      callHook(
        hook.kind,
        [...(generation?.taps ?? []), ...outsideTaps].filter((tap) => tap.hook === hook.name),
        input,
        (error) => onFailure(`a tap of ${hook.name}`, error),
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
    for (const tables of opened.values()) await tables.destroy()
    await database.close()
    await rm(folder, { recursive: true, force: true, maxRetries: 10 })
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
    ownTables: (name) =>
      opened.getOrInsertComputed(name, () => openTables(join(folder, 'databases', `${name}.sqlite`))),
    files: world.files,
    streams: world.streams,
    events: {
      emit: (name, data) => world.events.emitAs('test', name, data),
      recent: world.events.recent,
      settled: world.events.settled,
    },
    inject(request, caller = {}) {
      const injected = typeof request === 'string' ? { url: request } : request
      const headers = { ...injected.headers, [CALLER_HEADER]: JSON.stringify({ ...SIGNED_IN, ...caller }) }
      return current().app.inject({ ...injected, headers })
    },
    callHook: async (hook, input) => (await world.call(hook, input)) as never,
    tap(hook, run) {
      hookRules.check(hook)
      outsideTaps.push(tapRecord(hook, 'test', run))
    },
    capability(reference) {
      const token = tokenOf(reference)
      return createRemote(token, () => world.find(token))
    },
    provide(reference, value) {
      if (value === undefined) provided.delete(tokenOf(reference))
      else provided.set(tokenOf(reference), value)
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

function withProvider(manifest: PluginManifest, { manifest: given, provider }: TestHostOptions): PluginManifest {
  const copied = structuredClone(manifest)
  if (given !== undefined || provider === undefined) return copied
  return {
    ...copied,
    kind: 'provider',
    section: provider.token,
    provider: { ...provider },
    needs: { ...copied.needs, hosts: [ENTERED] },
  }
}
