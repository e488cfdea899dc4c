// Owns the composition: computes the next one, swaps it in one assignment, and drains and ends replaced generations.
import { CORE_HOOKS, type HookKind } from '@playhead/sdk'
import { runAs, runAsHost } from '../run/attribution.ts'
import { createCanary, type Leak } from '../run/canary.ts'
import { compose, conflict, type Composition } from './composition.ts'
import { connectComposition, hearLater } from './connect.ts'
import type { HostDependencies } from '../dependencies.ts'
import { createDelivery } from '../kept/deliver.ts'
import type { KeptEvents } from '../dormant/kept-events.ts'
import type { KeptStore } from '../kept/store.ts'
import { createUnavailableAnswer } from '../dormant/unavailable.ts'
import { CORE_PATHS, pathsOf } from '../../config/additions.ts'
import { LoadError } from '../run/fault.ts'
import { DRAIN_MS } from '../run/generation.ts'
import { guarded, type ReportFault } from '../run/guard.ts'
import { publicNamesOf } from './public-names.ts'
import type { Slot, SlotEvent } from './slot.ts'
import type { LivePlugin } from '../contract.ts'
import type { Slots } from './slots.ts'
import type { Notifier } from '../show/notifier.ts'

// Jobs of a replaced generation may finish, unless another one replaces it.
const JOBS_DRAIN_MS = 3_600_000
const STOP_DRAIN_MS = 5_000
const KEPT_NOTES = 20

export interface Incoming {
  readonly slot: Slot
  readonly live: LivePlugin
}

export interface Publisher {
  composition(): Composition
  /** The swap: all at once, or one by one on a conflict, which releases its version. Returns the active ones. */
  publish(incoming: readonly Incoming[], onConflict: (slot: Slot, error: unknown) => void): readonly Incoming[]
  /** Throws a LoadError if two dormant plugins conflict. */
  check(): void
  /** Updates the set of dormant plugins. */
  refresh(): void
  /** Changes the state. If no version runs afterwards, the routes of the plugin respond that it is off. */
  unload(slot: Slot, event: SlotEvent): Promise<unknown>
  /** Ends a plugin permanently, within the time limits of a stop. False: some of its work was cut, or did not end. */
  end(slot: Slot): Promise<boolean>
  /** Checks now for replaced generations that were not garbage collected. */
  checkLeaks(force: boolean): void
  pendingCollections(): number
  /** Ends the delivery of kept requests after the current one. */
  stopDelivery(): Promise<void>
  close(): void
}

interface PublisherDependencies {
  readonly core: HostDependencies
  readonly slots: Slots
  readonly notifier: Notifier
  readonly report: ReportFault
  readonly isCoreRoute: (method: string, path: string) => boolean
  /** Loads a dormant plugin or waits for its load. Null: it is not running. */
  readonly activate: (slot: Slot) => Promise<LivePlugin | null>
  readonly kept: KeptStore
  readonly keptEvents: KeptEvents
  readonly keptPauseMs?: number | undefined
  readonly drainMs?: number | undefined
}

