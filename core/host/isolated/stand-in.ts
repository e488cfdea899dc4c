// The definition of an isolated plugin, as the host stages it: everything it registers calls the plugin's own thread.
import { basename, join } from 'node:path'
import {
  type JobRun,
  type DefinedPlugin,
  definePlugin,
  type HookKind,
  type HostFacts,
  type PluginContext,
  type PluginManifest,
  PlayheadError,
  type Release,
  type WorkHold,
  withTimeLimit,
} from '@playhead/sdk'
import type { TObject } from '@sinclair/typebox'
import { HOST_LOG } from '../../own-thread/names.ts'
import { createRelay } from '../../own-thread/relayed-log.ts'
import { LoadError } from '../run/fault.ts'
import type { ReportFault } from '../run/guard.ts'
import { createRequestForwarder, type RequestForwarder } from './forward-requests.ts'
import { unpackSchema } from './schemas.ts'
import { DEFAULT_MEMORY_MB } from '../load/manifest-values.ts'
import { loadedFor } from '../load/shared-modules.ts'
import { type Death, knowSourceMap, startThread } from './thread.ts'
import type { Threads } from './threads.ts'
import { createUpstreamSide } from './upstream-side.ts'
import {
  type Described,
  type FailedLoad,
  HOST,
  type HostSide,
  OWN_CAPABILITY,
  type PluginData,
  type Registered,
  STORE,
  type SyncSide,
  UPSTREAM,
} from './wire.ts'
import { defined } from '@playhead/sdk/host'

/** Limits how long a thread's settings functions can delay a save. */
const SHAPE_LIMIT_MS = 3_000
const CONFIG_CHECK_MS = 1_000

export interface IsolateRequest {
  readonly code: string
  readonly manifest: PluginManifest
  readonly directory: string
  readonly seq: number
  readonly paths: PluginData['paths']
  readonly beforeMigration: (file: string) => Promise<void>
  readonly host: HostFacts
  readonly allowsNewer: boolean
  readonly threads: Threads
  readonly silenceMs?: number | undefined
  readonly limitMs: number
  readonly hookKinds: ReadonlyMap<string, HookKind>
  /** The non-function members of a capability; null if nothing provides it. */
  readonly valuesOf: (token: string) => Readonly<Record<string, unknown>> | null
  readonly eventOwners: (area: string) => readonly string[]
  readonly isAllowed: (host: string, port: number) => boolean
  readonly report: ReportFault
  readonly own: (label: string, release: () => void | Promise<void>) => void
  readonly onDeath: (death: Death) => void
}

export interface Isolated {
  readonly definition: DefinedPlugin
  timers(): number
  isMigrating(): boolean
}

