// The catalogue of the SIMKL stand-in: the shared catalogue as SIMKL has it, and anime, whose seasons are separate entries.
import { movieCatalogue, showCatalogue, type CatalogueIds, type CatalogueShow } from '../base/index.ts'

export type Part = 'movies' | 'shows' | 'anime'

export interface Episode {
  readonly season: number
  readonly number: number
  readonly tvdbId: number | undefined
  readonly airedAtMs: number
  /** The numbers in the show as a whole, for anime. */
  readonly ofShow: { readonly season: number; readonly episode: number } | undefined
}

export interface Work {
  readonly part: Part
  readonly simkl: number
  readonly title: string
  readonly year: number
  readonly ids: Readonly<Record<string, string | number>>
  readonly animeType: 'tv' | 'movie' | undefined
  readonly seasonsOfShow: readonly number[]
  readonly episodes: readonly Episode[]
}

export interface Works {
  readonly all: readonly Work[]
  /** The work that any of the ids names, SIMKL's own first. With numbers of a show, the anime entry that contains them. */
  find(group: 'movies' | 'shows', ids: unknown, season?: number): Work | undefined
}

const FIRST_MOVIE = 600_001
const FIRST_SHOW = 650_001
const NAMES = ['imdb', 'tmdb', 'tvdb', 'mal', 'anidb'] as const
const ANIME_IDS = { imdb: 'tt9990200', tmdb: '990200', tvdb: '990200' }
const AIRED_AT_MS = Date.UTC(2018, 3, 1)

export function createWorks(seed: number, movies: number, shows: number, more: readonly CatalogueShow[] = []): Works {
  const all = [
    ...movieCatalogue(seed, movies).map(
      ({ title, year, ids }, index): Work => ({
        part: 'movies',
        simkl: FIRST_MOVIE + index,
        title,
        year,
        ids: wireIds(ids, ['imdb', 'tmdb']),
        animeType: undefined,
        seasonsOfShow: [],
        episodes: [],
      }),
    ),
    ...[...showCatalogue(seed, shows), ...more].map(
      ({ title, year, ids, episodes }, index): Work => ({
        part: 'shows',
        simkl: FIRST_SHOW + index,
        title,
        year,
        ids: wireIds(ids, ['imdb', 'tmdb', 'tvdb']),
        animeType: undefined,
        seasonsOfShow: [],
        episodes: episodes.map(({ season, number, airedAtMs, ids: own }) => ({
          season,
          number,
          tvdbId: own.tvdb,
          airedAtMs,
          ofShow: undefined,
        })),
      }),
    ),
    ...anime(),
  ]
  const named = Map.groupBy(
    all.flatMap((work) =>
      NAMES.flatMap((name) => (work.ids[name] === undefined ? [] : [{ work, id: `${name}/${work.ids[name]}` }])),
    ),
    ({ id }) => id,
  )
  const ownIds = new Map(all.map((work) => [work.simkl, work]))

  return {
    all,
    find(group, ids, season) {
      if (typeof ids !== 'object' || ids === null) return undefined
      const wanted = ids as Readonly<Record<string, unknown>>
      const isIn = ({ part, animeType }: Work) =>
        group === 'movies' ? part === 'movies' || animeType === 'movie' : part !== 'movies'
      if (wanted['simkl'] !== undefined) {
        const own = ownIds.get(Number(wanted['simkl']))
        return own !== undefined && isIn(own) ? own : undefined
      }
      const found =
        NAMES.map((name) =>
          (named.get(`${name}/${String(wanted[name])}`) ?? []).map(({ work }) => work).filter(isIn),
        ).find((list) => list.length > 0) ?? []
      return (
        (season === undefined ? undefined : found.find(({ seasonsOfShow }) => seasonsOfShow.includes(season))) ??
        found[0]
      )
    },
  }
}

/** Two seasons of one show, which share its ids, and a film. */
function anime(): Work[] {
  const season = (number: number): Work => ({
    part: 'anime',
    simkl: 690_000 + number,
    title: number === 1 ? 'Paper Lantern Academy' : `Paper Lantern Academy ${number}`,
    year: 2017 + number,
    ids: { ...ANIME_IDS, mal: String(880_200 + number), anidb: String(77_020 + number) },
    animeType: 'tv',
    seasonsOfShow: [number],
    episodes: Array.from({ length: 12 }, (_, index) => ({
      season: 1,
      number: index + 1,
      tvdbId: undefined,
      airedAtMs: AIRED_AT_MS,
      ofShow: { season: number, episode: index + 1 },
    })),
  })
  const film: Work = {
    part: 'anime',
    simkl: 690_009,
    title: 'Paper Lantern Academy: The Film',
    year: 2020,
    ids: { imdb: 'tt9990300', tmdb: '990300', mal: '880209' },
    animeType: 'movie',
    seasonsOfShow: [],
    episodes: [],
  }
  return [season(1), season(2), film]
}

/** The service returns ids as strings. */
function wireIds(ids: CatalogueIds, names: readonly ('imdb' | 'tmdb' | 'tvdb')[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (ids[name] === undefined ? [] : [[name, String(ids[name])]])))
}
