// Runs an isolated plugin on its own thread: evaluates and stages it as the host would, and serves the host's calls.
import { getHeapStatistics } from 'node:v8'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import {
  deepFreeze,
  type DefinedPlugin,
  type HostFacts,
  type KeyValueStore,
  PlayheadError,
  type PluginContext,
} from '@playhead/sdk'
import { createChannel } from '../../own-thread/channel.ts'
import { HOST_LOG } from '../../own-thread/names.ts'
import type { Relay } from '../../own-thread/relayed-log.ts'
import { ownThread } from '../../own-thread/thread-time.js'
import { isOwnTime } from '../../scheduling/scheduler.ts'
import type { Capability } from '../compose/capabilities.ts'
import { evaluatePlugin } from '../load/evaluate.ts'
import { startNetworkGuard } from '../load/network-guard.ts'
import { createPluginOutput } from '../load/plugin-console.ts'
import { createPluginGlobals } from '../load/plugin-globals.ts'
import { loadModules, loadShared } from '../load/shared-modules.ts'
import { type Owner, runAs } from '../run/attribution.ts'
import { LoadError } from '../run/fault.ts'
import { stagePlugin, type StagedPlugin } from '../run/stage.ts'
import { packSchema } from './schemas.ts'
import { sealThread } from './seal.ts'
import { createSyncCaller } from './sync-call.ts'
import { createThreadCore } from './thread-core.ts'
import { createRequestAnswerer, type RequestAnswerer } from './thread-request.ts'
import { createThreadUpstream } from './thread-upstream.ts'
import { createThreadWork } from './thread-work.ts'
import {
  BEAT,
  BUFFERS_MB,
  type Described,
  type FailedLoad,
  type FreshThreadData,
  HOST,
  type HostSide,
  OWN_CAPABILITY,
  PLUGIN,
  type PluginData,
  type PluginSide,
  type Registered,
  type RegisteredRoute,
  type StageInput,
  STORE,
  TAKEN,
  type SyncSide,
  THREAD,
  TIMERS,
  UPSTREAM,
  type UpstreamSide,
} from './wire.ts'

const BEAT_MS = 100
const MEGABYTE = 1024 * 1024
/** Messages that the host has not taken yet. At the limit the plugin waits, so that the host can serve others. */
const MOST_UNDER_WAY = 200
/** The members of a capability rarely change; its calls always reach the current provider. */
const SHAPE_MS = 1_000
const MAX_UPDATE_TRIES = 20

/** Waits for the plugin. A spare does beforehand what it can. */
export async function awaitPlugin(): Promise<void> {
  const port = parentPort as MessagePort
  const { spare } = workerData as FreshThreadData
  if (spare !== null) await loadModules(spare)
  let take = (first: unknown) => {
    take = servePlugin(port, first as PluginData)
  }
  port.on('message', (message) => take(message))
}