export async function isolate(request: IsolateRequest, log: PluginContext['log']): Promise<Isolated> {
  const { code, manifest, directory, seq, host } = request
  const { id } = manifest
  const tooNear = (['signIn', 'data', 'directory'] as const).find((need) => manifest.needs?.[need] === true)
  if (tooNear !== undefined) {
    throw new LoadError(
      'manifest',
      'PLH_PLUGIN_MANIFEST',
      `Plugin "${id}" declares needs.${tooNear}, which a plugin with a thread of its own cannot have. Set "isolation": "none" in plugin.json.`,
    )
  }
  let ctx: PluginContext | null = null
  const context = (): PluginContext => {
    if (ctx === null)
      throw new PlayheadError('PLH_NOT_READY', `Plugin "${id}" uses its context while its file is evaluated.`)
    return ctx
  }
  let forwarder: RequestForwarder | undefined
  let sentConfig: unknown
  const holds = new Map<string, WorkHold>()
  const blocks = new Map<number, Release>()
  let lastBlock = 0
  const jobHandles = new Map<string, ReturnType<PluginContext['schedule']>>()

  const hostSide: HostSide = {
    async beforeMigration(own) {
      const { database, ownDatabases } = request.paths
      // `basename` keeps the file inside the plugin's folder.
      const file = own === null ? database : join(ownDatabases, basename(own))
      if (file !== null) await request.beforeMigration(file)
    },
    emit: (name, data) => context().events.emit(name, data),
    publish: (topic, message) => context().streams.publish(topic, message),
    callHook: (name, input) => context().callHook({ name, kind: 'notify' } as never, input as never),
    health: () => host.health(),
    async updateConfig(expected, change) {
      let behind: { stored: Readonly<Record<string, unknown>> } | null = null
      const stop = new Error('the settings are others')
      try {
        await context().updateConfig((stored) => {
          if (expected === null || JSON.stringify(stored) === expected) return change
          behind = { stored }
          throw stop
        })
      } catch (error) {
        if (error !== stop) throw error
      }
      await sendConfig()
      return behind
    },
    stray: (what, error) => request.report({ plugin: id, generation: seq, work: 'call' }, what, error),
    retime: (name, timing) => jobHandles.get(name)?.set(timing),
    next: (name) => jobHandles.get(name)?.next() ?? [],
    async workBeginWhenFree(work, wait, signal) {
      const hold = await context().work.beginWhenFree(work, {
        signal,
        ...(wait === null ? {} : { onWait: (obstacle) => void plugin.workWaits(wait, obstacle).catch(() => {}) }),
      })
      holds.set(hold.id, hold)
      return hold.id
    },
    workRelease(id) {
      holds.get(id)?.release()
      holds.delete(id)
    },
    workUnblock(id) {
      void blocks.get(id)?.()
      blocks.delete(id)
    },
    requestBody: (body) => (forwarder as RequestForwarder).body(body),
  }
  const upstream = createUpstreamSide(
    { account: (options) => context().upstream.account(options) },
    () => thread.plugin,
  )
  const sync: SyncSide = {
    recentEvents: (options) => context().events.recent(options),
    plugins: () => host.plugins(),
    revision: () => host.revision(),
    logChannels: () => host.logChannels(),
    upstreamStats: () => host.upstream(),
    upstreamCalls: () => host.upstreamCalls(),
    processFacts: () => host.process(),
    debug: () => host.debug(),
    redact: (text) => host.redact(text),
    readStream: (topic, options) => context().streams.read(topic, options),
    streamTopics: (prefix) => context().streams.topics(prefix),
    jobs: () => context().jobs(),
    tappedBy: (name) => context().tappedBy({ name, kind: 'notify' }),
    capabilityTokens: (prefix) =>
      context()
        .capabilities({ prefix, of: (name) => ({ token: prefix + name }) })
        .map(({ token }) => token),
    capability: (token) => request.valuesOf(token),
    eventOwners: (area) => request.eventOwners(area),
    inspect: (what) => context().inspect()[what](),
    workBegin(work) {
      const hold = context().work.begin(work)
      holds.set(hold.id, hold)
      return hold.id
    },
    workCurrent: () => context().work.current(),
    workBlock(reason) {
      blocks.set(++lastBlock, context().work.block(reason))
      return lastBlock
    },
    workBlocks: () => context().work.blocks(),
    isAllowed: (name, port) => request.isAllowed(name, port),
    ...upstream.sync,
  }

  const memoryMb = manifest.needs?.memory ?? DEFAULT_MEMORY_MB
  const thread = startThread({
    fresh: request.threads.fresh({ memoryMb, modules: loadedFor(code) }),
    data: {
      code,
      manifest,
      directory,
      seq,
      version: host.version,
      startedAtMs: host.startedAtMs,
      dataEpoch: host.dataEpoch,
      paths: request.paths,
      allowsNewer: request.allowsNewer,
    },
    memoryMb,
    silenceMs: request.silenceMs,
    log,
    sync: sync as never,
    serve(token) {
      if (token === HOST) return hostSide
      if (token === HOST_LOG) return createRelay(log)
      if (token === STORE) return ctx?.store
      if (token === UPSTREAM) return upstream.calls
      return ctx?.use({ token })
    },
    onDeath: request.onDeath,
  })
  const { plugin, channel } = thread
  request.own('thread', () => thread.end('replaced or switched off'))
  request.own('source map', knowSourceMap(join(directory, `${id}.g${seq}.cjs`), code))

  /** Sends settings that changed without a call of the listener. */
  async function sendConfig(): Promise<void> {
    const config = ctx?.config
    if (config === undefined || config === sentConfig) return
    sentConfig = config
    await plugin.setConfig(config)
  }

  const loaded = <Result>(what: 'evaluate' | 'setup', answer: Promise<Result | FailedLoad>): Promise<Result> =>
    withTimeLimit(
      answer.then((result) => {
        if (typeof result !== 'object' || result === null || !('failed' in result)) return result as Result
        const { phase, code: failure, message, position, stack } = result.failed
        throw new LoadError(phase, failure as LoadError['code'], message, {
          position,
          cause: stack === null ? undefined : Object.assign(new Error(message), { stack }),
        })
      }),
      request.limitMs,
      () =>
        new LoadError(
          what,
          'PLH_PLUGIN_SETUP_TIMEOUT',
          `Plugin "${id}" did not end its ${what} within ${request.limitMs / 1000} s.`,
          { position: { file: manifest.entry ?? 'index.ts', line: 1, column: 1 } },
        ),
      thread.isMigrating,
    )

  const described = await loaded('evaluate', plugin.describe() as Promise<Described | FailedLoad>)
  const { has } = described
  const shaped = <Result>(what: string, result: Promise<Result>): Promise<Result> =>
    withTimeLimit(
      result,
      SHAPE_LIMIT_MS,
      () => new PlayheadError('PLH_HOOK_TIMEOUT', `Plugin "${id}" did not end ${what} within ${SHAPE_LIMIT_MS} ms.`),
    )
  let registered: Registered | undefined

  const definition = definePlugin({
    ...(described.config === null ? {} : { config: unpackSchema(described.config) as TObject }),
    ...(described.additions === null
      ? {}
      : {
          addsToSettings: Object.fromEntries(
            Object.entries(described.additions).map(([path, schema]) => [path, unpackSchema(schema) as TObject]),
          ),
        }),
    ...(described.hooks.length === 0 ? {} : { hooks: described.hooks as never }),
    ...(has.normalizeConfig
      ? { normalizeConfig: (section) => shaped('normalizeConfig', plugin.normalizeConfig(section)) as never }
      : {}),
    ...(has.migrateConfig
      ? { migrateConfig: (section, from) => shaped('migrateConfig', plugin.migrateConfig(section, from)) as never }
      : {}),
    ...(has.acceptsToken ? { acceptsToken: (_ctx, token) => plugin.acceptsToken(token) } : {}),
    ...(has.give || has.take
      ? {
          handover: {
            give: () => (has.give ? plugin.give() : undefined),
            take: (_ctx: unknown, value: unknown) => (has.take ? plugin.take(value) : undefined) as never,
          },
        }
      : {}),
    async setup(given) {
      ctx = given as PluginContext
      sentConfig = ctx.config
      registered = await loaded(
        'setup',
        plugin.stage({
          config: ctx.config as Readonly<Record<string, unknown>>,
          hookKinds: [...request.hookKinds],
        }) as Promise<Registered | FailedLoad>,
      )
      register(ctx, registered)
      const timer = setInterval(() => void sendConfig().catch(() => {}), CONFIG_CHECK_MS).unref()
      request.own('settings of the thread', () => clearInterval(timer))
    },
    ...(has.routes
      ? {
          routes(app) {
            forwarder = createRequestForwarder({ plugin, streams: context().streams })
            forwarder.register(app, registered?.routes ?? [])
          },
        }
      : {}),
  })

  function register(
    context: PluginContext,
    { taps, listeners, jobs, starts, capabilities, listensToConfig }: Registered,
  ) {
    for (const [index, { hook, kind, name, stage, limitMs }] of taps.entries()) {
      context.tap(
        { name: hook, kind } as never,
        { name, stage, timeoutMs: limitMs },
        (input) => plugin.tap(index, input) as never,
      )
    }
    for (const [index, name] of listeners.entries()) {
      context.events.on(name, async (event) => void (await plugin.event(index, event)))
    }
    for (const [index, { name, timing, first, options }] of jobs.entries()) {
      const work = async (signal: AbortSignal, { dueAtMs, due }: JobRun) =>
        void (await plugin.job(index, signal, { dueAtMs, due }))
      if (timing === null) {
        const handle = context.schedule(name, work, options)
        if (first !== null) handle.set(first.timing)
        jobHandles.set(name, handle)
      } else if ('every' in timing) context.every(timing.every, name, work, options)
      else if ('cron' in timing)
        context.cron(timing.cron, name, work, { ...options, ...defined({ timeZone: timing.timeZone }) })
    }
    for (const [index, delayMs] of starts.entries()) {
      context.after(delayMs, async (signal) => void (await plugin.startWork(index, signal)))
    }
    for (const { token, functions, values, whileDormant } of capabilities) {
      const remote = channel.use<Record<string, never>>(OWN_CAPABILITY + token)
      context.provide(
        { token },
        { ...values, ...Object.fromEntries(functions.map((name) => [name, remote[name]])) },
        { whileDormant },
      )
    }
    if (listensToConfig) {
      context.onConfigChange(async (config) => {
        sentConfig = config
        await plugin.configChanged(config as Readonly<Record<string, unknown>>)
      })
    }
  }

  return { definition, timers: thread.timers, isMigrating: thread.isMigrating }
}
