// A library entry, reduced to the fields that are used.
import { type Ids, ratingFrom, RATING_SCALES, readIds } from '@playhead/sdk/items'
import { isWholeNumber, yearAt } from '@playhead/sdk/provider'
import type { Row, Work } from '../wire.ts'

/** The three parts of a library, as named in paths and responses. */
export const PARTS = ['movies', 'shows', 'anime'] as const
export type Part = (typeof PARTS)[number]
/** Names of the parts in the activities. */
export const GROUP_OF: Readonly<Record<Part, string>> = { movies: 'movies', shows: 'tv_shows', anime: 'anime' }

/** Statuses of an entry, one at a time. */
export const STATUSES = ['plantowatch', 'watching', 'completed', 'hold', 'dropped'] as const
export type Status = (typeof STATUSES)[number]

export interface WatchedEpisode {
  readonly season: number
  readonly number: number
  readonly at: string | undefined
  /** TVDB numbers of the episode, for anime. */
  readonly tvdb: { readonly season: number; readonly episode: number } | undefined
}

export interface Entry {
  readonly part: Part
  /** SIMKL id. */
  readonly id: string
  readonly ids: Ids
  readonly title: string | undefined
  readonly year: number | undefined
  readonly status: string
  readonly addedAt: string | undefined
  readonly watchedAt: string | undefined
  readonly rating: number | undefined
  readonly ratedAt: string | undefined
  readonly animeType: string | undefined
  /** Seasons of the show that an anime entry represents. */
  readonly seasonsOfShow: readonly number[] | undefined
  readonly episodes: readonly WatchedEpisode[]
  /** Number of watched episodes according to the service. */
  readonly count: number | undefined
  /** Watched episodes that are not listed because a number is missing. */
  readonly unnumbered: number
}

const ID_NAMES = ['simkl', 'simkl_id', 'imdb', 'tmdb', 'tvdb', 'mal', 'anidb', 'anilist', 'kitsu'] as const

/** Undefined for a row without a kind or status. */
export function entryOf(part: Part, row: Row): Entry | undefined {
  const work = row.movie ?? row.show ?? row.anime
  const ids = work == null ? {} : idsOf(work)
  const episodes = episodesOf(row)
  if (work == null || ids.trackb === undefined || row.status == null) return undefined
  return {
    part,
    id: ids.trackb,
    ids,
    title: work.title ?? undefined,
    year: yearAt('year', work.year).year,
    status: row.status,
    addedAt: row.added_to_watchlist_at ?? undefined,
    watchedAt: row.last_watched_at ?? undefined,
    rating: ratingFrom(row.user_rating, RATING_SCALES.tenPoints),
    ratedAt: row.user_rated_at ?? undefined,
    animeType: row.anime_type ?? undefined,
    seasonsOfShow: row.mapped_tvdb_seasons ?? undefined,
    episodes,
    count: row.watched_episodes_count ?? undefined,
    unnumbered: (row.seasons ?? []).flatMap((season) => season.episodes ?? []).length - episodes.length,
  }
}

/** Whether the episodes match the number given by the service, which may exclude specials. */
export function isWhole({ episodes, count }: Entry, before: Entry | undefined): boolean {
  if (count === undefined) return false
  const specials = episodes.filter(({ season }) => season === 0).length
  const surplus = episodes.length - count
  return (
    surplus === 0 ||
    surplus === specials ||
    (before?.count !== undefined && surplus === before.episodes.length - before.count)
  )
}

export function idsOf({ ids }: Work): Ids {
  return readIds(ids, ID_NAMES)
}

function episodesOf({ seasons }: Row): WatchedEpisode[] {
  return (seasons ?? []).flatMap(({ number: season, episodes }) =>
    (episodes ?? []).flatMap((episode) => {
      if (!isWholeNumber(season, 0) || !isWholeNumber(episode.number, 1)) return []
      const { tvdb } = episode
      const isPlaced = tvdb != null && isWholeNumber(tvdb.season, 0) && isWholeNumber(tvdb.episode, 1)
      return [
        {
          season,
          number: episode.number,
          at: episode.watched_at ?? undefined,
          tvdb: isPlaced ? { season: tvdb.season as number, episode: tvdb.episode as number } : undefined,
        },
      ]
    }),
  )
}
