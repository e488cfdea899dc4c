// The plugin host. Each change of a plugin is one transaction (read, build, stage, publish), one at a time per plugin;
// a failure before the publish changes nothing. See publisher.ts for the swap and stage.ts for staging.
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  isPlayheadError,
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
import { sweepCompiled } from './load/compile.ts'
import type { HostDependencies } from './dependencies.ts'
import { createKeptStore } from './kept/store.ts'
import { createDormant, createWaits } from './dormant/dormant.ts'
import { createFaults } from './run/faults.ts'
import { type Fault, LoadError, toFault } from './run/fault.ts'
import { guarded } from './run/guard.ts'
import { createSnapshotKeeper } from './dormant/keep-snapshots.ts'
import { createLoader, type Prepared } from './load/loader.ts'
import { startNetworkGuard } from './load/network-guard.ts'
import { detailOf, factsOf, summaryOf } from './show/plugin-view.ts'
import { publicNamesOf } from './compose/public-names.ts'
import { createDevelopment } from '../packages/development.ts'
import { createPackages } from '../packages/packages.ts'
import { createTrials } from './run/trials.ts'
import { createPublisher } from './compose/publisher.ts'
import { changeRegistry, createRegistry } from './load/registry.ts'
import { bindSettings, isTouched } from './run/settings.ts'
import { type LivePlugin, type Phases, type Slot, stateOf, WAITING_CODES } from './compose/slot.ts'
import { createSlots } from './compose/slots.ts'
import type { DescribedPlugin } from '../http/openapi/document.ts'
import { coreBuild, createSnapshots, isOfSameFiles } from './dormant/snapshot.ts'
import type { StageRequest } from './run/stage.ts'
import { sectionsOf } from './load/manifest-values.ts'
import { createNotifier } from './show/notifier.ts'
import { textsOf } from './show/texts.ts'
import { createQuarantine } from './load/quarantine.ts'
import { type Stall, startWatchdog, takeStallNote, type Watchdog } from './run/watchdog.ts'
import { startWatcher, type Watcher } from './load/watcher.ts'

// At start, plugins that take longer are published later.
const START_TOGETHER_MS = 1_500
const CONFIG_LISTENER_MS = 10_000
/** State after a load: earlier reasons for being off no longer apply. */
const LOADED = { loading: null, outBecause: null } as const

export interface HostOptions {
  /** Load nothing; plugins can be enabled one by one. */
  readonly safe?: boolean
  readonly watch?: boolean
  /** Checks sockets that plugins open outside of ctx.upstream. At most one host per process. */
  readonly networkGuard?: boolean
  readonly watchPollMs?: number | undefined
  /** The thread that detects endless loops. */
  readonly watchdog?: boolean
  readonly stallMs?: number
  readonly fatalMs?: number
  /** How long a plugin's own thread may give no sign of life. */
  readonly silenceMs?: number
  readonly drainMs?: number
  /** How long a new version of a plugin from npm is on trial. */
  readonly trialMs?: number
  /** Pause before a kept request is delivered a second time. */
  readonly keptPauseMs?: number
  /** How long a plugin must be active before its snapshot is written. */
  readonly snapshotMs?: number
  readonly limits?: StageRequest['limits']
  readonly isCoreRoute: (method: string, path: string) => boolean
}

export type PluginHost = ReturnType<typeof createPluginHost>

/** Why a plugin is loaded; `watched` and `file` may turn out to be no change. */
type Cause = 'watched' | 'file' | 'config' | 'user' | 'retry' | 'capability' | 'use'

