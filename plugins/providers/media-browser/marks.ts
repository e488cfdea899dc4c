// What can be read with one filter of the server: plays, positions, favourites. Each is a row of this table.
import { formatTime, type Item } from '@playhead/sdk'
import { lastPlayedOf, positionMsOf } from './items.ts'
import type { Row, UserData } from './wire.ts'

export interface Mark {
  readonly feature: 'history' | 'progress' | 'watchlist'
  /** The server's filter. */
  readonly filter: string
  readonly types: { readonly [kind in 'movie' | 'show' | 'episode']?: string }
  /** The latest first where there is a time, so that of the copies of a work the first one counts. */
  readonly sortBy: string
  readonly sortOrder: 'Ascending' | 'Descending'
  /** Whether the item carries the mark; undefined: the server does not say. */
  holds(data: UserData | null | undefined): boolean | undefined
  /** What the row says beside the item. */
  fields(row: Row): Partial<Item>
}

const BY_TIME = { sortBy: 'DatePlayed,DateCreated,SortName', sortOrder: 'Descending' } as const

export const HISTORY: Mark = {
  feature: 'history',
  filter: 'IsPlayed',
  types: { movie: 'Movie', episode: 'Episode' },
  ...BY_TIME,
  holds: (data) => data?.Played ?? undefined,
  // Of a work that is being watched again the server keeps the time of that only; when it was finished is not known any
  // more.
  fields: ({ UserData: data }) => ({ watched: true, ...(positionMsOf(data) > 0 ? {} : timeOf('watched_at', data)) }),
}

export const PROGRESS: Mark = {
  feature: 'progress',
  filter: 'IsResumable',
  types: { movie: 'Movie', episode: 'Episode' },
  ...BY_TIME,
  holds: (data) => (data?.PlaybackPositionTicks == null ? undefined : positionMsOf(data) > 0),
  fields: ({ UserData: data }) => ({ progress_ms: positionMsOf(data), ...timeOf('progress_at', data) }),
}

export const FAVOURITES: Mark = {
  feature: 'watchlist',
  filter: 'IsFavorite',
  types: { movie: 'Movie', show: 'Series' },
  sortBy: 'SortName,DateCreated',
  sortOrder: 'Ascending',
  holds: (data) => data?.IsFavorite ?? undefined,
  fields: () => ({}),
}

function timeOf(field: 'watched_at' | 'progress_at', data: UserData | null | undefined): Partial<Item> {
  const time = lastPlayedOf(data)
  return time === undefined ? {} : { [field]: formatTime(time) }
}
