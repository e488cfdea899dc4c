// The plugin host: start and stop, the registry, turning plugins on and off. See load/loading.ts for how a plugin is
// loaded, compose/publisher.ts for the swap and run/stage.ts for staging.
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  PlayheadError,
  type HealthFact,
  type AnyHook,
  HEALTH_DETAIL,
  type HookInput,
  type HookResult,
  type HostFacts,
  type Inspection,
} from '@playhead/sdk'
import { isHostAllowed, resolveAllowedHosts } from '../upstream/allowed-hosts.ts'
import { runAsHost } from './run/attribution.ts'
import { orderByCapabilities } from './compose/capability-graph.ts'
import { forgetCompiled, sweepCompiled } from './load/compile.ts'
import type { HostDependencies } from './dependencies.ts'
import { createKeptEvents } from './dormant/kept-events.ts'
import { createKeptStore } from './kept/store.ts'
import { createFaults } from './run/faults.ts'
import { comingCapability } from './dormant/dormant.ts'
import { readLastRun } from './dormant/last-run.ts'
import { createSnapshotKeeper } from './dormant/keep-snapshots.ts'
import { createLoader } from './load/loader.ts'
import { createLoading } from './load/loading.ts'
import { startNetworkGuard } from './load/network-guard.ts'
import { detailOf, factsOf, summaryOf } from './show/plugin-view.ts'
import { publicNamesOf } from './compose/public-names.ts'
import { createDevelopment } from '../packages/development.ts'
import { createDirectory } from '../packages/directory.ts'
import { createFolders } from '../packages/folders.ts'
import { createRemovalNotes, deleteLeftovers, type Removal } from '../packages/leftovers.ts'
import { createPackages } from '../packages/packages.ts'
import { createTrials } from './run/trials.ts'
import { createPublisher } from './compose/publisher.ts'
import { changeRegistry, createRegistry } from './load/registry.ts'
import { addFoundFolders } from './load/found-folders.ts'
import { shownState, type Slot } from './compose/slot.ts'
import { createSlots } from './compose/slots.ts'
import { createThreads } from './isolated/threads.ts'
import type { DescribedPlugin } from '../http/openapi/document.ts'
import { createSnapshots } from './dormant/snapshot.ts'
import type { StageRequest } from './run/stage.ts'
import { sectionsOf } from './load/manifest-values.ts'
import { createNotifier } from './show/notifier.ts'
import { stampOf, textsOf } from './show/texts.ts'
import { createQuarantine } from './load/quarantine.ts'
import { type Stall, startWatchdog, takeStallNote, type Watchdog } from './run/watchdog.ts'
import { startWatcher, type Watcher } from './load/watcher.ts'

export interface HostOptions {
  /** Loads no plugins; they can be enabled one by one. */
  readonly safe?: boolean
  /**
   * The plugins whose sources are watched, in addition to both registries. Default: those of added plugins. True, for
   * development: also those of plugins that ship, which are more than a thousand files.
   */
  readonly watch?: 'added' | boolean
  /** Checks sockets that plugins open outside of ctx.upstream. At most one host per process. */
  readonly networkGuard?: boolean
  readonly watchPollMs?: number | undefined
  /** The thread that detects endless loops. */
  readonly watchdog?: boolean
  readonly stallMs?: number
  readonly fatalMs?: number
  /** Time after which a silent plugin thread counts as hung. */
  readonly silenceMs?: number
  readonly drainMs?: number
  /** How long a new version of a plugin from npm is on trial. */
  readonly trialMs?: number
  /** Pause before a kept request is delivered a second time. */
  readonly keptPauseMs?: number
  /** How long a plugin must be active before its snapshot is written. */
  readonly snapshotMs?: number
  readonly limits?: StageRequest['limits']
  /** For the build, which compiles the threads of all plugins. */
  readonly onThread?: StageRequest['onThread']
  readonly isCoreRoute: (method: string, path: string) => boolean
}

export type PluginHost = ReturnType<typeof createPluginHost>

