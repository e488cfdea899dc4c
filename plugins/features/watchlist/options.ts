// The options of a pair's watchlist.
import { asOptions, type FeatureOptions, readAnime, readOptions, readSwitches, Type } from '@playhead/sdk'

export const WatchlistOptions = Type.Object({
  use_anime_mapping: Type.Optional(Type.Boolean({ description: 'Match anime by mapping data. Kept, and without effect: there is no mapping data yet.' })),
  anime_only_sync: Type.Optional(Type.Boolean({ description: 'Sync anime and nothing else. Kept, and without effect: there is no mapping data yet.' })),
})

export function normalizeWatchlist(options: unknown): FeatureOptions {
  const reader = readOptions(asOptions(options))
  const normal = { ...readSwitches(reader), ...readAnime(reader) }
  reader.finish()
  return normal
}
