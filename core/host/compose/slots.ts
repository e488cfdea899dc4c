// Holds one slot per registered plugin.
import { PlayheadError, type PluginManifest } from '@playhead/sdk'
import type { Clock } from '../../clock.ts'
import { createBreaker } from '../run/breaker.ts'
import type { DormantPlugin, LivePlugin } from '../contract.ts'
import { realDirectory, type RegisteredPlugin } from '../load/registry.ts'
import type { Slot } from './slot.ts'

export interface Slots extends Iterable<Slot> {
  find(id: string): Slot | undefined
  /** Throws PLH_PLUGIN_UNKNOWN with the known plugins. */
  need(id: string): Slot
  /** Synchronizes the slots with the registry. Returns the removed ones. */
  register(plugins: readonly RegisteredPlugin[]): Promise<readonly Slot[]>
  live(): Map<string, LivePlugin>
  dormant(): readonly DormantPlugin[]
  /** Manifests of active and dormant plugins. */
  presentManifests(): readonly PluginManifest[]
}

export function createSlots(clock: Clock): Slots {
  const slots = new Map<string, Slot>()
  return {
    [Symbol.iterator]: () => slots.values(),
    find: (id) => slots.get(id),
    need(id) {
      const slot = slots.get(id)
      if (slot !== undefined) return slot
      throw new PlayheadError(
        'PLH_PLUGIN_UNKNOWN',
        `There is no plugin "${id}". Known: ${[...slots.keys()].join(', ') || 'none'}.`,
      )
    },
    async register(plugins) {
      for (const registered of plugins) {
        const directory = realDirectory(registered.directory)
        const slot = slots.get(registered.id)
        if (slot === undefined) slots.set(registered.id, emptySlot(registered, directory, clock))
        else Object.assign(slot, { registered, directory })
      }
      const listed = new Set(plugins.map(({ id }) => id))
      const gone = [...slots.values()].filter(({ id }) => !listed.has(id))
      for (const { id } of gone) slots.delete(id)
      return gone
    },
    live: () => new Map([...slots.values()].flatMap((slot) => (slot.live === null ? [] : [[slot.id, slot.live]]))),
    dormant: () =>
      [...slots.values()].flatMap(({ live, dormant }) => (live !== null || dormant === null ? [] : [dormant])),
    presentManifests: () =>
      [...slots.values()].flatMap(({ live, dormant }) => live?.staged.manifest ?? dormant?.manifest ?? []),
  }
}

function emptySlot(registered: RegisteredPlugin, directory: string, clock: Clock): Slot {
  return {
    id: registered.id,
    registered,
    directory,
    manifest: null,
    live: null,
    dormant: null,
    shipped: null,
    provenHash: null,
    provenSections: [],
    loading: null,
    outBecause: registered.enabled ? null : 'disabled',
    draining: new Set(),
    seq: 0,
    lastError: null,
    failedLoad: null,
    lastFound: null,
    phases: null,
    activatedAtMs: null,
    breaker: createBreaker(clock),
    faults: 0,
    reloads: 0,
    retryTimer: null,
    retryAtMs: null,
    notReadyTries: 0,
    selfChanges: 0,
    stuck: [],
    leaks: [],
    mustLoad: false,
    mustWake: false,
    mustTry: false,
    running: Promise.resolve(),
    next: null,
  }
}
