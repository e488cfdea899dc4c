// The catalogue of TMDB: details, external ids, search by title, images.
import { type Answer, type Context, dateOf, ok, refuse } from './replies.ts'
import { page, summaryOf } from './lists.ts'
import type { Episode, Namespace, Work } from './works.ts'

export const readDetails: Answer = (context) => {
  const work = workOf(context)
  const wanted = (context.request.query.get('append_to_response') ?? '').split(',')
  const more = Object.fromEntries(
    wanted.flatMap((name) => {
      const season = work.namespace === 'tv' ? /^season\/(\d+)$/.exec(name)?.[1] : undefined
      // A missing season is omitted.
      if (season !== undefined) return hasSeason(work, Number(season)) ? [[name, seasonOf(work, Number(season))]] : []
      return EXTRAS[name] === undefined ? [] : [[name, EXTRAS[name](work, context)]]
    }),
  )
  return ok({ ...summaryOf(work), ...detailsOf(work), ...more })
}

export const readSeason: Answer = ({ state, params }) => {
  const work = state.works.get('tv', Number(params[0])) ?? refuse(34)
  const season = Number(params[1])
  return hasSeason(work, season) ? ok(seasonOf(work, season)) : refuse(34)
}

export const readExternalIds: Answer = (context) => {
  const work = workOf(context)
  return ok({ id: work.id, ...externalIdsOf(work) })
}

export const readImages: Answer = (context) => {
  const work = workOf(context)
  return ok({ id: work.id, ...imagesOf(work, context) })
}

export const readEpisode: Answer = (context) => {
  const { work, episode } = episodeOf(context)
  return ok({ ...episodeRow(work, episode), still_path: work.hasImages ? `/still${episode.id}.jpg` : null })
}

export const findByExternal: Answer = ({ state, request, params }) => {
  const id = params[0] ?? ''
  const source = request.query.get('external_source')
  if (source !== 'imdb_id' && source !== 'tvdb_id') return refuse(5)
  const has = ({ imdb, tvdb }: { readonly imdb: string | null; readonly tvdb: number | null }) =>
    (source === 'imdb_id' ? imdb : String(tvdb)) === id
  const found = (namespace: Namespace) =>
    state.works
      .all()
      .filter((work) => work.namespace === namespace && has(work))
      .map(summaryOf)
  return ok({
    movie_results: found('movie'),
    tv_results: found('tv'),
    tv_season_results: [],
    tv_episode_results: state.works.shows.flatMap((work) =>
      work.episodes.filter(has).map((episode) => episodeRow(work, episode)),
    ),
    person_results: [],
  })
}

export const search: Answer = (context) => {
  const { state, request, params } = context
  const query = (request.query.get('query') ?? '').toLowerCase().trim()
  const year =
    request.query.get('year') ?? request.query.get('primary_release_year') ?? request.query.get('first_air_date_year')
  const rows = state.works
    .all()
    .filter(({ namespace }) => params[0] === 'multi' || params[0] === namespace)
    .filter(({ title }) => query !== '' && title.toLowerCase().includes(query))
    .filter((work) => year === null || work.year === Number(year))
    .map((work) => ({ ...summaryOf(work), ...(params[0] === 'multi' ? { media_type: work.namespace } : {}) }))
  return page(context, rows, (row) => row)
}

const EXTRAS: Readonly<Record<string, (work: Work, context: Context) => unknown>> = {
  external_ids: externalIdsOf,
  images: imagesOf,
  credits: ({ title }) => ({
    cast: Array.from({ length: 14 }, (_, order) => ({
      name: `Actor ${order + 1} of ${title}`,
      character: `Part ${order + 1}`,
      order,
    })),
    crew: [],
  }),
  videos: ({ id, title }) => ({
    results: [
      {
        site: 'YouTube',
        key: `yt${id}`,
        type: 'Trailer',
        official: true,
        name: `${title}: trailer`,
        published_at: '2020-01-02T03:04:05.000Z',
      },
    ],
  }),
  release_dates: ({ releasedAtMs }) => ({
    results: [
      {
        iso_3166_1: 'DE',
        release_dates: [
          { certification: '12', type: 3, release_date: new Date(releasedAtMs + 86_400_000).toISOString() },
        ],
      },
      {
        iso_3166_1: 'US',
        release_dates: [
          { certification: '', type: 1, release_date: new Date(releasedAtMs - 86_400_000).toISOString() },
          { certification: 'PG-13', type: 3, release_date: new Date(releasedAtMs).toISOString() },
        ],
      },
    ],
  }),
  content_ratings: () => ({ results: [{ iso_3166_1: 'US', rating: 'TV-14' }] }),
}

