// The shared catalogue as AniList has it: films, and one entry per season of a show, with ids of AniList and MyAnimeList only.
import { movieCatalogue, showCatalogue } from '../base/index.ts'

export interface FuzzyDate {
  readonly year: number | null
  readonly month: number | null
  readonly day: number | null
}

export interface Media {
  readonly id: number
  readonly idMal: number | null
  readonly format: 'TV' | 'TV_SHORT' | 'MOVIE' | 'SPECIAL' | 'OVA' | 'ONA' | 'MUSIC'
  readonly episodes: number | null
  readonly season: 'WINTER' | 'SPRING' | 'SUMMER' | 'FALL' | null
  readonly seasonYear: number | null
  readonly startDate: FuzzyDate
  readonly title: { readonly romaji: string; readonly english: string | null; readonly native: string | null }
}

const FIRST_FILM = 20_001
const FIRST_SHOW = 100_000
const MAL_SHIFT = 7_000
const SEASONS = ['WINTER', 'SPRING', 'SUMMER', 'FALL'] as const
/** MyAnimeList does not have every entry. */
const NOT_AT_MAL = 13
const NO_ENGLISH = 5

export function seededCatalogue(seed: number, movies: number, shows: number): Media[] {
  const films = movieCatalogue(seed, movies).map(({ title, year, premieredAtMs }, index) =>
    media(FIRST_FILM + index, title, { format: 'MOVIE', episodes: 1, year, atMs: premieredAtMs }),
  )
  const series = showCatalogue(seed, shows).flatMap(({ title, episodes }, index) =>
    [...new Set(episodes.map(({ season }) => season))].map((season) => {
      const own = episodes.filter((episode) => episode.season === season)
      const atMs = own[0]?.airedAtMs ?? 0
      const name = season === 1 ? title : `${title} Season ${season}`
      return media(FIRST_SHOW + index * 10 + season, name, {
        format: 'TV',
        episodes: own.length,
        year: new Date(atMs).getUTCFullYear(),
        atMs,
      })
    }),
  )
  return [...films, ...series]
}

function media(
  id: number,
  title: string,
  about: { readonly format: Media['format']; readonly episodes: number; readonly year: number; readonly atMs: number },
): Media {
  const started = new Date(about.atMs)
  const month = started.getUTCMonth()
  return {
    id,
    idMal: id % NOT_AT_MAL === 0 ? null : id + MAL_SHIFT,
    format: about.format,
    episodes: about.episodes,
    season: SEASONS[Math.floor(month / 3)] ?? null,
    // Films often have no season.
    seasonYear: about.format === 'MOVIE' && id % 2 === 0 ? null : about.year,
    startDate: { year: about.year, month: month + 1, day: id % 3 === 0 ? null : started.getUTCDate() },
    title: { romaji: `${title} (romaji)`, english: id % NO_ENGLISH === 0 ? null : title, native: null },
  }
}
