// Converts Trakt rows to items with the ids of the work, of its show, and of the row.
import { type Item, progressOf, RATING_SCALES, ratingFrom, readIds } from '@playhead/sdk/items'
import {
  extendItem,
  idText,
  isWholeNumber,
  type ReadItem,
  timeAt,
  titleAt,
  unreadableRow,
  yearAt,
} from '@playhead/sdk/provider'
import type { Row, Work } from './wire.ts'

const ID_NAMES = ['trakt', 'imdb', 'tmdb', 'tvdb'] as const

export function itemOf(row: Row): ReadItem {
  switch (row.type) {
    case 'movie':
      return row.movie == null ? unreadableRow('no_identity') : workItem('movie', row.movie)
    case 'show':
      return row.show == null ? unreadableRow('no_identity') : workItem('show', row.show)
    case 'season':
      return row.season == null ? unreadableRow('no_identity') : partItem('season', row.season, row.show)
    case 'episode':
      return row.episode == null ? unreadableRow('no_identity') : partItem('episode', row.episode, row.show)
    default:
      return unreadableRow('unknown_type')
  }
}

export function watchlistItem(row: Row): ReadItem {
  return extendItem(itemOf(row), { ...timeAt('added_at', row.listed_at), ...nativeOf('list_item_id', row.id) })
}

/** One play. */
export function playItem(row: Row): ReadItem {
  return extendItem(itemOf(row), {
    watched: true,
    ...timeAt('watched_at', row.watched_at),
    ...nativeOf('event_id', row.id),
  })
}

export function ratingItem(row: Row): ReadItem {
  const rating = ratingFrom(row.rating, RATING_SCALES.tenPoints)
  if (rating === undefined) return unreadableRow('no_rating', titleOf(row))
  return extendItem(itemOf(row), { rating, ...timeAt('rated_at', row.rated_at) })
}

export function progressItem(row: Row): ReadItem {
  const percent = progressOf({
    type: 'movie',
    ids: {},
    ...(row.progress == null ? {} : { progress_percent: row.progress }),
  }).percent
  if (percent === undefined || percent < 0 || percent > 100) return unreadableRow('no_position', titleOf(row))
  return extendItem(itemOf(row), {
    progress_percent: percent,
    ...timeAt('progress_at', row.paused_at),
    ...nativeOf('item_id', row.id),
  })
}

function workItem(type: 'movie' | 'show', work: Work): ReadItem {
  const ids = readIds(work.ids, ID_NAMES)
  if (Object.keys(ids).length === 0) return unreadableRow('no_identity', work.title)
  return { item: { type, ...titleAt('title', work.title), ...yearAt('year', work.year), ids } }
}

function partItem(type: 'season' | 'episode', part: Work, show: Work | null | undefined): ReadItem {
  const ids = readIds(part.ids, ID_NAMES)
  const showIds = show == null ? {} : readIds(show.ids, ID_NAMES)
  const season = type === 'season' ? part.number : part.season
  const hasNumbers = isWholeNumber(season, 0) && (type === 'season' || isWholeNumber(part.number, 1))
  if (Object.keys(ids).length === 0 && (Object.keys(showIds).length === 0 || !hasNumbers))
    return unreadableRow('no_identity', part.title)
  return {
    item: {
      type,
      ...titleAt('title', part.title),
      ids,
      ...(Object.keys(showIds).length === 0 ? {} : { show_ids: showIds }),
      ...(isWholeNumber(season, 0) ? { season } : {}),
      ...(type === 'episode' && isWholeNumber(part.number, 1) ? { episode: part.number } : {}),
      ...titleAt('series_title', show?.title),
      ...yearAt('series_year', show?.year),
    },
  }
}

function nativeOf(name: 'event_id' | 'item_id' | 'list_item_id', id: unknown): Pick<Item, 'native'> {
  const text = idText(id)
  return text === undefined ? {} : { native: { [name]: text } }
}

function titleOf({ movie, show }: Row): string | null | undefined {
  return movie?.title ?? show?.title
}
