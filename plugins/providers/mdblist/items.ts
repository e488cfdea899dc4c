// Converts MDBList rows to items with the ids of the work, of its show, and of the row.
import { isRecord, type ItemKind, RATING_SCALES, ratingFrom, readIds } from '@playhead/sdk/items'
import {
  extendItem,
  idText,
  nativeAt,
  type ReadItem,
  timeAt,
  titleAt,
  unreadableRow,
  yearAt,
} from '@playhead/sdk/provider'
import { itemOfWork, type Work } from '@playhead/trakt-dialect'
import type { Fields } from './wire.ts'

export interface Row {
  /** Undefined for unknown kinds. */
  readonly kind: ItemKind | undefined
  readonly fields: Fields
}

const ID_NAMES = ['imdb', 'tmdb', 'tvdb', 'trakt'] as const
const MINUTE_MS = 60_000

/** A watchlist row has the ids of the work in `ids` or, in older rows, beside it. Its plain `id` is ambiguous. */
export function watchlistItem({ kind, fields }: Row): ReadItem {
  if (kind === undefined) return unreadableRow('unknown_type', fields['title'])
  const ids = readIds({ ...flatIds(fields), ...(isRecord(fields['ids']) ? fields['ids'] : {}) }, ID_NAMES)
  if (Object.keys(ids).length === 0) return unreadableRow('no_identity', fields['title'])
  return {
    item: {
      type: kind,
      ...titleAt('title', fields['title']),
      ...yearAt('year', numberOf(fields['release_year'] ?? fields['year'])),
      ids,
      ...timeAt('added_at', fields['watchlist_at']),
    },
  }
}

/** One play, or the latest play of an item. */
export function playItem(row: Row, isPlay: boolean): ReadItem {
  const { fields } = row
  return extendItem(workItem(row), {
    watched: true,
    ...timeAt('watched_at', fields['watched_at'] ?? fields['last_watched_at']),
    ...(isPlay ? nativeAt('event_id', playId(fields)) : {}),
  })
}

export function ratingItem(row: Row): ReadItem {
  const rating = ratingFrom(row.fields['rating'], RATING_SCALES.tenPoints)
  if (rating === undefined) return unreadableRow('no_rating')
  return extendItem(workItem(row), { rating, ...timeAt('rated_at', row.fields['rated_at']) })
}

export function progressItem(row: Row): ReadItem {
  const { fields } = row
  const percent = numberOf(fields['progress'])
  if (percent === undefined || percent < 0 || percent > 100) return unreadableRow('no_position')
  const minutes = numberOf(fields['runtime'])
  return extendItem(workItem(row), {
    progress_percent: percent,
    ...(minutes === undefined || minutes <= 0 ? {} : { duration_ms: Math.round(minutes * MINUTE_MS) }),
    ...timeAt('progress_at', fields['paused_at']),
    ...nativeAt('item_id', fields['id']),
  })
}

/** The id of a play; undefined for a number that is too large to be exact. */
export function playId(fields: Fields): string | undefined {
  return idText(fields['play_id']) ?? idText(fields['history_id']) ?? idText(fields['id'])
}

/** The movie, show, season or episode inside a row. */
export function workItem({ kind, fields }: Row): ReadItem {
  if (kind === undefined) return unreadableRow('unknown_type')
  const work = isRecord(fields[kind]) ? fields[kind] : undefined
  if (work === undefined) return unreadableRow('no_identity')
  const show = isRecord(work['show']) ? work['show'] : isRecord(fields['show']) ? fields['show'] : {}
  const number = work['number'] ?? work[kind]
  return itemOfWork(kind, { ...wireWork(work), number: numberOf(number) }, wireWork(show), ID_NAMES)
}

function wireWork(work: Fields): Work {
  const [season, year] = [numberOf(work['season']), numberOf(work['year'])]
  return { title: work['title'] ?? work['name'], year, season, ids: work['ids'] }
}

function flatIds(fields: Fields): Fields {
  return { imdb: fields['imdb_id'], tmdb: fields['tmdb_id'], tvdb: fields['tvdb_id'], trakt: fields['trakt_id'] }
}

function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}