export function createPluginHost(core: HostDependencies, options: HostOptions) {
  const slots = createSlots(core.clock)
  const notifier = createNotifier(core)
  const faults = createFaults({
    core,
    slots,
    notifier,
    unload: (slot, reason) => publisher.unload(slot, reason),
    retry: (slot) => void load(slot, 'retry'),
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
  const { report } = faults
  const kept = createKeptStore({
    folder: join(core.directories.run, 'kept'),
    vault: core.vault,
    clock: core.clock,
    log: core.log,
  })
  const publisher = createPublisher({
    core,
    slots,
    notifier,
    report,
    isCoreRoute: options.isCoreRoute,
    activate,
    kept,
    keptPauseMs: options.keptPauseMs,
    drainMs: options.drainMs,
  })
  const facts: HostFacts = {
    version: core.version,
    startedAtMs: core.startedAtMs,
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
  }
  const inspection: Inspection = {
    runtime: () => ({ node: process.version, platform: process.platform, architecture: process.arch }),
    settings: () => core.config.masked(),
    plugins: () => [...slots].map((slot) => detailOf(slot, core.scheduler.jobs)),
  }
  const loader = createLoader({
    core,
    notifier,
    facts,
    inspection,
    dataHost: {
      groups: () => new Map([...slots].map(({ id, manifest }) => [id, manifest?.data?.group ?? 'state'])),
      restart: core.restart,
    },
    composition: publisher.composition,
    report,
    limits: options.limits,
    died: faults.died,
    silenceMs: options.silenceMs,
  })
  const snapshots = createSnapshots(join(core.directories.run, 'plugins'), () => coreBuild(core.version))
  const keeper = createSnapshotKeeper({ core, snapshots, loader, report, afterMs: options.snapshotMs })
  const waits = createWaits()
  const stopNote = join(core.directories.run, 'stopped')
  const running = new AsyncDisposableStack()
  let watcher: Watcher | null = null
  let watchdog: Watchdog | null = null
  const quarantine = createQuarantine(join(core.directories.run, 'left-out.json'))
  let registryProblems: readonly { readonly code: string; readonly message: string }[] = []
  let isStopping = false
  /** Applies the current settings to every plugin. */
  let refreshing: Promise<unknown> = Promise.resolve()
  let upAtMs = Number.POSITIVE_INFINITY
  /** Until the slowest plugin of the start is there, too. */
  let isStarting = options.safe !== true

  // While all plugins are loaded one after another, the one caught is not necessarily the slow one.
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
        refreshing = Promise.allSettled([refreshing, onConfigSaved(paths)])
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
    if (options.safe === true) for (const slot of slots) slot.outBecause = 'disabled'
    else {
      const candidates = [...slots].filter((slot) => stateOf(slot) === 'discovered')
      await loadTogether(candidates, wasStopped)
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
    for (const id of order) await publisher.end(slots.need(id))
    for (const slot of slots) await publisher.end(slot)
    publisher.close()
    // Without the note the next start loads more than necessary.
    await writeFile(stopNote, '').catch(() => {})
    await running.disposeAsync()
  }

  /** Resolves when every plugin has the saved settings and no load is running. */
  async function settled(): Promise<void> {
    const loads = () => [...slots].map(({ running, next }) => next ?? running)
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

  let reading: Promise<readonly Slot[]> = Promise.resolve([])
  async function readSlots(): Promise<void> {
    const { plugins, problems } = await core.sources.list()
    registryProblems = problems.map(({ code, message }) => ({ code, message }))
    for (const { code, message } of problems) core.log.warn({ code }, message)
    for (const slot of await slots.register(plugins)) {
      faults.forget(slot)
      publisher.unload(slot, 'removed')
      loadRivalsOf(slot)
      notifier.publish('plugin.state', slot)
    }
    // Including disabled plugins, whose routes respond that they are off.
    await Promise.all(
      [...slots].map(async (slot) => {
        slot.manifest ??= await core.sources.manifest(slot).catch(() => null)
      }),
    )
    core.setPublicNames(publicNamesOf(slots))
  }

  /** One transaction at a time per plugin; changes meanwhile cause one more afterwards. */
  function load(slot: Slot, cause: Cause, sinceMs: number = performance.now()): Promise<void> {
    if (cause !== 'watched') slot.mustTry = true
    if (cause === 'use') slot.mustWake = true
    else if (cause !== 'watched' && cause !== 'file') slot.mustLoad = true
    slot.next ??= slot.running.then(async () => {
      slot.next = null
      slot.running = runAsHost(() => transact(slot, sinceMs))
      await slot.running
    })
    return slot.next
  }

  async function transact(slot: Slot, sinceMs: number): Promise<void> {
    const { mustTry, mustLoad, lastFound: known } = slot
    slot.mustTry = false
    slot.mustLoad = false
    // Another load may have activated it meanwhile.
    const mustWake = slot.mustWake && slot.live === null
    slot.mustWake = false
    // A plugin that was never read is not wanted, as in safe mode.
    if (isStopping || !slot.registered.enabled || (!mustTry && known === null)) return
    const watchMs = performance.now() - sinceMs
    if (!mustTry && slot.dormant !== null && (await isOfSameFiles(slot.dormant.snapshot))) return
    const isKnown = () => !mustTry && slot.lastFound === known
    const { directory } = slot
    try {
      if (mustWake) notifier.change(slot, { loading: 'building' })
      const prepared = await loader.prepare(slot)
      // The registry names another folder since; its load is queued.
      if (slot.directory !== directory) return notifier.change(slot, { loading: null })
      if (!mustLoad && !mustWake && isNewest(slot)) {
        dropFailure(slot, ({ code }) => code !== 'PLH_CONFIG_INVALID')
        if (slot.failedLoad !== null) void refreshSettings(slot)
        return
      }
      if (isKnown()) return notifier.change(slot, { loading: null })
      faults.forget(slot)
      const others = slots.presentManifests().filter(({ id }) => id !== slot.id)
      const block = orderByCapabilities([prepared.manifest], others).blocked.get(slot.id)
      if (block !== undefined) throw block
      const live = await loader.stage(slot, prepared)
      if (isStopping || !slot.registered.enabled || slots.find(slot.id) !== slot) {
        await live.staged.generation.retire('not wanted any more', 0)
        return notifier.change(slot, { loading: null })
      }
      publishTimed([live], { watchMs })
      // Others may be waiting for its capabilities.
      for (const other of slots)
        if (WAITING_CODES.has(other.failedLoad?.fault.code ?? '')) void load(other, 'capability')
      loadRivalsOf(slot)
    } catch (error) {
      if (isKnown() || slot.directory !== directory) return notifier.change(slot, { loading: null })
      faults.forget(slot)
      failed(slot, error)
    }
  }

  /** True if the folder's content is what is active or dormant. */
  function isNewest({ live, dormant, lastFound }: Slot): boolean {
    const sourceHash = live?.staged.sourceHash ?? dormant?.snapshot.sourceHash
    return sourceHash !== undefined && sourceHash === lastFound
  }

  function describedOf(slot: Slot): DescribedPlugin {
    const { id, manifest, live, dormant } = slot
    return {
      id,
      version: live === null ? (dormant?.snapshot.version ?? stateOf(slot)) : `${live.version} ${slot.seq}`,
      name: manifest?.name ?? id,
      description: manifest?.description,
      provider: manifest?.provider,
      directory: slot.directory,
      async describe() {
        const noted = slot.live === null && slot.dormant !== null ? await snapshots.description(id) : null
        return noted ?? (await activate(slot))?.staged.child.describe() ?? null
      },
    }
  }

  /** Loads a dormant plugin, or waits for the current load. Null: no version is running. */
  async function activate(slot: Slot): Promise<LivePlugin | null> {
    const isLoading = () => slot.next !== null || slot.loading !== null
    await waits.during(slot.id, async () => {
      while (slot.live === null && !isStopping && (isLoading() || slot.dormant !== null)) {
        await (slot.next ?? (slot.loading === null ? load(slot, 'use') : slot.running))
        await nextTurn()
      }
    })
    return slot.live
  }

  /** Loads plugins that conflicted with a version that is gone. */
  function loadRivalsOf({ id }: Slot): void {
    for (const other of slots) if (other.failedLoad?.rival === id) void load(other, 'capability')
  }

  /** Clears the failure when its cause is gone. */
  function dropFailure(slot: Slot, isGone: (fault: Fault) => boolean): void {
    if (slot.failedLoad === null || !isGone(slot.failedLoad.fault)) return
    if (slot.lastError === slot.failedLoad.fault) slot.lastError = null
    slot.failedLoad = null
    notifier.publish('plugin.state', slot)
  }

  /** At start: compiles in parallel, stages in dependency order, publishes once. */
  async function loadTogether(candidates: readonly Slot[], wasStopped: boolean): Promise<void> {
    const prepared = new Map<string, Prepared>()
    await Promise.all(
      candidates.map((slot) =>
        findDormant(slot, wasStopped).catch((error: unknown) =>
          core.log.warn({ err: error }, 'a note on a plugin is not usable'),
        ),
      ),
    )
    await Promise.all(
      candidates
        .filter(({ dormant }) => dormant === null)
        .map(async (slot) => {
          try {
            const found = await loader.prepare(slot)
            const stall = await quarantine.reason(slot.id, loader.versionOf(found))
            if (stall === undefined) prepared.set(slot.id, found)
            else faults.quarantine(stall)
          } catch (error) {
            failed(slot, error)
          }
        }),
    )
    const { order: usable, blocked } = orderByCapabilities(
      [...[...prepared.values()].map(({ manifest }) => manifest), ...slots.presentManifests()],
      [],
    )
    for (const [id, error] of blocked) failed(slots.need(id), error)
    try {
      publisher.refresh()
    } catch {
      // A new plugin conflicts with another; the individual loads report which.
      for (const slot of slots) slot.dormant = null
      publisher.refresh()
    }
    const order = usable.filter((id) => slots.need(id).dormant === null)

    const ready: LivePlugin[] = []
    let isTogether = true
    const staging = order.map(async (id) => {
      const slot = slots.need(id)
      try {
        const live = await loader.stage(slot, prepared.get(id) as Prepared)
        if (isTogether) ready.push(live)
        else publishTimed([live], {})
      } catch (error) {
        failed(slot, error)
      }
    })
    for (const [index, task] of staging.entries()) slots.need(order[index] as string).running = task
    const all = Promise.all(staging)
    await Promise.race([all, sleep(START_TOGETHER_MS, undefined, { ref: false })])
    isTogether = false
    publishTimed(ready, {})
    void all.then(() => {
      isStarting = false
    })
  }

  /** Makes the plugin dormant if it has a snapshot and need not run from the start. */
  async function findDormant(slot: Slot, wasStopped: boolean): Promise<void> {
    const { id, manifest, registered } = slot
    // Kept requests wait for it.
    if (kept.has(id)) return
    // Page hashes and integrity checks require reading every file.
    if (manifest === null || manifest.ui !== undefined || registered.integrity !== null) return
    const snapshot = await snapshots.read(id)
    slot.provenHash = snapshot?.sourceHash ?? null
    if (
      snapshot === null ||
      manifest.activation?.includes('start') === true ||
      (snapshot.worksAfterStart && !wasStopped)
    )
      return
    const { sourceHash } = snapshot
    // Rewritten files may have the same content.
    if (!(await isOfSameFiles(snapshot)) && (await loader.sourceHash(slot)) !== sourceHash) return
    const version = loader.versionOf({ manifest, compiled: { hash: sourceHash } })
    if (snapshot.version !== version || (await quarantine.reason(id, version)) !== undefined) return
    slot.lastFound = sourceHash
    slot.dormant = createDormant({ manifest, snapshot, activate: () => activate(slot) })
  }

  function publishTimed(incoming: readonly LivePlugin[], { watchMs = 0 }: { readonly watchMs?: number }): void {
    const startedAt = performance.now()
    const onConflict = (live: LivePlugin, error: unknown) => failed(slots.need(live.staged.manifest.id), error)
    for (const live of publisher.publishAll(incoming, onConflict)) {
      const { compiled, stageMs, manifest } = live.staged
      const slot = slots.need(manifest.id)
      activated(slot, live, {
        watchMs,
        compileMs: compiled.ms,
        fromCache: compiled.fromCache,
        stageMs,
        publishMs: performance.now() - startedAt,
      })
      // Settings may have been saved while it was staged.
      void refreshSettings(slot)
    }
  }

  function activated(slot: Slot, live: LivePlugin, phases: Phases): void {
    if (slot.activatedAtMs !== null) slot.reloads += 1
    slot.phases = phases
    slot.lastError = null
    slot.failedLoad = null
    slot.notReadyTries = 0
    slot.activatedAtMs = core.clock.now()
    Object.assign(slot, LOADED)
    watchdog?.runs(slot.id, live.staged.generation.seq, live.version)
    void quarantine.forget(slot.id)
    keeper.later(slot)
    trials.started(slot)
    // At start one line reports the number instead.
    notifier
      .log(slot)
      [isStarting ? 'debug' : 'info'](
        { ms: Math.round(phases.compileMs + phases.stageMs + phases.publishMs) },
        'plugin is live',
      )
    notifier.publish('plugin.activated', slot, { to: live.staged.generation.seq, phases })
  }

  function failed(slot: Slot, error: unknown): void {
    const fault = toFault(error, 'setup', { directory: slot.directory, redact: core.redact, nowMs: core.clock.now() })
    slot.lastError = fault
    slot.failedLoad = { fault, rival: error instanceof LoadError ? error.rival : null }
    Object.assign(slot, LOADED)
    if (slot.live === null) publisher.unload(slot, 'not loaded')
    notifier
      .log(slot)
      .error(
        { phase: fault.phase, code: fault.code, file: fault.file, line: fault.line },
        `plugin could not be loaded: ${fault.message}`,
      )
    notifier.publish('plugin.reload_failed', slot, { error: fault })
    if (fault.code === 'PLH_NOT_READY') faults.tryAgainSoon(slot)
    // What is live now is another version, or none.
    else if (slot.live?.staged.directory !== slot.directory) trials.failed(slot, fault.message)
    const cause = error instanceof LoadError ? error.cause : error
    if (isPlayheadError(cause) && cause.wire === 'plugin_unavailable') faults.startAgain(slot)
  }

  async function onConfigSaved(paths: readonly string[]): Promise<void> {
    for (const slot of slots) {
      const sleeping = slot.dormant?.contribution
      if (sleeping != null && isTouched(sleeping, paths)) void load(slot, 'config')
      if (slot.failedLoad?.fault.code === 'PLH_CONFIG_INVALID' && !isNewest(slot)) void load(slot, 'config')
      const isQuarantined = stateOf(slot) === 'quarantined' && slot.retryTimer === null && slot.manifest !== null
      if (isQuarantined && isTouched({ sections: sectionsOf(slot.manifest!).map((path) => ({ path })) }, paths))
        void load(slot, 'config')
      const contribution = slot.live?.contribution
      if (contribution != null && isTouched(contribution, paths)) await refreshSettings(slot)
    }
  }

  /** Applies changed settings: through its listener, otherwise by a reload. */
  async function refreshSettings(slot: Slot): Promise<void> {
    const { live } = slot
    if (live?.contribution == null) return
    let next: LivePlugin['config']
    try {
      next = bindSettings(core.config, live.contribution, live.staged.manifest, () => {})
    } catch (error) {
      failed(slot, error)
      return
    }
    if (isNewest(slot)) dropFailure(slot, ({ code }) => code === 'PLH_CONFIG_INVALID')
    if (JSON.stringify(next) === JSON.stringify(live.config)) return
    const listener = live.staged.recording.configListener
    if (listener === null && slot.selfChanges === 0) {
      void load(slot, 'config')
      return
    }
    live.config = next
    keeper.later(slot)
    if (listener === null || slot.selfChanges > 0) return
    await guarded(
      { generation: live.staged.generation, kind: 'call', what: 'onConfigChange', limitMs: CONFIG_LISTENER_MS },
      report,
      () => listener(next) as void,
    ).catch(() => {})
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
      plugins: new Map([...slots].map(({ id, directory }) => [id, directory])),
      registries: [core.directories.bundledRegistry, core.directories.userRegistry],
    })
  }

  /** Reads the registries again: loads new plugins, unloads removed and disabled ones. */
  async function rescan(): Promise<void> {
    // In turn: an earlier reading that ends later would bring back what it read.
    reading = reading.then(readChanges, readChanges)
    const changed = await reading
    for (const slot of slots) if (!slot.registered.enabled && stateOf(slot) !== 'disabled') turnOff(slot)
    if (options.safe !== true) await Promise.all(changed.map((slot) => load(slot, 'user')))
    watchAgain()
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
          stateOf(slot) === 'disabled' ||
          old.directory !== slot.directory ||
          old.integrity !== slot.registered.integrity)
      )
    })
  }

  function turnOff(slot: Slot): void {
    faults.forget(slot)
    slot.breaker.reset()
    slot.outBecause = 'disabled'
    slot.loading = null
    slot.lastError = null
    slot.failedLoad = null
    publisher.unload(slot, 'disabled')
    loadRivalsOf(slot)
    notifier.log(slot).info('plugin is off')
    notifier.publish('plugin.state', slot)
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

  /** Reloads the plugin, changed or not. Resolves when done, whatever the result. */
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
    const generations = [slot?.live?.staged.generation, ...(slot?.draining ?? [])]
    const entered = generations.flatMap((generation) => [...(generation?.entered ?? [])])
    return isHostAllowed(
      [...resolveAllowedHosts(slot?.manifest?.needs?.hosts ?? [], slot?.live?.config ?? {}), ...entered],
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
    settled,
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
    /** A file of a plugin's pages; undefined for other versions than the active one. */
    /** What plugins say in a language, see texts.ts. */
    texts: (language: string) =>
      textsOf(slots, language, (plugin, error) => core.log.warn({ plugin, err: error }, 'texts cannot be used')),
    pageFile(id: string, hash: string, file: string): string | undefined {
      const pages = slots.need(id).live?.staged.pages
      return pages?.hash === hash && Object.hasOwn(pages.files, file) ? pages.files[file] : undefined
    },
    /** The context of the active version, for tests. */
    context: (id: string) => slots.find(id)?.live?.staged.context,
    detail: (id: string) => detailOf(slots.need(id), core.scheduler.jobs),
    /** All plugins with their OpenAPI descriptions. */
    described: (): readonly DescribedPlugin[] => [...slots].map(describedOf),
    packages,
    development,
    checkLeaks: (force = false) => publisher.checkLeaks(force),
    pendingCollections: () => publisher.pendingCollections(),
  }
}
