// Runs one plugin in the real host with in-memory storage and no network. Behind `createTestHost` of @playhead/sdk/testing.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import {
  PlayheadError,
  type PlayheadErrorCode,
  type PluginContext,
  type PluginManifest,
  type Tables,
} from '@playhead/sdk'
import { DEFAULT_STORAGE_BYTES } from '../host/run/context.ts'
import type { HostDependencies } from '../host/dependencies.ts'
import { type Fault, LoadError } from '../host/run/fault.ts'
import { secretFieldsOf } from '../host/run/grants.ts'
import { createPluginHost } from '../host/host.ts'
import { checkManifest } from '../host/load/registry.ts'
import { changeSettings } from '../host/run/settings.ts'
import { openTables } from '../own-database/tables.ts'
import { ENTERED } from '@playhead/sdk/host'
import type { ContainedFailure, LogLine, TestHost, TestHostOptions } from '@playhead/sdk/testing'
import { createRequester, openGate } from './requests.ts'
import { createJobRunner } from './jobs.ts'
import { noted } from './logs.ts'
import { createTestPlugins, OTHERS, setProvided } from './plugins.ts'
import { openTestServices, type TestServices } from './services.ts'
import { createUndeclared } from './undeclared.ts'

// Replaced versions end immediately.
const DRAIN_MS = 0
// Tests do not wait for unfinished work.
const EVENTS_MS = 1_000

export async function createTestHost(options: TestHostOptions): Promise<TestHost> {
  const closers = new AsyncDisposableStack()
  try {
    return await openTestHost(options, closers)
  } catch (error) {
    await closers.disposeAsync()
    throw error
  }
}

