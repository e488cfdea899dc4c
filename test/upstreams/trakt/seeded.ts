// The shared catalogue as Trakt has it: its numbers, slugs and seasons.
import { type CatalogueMovie, type CatalogueShow, movieCatalogue, showCatalogue } from '../base/index.ts'
import { type Catalogue, createCatalogue, type Movie, type Season, type Show } from './catalogue.ts'

const MINUTE_MS = 60_000

/** The first movies and shows of the seed, so that other stand-ins with the same seed have the same works. */
export function seededCatalogue(
  seed: number,
  movies: number,
  shows: number,
  more: readonly CatalogueShow[] = [],
): Catalogue {
  return createCatalogue(movieCatalogue(seed, movies).map(movie), [...showCatalogue(seed, shows), ...more].map(show))
}

function movie({ title, year, ids, runtimeMs, premieredAtMs }: CatalogueMovie, index: number): Movie {
  const trakt = 70_001 + index
  const { imdb = null, tmdb = null } = ids
  return {
    title,
    year,
    ids: { trakt, slug: slug(title, year, trakt), imdb, tmdb },
    runtimeMinutes: runtimeMs / MINUTE_MS,
    releasedAtMs: premieredAtMs,
  }
}

function show({ title, year, ids, episodes }: CatalogueShow, index: number): Show {
  const trakt = 60_001 + index
  const { imdb = null, tmdb = null, tvdb = null } = ids
  const numbers = [...new Set(episodes.map(({ season }) => season))]
  const seasons = numbers.map(
    (number): Season => ({
      number,
      // A season has no imdb id, and each kind has its own numbers.
      ids: { trakt: trakt * 100 + number, tmdb: null, tvdb: null },
      episodes: episodes
        .filter(({ season }) => season === number)
        .map(({ runtimeMs, ids: known, ...episode }) => ({
          ...episode,
          ids: { imdb: null, tmdb: null, tvdb: null, ...known, trakt: trakt * 10_000 + number * 100 + episode.number },
          runtimeMinutes: runtimeMs / MINUTE_MS,
        })),
    }),
  )
  return { title, year, ids: { trakt, slug: slug(title, year, trakt), imdb, tmdb, tvdb }, seasons }
}

function slug(title: string, year: number, trakt: number): string {
  return `${title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}-${year}-${trakt}`
}
