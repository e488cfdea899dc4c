// Builds the context of a generation from the core's services.
import { defined } from '@playhead/sdk/host'
import { readFile, realpath } from 'node:fs/promises'
import { join, resolve, sep } from 'node:path'
import {
  deepFreeze,
  type HookKind,
  type HostFacts,
  type HostInputs,
  type LendModule,
  type Inspection,
  type JobTiming,
  type OpenDatabase,
  PlayheadError,
  type PluginContext,
  type PluginDirectory,
  type PluginManifest,
  type StartThread,
  tokenOf,
} from '@playhead/sdk'
import type { DataHost } from '../../data/data.ts'
import type { MigrationParts } from '../../own-database/migrations.ts'
import { createOwnThread } from '../../own-thread/start.ts'
import { runAs, runAsHost } from './attribution.ts'
import { createRemote, type Capability } from '../compose/capabilities.ts'
import { compileThread } from '../load/compile-thread.ts'
import { createServices } from './container.ts'
import type { OwnTime } from '../../scheduling/scheduler.ts'
import { checkTiming } from '../../scheduling/timing.ts'
import type { StageDependencies } from '../dependencies.ts'
import type { Generation } from './generation.ts'
import type { ReportFault } from './guard.ts'
import { recordCapability, recordJob, recordTap, type Recording } from './recording.ts'
import { detachStream } from './requests.ts'

export const DEFAULT_STORAGE_BYTES = 5 * 1024 * 1024

export interface ContextRequest {
  readonly manifest: PluginManifest
  readonly directory: string
  readonly generation: Generation
  readonly recording: Recording
  readonly services: Readonly<Record<string, (cradle: never) => unknown>>
  readonly hookKinds: ReadonlyMap<string, HookKind>
  readonly migrating: MigrationParts
  /** The plugin's current effective settings. */
  readonly config: () => Readonly<Record<string, unknown>>
  readonly updateConfig: PluginContext['updateConfig']
  readonly host: HostFacts
  readonly inspection: Inspection
  readonly pluginDirectory: PluginDirectory
  readonly dataHost: DataHost
  readonly allowedHosts: () => readonly string[]
  readonly findCapability: (token: string) => Capability | undefined
  readonly capabilityTokens: () => readonly string[]
  readonly callHook: (name: string, input: unknown) => Promise<unknown>
  readonly tappedBy: (name: string) => readonly string[]
  /** The plugins whose event names begin with this area; empty if any plugin may emit them. */
  readonly eventOwners: (area: string) => readonly string[]
  readonly ownHooks: ReadonlySet<string>
  readonly report: ReportFault
  /** Called with each thread that setup names. */
  readonly onThread?: (compile: () => Promise<string>) => void
}