export function createPluginHost(core: HostDependencies, options: HostOptions) {
  const slots = createSlots(core.clock)
  const notifier = createNotifier(core)
  const faults = createFaults({
    core,
    slots,
    notifier,
    unload: (slot, event) => void publisher.unload(slot, event),
    retry: (slot) => void loading.load(slot, 'retry'),
    takenOut(slot, why, directory) {
      if (directory === slot.directory) trials.failed(slot, why)
    },
  })
  const packages = createPackages({ files: core.directories, npm: core.npmRegistry, nowMs: () => core.clock.now() })
  const development = createDevelopment({
    files: core.directories,
    nowMs: () => core.clock.now(),
    events: core.events,
    log: core.log,
    async apply(id) {
      await (id === null ? rescan() : reload(id))
      await settled()
    },
  })
  const trials = createTrials({ packages, notifier, rescan, trialMs: options.trialMs })
  const pluginDirectory = createDirectory({
    places: core.directory,
    files: core.directories,
    packages,
    nowMs: () => core.clock.now(),
    log: core.log,
    apply: applyPackage,
  })
  const { report } = faults
  const kept = createKeptStore({
    folder: join(core.directories.run, 'kept'),
    vault: core.vault,
    clock: core.clock,
    log: core.log,
  })
  const keptEvents = createKeptEvents({ folder: join(core.directories.run, 'events'), log: core.log })
  const publisher = createPublisher({
    core,
    slots,
    notifier,
    report,
    isCoreRoute: options.isCoreRoute,
    activate: (slot) => loading.activate(slot),
    kept,
    keptEvents,
    keptPauseMs: options.keptPauseMs,
    drainMs: options.drainMs,
  })
  /** For `revision`: the last seen composition, and the number of changes. */
  let composed: unknown
  let changes = 0
  /** The plugins have not got the saved settings yet. */
  let isRefreshing = false
  const facts: HostFacts = {
    version: core.version,
    startedAtMs: core.startedAtMs,
    dataEpoch: core.dataEpoch,
    debug: () => core.config.at('runtime.debug') === true || core.config.at('runtime.debug_mods') === true,
    redact: core.redact,
    logChannels: core.logChannels,
    health: async () => {
      const [own, ofPlugins] = await Promise.all([core.health(), callHook(HEALTH_DETAIL, {})])
      return [...own, ...(ofPlugins as readonly HealthFact[])]
    },
    upstream: () => core.upstream.stats(),
    upstreamCalls: () => core.upstream.calls(),
    process: core.process,
    plugins: () => [...slots].map(factsOf).sort((a, b) => (a.id < b.id ? -1 : 1)),
    revision() {
      const now = publisher.composition()
      if (now !== composed || isRefreshing) {
        composed = now
        changes += 1
      }
      return `${changes}.${notifier.published()}`
    },
  }
  const inspection: Inspection = {
    runtime: () => ({ node: process.version, platform: process.platform, architecture: process.arch }),
    settings: () => core.config.masked(),
    plugins: () => [...slots].map((slot) => detailOf(slot, core.scheduler.jobs)),
  }
  const threads = createThreads()
  const loader = createLoader({
    core,
    notifier,
    facts,
    inspection,
    pluginDirectory,
    dataHost: {
      groups: () => new Map([...slots].map(({ id, manifest }) => [id, manifest?.data?.group ?? 'state'])),
      restart: core.restart,
    },
    composition: publisher.composition,
    eventOwners: (area) => {
      const emitters = [...slots].filter(({ id, manifest }) => id === area || manifest?.emits?.includes(area) === true)
      // Bundled owners come first, so that an added plugin cannot claim their events.
      const shipped = emitters.filter(({ registered }) => registered.origin === 'bundled')
      return (shipped.length > 0 ? shipped : emitters).map(({ id }) => id)
    },
    coming: (token) => comingCapability(token, slots, (slot) => loading.activate(slot)),
    report,
    limits: options.limits,
    onThread: options.onThread,
    threads,
    died: faults.died,
    silenceMs: options.silenceMs,
  })
  const snapshots = createSnapshots(join(core.directories.run, 'plugins'))
  const keeper = createSnapshotKeeper({ core, snapshots, loader, report, afterMs: options.snapshotMs })
  const removals = createRemovalNotes(join(core.directories.run, 'removals'))
  const stopNote = join(core.directories.run, 'stopped')
  const running = new AsyncDisposableStack()
  let watcher: Watcher | null = null
  let watchdog: Watchdog | null = null
  const quarantine = createQuarantine(join(core.directories.run, 'left-out.json'))
  const loading = createLoading({
    core,
    slots,
    notifier,
    faults,
    trials,
    kept,
    publisher,
    loader,
    snapshots,
    keeper,
    quarantine,
    onLive: (slot, live) => watchdog?.runs(slot.id, live.staged.generation.seq, live.version),
    isStopping: () => isStopping,
    safe: options.safe === true,
  })
  const { load } = loading
  let registryProblems: readonly { readonly code: string; readonly message: string }[] = []
  let isStopping = false
  /** Applies the current settings to every plugin. */
  let refreshing: Promise<unknown> = Promise.resolve()
  let upAtMs = Number.POSITIVE_INFINITY

  // While plugins are loaded in sequence, a stall cannot be attributed to one of them.
  function onStall(stall: Stall): void {
    if (performance.now() - stall.blockedMs >= upAtMs) faults.stalled(stall)
    else core.log.debug({ blockedMs: stall.blockedMs }, 'the event loop stood still while the service started')
  }

  async function start(): Promise<void> {
    // Source-mapped stack traces for plugins.
    process.setSourceMapsEnabled(true)
    if (options.networkGuard !== false) running.defer(startNetworkGuard({ isAllowed, report }))
    running.defer(
      core.config.onSaved(({ paths }) => {
        const mine = Promise.allSettled([refreshing, loading.onConfigSaved(paths)])
        refreshing = mine
        isRefreshing = true
        changes += 1
        void mine.then(() => {
          changes += 1
          if (refreshing === mine) isRefreshing = false
        })
      }),
    )
    const stallNote = join(core.directories.run, 'stalled.json')
    const lastStall = takeStallNote(stallNote)
    if (lastStall !== null) await quarantine.add(lastStall)
    if (options.watchdog !== false) {
      const dog = (watchdog = startWatchdog({
        markerFile: stallNote,
        onStall,
        stallMs: options.stallMs,
        fatalMs: options.fatalMs,
      }))
      running.defer(() => dog.stop())
    }
    if (options.watch !== false) {
      watcher = watchSources()
      // A missing file is watched through its folder, which also contains databases with frequent writes.
      await createRegistry(core.directories.userRegistry).catch((error: unknown) =>
        core.log.warn({ err: error }, 'the registry of own plugins cannot be made'),
      )
    }
    const wasStopped = await rm(stopNote).then(
      () => true,
      () => false,
    )
    const swept = core.directories.compiled === null ? undefined : sweepCompiled(core.directories.compiled)
    await kept.open().catch((error: unknown) => core.log.error({ err: error }, 'kept requests cannot be read'))
    await development
      .start()
      .catch((error: unknown) => core.log.error({ err: error }, 'a version of an author is still in the registry'))
    await readSlots()
    await completeRemovals().catch((error: unknown) =>
      core.log.error({ err: error }, 'notes of removals cannot be read'),
    )
    for (const { id, registered } of slots) for (const former of registered.formerly) kept.adopt(former, id)
    if (options.safe === true) for (const slot of slots) slot.change({ type: 'disabled' })
    else {
      const candidates = [...slots].filter((slot) => shownState(slot.state) === 'discovered')
      const lastRun = await readLastRun(join(core.directories.run, 'last-run.json'), core.isNewData)
      // Without data nothing was interrupted.
      await loading.loadTogether(candidates, lastRun, core.isNewData || (wasStopped && !core.hasLostRows))
    }
    await swept
    upAtMs = performance.now()
    watchAgain()
  }

  async function stop(): Promise<void> {
    isStopping = true
    await keeper.close()
    development.stop()
    trials.close()
    await trials.settled()
    for (const slot of slots) faults.forget(slot)
    await watcher?.close()
    await settled()
    await publisher.stopDelivery()
    await kept.settled()
    // Dependents end first.
    const order = orderByCapabilities(slots.presentManifests(), []).order.toReversed()
    let isClean = true
    for (const slot of [...order.map(slots.need), ...slots]) isClean = (await publisher.end(slot)) && isClean
    publisher.close()
    await threads.close()
    await keptEvents.settled()
    // Without this record the next start loads more plugins than necessary. After interrupted work they are necessary.
    if (isClean) await writeFile(stopNote, '').catch(() => {})
    await running.disposeAsync()
  }

  /** Resolves when every plugin has the saved settings and no load is running. */
  async function settled(): Promise<void> {
    const loads = () => [...slots].map(({ running, queued }) => queued?.done ?? running)
    let before: readonly unknown[] = []
    for (
      let now = [refreshing, ...loads()];
      now.some((work, at) => work !== before[at]);
      now = [refreshing, ...loads()]
    ) {
      before = now
      await Promise.allSettled(now)
    }
    await trials.settled()
  }

  /** When the work of a removed plugin is over. */
  const ended = new WeakMap<Slot, Promise<unknown>>()
  let reading: Promise<readonly Slot[]> = Promise.resolve([])
  async function readSlots(): Promise<void> {
    const { plugins, problems } = await core.sources.list()
    registryProblems = problems.map(({ code, message }) => ({ code, message }))
    for (const { code, message } of problems) core.log.warn({ code }, message)
    for (const slot of slots.register(plugins)) {
      faults.forget(slot)
      ended.set(slot, publisher.unload(slot, { type: 'removed' }))
      loading.loadRivalsOf(slot)
      await snapshots
        .forget(slot.id)
        .catch((error: unknown) => core.log.warn({ err: error, plugin: slot.id }, 'a snapshot could not be removed'))
      notifier.publish('plugin.state', slot)
    }
    // Including disabled plugins, whose routes respond that they are off.
    await Promise.all(
      [...slots].map(async (slot) => {
        if (slot.manifest !== null) return
        slot.shipped = core.sources.shipped?.(slot) ?? null
        slot.manifest = slot.shipped?.manifest ?? (await core.sources.manifest(slot).catch(() => null))
      }),
    )
    core.setPublicNames(publicNamesOf(slots))
  }

  function describedOf(slot: Slot): DescribedPlugin {
    const { id, manifest } = slot
    const { live, dormant } = slot.state
    return {
      id,
      version: live === null ? (dormant?.snapshot.version ?? shownState(slot.state)) : `${live.version} ${slot.seq}`,
      name: manifest?.name ?? id,
      description: manifest?.description,
      provider: manifest?.provider,
      directory: slot.directory,
      async describe() {
        const snapshot = slot.state.dormant?.snapshot
        const noted =
          snapshot === undefined
            ? null
            : snapshot === slot.shipped?.snapshot
              ? await core.sources.shippedDescription?.(id)
              : await snapshots.description(id)
        return noted ?? (await loading.activate(slot))?.staged.child.describe() ?? null
      },
    }
  }

  function watchSources(): Watcher {
    return startWatcher({
      onPlugin: (id, cause, sinceMs) => {
        const slot = slots.find(id)
        if (slot !== undefined) void load(slot, cause, sinceMs)
      },
      onRegistry: () => runAsHost(() => void rescan()),
      onError: (error) => core.log.warn({ err: error }, 'watching plugin sources failed'),
      pollMs: options.watchPollMs,
    })
  }

  function watchAgain(): void {
    watcher?.setTargets({
      plugins: new Map(
        [...slots]
          .filter(({ registered }) => options.watch === true || registered.origin === 'user')
          .map(({ id, directory }) => [id, directory]),
      ),
      registries: [core.directories.bundledRegistry, core.directories.userRegistry],
    })
  }

  /** Reads the registries again: loads new plugins, unloads removed and disabled ones. */
  async function rescan(): Promise<void> {
    // Serialized, so that a slow earlier scan cannot overwrite a newer one.
    reading = reading.then(readChanges, readChanges)
    const changed = await reading
    for (const slot of slots) if (!slot.registered.enabled && shownState(slot.state) !== 'disabled') turnOff(slot)
    if (options.safe !== true) await Promise.all(changed.map((slot) => load(slot, 'user')))
    watchAgain()
  }

  /**
   * Removes a plugin.
   * @param takeOut takes it out of the registry
   * @param by who wants its settings and data deleted, too; null keeps them
   */
  async function removePlugin(id: string, takeOut: () => Promise<void>, by: string | null): Promise<void> {
    const slot = slots.find(id)
    const sections = slot?.manifest == null ? [`plugins.${id}`] : sectionsOf(slot.manifest)
    const removal = by === null ? null : { id, sections, by }
    if (removal !== null) await removals.add(removal)
    try {
      await takeOut()
    } catch (error) {
      await removals.remove(id)
      throw error
    }
    await rescan()
    // Its last work may still store something.
    if (slot !== undefined && removal !== null) await ended.get(slot)
    if (core.directories.compiled !== null) await forgetCompiled(core.directories.compiled, id)
    if (removal !== null) await forget(removal)
    await removals.remove(id)
  }

  /** Deletes what a removed plugin stored. */
  async function forget(removal: Removal): Promise<void> {
    await kept.discard(removal.id)
    await keptEvents.discard(removal.id)
    const { ownDatabases, files } = core.pluginPaths(removal.id)
    const sectionsInUse = [...slots].flatMap(({ manifest }) => (manifest === null ? [] : sectionsOf(manifest)))
    await deleteLeftovers(
      { ...removal, sectionsInUse },
      { config: core.config, keyValue: core.keyValue, database: core.database, ownDatabases, files },
    )
  }

  /** Completes removals that a crash cut off. A plugin that is still registered was not taken out, and keeps its data. */
  async function completeRemovals(): Promise<void> {
    // A registry that cannot be read does not say who is gone.
    if (registryProblems.length > 0) return
    for (const removal of await removals.all()) {
      if (slots.find(removal.id) === undefined)
        await forget(removal).catch((error: unknown) =>
          core.log.error({ err: error, plugin: removal.id }, 'what a removed plugin stored could not be deleted'),
        )
      await removals.remove(removal.id)
    }
  }

  /** Loads the live version of a package; false if it does not run, and the version before does. */
  async function applyPackage(id: string, version: string | null): Promise<boolean> {
    await rescan()
    await settled()
    const found = (await packages.list()).find((known) => known.id === id)
    const slot = slots.find(id)
    const state = slot === undefined ? null : shownState(slot.state)
    const isUp = state === 'active' || state === 'dormant'
    // While a trial starts, the previous version is still running.
    const runs = slot === undefined || !slot.registered.enabled || (isUp && found?.trial !== 'starting')
    return found?.version === version && runs
  }

  /** Plugins to load after reading the registries. */
  async function readChanges(): Promise<readonly Slot[]> {
    const before = new Map([...slots].map(({ id, registered, directory }) => [id, { ...registered, directory }]))
    await readSlots()
    return [...slots].filter((slot) => {
      const old = before.get(slot.id)
      return (
        slot.registered.enabled &&
        (old?.enabled !== true ||
          shownState(slot.state) === 'disabled' ||
          old.directory !== slot.directory ||
          old.integrity !== slot.registered.integrity)
      )
    })
  }

  function turnOff(slot: Slot): void {
    faults.forget(slot)
    slot.breaker.reset()
    void publisher.unload(slot, { type: 'disabled' })
    loading.loadRivalsOf(slot)
    notifier.log(slot).info('plugin is off')
    notifier.publish('plugin.state', slot)
    notifier.publish('plugin.disabled', slot)
  }

  async function setEnabled(id: string, enabled: boolean): Promise<void> {
    const slot = slots.need(id)
    await changeRegistry(core.directories.userRegistry, (plugins) => {
      const own = plugins.find((entry) => entry.id === id)
      return [...plugins.filter((entry) => entry.id !== id), { ...own, id, enabled }]
    })
    slot.registered = { ...slot.registered, enabled }
    if (enabled) await reload(id)
    else turnOff(slot)
  }

  /** Reloads the plugin, changed or not. Resolves when done, also after a failure. */
  async function reload(id: string): Promise<void> {
    const slot = slots.need(id)
    if (!slot.registered.enabled)
      throw new PlayheadError('PLH_CONFLICT', `Plugin "${id}" is disabled. Enable it first.`, {
        wire: 'plugin_disabled',
      })
    slot.breaker.reset()
    await load(slot, 'user')
  }

  function isAllowed(plugin: string, hostname: string, port: number): boolean {
    const slot = slots.find(plugin)
    const generations = [slot?.state.live?.staged.generation, ...(slot?.draining ?? [])]
    const entered = generations.flatMap((generation) => [...(generation?.entered ?? [])])
    return isHostAllowed(
      [...resolveAllowedHosts(slot?.manifest?.needs?.hosts ?? [], slot?.state.live?.config ?? {}), ...entered],
      { hostname, port },
    )
  }

  function callHook<H extends AnyHook>({ name }: H, input: HookInput<H>): Promise<HookResult<H>> {
    return publisher.composition().callHook(name, input) as Promise<HookResult<H>>
  }

  return {
    start,
    stop,
    reload,
    rescan,
    /** Lists plugin folders of the data directory, switched off; their ids. */
    findFolders: async (): Promise<readonly string[]> =>
      (
        await addFoundFolders(
          core.directories.userRegistry,
          core.directories.packages,
          [...slots].map(({ id, directory }) => ({ id, directory })),
        )
      ).added,
    settled,
    /** Resolves when the snapshots of all plugins that run are written. */
    snapshotsKept: () => keeper.settled(),
    enable: (id: string) => setEnabled(id, true),
    disable: (id: string) => setEnabled(id, false),
    /** Dispatches the request to a plugin; false if no plugin has the route. */
    route: (request: IncomingMessage, response: ServerResponse): boolean =>
      publisher.composition().route(request, response),
    methodsAt: (url: string): readonly string[] => publisher.composition().methodsAt(url),
    callHook,
    strayError: faults.strayError,
    safe: options.safe === true,
    list: () => [...slots].map(summaryOf).sort((a, b) => (a.id < b.id ? -1 : 1)),
    problems: () => registryProblems,
    /** Translated texts of plugins, see texts.ts. */
    texts: (language: string) =>
      textsOf(slots, language, (plugin, error) => core.log.warn({ plugin, err: error }, 'texts cannot be used')),
    /** Null while sources are edited (`--dev`). */
    textsRevision: async (language: string): Promise<string | null> =>
      options.watch === true ? null : `${facts.revision()} ${await stampOf(slots, language)}`,
    /** A file of a plugin's pages; undefined for versions other than the active one. */
    pageFile(id: string, hash: string, file: string): string | undefined {
      const pages = slots.need(id).state.live?.staged.pages
      return pages?.hash === hash && Object.hasOwn(pages.files, file) ? pages.files[file] : undefined
    },
    /** The context of the active version, for tests. */
    context: (id: string) => slots.find(id)?.state.live?.staged.context,
    detail: (id: string) => detailOf(slots.need(id), core.scheduler.jobs),
    /** All plugins with their OpenAPI descriptions. */
    described: (): readonly DescribedPlugin[] => [...slots].map(describedOf),
    packages,
    applyPackage,
    removePlugin,
    folders: createFolders(core.directories),
    development,
    checkLeaks: (force = false) => publisher.checkLeaks(force),
    pendingCollections: () => publisher.pendingCollections(),
  }
}
