// Holds one slot per registered plugin.
import { PlayheadError } from '@playhead/sdk'
import type { Clock } from '../../clock.ts'
import { realDirectory, type RegisteredPlugin } from '../load/registry.ts'
import { Slot } from './slot.ts'

export type Slots = ReturnType<typeof createSlots>

export function createSlots(clock: Clock) {
  const slots = new Map<string, Slot>()
  return {
    [Symbol.iterator]: () => slots.values(),
    find: (id: string): Slot | undefined => slots.get(id),
    /** Throws PLH_PLUGIN_UNKNOWN with the known plugins. */
    need(id: string): Slot {
      const slot = slots.get(id)
      if (slot !== undefined) return slot
      throw new PlayheadError(
        'PLH_PLUGIN_UNKNOWN',
        `There is no plugin "${id}". Known: ${[...slots.keys()].join(', ') || 'none'}.`,
      )
    },
    /** Synchronizes the slots with the registry. Returns the removed ones. */
    register(plugins: readonly RegisteredPlugin[]): readonly Slot[] {
      for (const registered of plugins) {
        const directory = realDirectory(registered.directory)
        const slot = slots.getOrInsertComputed(registered.id, () => new Slot(registered, directory, clock))
        Object.assign(slot, { registered, directory })
      }
      const listed = new Set(plugins.map(({ id }) => id))
      const gone = [...slots.values()].filter(({ id }) => !listed.has(id))
      for (const { id } of gone) slots.delete(id)
      return gone
    },
    live: () => new Map([...slots].flatMap(([id, { state }]) => (state.live === null ? [] : [[id, state.live]]))),
    dormant: () => [...slots.values()].flatMap(({ state }) => state.dormant ?? []),
    /** Manifests of active and dormant plugins. */
    presentManifests: () =>
      [...slots.values()].flatMap(({ state }) => state.live?.staged.manifest ?? state.dormant?.manifest ?? []),
  }
}
