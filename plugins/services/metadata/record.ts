// The cached record of a work in one language: all fields that requests may need, from one response.
import { defined } from '@playhead/sdk'
import { type Ids, normaliseId } from '@playhead/sdk/items'
import type { Namespace } from './api.ts'
import { countryOf, languageOf } from './settings.ts'
import { yearOf } from './titles.ts'
import type { Details, Image } from './wire.ts'

export const ART = ['poster', 'backdrop', 'logo'] as const
export type Art = (typeof ART)[number]

export interface Picture {
  readonly path: string
  readonly w: number | null
  readonly h: number | null
  readonly lang: string | null
  readonly votes: number
}

interface CastMember {
  readonly name: string
  /** Empty if unknown. */
  readonly character: string
}

export interface MetaRecord {
  readonly type: Namespace
  readonly ids: Ids
  readonly title: string
  readonly year: number | null
  readonly runtime_minutes: number | null
  readonly overview: string
  readonly tagline: string
  readonly genres: readonly string[]
  /** The first twelve, as the service orders them; absent in records of earlier versions. */
  readonly cast?: readonly CastMember[]
  readonly videos: readonly Readonly<Record<string, unknown>>[]
  readonly score: number | null
  readonly vote_count: number | null
  readonly certification: string
  readonly release: { readonly date: string; readonly country: string } | null
  readonly images: { readonly [art in Art]: readonly Picture[] }
  readonly detail: Readonly<Record<string, unknown>>
}

const THEATRICAL = 3
const MAX_CAST = 12

export function recordOf(namespace: Namespace, row: Details, locale: string): MetaRecord {
  const { external_ids: external, images, vote_average: average, vote_count: votes } = row
  const released = namespace === 'movie' ? releaseOf(row, locale) : undefined
  const tvdb = normaliseId('tvdb', external?.tvdb_id)
  const imdb = normaliseId('imdb', external?.imdb_id)
  return {
    type: namespace,
    ids: { tmdb: String(row.id), ...defined({ imdb, tvdb }) },
    title: row.title ?? row.name ?? '',
    year: yearOf(row.release_date ?? row.first_air_date),
    runtime_minutes:
      (namespace === 'movie' ? [row.runtime ?? 0] : (row.episode_run_time ?? [])).find((minutes) => minutes > 0) ??
      null,
    overview: row.overview ?? '',
    tagline: row.tagline ?? '',
    genres: (row.genres ?? []).flatMap(({ name }) => name ?? []),
    cast: (row.credits?.cast ?? [])
      .flatMap(({ name, character }) => (name == null || name === '' ? [] : [{ name, character: character ?? '' }]))
      .slice(0, MAX_CAST),
    videos: (row.videos?.results ?? []).map(({ site, key, type, official, name, published_at }) => ({
      site,
      key,
      type,
      official,
      name,
      published_at,
    })),
    score: average == null ? null : Math.round(average * 10),
    vote_count: votes ?? null,
    certification: released?.certification ?? (namespace === 'tv' ? ratingOf(row, locale) : ''),
    release: released?.release ?? null,
    images: {
      poster: ranked(images?.posters, row.poster_path, locale),
      backdrop: ranked(images?.backdrops, row.backdrop_path, locale),
      logo: ranked(images?.logos, null, locale),
    },
    detail:
      namespace === 'movie'
        ? { release_date: row.release_date ?? null }
        : {
            first_air_date: row.first_air_date ?? null,
            episode_run_time: row.episode_run_time ?? [],
            status: row.status ?? null,
            number_of_seasons: row.number_of_seasons ?? null,
            number_of_episodes: row.number_of_episodes ?? null,
            next_episode_to_air: row.next_episode_to_air ?? null,
            last_episode_to_air: lastAired(row),
          },
  }
}

function lastAired({
  last_episode_to_air: last,
}: Details): { readonly season: number; readonly episode: number } | null {
  const { season_number: season, episode_number: episode } = last ?? {}
  return season == null || episode == null ? null : { season, episode }
}

/** The requested language first, then no language, then English, then others; otherwise in the order of the service. */
function ranked(
  images: readonly Image[] | null | undefined,
  fallback: string | null | undefined,
  locale: string,
): Picture[] {
  const wanted = languageOf(locale)
  const rank = ({ lang }: Picture) => (lang === wanted ? 0 : lang === null ? 1 : lang === 'en' ? 2 : 3)
  const pictures = (images ?? [])
    .flatMap((image): Picture[] => {
      const path = pathOf(image.file_path)
      return path === undefined
        ? []
        : [
            {
              path,
              w: image.width ?? null,
              h: image.height ?? null,
              lang: image.iso_639_1 ?? null,
              votes: image.vote_average ?? 0,
            },
          ]
    })
    .sort((a, b) => rank(a) - rank(b))
  const path = pathOf(fallback)
  return pictures.length > 0 || path === undefined ? pictures : [{ path, w: null, h: null, lang: null, votes: 0 }]
}

/** Validates the path of an image. SVG images also exist as PNG under the same name. */
export function pathOf(path: string | null | undefined): string | undefined {
  return path != null && /^\/[A-Za-z0-9_-]{1,128}\.(?:jpe?g|png|webp|svg)$/.test(path)
    ? path.replace(/\.svg$/, '.png')
    : undefined
}

function releaseOf({ release_dates: rows }: Details, locale: string) {
  const all = (rows?.results ?? []).map(({ iso_3166_1: country, release_dates: dates }) => ({
    country: country ?? '',
    dates: dates ?? [],
  }))
  const ofCountry = inOrder(all, ({ country }) => country, locale)
  const theatrical = <Row extends { readonly type?: number | null }>(dates: readonly Row[]) =>
    dates.toSorted((a, b) => Number(b.type === THEATRICAL) - Number(a.type === THEATRICAL))
  const certification =
    ofCountry.flatMap(({ dates }) => theatrical(dates)).find((one) => one.certification)?.certification ?? ''
  const first = ofCountry
    .flatMap(({ country, dates }) => theatrical(dates).map(({ release_date: date }) => ({ date: date ?? '', country })))
    .find(({ date }) => date !== '')
  return { certification, release: first === undefined ? null : { ...first, date: first.date.slice(0, 10) } }
}

function ratingOf({ content_ratings: rows }: Details, locale: string): string {
  return (
    inOrder(rows?.results ?? [], ({ iso_3166_1: country }) => country ?? '', locale).find(({ rating }) => rating)
      ?.rating ?? ''
  )
}

/** The country of the locale first, then the United States, then any. */
function inOrder<Row>(rows: readonly Row[], countryOfRow: (row: Row) => string, locale: string): readonly Row[] {
  const order = [countryOf(locale), 'US']
  const rank = (row: Row) => (order.includes(countryOfRow(row)) ? order.indexOf(countryOfRow(row)) : order.length)
  return rows.toSorted((a, b) => rank(a) - rank(b))
}
