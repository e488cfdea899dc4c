// Converts TMDB rows to items. Films and shows are numbered separately, so the kind comes from the list.
import { type Ids, type Item, type ItemKind, normaliseId, RATING_SCALES, ratingFrom } from '@playhead/sdk/items'
import { isWholeNumber, titleAt, type Unreadable } from '@playhead/sdk/provider'
import type { Row } from './wire.ts'

export type ReadItem = { readonly item: Item; readonly row: string } | { readonly unreadable: Unreadable }

export type FoundIds = Readonly<Record<string, Ids>>

/** `movie/900001`, `tv/900001` */
export function workKey(kind: 'movie' | 'show', id: string): string {
  return `${kind === 'movie' ? 'movie' : 'tv'}/${id}`
}

/** @param found external ids with which works were found before */
export function itemOf(kind: ItemKind, row: Row, found: FoundIds): ReadItem {
  return kind === 'episode' ? episodeOf(row, found) : workOf(kind === 'movie' ? 'movie' : 'show', row, found)
}

export function ratingItem(kind: ItemKind, row: Row, found: FoundIds): ReadItem {
  const read = itemOf(kind, row, found)
  if ('unreadable' in read) return read
  const rating = ratingFrom(row['rating'], RATING_SCALES.tenPointsHalves)
  if (rating === undefined) return unreadable('no_rating', row)
  return { ...read, item: { ...read.item, rating } }
}

function workOf(type: 'movie' | 'show', row: Row, found: FoundIds): ReadItem {
  const tmdb = normaliseId('tmdb', row['id'])
  if (tmdb === undefined) return unreadable('no_identity', row)
  const year = /^(\d{4})-/.exec(String(row['release_date'] ?? row['first_air_date'] ?? ''))?.[1]
  return {
    row: tmdb,
    item: {
      type,
      ...titleAt('title', row['title'] ?? row['name']),
      ...(year === undefined || year === '0000' ? {} : { year: Number(year) }),
      ids: { ...found[workKey(type, tmdb)], tmdb },
    },
  }
}

function episodeOf(row: Row, found: FoundIds): ReadItem {
  const tmdb = normaliseId('tmdb', row['id'])
  const show = normaliseId('tmdb', row['show_id'])
  const { season_number: season, episode_number: episode } = row
  if (show === undefined || !isWholeNumber(season, 0) || !isWholeNumber(episode, 1))
    return unreadable('no_identity', row)
  return {
    row: `${show}/${season}/${episode}`,
    item: {
      type: 'episode',
      ...titleAt('title', row['name']),
      ids: tmdb === undefined ? {} : { tmdb },
      show_ids: { ...found[workKey('show', show)], tmdb: show },
      season,
      episode,
    },
  }
}

function unreadable(reason: string, row: Row): ReadItem {
  return { unreadable: { reason, ...titleAt('title', row['title'] ?? row['name']) } }
}
