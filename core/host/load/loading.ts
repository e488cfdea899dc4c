// Loads plugins. Each change of a plugin is one transaction (read, build, stage, publish), one at a time per plugin; a
// failure before the publish changes nothing. Dormant plugins are loaded at first use, see dormant.ts.
import { join } from 'node:path'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { isPlayheadError } from '@playhead/sdk'
import { removeFiles } from '../../own-database/files.ts'
import { orderByCapabilities } from '../compose/capability-graph.ts'
import type { Publisher } from '../compose/publisher.ts'
import { isNewest, type Phases, type Slot, stateOf, WAITING_CODES } from '../compose/slot.ts'
import type { LivePlugin, PluginSnapshot } from '../contract.ts'
import type { Slots } from '../compose/slots.ts'
import type { HostDependencies } from '../dependencies.ts'
import { createDormant, createWaits } from '../dormant/dormant.ts'
import type { LastRun } from '../dormant/last-run.ts'
import type { SnapshotKeeper } from '../dormant/keep-snapshots.ts'
import { isOfSameFiles, type Snapshots } from '../dormant/snapshot.ts'
import type { KeptStore } from '../kept/store.ts'
import { runAsHost } from '../run/attribution.ts'
import { type Fault, LoadError, toFault } from '../run/fault.ts'
import type { Faults } from '../run/faults.ts'
import { guarded } from '../run/guard.ts'
import { bindSettings, isTouched } from '../run/settings.ts'
import type { Trials } from '../run/trials.ts'
import type { Notifier } from '../show/notifier.ts'
import type { Loader, Prepared } from './loader.ts'
import { sectionsOf } from './manifest-values.ts'
import type { Quarantine } from './quarantine.ts'

// At start, plugins that take longer are published later.
const START_TOGETHER_MS = 1_500
/** Those are published together, too. */
const LATE_TOGETHER_MS = 100
const CONFIG_LISTENER_MS = 10_000
/** State after a load: earlier reasons for being off no longer apply. */
const LOADED = { loading: null, outBecause: null } as const

/** Why a plugin is loaded; `watched` and `file` may turn out to be no change. */
type Cause = 'watched' | 'file' | 'config' | 'user' | 'retry' | 'capability' | 'use'

interface LoadingDependencies {
  readonly core: HostDependencies
  readonly slots: Slots
  readonly notifier: Notifier
  readonly faults: Faults
  readonly trials: Trials
  readonly kept: KeptStore
  readonly publisher: Publisher
  readonly loader: Loader
  readonly snapshots: Snapshots
  readonly keeper: SnapshotKeeper
  readonly quarantine: Quarantine
  /** This version runs from now on. */
  readonly onLive: (slot: Slot, live: LivePlugin) => void
  readonly isStopping: () => boolean
  /** Safe mode: nothing is loaded at start. */
  readonly safe: boolean
}

