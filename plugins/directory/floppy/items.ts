// Rows of Floppy as items, and the keys by which a title is found among them.
import type { Item } from '@playhead/sdk'
import { type Ids, normaliseId, ratingFrom, RATING_SCALES } from '@playhead/sdk/items'
import {
  extendItem,
  isWholeNumber,
  type ReadItem,
  timeAt,
  titleAt,
  unreadableRow,
  yearAt,
} from '@playhead/sdk/provider'
import { type Position, type Row, STATUS, type TitleFacts } from './wire.ts'

const SOURCES = ['tmdb', 'tvdb'] as const
type Source = (typeof SOURCES)[number]

/** Ids of the title, or of the show of an episode. */
export function idsOf({ source, media_id: value }: { readonly source?: unknown; readonly media_id?: unknown }): Ids {
  const scheme = SOURCES.find((one) => one === source)
  const id = scheme === undefined ? undefined : normaliseId(scheme, value)
  return scheme === undefined || id === undefined ? {} : { [scheme]: id }
}

const yearOf = (date: unknown) => (typeof date === 'string' && /^\d{4}/.test(date) ? Number(date.slice(0, 4)) : null)
const hasNone = (ids: Ids) => Object.keys(ids).length === 0

function titleOf(type: 'movie' | 'show', { item }: Row): ReadItem {
  const ids = idsOf(item)
  if (hasNone(ids)) return unreadableRow('missing_ids', item.title)
  return { item: { type, ids, ...titleAt('title', item.title), ...yearAt('year', yearOf(item.release_datetime)) } }
}

function episodeOf(facts: Pick<TitleFacts, 'season_number' | 'episode_number' | 'title'>, showIds: Ids): ReadItem {
  const { season_number: season, episode_number: episode, title } = facts
  if (hasNone(showIds)) return unreadableRow('missing_ids', title)
  if (!isWholeNumber(season, 0) || !isWholeNumber(episode, 1)) return unreadableRow('episode_missing', title)
  return { item: { type: 'episode', ids: {}, show_ids: showIds, season, episode, ...titleAt('title', title) } }
}

export function plannedItem(type: 'movie' | 'show', row: Row): readonly ReadItem[] {
  if (row.status !== STATUS.planned) return []
  const native = row.consumption_id == null ? {} : { native: { item_id: String(row.consumption_id) } }
  return [extendItem(titleOf(type, row), { ...timeAt('added_at', row.created_at), ...native })]
}

/** A score of 0 counts as none. Floppy does not say when a title was rated. */
export const ratingOf = ({ score }: Pick<Row, 'score'>) => ratingFrom(score, RATING_SCALES.tenPoints)

export function ratedItem(type: 'movie' | 'show', row: Row): readonly ReadItem[] {
  const rating = ratingOf(row)
  return rating === undefined ? [] : [extendItem(titleOf(type, row), { rating })]
}

/** Completed, or watched before and begun again. A dropped title was not watched. */
export function isWatched({ status, end_date: end }: Pick<Row, 'status' | 'end_date'>): boolean {
  if (status === STATUS.completed) return true
  return end != null && status !== STATUS.planned && status !== STATUS.dropped
}

export function watchedItem(type: 'movie' | 'episode', row: Row): readonly ReadItem[] {
  if (!row.tracked || !isWatched(row)) return []
  const title = type === 'movie' ? titleOf('movie', row) : episodeOf(row.item, idsOf(row.item))
  // Without an end the time is not known; when the entry was made is another time.
  return [extendItem(title, { watched: true, ...timeAt('watched_at', row.end_date) })]
}

export function positionItem(row: Position): readonly ReadItem[] {
  const { media_type: type, position_seconds: position, duration_seconds: duration, completed } = row
  if (completed || position == null || position === 0) return []
  const ids = idsOf(row)
  const title: ReadItem =
    type === 'episode'
      ? extendItem(episodeOf(row, ids), titleAt('series_title', row.series_title))
      : hasNone(ids)
        ? unreadableRow('missing_ids', row.title)
        : { item: { type: 'movie', ids, ...titleAt('title', row.title) } }
  const length = duration == null || duration === 0 ? {} : { duration_ms: duration * 1_000 }
  const positionMs = Math.min(position * 1_000, length.duration_ms ?? Infinity)
  return [extendItem(title, { progress_ms: positionMs, ...length, ...timeAt('progress_at', row.updated_at) })]
}

/** Keys of a title, for each source that it may be of. */
export function keysOf({ type, ids, show_ids: show = {}, season, episode }: Item): readonly string[] {
  const own: Ids = type === 'episode' ? show : ids
  return SOURCES.flatMap((source: Source) =>
    own[source] === undefined ? [] : [`${type}/${source}/${own[source]}/${season ?? ''}x${episode ?? ''}`],
  )
}