function detailsOf(work: Work): object {
  const genres = { genres: [{ id: 18, name: 'Drama' }], tagline: `Never again ${work.title}.` }
  if (work.namespace === 'movie') return { ...genres, runtime: work.runtimeMinutes, imdb_id: work.imdb }
  return {
    ...genres,
    episode_run_time: [work.runtimeMinutes],
    status: 'Ended',
    number_of_episodes: work.episodes.length,
    number_of_seasons: new Set(work.episodes.map(({ season }) => season)).size,
    seasons: [...new Set(work.episodes.map(({ season }) => season))].map((season) => ({ season_number: season })),
    next_episode_to_air: null,
    last_episode_to_air: lastOf(work),
  }
}

function externalIdsOf({ namespace, imdb, tvdb }: Work): object {
  return { imdb_id: imdb, ...(namespace === 'tv' ? { tvdb_id: tvdb } : {}) }
}

function imagesOf({ namespace, id, hasImages }: Work, { request }: Context): object {
  const wanted = request.query.get('include_image_language')?.split(',') ?? [
    request.query.get('language')?.slice(0, 2) ?? 'en',
  ]
  const name = `/${namespace}${id}`
  const one = (path: string, lang: string | null, average: number, width: number, height: number) => ({
    file_path: path,
    iso_639_1: lang,
    vote_average: average,
    width,
    height,
  })
  const shown = (rows: readonly ReturnType<typeof one>[]) =>
    hasImages ? rows.filter((row) => wanted.includes(row.iso_639_1 ?? 'null')) : []
  return {
    posters: shown([
      one(`${name}-poster-de.jpg`, 'de', 5.2, 2_000, 3_000),
      one(`${name}-poster-en.jpg`, 'en', 5.4, 2_000, 3_000),
      one(`${name}-poster.jpg`, null, 5.9, 2_000, 3_000),
    ]),
    backdrops: shown([one(`${name}-backdrop.jpg`, null, 5.1, 3_840, 2_160)]),
    logos: shown([one(`${name}-logo.svg`, 'en', 5.1, 900, 300)]),
  }
}

function episodeRow(work: Work, { id, season, number, title, airedAtMs }: Episode): Readonly<Record<string, unknown>> {
  return {
    id,
    name: title,
    air_date: airedAtMs === null ? null : dateOf(airedAtMs),
    show_id: work.id,
    season_number: season,
    episode_number: number,
  }
}

function hasSeason({ episodes }: Work, season: number): boolean {
  return episodes.some((episode) => episode.season === season)
}

function seasonOf(work: Work, season: number): object {
  const episodes = work.episodes.filter((episode) => episode.season === season)
  return { id: work.id * 100 + season, season_number: season, episodes: episodes.map((one) => episodeRow(work, one)) }
}

function workOf({ state, params }: Context): Work {
  return state.works.get(params[0] as Namespace, Number(params[1])) ?? refuse(34)
}

function episodeOf({ state, params }: Context): { readonly work: Work; readonly episode: Episode } {
  const [id, season, number] = params.map(Number)
  const work = state.works.get('tv', id as number) ?? refuse(34)
  return { work, episode: work.episodes.find((one) => one.season === season && one.number === number) ?? refuse(34) }
}

function lastOf({ episodes }: Work): object | null {
  const last = episodes.toSorted((a, b) => a.season - b.season || a.number - b.number).at(-1)
  return last === undefined ? null : { season_number: last.season, episode_number: last.number }
}
