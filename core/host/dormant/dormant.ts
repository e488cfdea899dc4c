// A plugin that does not run and is loaded at its first use: what a composition, the configuration, the bus and the
// scheduler take of it comes from its snapshot.
import type { PluginManifest } from '@playhead/sdk'
import type { ConfigContribution } from '../../config/contract.ts'
import { currentOwner } from '../run/attribution.ts'
import type { DormantCapability } from '../compose/capabilities.ts'
import type { CapabilitySnapshot, PluginSnapshot } from './snapshot.ts'
import type { LivePlugin } from '../compose/slot.ts'

export interface DormantPlugin {
  readonly manifest: PluginManifest
  readonly snapshot: PluginSnapshot
  readonly contribution: ConfigContribution | null
  /** Loads it, or waits for the load that is under way. Null: it could not be loaded. */
  readonly activate: () => Promise<LivePlugin | null>
}

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
            ...(additions === undefined ? {} : { additions }),
            ...(shapesSettings ? { load: async () => void (await activate()) } : {}),
          },
  }
}

export function dormantCapabilities({ snapshot, activate }: DormantPlugin): readonly DormantCapability[] {
  return Object.entries(snapshot.capabilities).map(([token, members]) => ({
    token,
    answers: members.answers,
    value: standIn(members),
    activate: async () => void (await activate()),
  }))
}

// Which functions the capability has is known when it is loaded; until then every other name is taken for one.
function standIn({ values }: CapabilitySnapshot): object {
  return new Proxy(values, { get: (known, name) => (Object.hasOwn(known, name) ? known[name as string] : callLater) })
}

function callLater(): void {}

/** True when the plugin's manifest asks for its listeners of this event even while it is dormant. */
export function isWokenBy({ activation = [] }: PluginManifest, event: string): boolean {
  return activation.includes(`event:${event}`)
}

/**
 * Which plugin waits, while it is staged, for which other one to be loaded. A plugin that would wait for itself is
 * refused at once; otherwise both would wait until their time limits.
 */
export function createWaits() {
  const waits = new Map<string, Set<string>>()
  const reaches = (from: string, to: string, seen = new Set<string>()): boolean => {
    if (from === to) return true
    if (seen.has(from)) return false
    seen.add(from)
    return [...(waits.get(from) ?? [])].some((next) => reaches(next, to, seen))
  }
  return {
    /** Null when the wait would never end. */
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