async function openTestHost(options: TestHostOptions, closers: AsyncDisposableStack): Promise<TestHost> {
  const read = options.manifest === undefined ? null : await readManifest(options.manifest)
  const undeclared = read === null ? createUndeclared() : null
  const manifest = reaching(undeclared === null ? read!.manifest : playing(undeclared, options), options.allow ?? [])
  const { id } = manifest
  const folder = await mkdtemp(join(tmpdir(), 'playhead-test-'))
  closers.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }))
  const plugins = createTestPlugins({
    plugin: options.plugin,
    manifest,
    undeclared: undeclared === null ? null : (manifest as typeof undeclared),
    directory: options.isolated ?? read?.directory ?? folder,
    isolated: options.isolated !== undefined,
    capabilities: options.capabilities ?? {},
    hooks: options.hooks ?? [],
  })
  const settings = {}
  changeSettings(settings, manifest, structuredClone(options.config ?? {}))
  const services = await openTestServices(
    { folder, clock: options.clock ?? { now: () => Date.now() }, settings, sources: plugins, gate: openGate },
    closers,
  )
  const { config, scheduler, events, ticks, delays } = services
  const logs: LogLine[] = []
  const failures: ContainedFailure[] = []
  const failedLoads = new Map<string, Fault>()
  const jobs = createJobRunner(id, services)
  const core = watched(services, jobs.scheduler, { id, isDeclared: undeclared === null, logs, failures, failedLoads })
  const host = createPluginHost(core, {
    watch: false,
    watchdog: false,
    networkGuard: false,
    drainMs: DRAIN_MS,
    isCoreRoute: () => false,
  })
  const inject = createRequester(core, host, closers)
  closers.defer(() => host.stop())
  closers.defer(async () => {
    ticks.release()
    await scheduler.drain(0)
  })
  closers.defer(() => services.streams.closeAll())
  closers.defer(() => events.settled(EVENTS_MS))
  const tables = new Map<string, Tables>()
  closers.defer(async () => {
    for (const opened of tables.values()) await opened.destroy()
  })

  /** Throws the failure of the newest version. */
  async function settled(plugin = id): Promise<void> {
    await host.settled()
    const draining = () => host.detail(plugin).draining
    if (draining().some(({ in_flight }) => in_flight > 0)) await sleep(DRAIN_MS + 1)
    // Jobs may take longer.
    while (draining().some(({ in_flight }) => in_flight === 0)) await nextTurn()
    const fault = failedLoads.get(plugin)
    failedLoads.delete(plugin)
    if (fault !== undefined) throw toError(fault)
    liveContext()
    await jobs.planned()
  }

  function liveContext(): PluginContext | undefined {
    return host.context(id) as PluginContext | undefined
  }

  async function reloadOthers(): Promise<void> {
    await host.reload(OTHERS)
    await settled(OTHERS)
  }

  await host.start()
  scheduler.start()
  await settled(OTHERS)
  await settled()

  let isClosed = false
  const close = async () => {
    isClosed = true
    await closers.disposeAsync()
  }
  const store = core.keyValue.namespace(id, { quotaBytes: manifest.needs?.storage ?? DEFAULT_STORAGE_BYTES })

  return {
    get ctx(): PluginContext {
      const ctx = liveContext()
      if (ctx !== undefined) return ctx
      const why = isClosed ? 'The test host is closed.' : host.detail(id).last_error?.message
      throw new PlayheadError('PLH_PLUGIN_DISPOSED', why ?? 'The plugin is off.')
    },
    logs,
    failures,
    store,
    db: core.database,
    ownTables: (name) =>
      tables.getOrInsertComputed(name, () => openTables(join(core.databaseFolder(id), `${name}.sqlite`))),
    files: core.files(id, manifest.needs ?? {}),
    streams: services.streams,
    work: services.work.of(OTHERS),
    events: {
      emit: (name, data) => events.emitAs(OTHERS, name, data),
      recent: (which) => events.recent(which),
      settled: () => events.settled(),
    },
    inject,
    callHook: (hook, input) => host.callHook(hook, input),
    async tap(hook, run) {
      plugins.others.taps.push({ hook, run: run as never })
      await reloadOthers()
    },
    capability: (reference) => plugins.others.ctx().use(reference),
    async provide(reference, value) {
      setProvided(plugins.others, reference, value)
      await reloadOthers()
    },
    runJob: jobs.run,
    jobs: () => scheduler.jobs(id),
    uses() {
      const { hooks, listens_to: events } = host.detail(id)
      const used = [...hooks.map(({ hook }) => hook), ...events.map((name) => `event:${name}`)]
      return { hooks: [...new Set(used)].sort(), secrets: secretFieldsOf(plugins.plugin.config) }
    },
    runDelayed: () => delays.run(),
    upstream: (account) => services.hub.stats().find((stats) => stats.account === account),
    async changeConfig(change) {
      await config.change(OTHERS, (draft) => changeSettings(draft, manifest, structuredClone(change)))
      await settled()
    },
    async reload(plugin = plugins.plugin) {
      const before = plugins.plugin
      plugins.plugin = plugin
      try {
        await host.reload(id)
        await settled()
      } catch (error) {
        plugins.plugin = before
        throw error
      }
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

async function readManifest(
  source: PluginManifest | string | URL,
): Promise<{ readonly manifest: PluginManifest; readonly directory: string | null }> {
  if (typeof source !== 'string' && !(source instanceof URL))
    return { manifest: structuredClone(checkManifest(source, 'the manifest')), directory: null }
  const file = source instanceof URL || source.startsWith('file:') ? fileURLToPath(source) : resolve(source)
  let value: unknown
  try {
    value = JSON.parse(await readFile(file, 'utf8'))
  } catch (error) {
    throw new PlayheadError('PLH_PLUGIN_MANIFEST', `${file} cannot be read: ${(error as Error).message}`, {
      cause: error,
    })
  }
  return { manifest: checkManifest(value, file), directory: dirname(file) }
}

function playing<Manifest extends PluginManifest>(manifest: Manifest, { provider }: TestHostOptions): Manifest {
  if (provider === undefined) return manifest
  return {
    ...manifest,
    kind: 'provider',
    section: provider.token,
    provider: { ...provider },
    needs: { ...manifest.needs, hosts: [...(manifest.needs?.hosts ?? []), ENTERED] },
  }
}

function reaching<Manifest extends PluginManifest>(manifest: Manifest, hosts: readonly string[]): Manifest {
  if (hosts.length === 0) return manifest
  return { ...manifest, needs: { ...manifest.needs, hosts: [...(manifest.needs?.hosts ?? []), ...hosts] } }
}

/** The services, with access to the plugin's output and contained failures. */
function watched(
  { core, events }: TestServices,
  scheduler: HostDependencies['scheduler'],
  {
    id,
    isDeclared,
    logs,
    failures,
    failedLoads,
  }: {
    readonly id: string
    readonly isDeclared: boolean
    readonly logs: LogLine[]
    readonly failures: ContainedFailure[]
    readonly failedLoads: Map<string, Fault>
  },
): HostDependencies {
  return {
    ...core,
    pluginLogger(owner) {
      const log = core.pluginLogger(owner)
      if (owner.plugin !== id) return log
      return noted(logs, isDeclared ? log : { ...log, channel: (tag) => core.log.channel(tag) })
    },
    events: {
      ...events,
      emit(name, data) {
        if (data['plugin'] === id && name === 'plugin.fault')
          failures.push({ what: String(data['what']), error: data['error'] })
        if (data['plugin'] === id && name === 'plugin.stuck')
          failures.push({ what: String(data['release']), error: new Error(String(data['reason'])) })
        if (name === 'plugin.reload_failed') failedLoads.set(String(data['plugin']), data['error'] as Fault)
        if (name === 'plugin.activated') failedLoads.delete(String(data['plugin']))
        events.emit(name, data)
      },
    },
    scheduler,
  }
}

function toError({ phase, code, message, file, line, column, stack }: Fault): LoadError {
  const position = file === null ? null : { file, line: line ?? 1, column: column ?? 1 }
  const error = new LoadError(phase, code as PlayheadErrorCode, message, { position })
  if (stack !== null) error.stack = stack
  return error
}
