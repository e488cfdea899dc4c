import { Type } from '@playhead/sdk'
import { AnimeOptions, LibraryChoice } from '@playhead/sdk/sync'

export const HistoryOptions = Type.Object({
  rewatches: Type.Boolean({
    title: 'Sync every play',
    default: false,
    description: 'Not only the last play of each title. Both accounts must support single plays.',
  }),
  update_watched_at: Type.Boolean({
    title: 'Sync newer times',
    default: false,
    description: 'Applies if only the last play is synced. An account that already has the title gets the newer time.',
  }),
  libraries: Type.Optional(LibraryChoice),
  ...AnimeOptions,
})
