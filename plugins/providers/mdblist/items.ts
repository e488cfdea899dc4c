// Converts MDBList rows to items with the ids of the work, of its show, and of the row.
import { defined } from '@playhead/sdk'
import { type Item, type ItemKind, RATING_SCALES, ratingFrom, readIds } from '@playhead/sdk/items'
import { extendItem, idText, type ReadItem, timeAt, titleAt, unreadableRow, yearAt } from '@playhead/sdk/provider'
import { type Fields, isFields } from './wire.ts'

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
  const ids = idsOf({ ...flatIds(fields), ...(isFields(fields['ids']) ? fields['ids'] : {}) })
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
  const time = timeAt('watched_at', fields['watched_at'] ?? fields['last_watched_at'])
  const id = isPlay ? playId(fields) : undefined
  return extendItem(workItem(row), {
    watched: true,
    ...time,
    ...(id === undefined ? {} : { native: { event_id: id } }),
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
  const id = idText(fields['id'])
  return extendItem(workItem(row), {
    progress_percent: percent,
    ...(minutes === undefined || minutes <= 0 ? {} : { duration_ms: Math.round(minutes * MINUTE_MS) }),
    ...timeAt('progress_at', fields['paused_at']),
    ...(id === undefined ? {} : { native: { item_id: id } }),
  })
}

/** The id of a play; undefined for a number that is too large to be exact. */
export function playId(fields: Fields): string | undefined {
  return idText(fields['play_id']) ?? idText(fields['history_id']) ?? idText(fields['id'])
}

/** The movie, show, season or episode inside a row. */
export function workItem({ kind, fields }: Row): ReadItem {
  if (kind === undefined) return unreadableRow('unknown_type')
  const work = isFields(fields[kind]) ? fields[kind] : undefined
  if (work === undefined) return unreadableRow('no_identity')
  const ids = idsOf(work['ids'])
  if (kind === 'movie' || kind === 'show') {
    if (Object.keys(ids).length === 0) return unreadableRow('no_identity', work['title'])
    return { item: { type: kind, ...titleAt('title', work['title']), ...yearAt('year', numberOf(work['year'])), ids } }
  }
  const show = isFields(work['show']) ? work['show'] : isFields(fields['show']) ? fields['show'] : {}
  const showIds = idsOf(show['ids'])
  const season = integer(kind === 'season' ? (work['number'] ?? work['season']) : work['season'], 0)
  const episode = kind === 'episode' ? integer(work['number'] ?? work['episode'], 1) : undefined
  const hasNumbers = season !== undefined && (kind === 'season' || episode !== undefined)
  if (Object.keys(showIds).length === 0 || !hasNumbers) {
    if (Object.keys(ids).length === 0) return unreadableRow('no_identity', work['title'] ?? work['name'])
  }
  return {
    item: {
      type: kind,
      ...titleAt('title', work['title'] ?? work['name']),
      ids,
      ...(Object.keys(showIds).length === 0 ? {} : { show_ids: showIds }),
      ...defined({ season, episode }),
      ...titleAt('series_title', show['title']),
      ...yearAt('series_year', numberOf(show['year'])),
    },
  }
}

function flatIds(fields: Fields): Fields {
  return { imdb: fields['imdb_id'], tmdb: fields['tmdb_id'], tvdb: fields['tvdb_id'], trakt: fields['trakt_id'] }
}

function idsOf(given: unknown): Item['ids'] {
  return readIds(given, ID_NAMES)
}

function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}

function integer(value: unknown, least: number): number | undefined {
  const number = numberOf(value)
  return number !== undefined && Number.isInteger(number) && number >= least ? number : undefined
}
