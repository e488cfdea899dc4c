// Converts Trakt rows to items with the ids of the work, of its show, and of the row.
import { progressOf, RATING_SCALES, ratingFrom } from '@playhead/sdk/items'
import { extendItem, nativeAt, type ReadItem, timeAt, unreadableRow } from '@playhead/sdk/provider'
import { itemOfWork } from '@playhead/trakt-dialect'
import type { Row } from './wire.ts'

const KINDS = ['movie', 'show', 'season', 'episode'] as const
const ID_NAMES = ['trakt', 'imdb', 'tmdb', 'tvdb'] as const

export function itemOf(row: Row): ReadItem {
  const kind = KINDS.find((name) => name === row.type)
  return kind === undefined ? unreadableRow('unknown_type') : itemOfWork(kind, row[kind], row.show, ID_NAMES)
}

export function watchlistItem(row: Row): ReadItem {
  return extendItem(itemOf(row), { ...timeAt('added_at', row.listed_at), ...nativeAt('list_item_id', row.id) })
}

/** One play. */
export function playItem(row: Row): ReadItem {
  return extendItem(itemOf(row), {
    watched: true,
    ...timeAt('watched_at', row.watched_at),
    ...nativeAt('event_id', row.id),
  })
}

export function ratingItem(row: Row): ReadItem {
  const rating = ratingFrom(row.rating, RATING_SCALES.tenPoints)
  if (rating === undefined) return unreadableRow('no_rating', titleOf(row))
  return extendItem(itemOf(row), { rating, ...timeAt('rated_at', row.rated_at) })
}

export function progressItem(row: Row): ReadItem {
  const position = row.progress == null ? {} : { progress_percent: row.progress }
  const { percent } = progressOf({ type: 'movie', ids: {}, ...position })
  if (percent === undefined || percent < 0 || percent > 100) return unreadableRow('no_position', titleOf(row))
  return extendItem(itemOf(row), {
    progress_percent: percent,
    ...timeAt('progress_at', row.paused_at),
    ...nativeAt('item_id', row.id),
  })
}

function titleOf({ movie, show }: Row): string | null | undefined {
  return movie?.title ?? show?.title
}