export function createLoading({
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
  onLive,
  isStopping,
  safe,
}: LoadingDependencies) {
  const { report } = faults
  const waits = createWaits()
  /** Resolves when the slowest plugin of the start is loaded, too. */
  let isStarting = !safe

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
    // Safe mode never read the plugin, so a file event must not load it.
    if (isStopping() || !slot.registered.enabled || (!mustTry && known === null)) return
    const watchMs = performance.now() - sinceMs
    if (!mustTry && slot.dormant !== null && (await isOfSameFiles(slot.dormant.snapshot))) return
    const isKnown = () => !mustTry && slot.lastFound === known
    const { directory } = slot
    try {
      if (mustWake) notifier.change(slot, { loading: 'building' })
      const prepared = await loader.prepare(slot)
      // The registry now names another folder; its load is queued.
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
      // The loop is free between what staging and the swap take in one go.
      await nextTurn()
      if (isStopping() || !slot.registered.enabled || slots.find(slot.id) !== slot) {
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

  /** Loads a dormant plugin, or waits for the current load. Null: no version is running. */
  async function activate(slot: Slot): Promise<LivePlugin | null> {
    const isLoading = () => slot.next !== null || slot.loading !== null
    await waits.during(slot.id, async () => {
      while (slot.live === null && !isStopping() && (isLoading() || slot.dormant !== null)) {
        await (slot.next ?? (slot.loading === null ? load(slot, 'use') : slot.running))
        await nextTurn()
      }
    })
    return slot.live
  }

  /** Loads plugins that conflicted with a removed version. */
  function loadRivalsOf({ id }: Slot): void {
    for (const other of slots) if (other.failedLoad?.rival === id) void load(other, 'capability')
  }

  /** Clears the failure when its cause is resolved. */
  function dropFailure(slot: Slot, isGone: (fault: Fault) => boolean): void {
    if (slot.failedLoad === null || !isGone(slot.failedLoad.fault)) return
    if (slot.lastError === slot.failedLoad.fault) slot.lastError = null
    slot.failedLoad = null
    notifier.publish('plugin.state', slot)
  }

  /** At start: compiles in parallel, stages in dependency order, publishes once. */
  async function loadTogether(candidates: readonly Slot[], lastRun: LastRun, wasStopped: boolean): Promise<void> {
    const prepared = new Map<string, Prepared>()
    await Promise.all(
      candidates.map((slot) =>
        findDormant(slot, lastRun, wasStopped).catch((error: unknown) =>
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
    let late: { readonly lives: LivePlugin[]; readonly published: Promise<void> } | null = null
    // Each publish builds the whole router.
    const publishLate = (live: LivePlugin) => {
      const lives = [live]
      if (late !== null) late.lives.push(live)
      else
        late = {
          lives,
          published: sleep(LATE_TOGETHER_MS).then(() => {
            late = null
            publishTimed(lives, {})
          }),
        }
      return late.published
    }
    const staging = order.map(async (id) => {
      const slot = slots.need(id)
      try {
        const live = await loader.stage(slot, prepared.get(id) as Prepared)
        if (isTogether) ready.push(live)
        else await publishLate(live)
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
      lastRun
        .note(candidates.filter(({ live, dormant }) => live === null && dormant === null).map(({ id }) => id))
        .catch((error: unknown) => core.log.warn({ err: error }, 'the next start will load all plugins: a note failed'))
    })
  }

  /** Makes the plugin dormant if it has a snapshot and need not run from the start. */
  async function findDormant(slot: Slot, lastRun: LastRun, wasStopped: boolean): Promise<void> {
    const { id, manifest, registered, shipped } = slot
    // Kept requests wait for it.
    if (kept.has(id)) return
    // Page hashes and integrity checks require reading every file.
    if (manifest === null || manifest.ui !== undefined || registered.integrity !== null) return
    const own = await snapshots.read(id)
    const proven = own ?? shipped?.snapshot
    slot.provenHash = proven?.sourceHash ?? null
    slot.provenSections = proven?.sections ?? []
    if (manifest.activation?.includes('start') === true) return
    for (const snapshot of [own, shipped?.snapshot]) {
      if (snapshot == null || (snapshot.worksAfterStart && !wasStopped)) continue
      if (!lastRun.allows(id, snapshot, snapshot !== own)) continue
      const { sourceHash } = snapshot
      const version = loader.versionOf({ manifest, compiled: { hash: sourceHash } })
      // The settings may be others than those of the snapshot.
      if (snapshot.version !== version || !(await isOfItsSources(slot, snapshot))) continue
      if ((await quarantine.reason(id, version)) !== undefined) return
      slot.lastFound = sourceHash
      slot.dormant = createDormant({ manifest, snapshot, activate: () => activate(slot) })
      return
    }
  }

  async function isOfItsSources(slot: Slot, snapshot: PluginSnapshot): Promise<boolean> {
    const { sourceHash } = snapshot
    // Its sources were read with the registries.
    if (slot.shipped?.snapshot?.sourceHash === sourceHash) return true
    // Rewritten files may have the same content.
    return (await isOfSameFiles(snapshot)) || (await loader.sourceHash(slot)) === sourceHash
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
    onLive(slot, live)
    void quarantine.forget(slot.id)
    keeper.later(slot)
    trials.started(slot)
    void removeDatabases(slot)
    // At start one line reports the number instead.
    notifier
      .log(slot)
      [isStarting ? 'debug' : 'info'](
        { ms: Math.round(phases.compileMs + phases.stageMs + phases.publishMs) },
        'plugin is live',
      )
    notifier.publish('plugin.activated', slot, {
      to: live.staged.generation.seq,
      phases,
      ...(isStarting ? { starting: true } : {}),
    })
  }

  /** Those that only earlier versions opened. */
  async function removeDatabases(slot: Slot): Promise<void> {
    try {
      for (const name of slot.manifest?.data?.removed ?? [])
        await removeFiles(join(core.databaseFolder(slot.id), `${name}.sqlite`))
    } catch (error) {
      notifier.log(slot).warn({ err: error }, 'a database of an earlier version could not be removed')
    }
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
    // The running code is the same, so only a slow moment explains the timeout; the new settings still need a load.
    const isSlowMoment = fault.code === 'PLH_PLUGIN_SETUP_TIMEOUT' && slot.live !== null && isNewest(slot)
    if (fault.code === 'PLH_NOT_READY' || isSlowMoment) faults.tryAgainSoon(slot)
    // The live version, if any, is another one.
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
    // Settings that failed were taken back.
    const isSame = JSON.stringify(next) === JSON.stringify(live.config)
    if (isNewest(slot)) dropFailure(slot, ({ code }) => isSame || code === 'PLH_CONFIG_INVALID')
    if (isSame) return
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

  return { load, activate, loadRivalsOf, loadTogether, onConfigSaved }
}