export function createContext(
  request: ContextRequest,
  core: StageDependencies,
): PluginContext<Record<string, unknown>, Record<string, unknown>> {
  const { manifest, generation, recording } = request
  const { id } = manifest
  const needs = manifest.needs ?? {}
  const log = core.pluginLogger({
    plugin: id,
    generation: generation.seq,
    channels: (manifest.logChannels ?? []).map(({ tag }) => tag),
    tag: manifest.provider?.id,
  })

  // Released last: threads and databases may still work for a hold.
  const work = core.work.of(id)
  generation.own('holds', () => work.close())

  const upstream = runAs(generation.owner, () =>
    core.upstream.factory({
      plugin: id,
      allowedHosts: request.allowedHosts,
      signal: generation.signal,
      log,
      run: (work) => runAs(generation.owner, work),
      onEntered: (origin) => generation.entered.add(origin),
    }),
  )
  generation.own('upstream connections', () => upstream.close())

  const ownHook = (name: string): string => {
    if (request.ownHooks.has(name)) return name
    throw new PlayheadError(
      'PLH_HOOK_UNKNOWN',
      `Plugin "${id}" calls the hook "${name}"; a plugin calls the hooks that it declares in definePlugin({ hooks }).`,
    )
  }

  const ownTopic = (topic: string): string => {
    if (topic.startsWith(`${id}/`)) return topic
    throw new PlayheadError(
      'PLH_PLUGIN_UNDECLARED',
      `Plugin "${id}" publishes to the stream "${topic}"; its own topics begin with "${id}/".`,
    )
  }

  const { compiled: cacheDirectory } = core.directories
  const threadFile = async (module: string, isLent = false) =>
    cacheDirectory === null
      ? module
      : await compileThread({ id, directory: request.directory, module, cacheDirectory, isLent })

  const open = core.ownDatabases(id, log, request.migrating)
  const openDatabase: OpenDatabase = async (name, options) => {
    if (needs.database !== true)
      throw new PlayheadError(
        'PLH_PLUGIN_UNDECLARED',
        `Plugin "${id}" opens a database of its own; a plugin that may do so declares needs.database in plugin.json.`,
      )
    if (manifest.data?.removed?.includes(name) === true)
      throw new PlayheadError(
        'PLH_PLUGIN_UNDECLARED',
        `Plugin "${id}" opens the database "${name}", which plugin.json lists under data.removed: it would be deleted.`,
      )
    const { onThread } = options
    const database = await open(
      name,
      onThread === undefined
        ? options
        : { ...options, onThread: { ...onThread, file: await threadFile(onThread.file, true) } },
    )
    try {
      generation.own(`database ${name}`, () => database.close())
    } catch (error) {
      // The plugin ended while the file was being opened.
      await database.close()
      throw error
    }
    return database
  }

  const startThread: StartThread = (file, options) => {
    const module = () => threadFile(assetPath(request.directory, file))
    request.onThread?.(module)
    const thread = createOwnThread({
      module,
      databases: core.databaseFolder(id),
      log,
      registry: work,
      use: (token) => createRemote(token, request.findCapability, request.report),
      ...options,
    })
    generation.own(`thread ${file}`, () => thread.close())
    return thread as never
  }
  const lendModule: LendModule = async (file) => ({
    plugin: id,
    file: await threadFile(assetPath(request.directory, file), true),
  })

  const inputs: HostInputs<Record<string, unknown>> = {
    get config() {
      return request.config()
    },
    log,
    signal: generation.signal,
    store: core.keyValue.namespace(id, { quotaBytes: needs.storage ?? DEFAULT_STORAGE_BYTES }),
    db: core.database,
    openDatabase,
    startThread,
    lendModule,
    files: core.files(id, needs),
    events: {
      emit(name, data) {
        assertOwnEvent(id, name, request.eventOwners)
        core.events.emitAs(id, name, data)
      },
      recent: (options) => core.events.recent(options),
      on(name, listener) {
        recording.open('events.on')
        recording.listeners.push({ name, listener })
      },
    },
    streams: {
      publish: (topic, message) => core.streams.publish(ownTopic(topic), message),
      read: (topic, options) => core.streams.read(topic, options),
      topics: (prefix) => core.streams.topics(prefix),
      open(httpRequest, reply, options) {
        const result = runAsHost(() => core.streams.open(httpRequest, reply, options))
        detachStream(reply.raw)
        return result
      },
    },
    upstream: { account: (options) => upstream.account(options) },
    work,
    host: request.host,
  }

  const services = createServices(generation, inputs, request.services, () => context)
  generation.own('services', services.close)

  const job = (timing: JobTiming, name: string, work: Parameters<typeof recordJob>[2]['work'], options = {}) =>
    recordJob(manifest, recording, { name, timing, options, work })

  const context: PluginContext<Record<string, unknown>, Record<string, unknown>> = {
    id,
    manifest: deepFreeze(structuredClone(manifest)),
    generation: generation.seq,
    ...inputs,
    get config() {
      return request.config()
    },
    services: services.services,
    tap: (hook, options, run) => recordTap(manifest, recording, request.hookKinds, hook, options, run),
    assets: {
      path: (relative) => assetPath(request.directory, relative),
      async read(relative) {
        const file = await realpath(assetPath(request.directory, relative))
        return readFile(assetPath(await realpath(request.directory), file))
      },
    },
    provide: (reference, value, { whileDormant } = {}) =>
      recordCapability(manifest, recording, tokenOf(reference), value, whileDormant),
    use: (reference) => createRemote(tokenOf(reference), request.findCapability, request.report),
    tryUse: (reference) =>
      request.findCapability(tokenOf(reference)) === undefined ? undefined : context.use(reference),
    signIn() {
      if (needs.signIn === true) return core.externalSignIn
      throw new PlayheadError(
        'PLH_PLUGIN_UNDECLARED',
        `Plugin "${id}" wants to let people in; a plugin that may do so declares needs.signIn in plugin.json.`,
      )
    },
    inspect() {
      if (needs.inspect === true) return request.inspection
      throw new PlayheadError(
        'PLH_PLUGIN_UNDECLARED',
        `Plugin "${id}" inspects the whole service; a plugin that may do so declares needs.inspect in plugin.json.`,
      )
    },
    directory() {
      if (needs.directory === true) return request.pluginDirectory
      throw new PlayheadError(
        'PLH_PLUGIN_UNDECLARED',
        `Plugin "${id}" uses the directory of plugins; a plugin that may do so declares needs.directory in plugin.json.`,
      )
    },
    data() {
      if (needs.data === true) return core.data.of(id, request.dataHost)
      throw new PlayheadError(
        'PLH_PLUGIN_UNDECLARED',
        `Plugin "${id}" uses the whole data directory; a plugin that may do so declares needs.data in plugin.json.`,
      )
    },
    capabilities: ({ prefix, of }) =>
      request
        .capabilityTokens()
        .filter((token) => token.startsWith(prefix))
        .map((token) => of(token.slice(prefix.length))),
    async callHook({ name }, input) {
      return (await request.callHook(ownHook(name), input)) as never
    },
    tappedBy: ({ name }) => request.tappedBy(ownHook(name)),
    every: (interval, name, work, options) => job({ every: interval }, name, work, options),
    cron: (expression, name, work, options) =>
      job({ cron: expression, ...defined({ timeZone: options?.timeZone }) }, name, work, options),
    schedule(name, work, options = {}) {
      const timing: OwnTime = { latest: undefined }
      recordJob(manifest, recording, { name, timing, options, work })
      return {
        set(next) {
          if (next !== null) checkTiming(next)
          timing.latest = { timing: next }
          core.scheduler.retime(id, name)
        },
        next: () => core.scheduler.next({ owner: id, name }, timing.latest, options),
      }
    },
    after(delayMs, work) {
      recording.open('after')
      recording.starts.push({ delayMs, work })
    },
    jobs: () => core.scheduler.jobs(id),
    onConfigChange(listener) {
      recording.open('onConfigChange')
      recording.configListener = listener as (config: unknown) => unknown
    },
    updateConfig: (change) => request.updateConfig(change),
    defer: (release) =>
      generation.own('a release of its own', () => runAs({ ...generation.owner, work: 'release' }, release)),
  }
  return Object.freeze(context)
}

function assetPath(directory: string, relative: string): string {
  const path = resolve(join(directory, sep), relative)
  if (path.startsWith(directory + sep)) return path
  throw new PlayheadError('PLH_FORBIDDEN', `"${relative}" lies outside the plugin's folder.`)
}

/** Areas of events that only the host emits: plugins cannot report a sign-in or a saved setting. */
const HOST_AREAS: ReadonlySet<string> = new Set(['auth', 'config', 'plugin', 'service', 'tls', 'work'])

/** An event reports a fact, so only the plugin that owns the area may emit it. */
function assertOwnEvent(plugin: string, name: string, ownersOf: ContextRequest['eventOwners']): void {
  const area = name.split('.', 1)[0] as string
  const owners = HOST_AREAS.has(area) ? ['the host'] : ownersOf(area)
  if (owners.length > 0 && !owners.includes(plugin))
    throw new PlayheadError(
      'PLH_PLUGIN_UNDECLARED',
      `Plugin "${plugin}" emitted "${name}", an event of ${owners.join(' and ')}. Name its events "${plugin}.<event>".`,
    )
}
