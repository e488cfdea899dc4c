// Converts Nuvio rows to items with the ids of the work or its show, and the row key.
import { defined } from '@playhead/sdk'
import { type Ids, type Item, kindOf, normaliseId } from '@playhead/sdk/items'
import { extendItem, isWholeNumber, type ReadItem as ReadRow, timeAt } from '@playhead/sdk/provider'
import type { Row } from './wire.ts'

export type ReadItem =
  | ReadRow
  /** A summary row without data of its own. */
  | { readonly rollUp: true }

const MAX_NATIVE = 256

/** The work of a library row. */
export function savedWork(row: Row): ReadItem {
  const type = row.content_type === 'movie' ? 'movie' : row.content_type === 'series' ? 'show' : undefined
  if (type === undefined) return unreadable('unknown_type', row)
  const ids = idsOf(row.content_id)
  if (ids === undefined) return unreadable('unknown_id', row)
  return { item: { type, ...titled(row.name), ...yearOf(row.release_info), ids } }
}

/** The work of a watched item or a position. */
export function playedWork(row: Row): ReadItem {
  if (row.content_type !== 'movie' && row.content_type !== 'series') return unreadable('unknown_type', row)
  const { season, episode } = row
  const hasNumbers = season != null || episode != null
  if (row.content_type === 'series' && !hasNumbers) return { rollUp: true }
  const ids = idsOf(row.content_id)
  if (ids === undefined) return unreadable('unknown_id', row)
  if (row.content_type === 'movie') {
    return hasNumbers ? unreadable('movie_with_episode', row) : { item: { type: 'movie', ...titled(row.title), ids } }
  }
  if (!isWholeNumber(season, 0) || !isWholeNumber(episode, 1)) return unreadable('episode_missing', row)
  return { item: { type: 'episode', ...seriesTitled(row.title), ids: {}, show_ids: ids, season, episode } }
}

export function libraryItem(row: Row): ReadItem {
  return extendItem(savedWork(row), timeAt('added_at', row.added_at))
}

export function watchedItem(row: Row): ReadItem {
  return extendItem(playedWork(row), { watched: true, ...timeAt('watched_at', row.watched_at) })
}

export function progressItem(row: Row): ReadItem {
  const { position, duration } = row
  if (!isAmount(position)) {
    const work = playedWork(row)
    return 'item' in work ? unreadable('no_position', row) : work
  }
  const durationMs = isAmount(duration) && duration >= 1 ? Math.round(duration) : undefined
  return extendItem(playedWork(row), {
    progress_ms: Math.min(Math.round(position), durationMs ?? Infinity),
    ...defined({ duration_ms: durationMs }),
    ...timeAt('progress_at', row.last_watched),
  })
}

/** Adds the row key to the item. */
export function named(read: ReadItem, key: string): ReadItem {
  return key.length > MAX_NATIVE ? read : extendItem(read, { native: { item_id: key } })
}

export function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}

function titled(title: unknown): Pick<Item, 'title'> {
  return typeof title === 'string' && title.trim() !== '' ? { title: title.trim() } : {}
}

/** Titles of episodes start with the show: `Northern Signal - S01E03`. */
function seriesTitled(title: unknown): Pick<Item, 'series_title'> {
  const [, series] = typeof title === 'string' ? (/^(.+) - S\d+E\d+$/i.exec(title.trim()) ?? []) : []
  return series === undefined ? {} : { series_title: series }
}

function yearOf(released: unknown): Pick<Item, 'year'> {
  const [year] = typeof released === 'string' ? (/^\d{4}\b/.exec(released.trim()) ?? []) : []
  return year === undefined || Number(year) < 1 ? {} : { year: Number(year) }
}

function unreadable(reason: string, { name, title }: Row): ReadItem {
  const known = typeof name === 'string' ? name : typeof title === 'string' ? title : ''
  return { unreadable: { reason, ...(known === '' ? {} : { title: known }) } }
}

type ContentType = 'movie' | 'series'

/** Undefined for other forms. */
function idsOf(contentId: unknown): Ids | undefined {
  if (typeof contentId !== 'string') return undefined
  const [, number] = /^tmdb:(\d+)$/.exec(contentId) ?? []
  const tmdb = number === undefined ? undefined : normaliseId('tmdb', number)
  if (tmdb !== undefined) return { tmdb }
  const imdb = /^tt\d+$/.test(contentId) ? normaliseId('imdb', contentId) : undefined
  return imdb === undefined ? undefined : { imdb }
}

/** Possible content ids of an item, or of the show of an episode; the preferred one first. */
export function contentIdsOf(item: Item): string[] {
  const { tmdb, imdb } = (item.type === 'episode' ? item.show_ids : item.ids) ?? {}
  return [...(tmdb === undefined ? [] : [`tmdb:${tmdb}`]), ...(imdb === undefined ? [] : [imdb])]
}

export function contentTypeOf(item: Item): ContentType {
  return kindOf(item) === 'movie' ? 'movie' : 'series'
}
