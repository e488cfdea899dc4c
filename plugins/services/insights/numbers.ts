// The numbers of each feature, from the catalog.
import type { Catalog, CountedFeature as Counted, FeatureNumbers, Remote } from '@playhead/sdk'

export const COUNTED = ['watchlist', 'history', 'ratings', 'progress'] as const satisfies readonly Counted[]
export type { Counted }

export const TRACKER = 'SVC'

export type Numbers = (feature: Counted, signal?: AbortSignal) => Promise<FeatureNumbers>

/** Without a catalog nothing is counted. */
const NOTHING: FeatureNumbers = {
  now: 0,
  kinds: { movies: 0, shows: 0, anime: 0, episodes: 0 },
  accounts: [],
  providers: {},
  providerKinds: {},
  only: {},
  both: 0,
  newest: { rows: [], total: 0 },
}

/** Damaged rows that are not counted. */
export function unreadableOf({ accounts }: FeatureNumbers): number {
  return accounts.reduce((sum, { unreadable }) => sum + unreadable, 0)
}

export function createNumbers(catalog: () => Pick<Remote<Catalog>, 'numbers'> | undefined): Numbers {
  return async (feature, signal) => {
    const numbers = (await catalog()?.numbers(feature)) ?? NOTHING
    signal?.throwIfAborted()
    return numbers
  }
}
