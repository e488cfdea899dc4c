// The plugin host: keeps one slot per plugin, carries each change through one transaction (read, build, stage, publish,
// drain, dispose), and replaces the composition in one assignment. Whatever fails before that changes nothing.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { CORE_HOOKS, PlayheadError, type HookKind, type HookInput, type HookName, type HookResult, type HealthFact, type HostFacts, type Logger, type PluginManifest } from '@playhead/sdk'
import { runAs, runAsHost, type Owner } from './attribution.ts'
import { createBreaker } from './breaker.ts'
import { createCanary } from './canary.ts'
import { orderByCapabilities } from './capability-graph.ts'
import { compilePlugin, integrityOf, type CompiledPlugin } from './compile.ts'
import { compose, type Composition } from './composition.ts'
import type { HostDependencies } from './dependencies.ts'
import { createDormantAnswer } from './dormant.ts'
import { LoadError, toFault, type FaultPhase } from './fault.ts'
import { DRAIN_MS } from './generation.ts'
import { guarded } from './guard.ts'
import { allowedHostsOf, hostMatches } from './hosts.ts'
import { startNetworkGuard } from './network-guard.ts'
import { connectComposition } from './publish.ts'
import { detailOf, summaryOf } from './plugin-view.ts'
import { changeRegistry, readManifest, readRegistries, realDirectory } from './registry.ts'
import { bindSettings, settingsChanged } from './settings.ts'
import type { LivePlugin, Phases, Slot } from './slot.ts'
import { stagePlugin, type StageRequest } from './stage.ts'
import { startWatchdog, takeStallNote, type Stall, type Watchdog } from './watchdog.ts'
import { startWatcher, type Watcher } from './watcher.ts'

