// Entries as items of the features. An entry is a season, a part of one, a film or a special, and has the id of its anime.
import { type Item, kindOf, RATING_SCALES, ratingFrom } from '@playhead/sdk/items'
import { countedEpisodes, type ReadItem, timeAt, titleAt, unreadableRow, yearAt } from '@playhead/sdk/provider'
import type { Anime, Entry, ListStatus } from './wire.ts'

const FILM = 'movie'
const UNKNOWN = 'unknown'

export const PLANNED = 'plan_to_watch'
export const WATCHING = 'watching'
export const COMPLETED = 'completed'

/** The kind for services that do not separate anime. */
export function kindOfAnime({ media_type: type }: Anime): 'movie' | 'show' {
  return kindOf({ type: 'anime', film: type === FILM }) as 'movie' | 'show'
}

/** Seen to the end before. While it is watched again, the count begins at 0. */
export function isWatchedAgain({ is_rewatching: isAgain, num_times_rewatched: times = 0 }: ListStatus): boolean {
  return isAgain || times > 0
}

/** Watched episodes. */
export function countOf({ num_episodes: total }: Anime, status: ListStatus): number {
  const isWhole = status.status === COMPLETED || isWatchedAgain(status)
  return isWhole ? Math.max(total, status.num_episodes_watched) : status.num_episodes_watched
}

export function isFilmWatched(anime: Anime, status: ListStatus): boolean {
  return status.status === COMPLETED || countOf(anime, status) > 0
}

export function watchlistItems({ node, list_status: { status } }: Entry): ReadItem[] {
  // MyAnimeList does not report when an entry was added.
  return status === PLANNED ? [itemOf(node, {})] : []
}

export function ratingItems({ node, list_status: { score } }: Entry): ReadItem[] {
  const rating = ratingFrom(score, RATING_SCALES.tenPoints)
  return score === 0 || rating === undefined ? [] : [itemOf(node, { rating })]
}

/** A count says nothing about times. Of a film, the day on which it was finished is known. */
export function historyItems({ node, list_status: status }: Entry): ReadItem[] {
  if (node.media_type === UNKNOWN) return countOf(node, status) > 0 ? [itemOf(node, {})] : []
  if (kindOfAnime(node) === 'movie') {
    if (!isFilmWatched(node, status)) return []
    const day = status.status === COMPLETED ? status.finish_date : undefined
    return [itemOf(node, { watched: true, ...timeAt('watched_at', day) })]
  }
  return countedEpisodes({
    ids: { mal: String(node.id) },
    title: titleOf(node),
    year: yearOf(node),
    count: countOf(node, status),
    native: String(node.id),
  })
}

function itemOf(anime: Anime, more: Partial<Item>): ReadItem {
  const title = titleOf(anime)
  // Film and series cannot be told apart.
  if (anime.media_type === UNKNOWN) return unreadableRow('unknown_type', title)
  return {
    item: {
      type: 'anime',
      ...titleAt('title', title),
      ...yearAt('year', yearOf(anime)),
      ids: { mal: String(anime.id) },
      ...(kindOfAnime(anime) === 'movie' ? { film: true } : {}),
      native: { item_id: String(anime.id) },
      ...more,
    },
  }
}

function titleOf({ title, alternative_titles: others }: Anime): string | undefined {
  return others?.en || title || undefined
}

function yearOf({ start_season: season, start_date: date = '' }: Anime): number | undefined {
  return season?.year ?? (/^\d{4}/.test(date) ? Number(date.slice(0, 4)) : undefined)
}
