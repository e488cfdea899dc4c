// Changes of pairs that affect more than the list of pairs, for people and for plugins that manage pairs.
import { type OwnedPair, PlayheadError } from '@playhead/sdk'
import type { Pair } from './pair.ts'
import { foreignPair, type Pairs, unknownPair } from './pairs.ts'

export interface PairChanges {
  readonly pairs: Pairs
  readonly isRunning: (pairId: string) => boolean
  /** Scheduled jobs and other references to the pair. */
  readonly referencesOf: (pair: Pair) => Promise<readonly string[]>
  /** Deletes the stored data of the pair and returns the number of rows by table, and a text. */
  readonly purge: (pairId: string) => Promise<{ readonly removed: number; readonly preview: readonly string[] }>
  /** The pair's accounts or direction changed: the next run is a first run. */
  readonly reset: (pairId: string) => Promise<void>
  /** Notifies the event archive and the scheduler. */
  readonly changed: (action: PairChange, pair?: Pick<Pair, 'id' | 'name'>) => void
}

type PairChange = 'created' | 'updated' | 'removed' | 'reordered'

/**
 * Steps before a changed pair is stored. The reset comes first: if the process ends in between, the old pair starts over, and
 * no state is used for other accounts.
 */
export function resetter(id: string, deps: PairChanges): (next: Pair) => Promise<void> {
  const before = deps.pairs.find(id)
  if (before === undefined) throw unknownPair(id)
  assertIdle(id, deps)
  return async (next) => {
    if (isAnotherPair(before, next)) await deps.reset(id)
  }
}

/** @throws `PLH_CONFLICT`: `pair_running`, `pair_in_use` */
export async function assertRemovable(pair: Pair, deps: PairChanges): Promise<void> {
  assertIdle(pair.id, deps)
  const references = await deps.referencesOf(pair)
  if (references.length > 0) {
    throw new PlayheadError('PLH_CONFLICT', `The pair is used by ${references.join(', ')}. Remove it there first.`, {
      wire: 'pair_in_use',
      details: { references },
    })
  }
}

/** @throws as `assertRemovable` */
export async function removePair(pair: Pair, purgeState: boolean, deps: PairChanges): ReturnType<PairChanges['purge']> {
  await assertRemovable(pair, deps)
  await deps.pairs.remove(pair.id)
  const purged = purgeState ? await deps.purge(pair.id) : { removed: 0, preview: [] }
  deps.changed('removed', pair)
  return purged
}

/** Implements `sync.savePair`. */
export async function saveOwnedPair(owned: OwnedPair, deps: PairChanges): Promise<void> {
  const known = deps.pairs.find(owned.id)
  const pair = await deps.pairs.saveOwned(owned, known === undefined ? async () => {} : resetter(owned.id, deps))
  deps.changed(known === undefined ? 'created' : 'updated', pair)
}

/** Implements `sync.deletePair`. */
export async function deleteOwnedPair({ id, owner }: Pick<OwnedPair, 'id' | 'owner'>, deps: PairChanges) {
  const pair = deps.pairs.find(id)
  if (pair === undefined) return false
  if (pair.owner !== owner) throw foreignPair(id)
  await removePair(pair, true, deps)
  return true
}

function assertIdle(id: string, { isRunning }: PairChanges): void {
  if (isRunning(id))
    throw new PlayheadError('PLH_CONFLICT', 'The pair is running. Wait until the run ends, or cancel it.', {
      wire: 'pair_running',
    })
}

function isAnotherPair(a: Pair, b: Pair): boolean {
  const names = ['source', 'source_instance', 'target', 'target_instance', 'mode'] as const
  return names.some((name) => a[name] !== b[name])
}
