// User marks that the server can filter by: plays, positions, favourites.
import { formatTime, type Item } from '@playhead/sdk/items'
import { lastPlayedOf, positionMsOf } from './items.ts'
import type { Row, UserData } from './wire.ts'

export interface Mark {
  readonly feature: 'history' | 'progress' | 'watchlist'
  /** The server's filter. */
  readonly filter: string
  readonly types: { readonly [kind in 'movie' | 'show' | 'episode']?: string }
  /** Latest first where a time exists, so that the latest copy of a work counts. */
  readonly sortBy: string
  readonly sortOrder: 'Ascending' | 'Descending'
  /** Whether the item has the mark; undefined if the server does not report it. */
  holds(data: UserData | null | undefined): boolean | undefined
  /** Whether an item without its former mark was unmarked by the person. Default: yes. */
  wasUnmarked?(data: UserData | null | undefined): boolean
  /** Each episode of a file with several episodes has the mark. */
  readonly perEpisode?: true
  /** Fields of the row in addition to those of the item. */
  fields(row: Row): Partial<Item>
}

const BY_TIME = { sortBy: 'DatePlayed,DateCreated,SortName', sortOrder: 'Descending' } as const

export const HISTORY: Mark = {
  feature: 'history',
  filter: 'IsPlayed',
  types: { movie: 'Movie', episode: 'Episode' },
  perEpisode: true,
  ...BY_TIME,
  holds: (data) => data?.Played ?? undefined,
  // Jellyfin clears the mark when an item is played again, and counts that play; unmarking clears the count.
  wasUnmarked: (data) => (data?.PlayCount ?? 0) === 0,
  // During a rewatch the server only has the time of that playback; the finish time is lost.
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
