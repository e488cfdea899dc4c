// The pair of each mapping. It runs with the pairs of people, and its settings follow the mapping.
import { createHash } from 'node:crypto'
import type { OwnedPair, PairState } from '@playhead/sdk'
import { type ResolvedMapping, resolveMapping } from './config/mappings.ts'
import type { Parts } from './parts.ts'
import type { Mapping } from './settings.ts'

export const OWNER = 'playlists'

/** `pair_playlist_` and 12 hex digits; ids of mappings are never reused. */
export function pairIdOf(mappingId: string): string {
  return `pair_playlist_${createHash('sha256').update(`mapping ${mappingId}`).digest('hex').slice(0, 12)}`
}

export function pairOf(mapping: Mapping, { source, targets, ruleset }: ResolvedMapping): OwnedPair {
  const [target] = targets
  return {
    id: pairIdOf(mapping.id),
    owner: OWNER,
    name: mapping.name,
    source: source.provider,
    source_instance: source.instance,
    target: target!.provider,
    target_instance: target!.instance,
    mode: ruleset?.direction === 'bidirectional' ? 'two_way' : 'one_way',
    enabled: mapping.enabled,
    features: {
      playlists: {
        ...{ enabled: true, add: true, remove: true },
        ...{ mappings: [mapping.id], managed_by: OWNER, mapping_id: mapping.id },
      },
    },
  }
}

/** Creates, changes and deletes pairs until each mapping has its own. Failures are logged and repaired at the next call. */
export async function repairPairs(parts: Parts): Promise<void> {
  const sync = parts.sync()
  const config = parts.config()
  if (sync === undefined) return
  const pairs = await sync.pairs()
  const wanted = new Set(config.mappings.map(({ id }) => pairIdOf(id)))
  const attempt = async (work: () => Promise<unknown>, id: string) => {
    try {
      await work()
    } catch (error) {
      parts.log.warn({ err: error, pair: id }, 'the pair of a mapping could not be repaired')
    }
  }
  for (const { id, owner } of pairs)
    if (owner === OWNER && !wanted.has(id)) await attempt(() => sync.deletePair({ id, owner: OWNER }), id)
  for (const mapping of config.mappings) {
    const id = pairIdOf(mapping.id)
    await attempt(async () => {
      const own = pairOf(mapping, resolveMapping(mapping, config))
      const found = pairs.find((one) => one.id === id)
      if (found === undefined || isOther(found, own)) await sync.savePair(own)
    }, id)
  }
}

function isOther(found: PairState, own: OwnedPair): boolean {
  const fields = ['name', 'source', 'source_instance', 'target', 'target_instance', 'mode', 'enabled'] as const
  return fields.some((field) => found[field] !== own[field]) || found.features?.includes('playlists') !== true
}

/** Pairs that a mapping runs with: its own first. */
export function pairsOf(mappingId: string, pairs: readonly PairState[]): readonly PairState[] {
  const own = pairIdOf(mappingId)
  return pairs
    .filter(({ id, mappings }) => id === own || mappings?.includes(mappingId) === true)
    .toSorted((a, b) => Number(b.id === own) - Number(a.id === own))
}

/** Whether a mapping can run with a pair: the same accounts in the same direction, or either with a two-way pair. */
export function isCompatible({ source, targets }: ResolvedMapping, pair: PairState): boolean {
  const isEnd = (one: { readonly provider: string; readonly instance: string }, end: 'source' | 'target') =>
    one.provider === pair[end] && one.instance === pair[`${end}_instance`]
  const [target] = targets
  if (isEnd(source, 'source') && isEnd(target!, 'target')) return true
  return pair.mode === 'two_way' && isEnd(source, 'target') && isEnd(target!, 'source')
}