export function createPublisher({
  core,
  slots,
  notifier,
  report,
  isCoreRoute,
  activate,
  kept,
  keptEvents,
  keptPauseMs,
  drainMs = DRAIN_MS,
}: PublisherDependencies): Publisher {
  const coreHooks = new Map<string, HookKind>(CORE_HOOKS.map(({ name, kind }) => [name, kind]))
  const answerUnavailable = createUnavailableAnswer({
    ...core.prelude,
    slots,
    kept,
    clock: core.clock,
    log: core.log,
    activate,
    routeAgain: (request, response) => composition.route(request, response),
    isComplete,
    onKept: (plugin) => delivery.start(plugin),
  })
  const delivery = createDelivery({
    kept,
    liveOf: (plugin) => slots.find(plugin)?.state.live ?? null,
    log: core.log,
    firstPauseMs: keptPauseMs,
  })
  const canary = createCanary({ clock: core.clock, onLeak })
  let composition = composeFrom(slots.live(), new Set())

  /** Every capability that the plugin requires is available. */
  function isComplete(plugin: string): boolean {
    const required = slots.find(plugin)?.manifest?.requires ?? []
    return required.every((text) => composition.capabilities.has(text.split('@', 1)[0] as string))
  }

  function composeFrom(plugins: ReadonlyMap<string, LivePlugin>, incoming: ReadonlySet<string>): Composition {
    return compose({
      plugins: new Map([...plugins].map(([id, live]) => [id, live.staged])),
      incoming,
      dormant: slots.dormant().filter(({ manifest }) => !plugins.has(manifest.id)),
      down: [...slots]
        .filter((slot) => !plugins.has(slot.id) && slot.state.dormant === null)
        .flatMap((slot) => (slot.manifest?.routes ?? []).map((route) => ({ plugin: slot.id, route }))),
      coreHooks,
      isCoreRoute,
      answerUnavailable,
      enterInOrder(route, enter) {
        const waitInLine = answerUnavailable(route)
        return (request, response) => {
          const isWaiting = kept.has(route.plugin) || !isComplete(route.plugin)
          return (isWaiting ? waitInLine : enter)(request, response)
        }
      },
      report,
    })
  }

  /** Throws a LoadError on a conflict. */
  function composeWith(incoming: readonly Incoming[]): Composition {
    const plugins = slots.live()
    for (const { slot, live } of incoming) plugins.set(slot.id, live)
    const ids = new Set(incoming.map(({ slot }) => slot.id))
    const next = composeFrom(plugins, ids)
    checkSections([...plugins.values(), ...slots.dormant().filter(({ manifest }) => !plugins.has(manifest.id))], ids)
    return next
  }

  function publish(...[incoming, onConflict]: Parameters<Publisher['publish']>): readonly Incoming[] {
    const [first, ...others] = incoming
    if (first === undefined) return []
    try {
      const next = composeWith(incoming)
      for (const { slot, live } of incoming) handOver(slot.state.live, live)
      composition = next
    } catch (error) {
      if (others.length > 0) return incoming.flatMap((one) => publish([one], onConflict))
      void first.live.staged.generation.retire('not published', 0)
      onConflict(first.slot, error)
      return []
    }
    for (const { slot, live } of incoming) {
      const { live: old } = slot.state
      slot.change({ type: 'activated', live })
      if (old === null) continue
      slot.reloads += 1
      void dispose(slot, old, 'replaced', drainMs, JOBS_DRAIN_MS)
    }
    connect()
    for (const { live } of incoming) {
      hearKept(live)
      startWork(live)
    }
    // Stored requests of other plugins may have waited for a capability of this one.
    for (const id of slots.live().keys()) delivery.start(id)
    return incoming
  }

  function connect(): void {
    runAsHost(() => {
      core.setPublicNames(publicNamesOf(slots))
      connectComposition(core, { live: [...slots.live().values()], dormant: slots.dormant() }, keptEvents, report)
    })
  }

  function hearKept(live: LivePlugin): void {
    const { manifest } = live.staged
    if (manifest.activation?.some((one) => one.startsWith('kept:')) !== true) return
    void runAsHost(() => keptEvents.deliver(manifest.id, (one) => hearLater(live, one, report))).catch(
      (error: unknown) => core.log.error({ plugin: manifest.id, err: error }, 'kept events could not be handed over'),
    )
  }

  function startWork({ staged: { generation, recording } }: LivePlugin): void {
    for (const { delayMs, work } of recording.starts) {
      const call = { generation, kind: 'call', what: 'work after start', limitMs: null } as const
      const timer = core.timers.set(
        () => guarded(call, report, () => work(generation.signal) as void).catch(() => {}),
        delayMs,
      )
      generation.own('work after start', () => core.timers.clear(timer))
    }
  }

  /** True if its work and its releases ended in time. */
  async function dispose(
    slot: Slot,
    old: LivePlugin,
    reason: string,
    shortMs: number,
    jobsMs: number,
  ): Promise<boolean> {
    const { generation, context, definition, child } = old.staged
    for (const older of slot.draining) older.hurry()
    slot.draining.add(generation)
    const { drained, failures } = await runAsHost(() => generation.retire(reason, shortMs, jobsMs))
    slot.draining.delete(generation)
    if (!drained)
      notifier
        .log(slot)
        .warn({ replaced: generation.seq }, 'work of a replaced version did not end in time and was cut')
    for (const { label, error } of failures) {
      const why = error instanceof Error ? error.message : String(error)
      keep(slot.stuck, `generation ${generation.seq}: ${label}`)
      if (reason !== 'stopped') slot.change({ type: 'stuck' })
      notifier
        .log(slot)
        .error({ replaced: generation.seq, release: label, reason: why }, 'a release of a replaced version failed')
      notifier.publish('plugin.stuck', slot, { generation: generation.seq, release: label, reason: why })
    }
    canary.watch(slot.id, generation.seq, { context, definition, routes: child })
    return drained && failures.length === 0
  }

  function onLeak({ plugin, generation, alive }: Leak): void {
    const slot = slots.find(plugin)
    if (slot === undefined) return
    keep(slot.leaks, generation)
    notifier
      .log(slot)
      .warn({ replaced: generation, alive }, 'a replaced version is still in memory; something outside holds it')
    notifier.publish('plugin.leak', slot, { generation, alive })
  }

  return {
    composition: () => composition,
    publish,
    check: () => void composeWith([]),
    refresh() {
      composition = composeWith([])
      connect()
    },
    async unload(slot, event) {
      const { live, dormant } = slot.state
      slot.change(event)
      if (slot.state.live !== null) return
      composition = composeFrom(slots.live(), new Set())
      if (live !== null || dormant !== null) connect()
      if (live !== null) await dispose(slot, live, event.type, drainMs, JOBS_DRAIN_MS)
    },
    async end(slot) {
      const { live: old } = slot.state
      if (old === null) return true
      slot.change({ type: 'removed' })
      return await dispose(slot, old, 'stopped', Math.min(drainMs, STOP_DRAIN_MS), 0)
    },
    checkLeaks: (force) => canary.check(force),
    pendingCollections: () => canary.pending(),
    stopDelivery: delivery.close,
    close: () => canary.stop(),
  }
}

