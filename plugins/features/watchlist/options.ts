// Watchlist options of a pair.
import { asOptions, type FeatureOptions, readAnime, readOptions, readSwitches, Type } from '@playhead/sdk'

export const WatchlistOptions = Type.Object({})

export function normalizeWatchlist(options: unknown): FeatureOptions {
  const reader = readOptions(asOptions(options))
  const normal = { ...readSwitches(reader), ...readAnime(reader) }
  reader.finish()
  return normal
}
