// Converts PublicMetaDB rows to items, and items to references: TMDB id, kind, and numbers of an episode.
import { type Item, kindOf, normaliseId, ownIds, partOf } from '@playhead/sdk/items'
import {
  extendItem,
  idText,
  isWholeNumber,
  type ReadItem,
  timeAt,
  titleAt,
  unreadableRow,
} from '@playhead/sdk/provider'
import type { Fields } from './wire.ts'

/** The service's reference to a work. */
export interface Named {
  readonly tmdb_id: number
  readonly media_type: 'movie' | 'tv'
  readonly season?: number
  readonly episode?: number
}

const MEDIA = ['movie', 'tv'] as const

export function watchlistItem(row: Fields): ReadItem {
  return extended(itemOf(row), row, 'list_item_id', timeAt('added_at', row['created'] ?? row['created_at']))
}

/** @param isPlay the row is one play with its own id */
export function playItem(row: Fields, isPlay: boolean): ReadItem {
  const read = itemOf(row)
  // A mark of a whole series contains no information about its episodes.
  if ('item' in read && read.item.type === 'show') return unreadableRow('whole_show', row['title'])
  return extended(read, row, isPlay ? 'event_id' : undefined, {
    watched: true,
    ...timeAt('watched_at', row['watched_at']),
  })
}

export function progressItem(row: Fields): ReadItem {
  const read = itemOf(row)
  const { position_ms: position, runtime_ms: runtime } = row
  if ('item' in read && read.item.type === 'show') return unreadableRow('whole_show', row['title'])
  if (!isWholeNumber(position, 0)) return unreadableRow('no_position', row['title'])
  return extended(read, row, 'item_id', {
    progress_ms: position,
    ...(isWholeNumber(runtime, 1) ? { duration_ms: runtime } : {}),
    ...timeAt('progress_at', row['updated'] ?? row['updated_at'] ?? row['created']),
  })
}

/** Undefined for an item that cannot be named. */
export function namedBy(item: Item): Named | undefined {
  const kind = kindOf(item)
  if (kind === 'movie' || kind === 'show') {
    const id = number(ownIds(item).tmdb)
    return id === undefined ? undefined : { tmdb_id: id, media_type: kind === 'movie' ? 'movie' : 'tv' }
  }
  const part = partOf(item)
  const id = number(item.show_ids?.tmdb)
  if (kind !== 'episode' || part?.episode === undefined || id === undefined) return undefined
  return { tmdb_id: id, media_type: 'tv', season: part.season, episode: part.episode }
}

function itemOf(row: Fields): ReadItem {
  const tmdb = normaliseId('tmdb', row['tmdb_id'])
  const media = MEDIA.find((name) => name === row['media_type'])
  const { season, episode, title } = row
  if (tmdb === undefined) return unreadableRow('no_identity', title)
  if (media === undefined) return unreadableRow('unknown_type', title)
  if (media === 'movie') return { item: { type: 'movie', ...titleAt('title', title), ids: { tmdb } } }
  if (season == null && episode == null) return { item: { type: 'show', ...titleAt('title', title), ids: { tmdb } } }
  if (!isWholeNumber(season, 0) || !isWholeNumber(episode, 1)) return unreadableRow('no_numbers', title)
  return { item: { type: 'episode', ids: {}, show_ids: { tmdb }, season, episode, ...titleAt('series_title', title) } }
}

function extended(
  read: ReadItem,
  row: Fields,
  name: 'event_id' | 'item_id' | 'list_item_id' | undefined,
  more: Partial<Item>,
): ReadItem {
  const id = name === undefined ? undefined : idText(row['id'])
  return extendItem(read, { ...more, ...(id === undefined ? {} : { native: { [name as string]: id } }) })
}

function number(id: string | undefined): number | undefined {
  return id !== undefined && Number.isSafeInteger(Number(id)) ? Number(id) : undefined
}