// Jobs of a replaced generation may end by themselves, unless yet another replaces it.
const JOBS_DRAIN_MS = 3_600_000
const NOT_READY_S = [5, 10, 20, 40, 80]
// Slow plugins join when they are ready; the others do not wait for them longer than this.
const START_TOGETHER_MS = 1_500
const NO_QUERY = /[?#;]/

export interface HostOptions {
  /** Load nothing; plugins can be enabled one by one. */
  readonly safe?: boolean
  readonly watch?: boolean
  readonly watchPollMs?: number | undefined
  /** The second thread that finds endless loops. */
  readonly watchdog?: boolean
  readonly stallMs?: number
  readonly drainMs?: number
  readonly limits?: StageRequest['limits']
  readonly isCoreRoute: (method: string, path: string) => boolean
}

export type PluginHost = ReturnType<typeof createPluginHost>

export function createPluginHost(core: HostDependencies, options: HostOptions) {
  const slots = new Map<string, Slot>()
  const drainMs = options.drainMs ?? DRAIN_MS
  const coreHooks = new Map(Object.entries(CORE_HOOKS))
  const answerDormant = createDormantAnswer(core.prelude.gate, core.prelude.headersFor)
  const canary = createCanary({ clock: core.clock, onLeak: onLeak })
  let registryProblems: readonly LoadError[] = []
  let composition: Composition = composeFrom(new Map())
  let watcher: Watcher | null = null
  let watchdog: Watchdog | null = null
  let stopGuard: (() => void) | null = null
  let stopConfig: (() => void) | null = null
  let stopping = false

  const facts: HostFacts = {
    version: core.version,
    startedAtMs: core.startedAtMs,
    logChannels: core.logChannels,
    health: async () => [...await core.health(), ...await callHookOf(composition, 'healthDetail', {}) as readonly HealthFact[]],
    plugins: () => [...slots.values()].sort((a, b) => a.id < b.id ? -1 : 1).map((slot) => ({
      id: slot.id,
      name: slot.manifest?.name ?? slot.id,
      version: slot.manifest?.version ?? '0.0.0',
      kind: slot.manifest?.kind ?? 'service',
      state: slot.state,
      generation: slot.live?.staged.generation.seq ?? null,
    })),
  }

  // ---- life ----------------------------------------------------------------------------------------------------------

  async function start(): Promise<void> {
    // Stacks of plugins show their own files and lines.
    process.setSourceMapsEnabled(true)
    stopGuard = startNetworkGuard({
      isAllowed: (plugin, host, port) => hostMatches(allowedHosts(slots.get(plugin)), host, port),
      report,
    })
    stopConfig = core.config.onSaved(({ paths }) => void onConfigSaved(paths))
    const stallFile = join(core.directories.run, 'stalled.json')
    const lastStall = takeStallNote(stallFile)
    if (options.watchdog !== false) watchdog = startWatchdog({ markerFile: stallFile, onStall, ...(options.stallMs === undefined ? {} : { stallMs: options.stallMs }) })
    if (options.watch !== false) {
      watcher = startWatcher({
        onPlugin: (id, sinceMs) => runAsHost(() => void load(id, 'file', sinceMs)),
        onRegistry: () => runAsHost(() => void rescan()),
        onError: (error) => core.log.warn({ err: error }, 'watching plugin sources failed'),
        pollMs: options.watchPollMs,
      })
    }
    await readSlots()
    if (lastStall?.plugin != null) leaveOut(lastStall.plugin, lastStall)
    if (options.safe === true) for (const slot of slots.values()) slot.state = 'disabled'
    else await loadTogether([...slots.values()].filter((slot) => slot.state === 'discovered'))
    updateWatch()
  }

  async function stop(): Promise<void> {
    stopping = true
    stopConfig?.()
    for (const slot of slots.values()) clearRetry(slot)
    await watcher?.close()
    await Promise.allSettled([...slots.values()].map((slot) => slot.running))
    // Those that use others go first.
    const order = orderByCapabilities(liveManifests(), []).order
    for (const id of [...order].reverse()) await retire(slots.get(id) as Slot, 'stopped', Math.min(drainMs, 5_000), 0)
    for (const slot of slots.values()) await retire(slot, 'stopped', 0, 0)
    composition = composeFrom(new Map())
    canary.stop()
    stopGuard?.()
    await watchdog?.stop()
  }

  async function readSlots(): Promise<void> {
    const reading = await readRegistries(core.directories)
    registryProblems = reading.problems
    for (const problem of reading.problems) core.log.warn({ code: problem.code }, problem.message)
    for (const registered of reading.plugins) {
      const known = slots.get(registered.id)
      if (known !== undefined) {
        known.registered = registered
        known.directory = await realDirectory(registered.directory)
        continue
      }
      slots.set(registered.id, {
        id: registered.id, registered, directory: await realDirectory(registered.directory), manifest: null, live: null, draining: new Set(), seq: 0,
        state: registered.enabled ? 'discovered' : 'disabled', lastError: null, phases: null, activatedAtMs: null, breaker: createBreaker(core.clock),
        faults: 0, reloads: 0, retryTimer: null, retryAtMs: null, notReadyTries: 0, selfChanges: 0, stuck: [], leaks: [],
        running: Promise.resolve(), next: null,
      })
    }
    await Promise.all([...slots.values()].map(async (slot) => {
      slot.manifest ??= await readManifest(slot.directory, slot.id).catch(() => null)
    }))
    const listed = new Set(reading.plugins.map((plugin) => plugin.id))
    for (const slot of slots.values()) {
      if (listed.has(slot.id)) continue
      clearRetry(slot)
      slots.delete(slot.id)
      unload(slot, 'removed')
      tell('plugin.state', slot)
    }
  }

  // ---- transactions --------------------------------------------------------------------------------------------------

  type Cause = 'start' | 'file' | 'config' | 'user' | 'retry' | 'capability'

  /** One transaction at a time per plugin; changes that come meanwhile lead to one more afterwards. */
  function load(id: string, cause: Cause, sinceMs: number = performance.now()): Promise<void> {
    const slot = slots.get(id)
    if (slot === undefined) return Promise.reject(unknown(id))
    slot.next ??= slot.running.then(async () => {
      slot.next = null
      slot.running = transact(slot, cause, sinceMs)
      await slot.running
    })
    return slot.next
  }

  async function transact(slot: Slot, cause: Cause, sinceMs: number): Promise<void> {
    if (stopping || !slot.registered.enabled) return
    clearRetry(slot)
    const watchMs = performance.now() - sinceMs
    const before = slot.state
    try {
      const prepared = await prepare(slot)
      if (cause === 'file' && slot.live?.staged.sourceHash === prepared.compiled.hash) return setState(slot, before)
      const graph = orderByCapabilities([prepared.manifest], liveManifests().filter((manifest) => manifest.id !== slot.id))
      const block = graph.blocked.get(slot.id)
      if (block !== undefined) throw block
      const live = await stage(slot, prepared)
      const startedAt = performance.now()
      publish([live])
      activated(slot, live, { watchMs, compileMs: prepared.compiled.ms, stageMs: live.staged.stageMs, publishMs: performance.now() - startedAt, fromCache: prepared.compiled.fromCache })
      retryBlocked(slot)
    } catch (error) {
      failed(slot, error)
    } finally {
      updateWatch()
    }
  }

  async function loadTogether(candidates: readonly Slot[]): Promise<void> {
    const prepared = new Map<string, Prepared>()
    await Promise.all(candidates.map(async (slot) => {
      try {
        prepared.set(slot.id, await prepare(slot))
      } catch (error) {
        failed(slot, error)
      }
    }))
    const graph = orderByCapabilities([...prepared.values()].map(({ manifest }) => manifest), liveManifests())
    for (const [id, error] of graph.blocked) failed(slots.get(id) as Slot, error)

    const ready: LivePlugin[] = []
    let together = true
    const staging = graph.order.map(async (id) => {
      const slot = slots.get(id) as Slot
      const preparation = prepared.get(id) as Prepared
      try {
        const live = await stage(slot, preparation)
        const phases = { watchMs: 0, compileMs: preparation.compiled.ms, stageMs: live.staged.stageMs, publishMs: 0, fromCache: preparation.compiled.fromCache }
        if (together) {
          ready.push(live)
          slot.phases = phases
        } else {
          publish([live])
          activated(slot, live, phases)
        }
      } catch (error) {
        failed(slot, error)
      }
    })
    const all = Promise.all(staging)
    for (const [index, task] of staging.entries()) (slots.get(graph.order[index] as string) as Slot).running = task
    await Promise.race([all, sleep(START_TOGETHER_MS, undefined, { ref: false })])
    together = false
    const startedAt = performance.now()
    const published = publishMany(ready)
    for (const live of published) activated(slots.get(live.staged.manifest.id) as Slot, live, { ...(slots.get(live.staged.manifest.id)?.phases as Phases), publishMs: performance.now() - startedAt })
  }

  interface Prepared {
    readonly manifest: PluginManifest
    readonly compiled: CompiledPlugin
  }

  async function prepare(slot: Slot): Promise<Prepared> {
    setState(slot, slot.live === null ? 'building' : slot.state)
    const manifest = await readManifest(slot.directory, slot.id)
    slot.manifest = manifest
    const compiled = await compilePlugin({ id: slot.id, directory: slot.directory, entry: manifest.entry ?? 'index.ts', cacheDirectory: core.directories.compiled })
    if (slot.registered.integrity !== null) {
      const actual = await integrityOf(slot.directory, compiled.inputs)
      if (actual !== slot.registered.integrity) {
        throw new LoadError('manifest', 'PLH_PLUGIN_INTEGRITY', `Plugin "${slot.id}" is not what the registry expects (${slot.registered.integrity}, found ${actual}). If the change is wanted, update "integrity" there.`)
      }
    }
    return { manifest, compiled: { ...compiled, hash: `${compiled.hash.slice(0, 40)}-${await manifestHash(manifest)}` } }
  }

  async function stage(slot: Slot, { manifest, compiled }: Prepared): Promise<LivePlugin> {
    setState(slot, slot.live === null ? 'staging' : slot.state)
    slot.seq += 1
    const binding: { contribution: LivePlugin['contribution']; config: LivePlugin['config']; live: LivePlugin | null } = { contribution: null, config: {}, live: null }
    const staged = await stagePlugin({
      manifest,
      directory: slot.directory,
      seq: slot.seq,
      compiled,
      hookKinds: new Map([...composition.hookKinds].filter(([name]) => !slot.live?.staged.hookKinds.has(name))),
      bindConfig(contribution) {
        binding.contribution = contribution
        binding.config = bindSettings(core.config, contribution, manifest, (problem) => logOf(slot).warn({ path: problem.path }, `a setting is not usable and its default is used: ${problem.message}`))
      },
      config: () => binding.live?.config ?? binding.config,
      updateConfig: async (change) => {
        slot.selfChanges += 1
        try {
          await runAsHost(() => core.config.change(`plugin:${slot.id}`, (draft) => settingsChanged(draft, manifest, change)))
        } finally {
          slot.selfChanges -= 1
        }
      },
      host: facts,
      allowedHosts: () => allowedHostsOf(manifest, binding.live?.config ?? binding.config),
      findCapability: (token) => composition.capabilities.get(token),
      capabilityTokens: () => [...composition.capabilities.keys()],
      callHook: (name, input) => callHookOf(composition, name, input),
      report,
      onRouteError: (error) => report({ plugin: slot.id, generation: slot.seq, work: 'request' }, 'a request', error),
      ...(options.limits === undefined ? {} : { limits: options.limits }),
    }, core)
    const live: LivePlugin = { staged, contribution: binding.contribution, config: binding.config }
    binding.live = live
    return live
  }

  // ---- publishing ----------------------------------------------------------------------------------------------------

  function composeFrom(plugins: ReadonlyMap<string, LivePlugin>): Composition {
    return compose({
      plugins: new Map([...plugins].map(([id, live]) => [id, live.staged])),
      dormant: [...slots.values()].filter((slot) => !plugins.has(slot.id)).flatMap((slot) =>
        (slot.manifest?.routes ?? []).map((route) => ({ plugin: slot.id, state: slot.state, route }))),
      coreHooks: coreHooks as ReadonlyMap<string, HookKind>,
      isCoreRoute: options.isCoreRoute,
      answerDormant,
      report,
    })
  }

  const livePlugins = () => new Map([...slots.values()].filter((slot) => slot.live !== null).map((slot) => [slot.id, slot.live as LivePlugin]))
  const liveManifests = () => [...slots.values()].flatMap((slot) => slot.live === null ? [] : [slot.live.staged.manifest])

  /** The swap. Everything that may fail comes before the assignment; afterwards the old generations drain. */
  function publish(incoming: readonly LivePlugin[]): void {
    const plugins = livePlugins()
    for (const live of incoming) plugins.set(live.staged.manifest.id, live)
    try {
      const next = composeFrom(plugins)
      checkSections(plugins)
      for (const live of incoming) handOver(slots.get(live.staged.manifest.id)?.live ?? null, live)
      composition = next
    } catch (error) {
      for (const live of incoming) void live.staged.generation.retire('not published', 0)
      throw error
    }
    for (const live of incoming) {
      const slot = slots.get(live.staged.manifest.id) as Slot
      const old = slot.live
      slot.live = live
      if (old !== null) void dispose(slot, old, 'replaced', drainMs, JOBS_DRAIN_MS)
    }
    connect()
    for (const live of incoming) startAfters(live)
  }

  /** Publishes all at once; if that cannot be, one after another, so that only the ones that conflict are left out. */
  function publishMany(incoming: readonly LivePlugin[]): readonly LivePlugin[] {
    const plugins = livePlugins()
    for (const live of incoming) plugins.set(live.staged.manifest.id, live)
    try {
      composeFrom(plugins)
      checkSections(plugins)
      publish(incoming)
      return incoming
    } catch {
      return incoming.filter((live) => {
        try {
          publish([live])
          return true
        } catch (error) {
          failed(slots.get(live.staged.manifest.id) as Slot, error)
          return false
        }
      })
    }
  }

  function connect(): void {
    runAsHost(() => connectComposition(core, [...livePlugins().values()], report))
  }

  function checkSections(plugins: ReadonlyMap<string, LivePlugin>): void {
    const owners = new Map<string, string>()
    for (const [id, live] of plugins) {
      for (const { path } of live.contribution?.sections ?? []) {
        const other = owners.get(path)
        if (other !== undefined) throw new LoadError('publish', 'PLH_CONFLICT', `Plugin "${id}" claims the settings section "${path}", which plugin "${other}" owns.`)
        owners.set(path, id)
      }
    }
  }

  function handOver(old: LivePlugin | null, next: LivePlugin): void {
    const take = next.staged.definition.handover?.take
    const give = old?.staged.definition.handover?.give
    if (old === null || take === undefined || give === undefined) return
    try {
      const value: unknown = structuredClone(runAs(old.staged.generation.owner, () => give(old.staged.context)))
      runAs(next.staged.generation.owner, () => take(next.staged.context, value))
    } catch (error) {
      throw new LoadError('publish', 'PLH_PLUGIN_SETUP', `Plugin "${next.staged.manifest.id}" could not hand over its state: ${(error as Error).message}`, { cause: error })
    }
  }

  function startAfters({ staged }: LivePlugin): void {
    const { generation, recording } = staged
    for (const { delayMs, work } of recording.starts) {
      const timer = setTimeout(() => {
        guarded({ generation, kind: 'call', what: 'work after start', limitMs: null }, report, () => work(generation.signal) as void).catch(() => {})
      }, delayMs)
      generation.own('work after start', () => clearTimeout(timer))
    }
  }

  function activated(slot: Slot, live: LivePlugin, phases: Phases): void {
    const from = slot.reloads === 0 && slot.activatedAtMs === null ? null : live.staged.generation.seq - 1
    if (slot.activatedAtMs !== null) slot.reloads += 1
    slot.phases = phases
    slot.lastError = null
    slot.notReadyTries = 0
    slot.activatedAtMs = core.clock.now()
    slot.state = 'active'
    logOf(slot).info({ ms: Math.round(phases.compileMs + phases.stageMs + phases.publishMs) }, 'plugin is live')
    tell('plugin.activated', slot, { from, to: live.staged.generation.seq, phases })
  }

  function failed(slot: Slot, error: unknown): void {
    const fault = toFault(error, 'setup', { directory: slot.directory, redact: core.redact, nowMs: core.clock.now(), sourceHash: null })
    slot.lastError = fault
    const outside = fault.phase === 'manifest' || fault.phase === 'registry' || fault.code === 'PLH_CAPABILITY_MISSING' || fault.code === 'PLH_CAPABILITY_CYCLE'
    slot.state = slot.live !== null ? 'active' : outside ? 'blocked' : 'failed'
    if (slot.live === null) composition = composeFrom(livePlugins())
    logOf(slot).error({ phase: fault.phase, code: fault.code, file: fault.file, line: fault.line }, `plugin could not be loaded: ${fault.message}`)
    tell('plugin.reload_failed', slot, { error: fault })
    if (fault.code === 'PLH_NOT_READY') {
      const seconds = NOT_READY_S[Math.min(slot.notReadyTries, NOT_READY_S.length - 1)] as number
      slot.notReadyTries += 1
      retryIn(slot, seconds * 1000 * (1 + Math.random() / 4))
    }
  }

  // ---- ending --------------------------------------------------------------------------------------------------------

  function unload(slot: Slot, reason: string): void {
    const old = slot.live
    slot.live = null
    slot.activatedAtMs = null
    composition = composeFrom(livePlugins())
    if (old === null) return
    connect()
    void dispose(slot, old, reason, drainMs, JOBS_DRAIN_MS)
  }

  async function retire(slot: Slot, reason: string, shortMs: number, jobsMs: number): Promise<void> {
    const old = slot.live
    if (old === null) return
    slot.live = null
    await dispose(slot, old, reason, shortMs, jobsMs)
  }

  async function dispose(slot: Slot, old: LivePlugin, reason: string, shortMs: number, jobsMs: number): Promise<void> {
    const { generation } = old.staged
    for (const older of slot.draining) older.hurry()
    slot.draining.add(generation)
    const { drained, failures } = await runAsHost(() => generation.retire(reason, shortMs, jobsMs))
    slot.draining.delete(generation)
    if (!drained) logOf(slot).warn({ replaced: generation.seq }, 'work of a replaced plugin did not end in time and was cut')
    for (const { label, error } of failures) {
      slot.stuck.push(`generation ${generation.seq}: ${label}`)
      if (slot.stuck.length > 20) slot.stuck.shift()
      if (slot.live === null && !stopping) slot.state = 'stuck'
      logOf(slot).error({ replaced: generation.seq, release: label, reason: error instanceof Error ? error.message : String(error) }, 'a release of a replaced plugin failed')
      tell('plugin.stuck', slot, { generation: generation.seq, release: label })
    }
    const { context, definition, child } = old.staged
    canary.watch(slot.id, generation.seq, { context, definition, routes: child })
  }

  function onLeak({ plugin, generation, alive }: { plugin: string; generation: number; alive: readonly string[] }): void {
    const slot = slots.get(plugin)
    if (slot === undefined) return
    slot.leaks.push(generation)
    if (slot.leaks.length > 20) slot.leaks.shift()
    logOf(slot).warn({ replaced: generation, alive }, 'a replaced version of a plugin is still in memory; something outside holds it')
    tell('plugin.leak', slot, { generation, alive })
  }

  // ---- faults --------------------------------------------------------------------------------------------------------

  function report(owner: Owner, what: string, error: unknown): void {
    const slot = slots.get(owner.plugin)
    if (slot === undefined) return
    const fault = toFault(error, 'run', { directory: slot.directory, redact: core.redact, nowMs: core.clock.now(), sourceHash: slot.live?.staged.sourceHash ?? null })
    slot.faults += 1
    logOf(slot).error({ of: owner.generation, work: owner.work, code: fault.code, file: fault.file, line: fault.line }, `${what} failed: ${fault.message}`)
    // The fault of a version that was replaced is not held against its successor.
    if (slot.live === null || slot.live.staged.generation.seq !== owner.generation) return
    slot.lastError = { ...fault, message: `${what}: ${fault.message}` }
    tell('plugin.fault', slot, { what, error: fault })
    if (slot.breaker.fault()) quarantine(slot, `it failed ${slot.breaker.recent()} times within a minute, last in ${what}`)
  }

  function quarantine(slot: Slot, why: string): void {
    if (slot.live === null || stopping) return
    const waitMs = slot.breaker.opened()
    slot.state = 'quarantined'
    logOf(slot).error(`plugin was taken out: ${why}`)
    unload(slot, 'quarantined')
    tell('plugin.quarantined', slot, { why })
    retryIn(slot, waitMs)
  }

  /** Attributes a stray rejection or exception. False when no plugin caused it. */
  function strayError(owner: Owner | undefined, error: unknown, kind: 'rejection' | 'exception'): boolean {
    if (owner === undefined) return false
    report(owner, kind === 'rejection' ? 'a rejection that nobody handled' : 'an exception outside any call', error)
    const slot = slots.get(owner.plugin)
    // After an exception the plugin's state is unknown; it does not get a second chance at once.
    if (kind === 'exception' && slot?.live?.staged.generation.seq === owner.generation) quarantine(slot, 'an exception outside any call')
    return true
  }

  function onStall(stall: Stall): void {
    if (stall.plugin === null) {
      core.log.warn({ blockedMs: stall.blockedMs, frames: stall.frames }, 'the event loop stood still')
      return
    }
    report({ plugin: stall.plugin, generation: stall.generation ?? 0, work: 'call' }, `code that held the event loop for ${stall.blockedMs} ms`, new Error(`blocked in ${stall.frames[0] ?? 'unknown code'}`))
  }

  function leaveOut(id: string, stall: Stall): void {
    const slot = slots.get(id)
    if (slot === undefined || !slot.registered.enabled) return
    slot.state = 'quarantined'
    slot.lastError = toFault(new LoadError('run', 'PLH_PLUGIN_QUARANTINED', `Plugin "${id}" held the event loop for ${stall.blockedMs} ms and the service had to be restarted: ${stall.frames[0] ?? ''}`), 'run', { redact: core.redact, nowMs: core.clock.now() })
    logOf(slot).error({ frames: stall.frames }, 'plugin is left out: it stopped the service in the last run')
    retryIn(slot, slot.breaker.opened())
  }

  function retryIn(slot: Slot, ms: number): void {
    clearRetry(slot)
    slot.retryAtMs = core.clock.now() + ms
    slot.retryTimer = setTimeout(() => void load(slot.id, 'retry'), ms).unref()
  }

  function clearRetry(slot: Slot): void {
    if (slot.retryTimer !== null) clearTimeout(slot.retryTimer)
    slot.retryTimer = null
    slot.retryAtMs = null
  }

  /** Plugins that waited for a capability of this one. */
  function retryBlocked(provider: Slot): void {
    if ((provider.manifest?.provides ?? []).length === 0) return
    for (const slot of slots.values()) if (slot.state === 'blocked' && slot.lastError?.code === 'PLH_CAPABILITY_MISSING') void load(slot.id, 'capability')
  }

  // ---- changes from outside ------------------------------------------------------------------------------------------

  async function onConfigSaved(paths: readonly string[]): Promise<void> {
    for (const slot of slots.values()) {
      const live = slot.live
      if (live === null || live.contribution === null) continue
      const touched = live.contribution.sections.some(({ path }) => paths.some((changed) => changed === path || changed.startsWith(`${path}.`) || changed.startsWith(`${path}[`) || path.startsWith(`${changed}.`)))
      if (!touched) continue
      const next = bindSettings(core.config, live.contribution, live.staged.manifest, () => {})
      if (JSON.stringify(next) === JSON.stringify(live.config)) continue
      const listener = live.staged.recording.configListener
      if (listener === null && slot.selfChanges === 0) {
        await load(slot.id, 'config')
        continue
      }
      live.config = next
      if (listener !== null && slot.selfChanges === 0) {
        await guarded({ generation: live.staged.generation, kind: 'call', what: 'onConfigChange', limitMs: 10_000 }, report, () => listener(next) as void).catch(() => {})
      }
    }
  }

  function updateWatch(): void {
    watcher?.setTargets({
      plugins: new Map([...slots.values()].map((slot) => [slot.id, slot.directory])),
      registries: [core.directories.bundledRegistry, core.directories.userRegistry],
    })
  }

  async function rescan(): Promise<void> {
    const before = new Map([...slots.values()].map((slot) => [slot.id, { enabled: slot.registered.enabled, directory: slot.directory, integrity: slot.registered.integrity }]))
    await readSlots()
    const fresh: Slot[] = []
    for (const slot of slots.values()) {
      const old = before.get(slot.id)
      if (!slot.registered.enabled) {
        if (slot.state !== 'disabled') turnOff(slot)
      } else if (old === undefined || !old.enabled || slot.state === 'disabled' || slot.state === 'discovered') {
        fresh.push(slot)
      } else if (old.directory !== slot.directory || old.integrity !== slot.registered.integrity) {
        await load(slot.id, 'user')
      }
    }
    if (options.safe !== true) await Promise.all(fresh.map((slot) => load(slot.id, 'user')))
    updateWatch()
  }

  function turnOff(slot: Slot): void {
    clearRetry(slot)
    slot.breaker.reset()
    slot.state = 'disabled'
    slot.lastError = null
    unload(slot, 'disabled')
    logOf(slot).info('plugin is off')
    tell('plugin.state', slot)
  }

  async function setEnabled(id: string, enabled: boolean): Promise<void> {
    const slot = need(id)
    await changeRegistry(core.directories.userRegistry, (plugins) => {
      const others = plugins.filter((entry) => entry.id !== id)
      const own = plugins.find((entry) => entry.id === id)
      return [...others, { ...own, id, enabled }]
    })
    slot.registered = { ...slot.registered, enabled }
    if (enabled) await reload(id)
    else turnOff(slot)
  }

  /** Loads the plugin anew, whether it changed or not. Resolves when that is done, however it ended. */
  async function reload(id: string): Promise<void> {
    const slot = need(id)
    if (!slot.registered.enabled) throw new PlayheadError('PLH_CONFLICT', `Plugin "${id}" is disabled. Enable it first.`, { wire: 'plugin_disabled' })
    slot.breaker.reset()
    await load(id, 'user')
  }

  // A line about a plugin stands in the plugin's own channel.
  function logOf(slot: Slot): Logger {
    return core.pluginLogger({ plugin: slot.id, generation: slot.seq, channels: [] })
  }

  // ---- looking -------------------------------------------------------------------------------------------------------

  function setState(slot: Slot, state: Slot['state']): void {
    if (slot.state === state) return
    slot.state = state
    tell('plugin.state', slot)
  }

  function tell(name: string, slot: Slot, more: Readonly<Record<string, unknown>> = {}): void {
    const data = { ...summaryOf(slot), ...more }
    runAsHost(() => {
      core.streams.publish('plugins', { event: name, data: JSON.stringify(data) })
      core.events.emit(name, { plugin: slot.id, state: slot.state, generation: data.generation, ...more })
    })
  }

  function need(id: string): Slot {
    const slot = slots.get(id)
    if (slot === undefined) throw unknown(id)
    return slot
  }

  function allowedHosts(slot: Slot | undefined): readonly string[] {
    if (slot?.manifest == null) return []
    return allowedHostsOf(slot.manifest, slot.live?.config ?? {})
  }

  return {
    start,
    stop,
    reload,
    rescan,
    enable: (id: string) => setEnabled(id, true),
    disable: (id: string) => setEnabled(id, false),
    /** Takes the request into a plugin; false when no plugin has the route. */
    route: (request: IncomingMessage, response: ServerResponse): boolean => composition.route(request, response),
    methodsAt: (url: string): readonly string[] => composition.methodsAt(url.split(NO_QUERY, 1)[0] as string),
    callHook: <Name extends HookName>(name: Name, input: HookInput<Name>) => callHookOf(composition, name, input) as Promise<HookResult<Name>>,
    use: (token: string) => composition.capabilities.get(token),
    strayError,
    facts,
    safe: options.safe === true,
    list: () => [...slots.values()].map(summaryOf),
    problems: () => registryProblems.map(({ code, message }) => ({ code, message })),
    detail: (id: string) => detailOf(need(id), core.scheduler.jobs),
    /** API descriptions of all live plugins. */
    descriptions: (): readonly object[] => [...composition.plugins.values()].map(({ child }) => (child as unknown as { swagger(): object }).swagger()),
    checkLeaks: (force = false) => canary.check(force),
    pendingCollections: () => canary.pending(),
  }

  function unknown(id: string): PlayheadError {
    return new PlayheadError('PLH_PLUGIN_UNKNOWN', `There is no plugin "${id}". Known: ${[...slots.keys()].join(', ') || 'none'}.`)
  }
}

async function callHookOf(composition: Composition, name: string, input: unknown): Promise<unknown> {
  const call = composition.hooks.get(name)
  if (call === undefined) throw new PlayheadError('PLH_HOOK_UNKNOWN', `There is no hook "${name}".`)
  return call(input)
}

async function manifestHash(manifest: PluginManifest): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(JSON.stringify(manifest)))
  return Buffer.from(digest).toString('hex').slice(0, 16)
}
