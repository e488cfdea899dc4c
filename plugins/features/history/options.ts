// History options of a pair.
import {
  asOptions,
  type FeatureOptions,
  LibraryChoice,
  readAnime,
  readLibraries,
  readOptions,
  readSwitches,
  Type,
} from '@playhead/sdk'

export const HistoryOptions = Type.Object({
  rewatches: Type.Boolean({
    title: 'Every play, not only the last',
    default: false,
    description: 'Watched three times stays three plays, where both accounts know single plays.',
  }),
  update_watched_at: Type.Boolean({
    title: 'Carry newer times over',
    default: false,
    description:
      'Where only the last play counts: a side that has the item already gets the newer time, if it can change times.',
  }),
  libraries: Type.Optional(LibraryChoice),
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
