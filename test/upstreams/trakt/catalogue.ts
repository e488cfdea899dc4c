// The catalogue of the Trakt stand-in: movies, shows, seasons and episodes, found by any of their ids.
export interface Ids {
  readonly trakt: number
  readonly slug?: string
  readonly imdb?: string | null
  readonly tmdb?: number | null
  readonly tvdb?: number | null
}

export interface Movie {
  readonly title: string
  readonly year: number
  readonly ids: Ids
  readonly runtimeMinutes: number
  readonly releasedAtMs: number
}

export interface Episode {
  readonly season: number
  readonly number: number
  readonly title: string
  readonly ids: Ids
  readonly runtimeMinutes: number
  readonly airedAtMs: number
}

export interface Season {
  readonly number: number
  readonly ids: Ids
  readonly episodes: readonly Episode[]
}

export interface Show {
  readonly title: string
  readonly year: number
  readonly ids: Ids
  readonly seasons: readonly Season[]
}

/** An item that can be listed, rated or watched, with its parents. */
export type Entry =
  | { readonly type: 'movie'; readonly key: string; readonly movie: Movie }
  | { readonly type: 'show'; readonly key: string; readonly show: Show }
  | { readonly type: 'season'; readonly key: string; readonly season: Season; readonly show: Show }
  | EpisodeEntry

export interface EpisodeEntry {
  readonly type: 'episode'
  readonly key: string
  readonly episode: Episode
  readonly show: Show
}

export type EntryType = Entry['type']
export type Group = 'movies' | 'shows' | 'seasons' | 'episodes'

export const GROUPS: Readonly<Record<Group, EntryType>> = {
  movies: 'movie',
  shows: 'show',
  seasons: 'season',
  episodes: 'episode',
}

export interface Catalogue {
  readonly movies: readonly Movie[]
  readonly shows: readonly Show[]
  /** The entry that any of the ids names; the first known id decides. */
  find(type: EntryType, ids: unknown): Entry | undefined
}

const ID_NAMES = ['trakt', 'slug', 'imdb', 'tmdb', 'tvdb'] as const

/**
 * @example
 * createCatalogue([movie], [show]).find('movie', { imdb: 'tt9900001' })
 */
export function createCatalogue(movies: readonly Movie[], shows: readonly Show[]): Catalogue {
  const byId = new Map<string, Entry>()

  function add(entry: Entry, ids: Ids): void {
    for (const name of ID_NAMES) {
      const id = ids[name]
      // Ids are unique only within a type: movie 5 and show 5 are different works.
      if (id !== undefined && id !== null) byId.set(`${entry.type}/${name}/${id}`, entry)
    }
  }

  for (const movie of movies) add({ type: 'movie', key: `movie/${movie.ids.trakt}`, movie }, movie.ids)
  for (const show of shows) {
    add({ type: 'show', key: `show/${show.ids.trakt}`, show }, show.ids)
    for (const season of show.seasons) {
      add(seasonEntry(show, season), season.ids)
      for (const episode of season.episodes) add(episodeEntry(show, episode), episode.ids)
    }
  }

  return {
    movies,
    shows,
    find(type, ids) {
      if (typeof ids !== 'object' || ids === null) return undefined
      const wanted = ids as Readonly<Record<string, unknown>>
      return ID_NAMES.map((name) => byId.get(`${type}/${name}/${String(wanted[name])}`)).find(
        (entry) => entry !== undefined,
      )
    },
  }
}

export function seasonEntry(show: Show, season: Season): Entry {
  return { type: 'season', key: `season/${season.ids.trakt}`, season, show }
}

export function episodeEntry(show: Show, episode: Episode): EpisodeEntry {
  return { type: 'episode', key: `episode/${episode.ids.trakt}`, episode, show }
}

/** The aired episodes of a show or season. Specials count only if their season is named. */
export function airedEpisodes(entry: Entry, nowMs: number): EpisodeEntry[] {
  if (entry.type === 'movie') return []
  if (entry.type === 'episode') return [entry]
  const seasons = entry.type === 'season' ? [entry.season] : entry.show.seasons.filter(({ number }) => number > 0)
  return seasons
    .flatMap(({ episodes }) => episodes)
    .filter(({ airedAtMs }) => airedAtMs <= nowMs)
    .map((episode) => episodeEntry(entry.show, episode))
}