function checkSections(plugins: readonly Pick<LivePlugin, 'contribution'>[], incoming: ReadonlySet<string>): void {
  const owners = new Map<string, string>()
  for (const { contribution } of plugins) {
    const id = contribution?.owner ?? ''
    for (const path of contribution === null ? [] : pathsOf(contribution)) {
      const other = owners.get(path) ?? (CORE_PATHS.has(path) ? 'core' : undefined)
      if (other !== undefined) throw conflict({ incoming }, 'PLH_CONFLICT', id, other, `the settings section "${path}"`)
      owners.set(path, id)
    }
  }
}

function handOver(old: LivePlugin | null, next: LivePlugin): void {
  const take = next.staged.definition.handover?.take
  const give = old?.staged.definition.handover?.give
  if (old === null || take === undefined || give === undefined) return
  // Isolated plugins hand over their state before the publish.
  if (old.staged.isolated || next.staged.isolated) return
  try {
    const value: unknown = structuredClone(
      runAs(old.staged.generation.owner, () => give(old.staged.context, old.staged.made)),
    )
    runAs(next.staged.generation.owner, () => take(next.staged.context, value, next.staged.made))
  } catch (error) {
    throw new LoadError(
      'publish',
      'PLH_PLUGIN_SETUP',
      `Plugin "${next.staged.manifest.id}" could not hand over its state: ${(error as Error).message}`,
      { cause: error },
    )
  }
}

function keep<Note>(notes: Note[], note: Note): void {
  notes.push(note)
  if (notes.length > KEPT_NOTES) notes.shift()
}
