// The options of a pair's history.
import { asOptions, type FeatureOptions, readAnime, readLibraries, readOptions, readSwitches, Type } from '@playhead/sdk'

export const HistoryOptions = Type.Object({
  rewatches: Type.Boolean({ default: false, description: 'Sync every play, where both accounts know single plays.' }),
  update_watched_at: Type.Boolean({
    default: false,
    description: 'Without rewatches: carry a newer time over to a side that has the item already, where that side can change times.',
  }),
  libraries: Type.Optional(Type.Record(Type.String(), Type.Array(Type.String()), { description: 'Library ids by provider.' })),
  use_anime_mapping: Type.Optional(Type.Boolean({ description: 'Match anime by mapping data. Kept, and without effect: there is no mapping data yet.' })),
  anime_only_sync: Type.Optional(Type.Boolean({ description: 'Sync anime and nothing else. Kept, and without effect: there is no mapping data yet.' })),
})

export function normalizeHistory(options: unknown): FeatureOptions {
  const reader = readOptions(asOptions(options))
  const normal = {
    ...readSwitches(reader),
    rewatches: reader.flag('rewatches', false),
    update_watched_at: reader.flag('update_watched_at', false),
    ...readLibraries(reader),
    ...readAnime(reader),
  }
  reader.finish()
  return normal
}