/** Runs the plugin. Returns what takes the messages that follow. */
function servePlugin(port: MessagePort, data: PluginData): (message: unknown) => void {
  const { beats, bell, syncPort } = workerData as FreshThreadData
  const { manifest, directory } = data
  const { id } = manifest
  const owner: Owner = { plugin: id, generation: data.seq, work: 'stage' }
  let sent = 0
  const heldBack = {
    postMessage(message: unknown) {
      for (
        let taken = Atomics.load(beats, TAKEN);
        ((sent - taken) | 0) >= MOST_UNDER_WAY;
        taken = Atomics.load(beats, TAKEN)
      )
        Atomics.wait(beats, TAKEN, taken, BEAT_MS)
      sent = (sent + 1) | 0
      port.postMessage(message)
    },
  }
  const channel = createChannel(() => heldBack, serve)
  const host = channel.use<HostSide>(HOST)
  const relay = channel.use<Relay>(HOST_LOG)
  const ask = createSyncCaller(syncPort, bell)
  const sync = new Proxy({} as SyncSide, {
    get:
      (_target, name) =>
      (...args: unknown[]) =>
        ask(String(name), ...args),
  })
  const upstream = createThreadUpstream(channel.use<UpstreamSide>(UPSTREAM), sync)
  const work = createThreadWork(host, sync)
  const core = createThreadCore({
    data,
    beats,
    relay,
    host,
    sync,
    store: channel.use<KeyValueStore>(STORE),
    upstream,
    work: work.registry,
    retime(name) {
      const timing = staged?.recording.jobs.find((job) => job.name === name)?.timing
      if (timing !== undefined && isOwnTime(timing) && timing.latest !== undefined)
        void host.retime(name, timing.latest.timing).catch(() => {})
    },
  })
  const globals = createPluginGlobals(owner, createPluginOutput(core.log))
  let definition: DefinedPlugin | undefined
  let staged: StagedPlugin | undefined
  let requests: RequestAnswerer | undefined
  let config: Readonly<Record<string, unknown>> = {}

  const beat = () => {
    Atomics.add(beats, BEAT, 1)
    Atomics.store(beats, TIMERS, globals.timers())
    Atomics.store(beats, BUFFERS_MB, Math.round(getHeapStatistics().external_memory / MEGABYTE))
  }
  Atomics.store(beats, THREAD, ownThread() ?? 0)
  // The host watches the thread from the first beat on.
  beat()
  setInterval(beat, BEAT_MS).unref()
  const stray = (what: string, error: unknown) => void host.stray(what, plainError(error)).catch(() => {})
  process.on('unhandledRejection', (error) => stray('an unhandled rejection', error))
  startNetworkGuard({
    isAllowed: (_plugin, name, portNumber) => sync.isAllowed(name, portNumber),
    report: (_owner, what, error) => stray(what, error),
  })

  function serve(token: string): object | undefined {
    if (token === PLUGIN) return plugin
    if (token.startsWith(OWN_CAPABILITY)) return staged?.recording.capabilities.get(token.slice(OWN_CAPABILITY.length))
    return undefined
  }

  const shapes = new Map<string, { readonly atMs: number; readonly values: ReturnType<SyncSide['capability']> }>()
  function findCapability(token: string): Capability | undefined {
    let known = shapes.get(token)
    if (known === undefined || performance.now() - known.atMs > SHAPE_MS) {
      known = { atMs: performance.now(), values: sync.capability(token) }
      shapes.set(token, known)
    }
    const { values } = known
    if (values === null) return undefined
    const remote = channel.use<Record<string, unknown>>(token)
    const value = new Proxy(values, {
      get: (_values, name) => (name in values ? values[String(name)] : remote[String(name)]),
    })
    return { token, generation: leases, value }
  }
  // Calls to other plugins need no lease here: the host leases the called plugin.
  const leases = { owner, lease: () => () => {} } as never

  async function updateConfig(change: Parameters<PluginContext['updateConfig']>[0]): Promise<void> {
    if (typeof change !== 'function') return void (await host.updateConfig(null, change))
    // Equals no stored settings, so the first try only reads.
    let expected = ''
    let wanted = {}
    for (let tries = 0; tries < MAX_UPDATE_TRIES; tries += 1) {
      const behind = await host.updateConfig(expected, wanted)
      if (behind === null) return
      expected = JSON.stringify(behind.stored)
      wanted = change(structuredClone(behind.stored))
    }
    throw new PlayheadError('PLH_CONFLICT', `The settings of plugin "${id}" change too often to be updated.`)
  }

  const facts: HostFacts = {
    version: data.version,
    startedAtMs: data.startedAtMs,
    dataEpoch: data.dataEpoch,
    debug: () => sync.debug(),
    plugins: () => sync.plugins() as never,
    revision: () => sync.revision(),
    logChannels: () => sync.logChannels() as never,
    health: () => host.health() as never,
    upstream: () => sync.upstreamStats() as never,
    upstreamCalls: () => sync.upstreamCalls() as never,
    process: () => sync.processFacts() as never,
    redact: (text) => sync.redact(text),
  }

  async function stage({ config: given, hookKinds }: StageInput): Promise<Registered> {
    config = deepFreeze(given)
    const routes: RegisteredRoute[] = []
    const done = await stagePlugin(
      definition as DefinedPlugin,
      {
        manifest,
        directory,
        seq: data.seq,
        compiled: { hash: '', ms: 0, fromCache: true, inputs: [] },
        hookKinds: new Map(hookKinds),
        bindConfig: () => {},
        config: () => config,
        updateConfig,
        host: facts,
        inspection: {
          runtime: () => sync.inspect('runtime') as never,
          settings: () => sync.inspect('settings') as never,
          plugins: () => sync.inspect('plugins') as never,
        },
        dataHost: null as never,
        pluginDirectory: null as never,
        // The host checks the address instead.
        allowedHosts: () => [],
        findCapability,
        capabilityTokens: () => sync.capabilityTokens(''),
        callHook: (name, input) => host.callHook(name, input),
        tappedBy: (name) => sync.tappedBy(name),
        eventOwners: (area) => sync.eventOwners(area),
        // The host makes the calls, so it reports their failures.
        report: () => {},
        onRouteError: (error) => stray('a request', error),
        onRoute({ method, url, schema, bodyLimit }) {
          for (const one of [method].flat())
            routes.push({ method: one, url, schema: packSchema(schema ?? null), bodyLimit: bodyLimit ?? null })
        },
      },
      core,
    )
    staged = done
    requests = createRequestAnswerer(done.child, host)
    const { recording } = done
    return {
      taps: recording.taps.map(({ hook, name, stage: order, limitMs }) => ({
        hook,
        kind: recording.tapKinds.get(hook) ?? 'notify',
        name,
        stage: order,
        limitMs,
      })),
      listeners: recording.listeners.map(({ name }) => name),
      jobs: recording.jobs.map(({ name, timing, options }) => ({
        name,
        options,
        timing: isOwnTime(timing) ? null : timing,
        first: isOwnTime(timing) && timing.latest !== undefined ? timing.latest : null,
      })),
      starts: recording.starts.map(({ delayMs }) => delayMs),
      capabilities: [...recording.capabilities].map(([token, value]) => ({
        token,
        ...shapeOf(value),
        whileDormant: recording.whileDormant.get(token) ?? [],
      })),
      routes,
      listensToConfig: recording.configListener !== null,
    }
  }

  const as = <Result>(kind: Owner['work'], run: () => Result): Result => runAs({ ...owner, work: kind }, run)
  const live = () => staged as StagedPlugin
  const registered = () => live().recording

  const plugin: PluginSide & { describe(): Promise<Described | FailedLoad> } = {
    describe: () =>
      attempt(async () => {
        await loadShared(data.code)
        sealThread({ plugin: id, directory, builtins: manifest.needs?.builtins ?? [] })
        definition = evaluatePlugin(data.code, {
          owner,
          directory,
          globals: globals.module,
          builtins: manifest.needs?.builtins ?? [],
        })
        return descriptionOf(definition)
      }) as never,
    stage: (input) => attempt(() => stage(input)),
    tap: (index, input) => as('hook', () => registered().taps[index]?.run(input)),
    event: (index, event) => as('event', () => registered().listeners[index]?.listener(event)),
    job: (index, signal, due) => as('job', () => registered().jobs[index]?.work(signal, { signal, ...due })),
    startWork: (index, signal) => as('call', () => registered().starts[index]?.work(signal)),
    configChanged(next) {
      config = deepFreeze(next)
      return as('call', () => staged?.recording.configListener?.(config))
    },
    setConfig(next) {
      config = deepFreeze(next)
    },
    normalizeConfig: (section) => as('call', () => definition?.normalizeConfig?.(section as never)),
    migrateConfig: (section, from) => as('call', () => definition?.migrateConfig?.(section as never, from)),
    acceptsToken: async (token) =>
      (await as('request', () => definition?.acceptsToken?.(live().context, token, live().made))) === true,
    give: () => as('call', () => definition?.handover?.give(live().context, live().made)),
    take: (value) => as('call', () => definition?.handover?.take(live().context, value, live().made)),
    request: (request, signal) =>
      as('request', () => (requests as RequestAnswerer).answer(request, signal)) as ReturnType<PluginSide['request']>,
    responseBody: (body) => (requests as RequestAnswerer).body(body),
    refreshCredential: (account, refresh, signal) => as('call', () => upstream.refresh(account, refresh, signal)),
    workWaits: (wait, obstacle) => work.waits(wait, obstacle),
    async retire(reason) {
      await staged?.generation.retire(reason, 0)
      globals.close()
    },
  }
  return (message) => channel.take(message)

  async function attempt<Result>(run: () => Promise<Result>): Promise<Result | FailedLoad> {
    try {
      return await run()
    } catch (error) {
      const load = error instanceof LoadError ? error : null
      const { stack = null } = (load?.cause ?? error) as { readonly stack?: string | null }
      return {
        failed: {
          phase: load?.phase ?? 'setup',
          code: load?.code ?? 'PLH_PLUGIN_SETUP',
          message: error instanceof Error ? error.message : String(error),
          position: load?.position ?? null,
          stack,
        },
      }
    }
  }
}

