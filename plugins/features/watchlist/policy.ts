// Watchlist policy: a title is on the list or not. The time of adding is not synced, because services do not agree on it.
import { Type } from '@playhead/sdk'
import {
  AnimeOptions,
  type Appearance,
  type SyncFeature,
  decideGroups,
  isTransient,
  presencePolicy,
  readFeatureOptions,
  shapeOf,
  timeMs,
} from '@playhead/sdk/sync'

const policy = presencePolicy({ values: ['added_at'] })
const isThere = (): Appearance => 'shown'

export function createWatchlist(): SyncFeature {
  return {
    describe: () => ({ feature: 'watchlist', label: 'Watchlist', options: WatchlistOptions, after: ['history'] }),
    normalize: (options) => readFeatureOptions(WatchlistOptions, options),
    compare: () => ({ identity: 'item', toleranceMs: 0, kinds: undefined, variant: 'item' }),
    shape: (rows) =>
      rows.map((item) => (isTransient(item) ? { skip: 'transient' } : shapeOf('', timeMs(item.added_at)))),
    decide: (groups, rules) => decideGroups(groups, rules, isThere, policy),
  }
}

const WatchlistOptions = Type.Object({ ...AnimeOptions })
