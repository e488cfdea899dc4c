// A dormant plugin is loaded at first use; until then the composition, configuration, bus and scheduler use its
// snapshot.
import { orAfter, type PluginManifest } from '@playhead/sdk'
import { currentOwner } from '../run/attribution.ts'
import { type DormantCapability, parseToken } from '../compose/capabilities.ts'
import type { CapabilitySnapshot } from './contract.ts'
import type { Slot } from '../compose/slot.ts'
import type { DormantPlugin } from '../contract.ts'
import { defined } from '@playhead/sdk/host'

/** How long a request or a call waits for a plugin to load. Counts only time that the process could use. */
export const WAIT_MS = 5_000

export function createDormant(facts: Pick<DormantPlugin, 'manifest' | 'snapshot' | 'activate'>): DormantPlugin {
  const { manifest, snapshot, activate } = facts
  const { sections, additions, shapesSettings } = snapshot
  return {
    ...facts,
    contribution:
      sections === null
        ? null
        : {
            owner: manifest.id,
            sections,
            ...defined({ additions }),
            ...(shapesSettings ? { load: async () => void (await activate()) } : {}),
          },
  }
}

export function dormantCapabilities({ snapshot, activate }: DormantPlugin): readonly DormantCapability[] {
  return Object.entries(snapshot.capabilities).map(([token, members]) => ({
    token,
    answers: members.answers,
    value: placeholder(members),
    activate: async () => void (await activate()),
  }))
}

/**
 * A declared capability of a plugin that is being loaded and has no running version. After a slow start its calls wait,
 * as requests do.
 */
export function comingCapability(
  token: string,
  slots: Iterable<Slot>,
  activate: (slot: Slot) => Promise<unknown>,
): DormantCapability | undefined {
  for (const slot of slots) {
    const { state, manifest } = slot
    if (state.loading === null) continue
    if (manifest?.provides?.some((declared) => parseToken(declared).token === token) !== true) continue
    const arrival = async () => void (await orAfter(activate(slot), WAIT_MS, null))
    return { token, value: placeholder({ values: {}, answers: {} }), answers: {}, activate: arrival }
  }
  return undefined
}

// Its functions are unknown until it is loaded; until then every other name counts as one.
function placeholder({ values }: CapabilitySnapshot): object {
  return new Proxy(values, { get: (known, name) => (Object.hasOwn(known, name) ? known[name as string] : callLater) })
}

function callLater(): void {}

/** True if the manifest declares this event as an activation. */
export function isWokenBy({ activation = [] }: PluginManifest, event: string): boolean {
  return activation.includes(`event:${event}`)
}

/** True if the event is kept until the plugin is loaded. */
export function keeps({ activation = [] }: PluginManifest, event: string): boolean {
  return activation.includes(`kept:${event}`)
}

/** Tracks which staging plugin waits for which other load. A circular wait is refused at once instead of timing out. */
export function createWaits() {
  const waits = new Map<string, Set<string>>()
  const reaches = (from: string, to: string, seen = new Set<string>()): boolean => {
    if (from === to) return true
    if (seen.has(from)) return false
    seen.add(from)
    return [...(waits.get(from) ?? [])].some((next) => reaches(next, to, seen))
  }
  return {
    /** Null if the wait would be circular. */
    async during<Result>(plugin: string, work: () => Promise<Result>): Promise<Result | null> {
      const owner = currentOwner()
      if (owner?.work !== 'stage') return work()
      if (reaches(plugin, owner.plugin)) return null
      const mine = waits.getOrInsertComputed(owner.plugin, () => new Set())
      mine.add(plugin)
      try {
        return await work()
      } finally {
        mine.delete(plugin)
      }
    },
  }
}
