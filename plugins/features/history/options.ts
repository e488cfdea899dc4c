import { Type } from '@playhead/sdk'
import { AnimeOptions, LibraryChoice } from '@playhead/sdk/sync'

export const HistoryOptions = Type.Object({
  rewatches: Type.Boolean({
    title: 'Every play, not only the last',
    default: false,
    description: 'Three plays stay three plays, if both accounts support single plays.',
  }),
  update_watched_at: Type.Boolean({
    title: 'Sync newer times',
    default: false,
    description:
      'If only the last play is synced: an account that already has the item gets the newer time, if it can change times.',
  }),
  libraries: Type.Optional(LibraryChoice),
  ...AnimeOptions,
})
