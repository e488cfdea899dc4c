// A row of Trakt as an item: with the ids of the work, those of its show, and what Trakt calls the row.
import { collectIds, formatTime, type Item, parseTime, progressOf, RATING_SCALES, ratingFrom } from '@playhead/sdk'
import type { Row, Work } from './wire.ts'

export type ReadItem = { readonly item: Item } | { readonly unreadable: { readonly reason: string; readonly title?: string } }

const ID_NAMES = ['trakt', 'imdb', 'tmdb', 'tvdb'] as const

/** What the row is about. */
export function itemOf(row: Row): ReadItem {
  switch (row.type) {
    case 'movie': return row.movie == null ? unreadable('no_identity') : workItem('movie', row.movie)
    case 'show': return row.show == null ? unreadable('no_identity') : workItem('show', row.show)
    case 'season': return row.season == null ? unreadable('no_identity') : partItem('season', row.season, row.show)
    case 'episode': return row.episode == null ? unreadable('no_identity') : partItem('episode', row.episode, row.show)
    default: return unreadable('unknown_type')
  }
}

export function watchlistItem(row: Row): ReadItem {
  return extended(itemOf(row), { ...timeAt('added_at', row.listed_at), ...nativeOf('list_item_id', row.id) })
}

/** One play. */
export function playItem(row: Row): ReadItem {
  return extended(itemOf(row), { watched: true, ...timeAt('watched_at', row.watched_at), ...nativeOf('event_id', row.id) })
}

export function ratingItem(row: Row): ReadItem {
  const rating = ratingFrom(row.rating, RATING_SCALES.tenPoints)
  if (rating === undefined) return unreadable('no_rating', titleOf(row))
  return extended(itemOf(row), { rating, ...timeAt('rated_at', row.rated_at) })
}

export function progressItem(row: Row): ReadItem {
  const percent = progressOf({ type: 'movie', ids: {}, ...(row.progress == null ? {} : { progress_percent: row.progress }) }).percent
  if (percent === undefined || percent < 0 || percent > 100) return unreadable('no_position', titleOf(row))
  return extended(itemOf(row), { progress_percent: percent, ...timeAt('progress_at', row.paused_at), ...nativeOf('item_id', row.id) })
}

/** The id of a row or play as text; undefined where a number is too large to be exact. */
export function idText(id: unknown): string | undefined {
  if (typeof id === 'string' && id !== '') return id
  return typeof id === 'number' && Number.isSafeInteger(id) ? String(id) : undefined
}

function workItem(type: 'movie' | 'show', work: Work): ReadItem {
  const ids = idsOf(work)
  if (Object.keys(ids).length === 0) return unreadable('no_identity', work.title)
  return { item: { type, ...named('title', work.title), ...yearOf('year', work.year), ids } }
}

function partItem(type: 'season' | 'episode', part: Work, show: Work | null | undefined): ReadItem {
  const ids = idsOf(part)
  const showIds = show == null ? {} : idsOf(show)
  const season = type === 'season' ? part.number : part.season
  const hasNumbers = isNumber(season, 0) && (type === 'season' || isNumber(part.number, 1))
  if (Object.keys(ids).length === 0 && (Object.keys(showIds).length === 0 || !hasNumbers)) return unreadable('no_identity', part.title)
  return {
    item: {
      type,
      ...named('title', part.title),
      ids,
      ...(Object.keys(showIds).length === 0 ? {} : { show_ids: showIds }),
      ...(isNumber(season, 0) ? { season } : {}),
      ...(type === 'episode' && isNumber(part.number, 1) ? { episode: part.number } : {}),
      ...named('series_title', show?.title),
      ...yearOf('series_year', show?.year),
    },
  }
}

function idsOf({ ids }: Work): Item['ids'] {
  if (typeof ids !== 'object' || ids === null) return {}
  const given = ids as Readonly<Record<string, unknown>>
  return collectIds({ ids: Object.fromEntries(ID_NAMES.map((name) => [name, given[name]])) }).ids
}

function extended(read: ReadItem, more: Partial<Item>): ReadItem {
  return 'item' in read ? { item: { ...read.item, ...more } } : read
}

type TimeName = 'added_at' | 'watched_at' | 'rated_at' | 'progress_at'

function timeAt<Name extends TimeName>(name: Name, value: unknown): { readonly [name in Name]?: string } {
  const time = parseTime(value)
  return (time === undefined ? {} : { [name]: formatTime(time) }) as { readonly [name in Name]?: string }
}

function nativeOf(name: 'event_id' | 'item_id' | 'list_item_id', id: unknown): Pick<Item, 'native'> {
  const text = idText(id)
  return text === undefined ? {} : { native: { [name]: text } }
}

function named<Name extends 'title' | 'series_title'>(name: Name, value: string | null | undefined): { readonly [name in Name]?: string } {
  return (value == null || value === '' ? {} : { [name]: value }) as { readonly [name in Name]?: string }
}

function yearOf<Name extends 'year' | 'series_year'>(name: Name, value: number | null | undefined): { readonly [name in Name]?: number } {
  return (isNumber(value, 1) && value <= 9_999 ? { [name]: value } : {}) as { readonly [name in Name]?: number }
}

function isNumber(value: number | null | undefined, least: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= least
}

function titleOf({ movie, show }: Row): string | null | undefined {
  return movie?.title ?? show?.title
}

function unreadable(reason: string, title?: string | null): ReadItem {
  return { unreadable: { reason, ...(title == null ? {} : { title }) } }
}
