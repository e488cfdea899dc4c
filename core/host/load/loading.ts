// Loads plugins. Each change of a plugin is one transaction (read, build, stage, publish), one at a time per plugin; a
// failure before the publish changes nothing. Dormant plugins are loaded at first use, see dormant.ts.
import { join } from 'node:path'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { isPlayheadError } from '@playhead/sdk'
import { removeFiles } from '../../own-database/files.ts'
import { orderByCapabilities } from '../compose/capability-graph.ts'
import type { Incoming, Publisher } from '../compose/publisher.ts'
import {
  type Cause,
  isNewest,
  isSwitchedOff,
  isToLoad,
  isTry,
  type Phases,
  shownState,
  type Slot,
  WAITING_CODES,
} from '../compose/slot.ts'
import type { LivePlugin } from '../contract.ts'
import type { PluginSnapshot } from '../dormant/contract.ts'
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
/** Late plugins within this time are published together as well. */
const LATE_TOGETHER_MS = 100
const CONFIG_LISTENER_MS = 10_000

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
    if (slot.queued === null) {
      const causes = new Set<Cause>()
      const done = slot.running.then(async () => {
        slot.queued = null
        slot.running = runAsHost(() => transact(slot, causes, sinceMs))
        await slot.running
      })
      slot.queued = { causes, done }
    }
    slot.queued.causes.add(cause)
    return slot.queued.done
  }

  async function transact(slot: Slot, causes: ReadonlySet<Cause>, sinceMs: number): Promise<void> {
    const { directory } = slot
    const { dormant, found: before } = slot.state
    // Safe mode never read the plugin, so a file event must not load it.
    if (isStopping() || !slot.registered.enabled || (!isTry(causes) && before === null)) return
    const watchMs = performance.now() - sinceMs
    if (!isTry(causes) && dormant !== null && (await isOfSameFiles(dormant.snapshot))) return
    // The registry may name another folder now; its load is queued.
    const continues = () => slot.directory === directory && isToLoad(slot.state, causes, before)
    const isEdited = causes.has('file') || slot.registered.isDevelopment
    if (isEdited) loader.edited(slot)
    try {
      const prepared = await loader.prepare(slot, causes.has('use'))
      if (!continues()) {
        if (slot.directory === directory && isNewest(slot.state)) {
          dropFailure(slot, ({ code }) => code !== 'PLH_CONFIG_INVALID')
          if (slot.state.failedLoad !== null) void refreshSettings(slot)
        }
        return notifier.change(slot, { type: 'given up' })
      }
      faults.forget(slot)
      const others = slots.presentManifests().filter(({ id }) => id !== slot.id)
      const block = orderByCapabilities([prepared.manifest], others).blocked.get(slot.id)
      if (block !== undefined) throw block
      const live = await loader.stage(slot, prepared)
      // The event loop runs between the blocking parts of staging and of the swap.
      await nextTurn()
      if (!(await publishWanted([{ slot, live }], watchMs))) return
      // Others may be waiting for its capabilities.
      for (const other of slots)
        if (WAITING_CODES.has(other.state.failedLoad?.fault.code ?? '')) void load(other, 'capability')
      loadRivalsOf(slot)
    } catch (error) {
      if (!continues()) return notifier.change(slot, { type: 'given up' })
      faults.forget(slot)
      failed(slot, error)
    } finally {
      if (isEdited && !isStopping()) loader.edited(slot)
    }
  }

  /** Loads a dormant plugin, or waits for the current load. Null: no version is running. */
  async function activate(slot: Slot): Promise<LivePlugin | null> {
    await waits.during(slot.id, async () => {
      while (!isStopping()) {
        const { queued, running, state } = slot
        if (state.live !== null || (queued === null && state.loading === null && state.dormant === null)) break
        await (queued?.done ?? (state.loading === null ? load(slot, 'use') : running))
        await nextTurn()
      }
    })
    return slot.state.live
  }

  /** Loads plugins that conflicted with a removed version. */
  function loadRivalsOf({ id }: Slot): void {
    for (const other of slots) if (other.state.failedLoad?.rival === id) void load(other, 'capability')
  }

  /** Clears the failure when its cause is resolved. */
  function dropFailure(slot: Slot, isGone: (fault: Fault) => boolean): void {
    const { failedLoad } = slot.state
    if (failedLoad === null || !isGone(failedLoad.fault)) return
    slot.change({ type: 'mended' })
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
    try {
      publisher.check()
    } catch {
      // The individual loads report which.
      for (const slot of slots) slot.change({ type: 'removed' })
    }
    await Promise.all(
      candidates
        .filter(({ state }) => state.dormant === null)
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
    publisher.refresh()
    const order = usable.map(slots.need).filter(({ state }) => state.dormant === null)

    const ready: Incoming[] = []
    const publishReady = () => publishWanted(ready.splice(0))
    let late: Promise<unknown> | null = null
    // Each publish composes everything.
    const publishLate = () =>
      (late ??= sleep(LATE_TOGETHER_MS).then(() => {
        late = null
        return publishReady()
      }))
    const staging = order.map(async (slot) => {
      try {
        ready.push({ slot, live: await loader.stage(slot, prepared.get(slot.id) as Prepared) })
      } catch (error) {
        failed(slot, error)
      }
    })
    const soon = sleep(START_TOGETHER_MS, undefined, { ref: false })
    const together = Promise.race([Promise.all(staging), soon]).then(publishReady)
    const publishing = order.map(async (slot, index) => {
      try {
        await Promise.all([staging[index], together])
        if (ready.length > 0) await publishLate()
      } catch (error) {
        failed(slot, error)
      }
    })
    for (const [index, slot] of order.entries()) slot.running = publishing[index] as Promise<void>
    await together
    void Promise.all(publishing).then(() => {
      isStarting = false
      lastRun
        .note(candidates.filter(({ state }) => state.live === null && state.dormant === null).map(({ id }) => id))
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
    slot.proven = own ?? shipped?.snapshot ?? null
    if (manifest.activation?.includes('start') === true) return
    for (const snapshot of [own, shipped?.snapshot]) {
      if (snapshot == null || (snapshot.worksAfterStart && !wasStopped)) continue
      if (!lastRun.allows(id, snapshot, snapshot !== own)) continue
      const { sourceHash } = snapshot
      const version = loader.versionOf({ manifest, compiled: { hash: sourceHash } })
      // The settings may differ from those of the snapshot.
      if (snapshot.version !== version || !(await isOfItsSources(slot, snapshot))) continue
      if ((await quarantine.reason(id, version)) !== undefined) return
      slot.change({ type: 'noted', dormant: createDormant({ manifest, snapshot, activate: () => activate(slot) }) })
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

  /** Publishes those that were not switched off or removed meanwhile. False: all were. */
  async function publishWanted(incoming: readonly Incoming[], watchMs = 0): Promise<boolean> {
    const startedAt = performance.now()
    const isWanted = ({ slot }: Incoming) => !isStopping() && !isSwitchedOff(slot.state) && slots.find(slot.id) === slot
    const wanted = incoming.filter(isWanted)
    const ended = incoming
      .filter((one) => !isWanted(one))
      .map(async ({ slot, live }) => {
        await live.staged.generation.retire('not wanted any more', 0)
        notifier.change(slot, { type: 'given up' })
      })
    for (const { slot, live } of publisher.publish(wanted, failed)) {
      const { compiled, stageMs } = live.staged
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
    await Promise.all(ended)
    return wanted.length > 0
  }

  function activated(slot: Slot, live: LivePlugin, phases: Phases): void {
    slot.activation = { atMs: core.clock.now(), phases }
    slot.breaker.ready()
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

  /** Removes databases that only earlier versions of the plugin opened. */
  async function removeDatabases(slot: Slot): Promise<void> {
    try {
      for (const name of slot.manifest?.data?.removed ?? [])
        await removeFiles(join(core.databaseFolder(slot.id), `${name}.sqlite`))
    } catch (error) {
      notifier.log(slot).warn({ err: error }, 'a database of an earlier version could not be removed')
    }
  }

  function failed(slot: Slot, error: unknown): void {
    if (isSwitchedOff(slot.state)) return
    const fault = toFault(error, 'setup', { directory: slot.directory, redact: core.redact, nowMs: core.clock.now() })
    const rival = error instanceof LoadError ? error.rival : null
    publisher.unload(slot, { type: 'failed', fault, rival })
    const { live } = slot.state
    notifier
      .log(slot)
      .error(
        { phase: fault.phase, code: fault.code, file: fault.file, line: fault.line },
        `plugin could not be loaded: ${fault.message}`,
      )
    notifier.publish('plugin.reload_failed', slot, { error: fault })
    // The running code is the same, so only a slow moment explains the timeout; the new settings still need a load.
    const isSlowMoment = fault.code === 'PLH_PLUGIN_SETUP_TIMEOUT' && live !== null && isNewest(slot.state)
    if (fault.code === 'PLH_NOT_READY' || isSlowMoment) faults.retryIn(slot, slot.breaker.notReady())
    // The live version, if any, is another one.
    else if (live?.staged.directory !== slot.directory) trials.failed(slot, fault.message)
    const cause = error instanceof LoadError ? error.cause : error
    if (isPlayheadError(cause) && cause.wire === 'plugin_unavailable') faults.retryIn(slot, slot.breaker.crashed())
  }

  async function onConfigSaved(paths: readonly string[]): Promise<void> {
    for (const slot of slots) {
      const { dormant, failedLoad } = slot.state
      const sleeping = dormant?.contribution
      if (sleeping != null && isTouched(sleeping, paths)) void load(slot, 'config')
      if (failedLoad?.fault.code === 'PLH_CONFIG_INVALID' && !isNewest(slot.state)) void load(slot, 'config')
      const isQuarantined = shownState(slot.state) === 'quarantined' && slot.retry === null && slot.manifest !== null
      if (isQuarantined && isTouched({ sections: sectionsOf(slot.manifest!).map((path) => ({ path })) }, paths))
        void load(slot, 'config')
      const contribution = slot.state.live?.contribution
      if (contribution != null && isTouched(contribution, paths)) await refreshSettings(slot)
    }
  }

  /** Applies changed settings: through its listener, otherwise by a reload. */
  async function refreshSettings(slot: Slot): Promise<void> {
    const { live } = slot.state
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
    if (isNewest(slot.state)) dropFailure(slot, ({ code }) => isSame || code === 'PLH_CONFIG_INVALID')
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
