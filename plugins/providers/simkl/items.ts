// Converts library entries to items of the features.
import { defined, type Ids, type Item } from '@playhead/sdk'
import { timeAt } from '@playhead/sdk/provider'
import type { Entry, WatchedEpisode } from './read/entries.ts'

/** Ids of a whole show at other services. */
const OF_SHOW = ['imdb', 'tmdb', 'tvdb'] as const
const OWN = ['trackb', 'mal', 'anidb', 'anilist', 'kitsu'] as const

export function watchlistItems(entry: Entry): Item[] {
  return entry.status === 'plantowatch' ? [{ ...workOf(entry), ...timeAt('added_at', entry.addedAt) }] : []
}

export function ratingItems(entry: Entry): Item[] {
  const { rating } = entry
  return rating === undefined ? [] : [{ ...workOf(entry), rating, ...timeAt('rated_at', entry.ratedAt) }]
}

/** Watched films and episodes. They stay watched when the person drops a show. */
export function historyItems(entry: Entry): Item[] {
  if (entry.part === 'movies' || isFilm(entry)) {
    const isWatched = entry.status === 'completed' || (entry.watchedAt !== undefined && entry.status !== 'plantowatch')
    return isWatched ? [{ ...workOf(entry), watched: true, ...timeAt('watched_at', entry.watchedAt) }] : []
  }
  return entry.episodes.map((episode) => episodeOf(entry, episode))
}

/** Parses the row id used by removals. */
export function parseNative(
  native: string | undefined,
): { part: string; id: string; season?: number; episode?: number } | undefined {
  const found = /^(movies|shows|anime)\/(\d+)(?:\/(\d+)\/(\d+))?$/.exec(native ?? '')
  if (found === null) return undefined
  const [, part = '', id = '', season, episode] = found
  return { part, id, ...(season === undefined ? {} : { season: Number(season), episode: Number(episode) }) }
}

export function isFilm({ part, animeType }: Entry): boolean {
  return part === 'anime' && animeType === 'movie'
}

export function workOf(entry: Entry): Item {
  const { part, id, title, year } = entry
  return {
    type: part === 'movies' ? 'movie' : part === 'shows' ? 'show' : 'anime',
    ...(isFilm(entry) ? { film: true } : {}),
    ...defined({ title, year }),
    ids: idsOfWork(entry),
    native: { item_id: `${part}/${id}` },
  }
}

/** Each season of an anime is an entry with the ids of the whole show; only the first one represents the show. */
function idsOfWork(entry: Entry): Ids {
  const { part, ids, animeType, seasonsOfShow } = entry
  if (part === 'movies' || isFilm(entry)) return without(ids, ['tvdb'])
  if (part === 'shows') return ids
  const isFirst =
    seasonsOfShow === undefined || seasonsOfShow.length === 0 ? animeType === 'tv' : seasonsOfShow.includes(1)
  return isFirst ? ids : without(ids, OF_SHOW)
}

function episodeOf(entry: Entry, { season, number, at, tvdb }: WatchedEpisode): Item {
  const { part, id, ids, title, year } = entry
  // Without numbers in the show, an anime episode can only be named by its own entry.
  const isPlaced = part === 'anime' && tvdb !== undefined && OF_SHOW.some((scheme) => ids[scheme] !== undefined)
  const showIds = part === 'shows' ? ids : without(ids, isPlaced ? OWN : OF_SHOW)
  return {
    type: 'episode',
    ids: {},
    show_ids: showIds,
    season: isPlaced ? tvdb.season : season,
    episode: isPlaced ? tvdb.episode : number,
    ...defined({ series_title: title, series_year: year }),
    watched: true,
    ...timeAt('watched_at', at),
    native: { item_id: `${part}/${id}/${season}/${number}` },
  }
}

function without(ids: Ids, schemes: readonly (keyof Ids)[]): Ids {
  return Object.fromEntries(Object.entries(ids).filter(([scheme]) => !schemes.includes(scheme as keyof Ids)))
}
