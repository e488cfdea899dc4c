// The numbers of each feature, from the library.
import type { Feature, FeatureNumbers, LibraryService, Remote } from '@playhead/sdk'

export const COUNTED = ['watchlist', 'history', 'ratings', 'progress'] as const satisfies readonly Feature[]
export type Counted = (typeof COUNTED)[number]

export const TRACKER = 'SVC'

export type Numbers = (feature: Counted, signal?: AbortSignal) => Promise<FeatureNumbers>

/** Without a library no account was ever read. */
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

export function createNumbers(library: () => Pick<Remote<LibraryService>, 'numbers'> | undefined): Numbers {
  return async (feature, signal) => (await library()?.numbers(feature, signal)) ?? NOTHING
}