function descriptionOf(definition: DefinedPlugin): Described {
  const { addsToSettings, handover } = definition
  const has = (name: keyof DefinedPlugin) => definition[name] !== undefined
  return {
    config: definition.config === undefined ? null : packSchema(definition.config),
    additions:
      addsToSettings === undefined
        ? null
        : Object.fromEntries(Object.entries(addsToSettings).map(([path, schema]) => [path, packSchema(schema)])),
    hooks: (definition.hooks ?? []).map(({ name, kind }) => ({ name, kind })),
    has: {
      normalizeConfig: has('normalizeConfig'),
      migrateConfig: has('migrateConfig'),
      acceptsToken: has('acceptsToken'),
      routes: has('routes'),
      give: handover?.give !== undefined,
      take: handover?.take !== undefined,
    },
    services: Object.keys(definition.services ?? {}),
  }
}

/** Functions by name, also those of a class; values that cannot be sent are left out. */
function shapeOf(value: object): Pick<Registered['capabilities'][number], 'functions' | 'values'> {
  const functions = new Set<string>()
  const values: Record<string, unknown> = {}
  for (
    let level = value;
    level !== Object.prototype && level !== null;
    level = Object.getPrototypeOf(level) as object
  ) {
    for (const name of Object.getOwnPropertyNames(level)) {
      if (name === 'constructor' || functions.has(name) || name in values) continue
      const member: unknown = (value as Record<string, unknown>)[name]
      if (typeof member === 'function') functions.add(name)
      else if (isSendable(member)) values[name] = member
    }
  }
  return { functions: [...functions], values }
}

function isSendable(value: unknown): boolean {
  try {
    structuredClone(value)
    return true
  } catch {
    return false
  }
}

function plainError(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error)
  return Object.assign(new Error(error.message), { stack: error.stack })
}
