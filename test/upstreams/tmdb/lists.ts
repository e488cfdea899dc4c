// The data of an account: watchlist and ratings, read in pages of twenty and written one by one.
import { accountOf, type Answer, coded, type Context, dateOf, ok, type Reply, refuse } from './replies.ts'
import { type Account, keyOf, listOn, rate, shown, type WorkKey } from './state.ts'
import type { Namespace, Work } from './works.ts'

const PAGE_ROWS = 20
const MAX_PAGE = 500

export const readWatchlist: Answer = (context) => {
  const [id, what] = context.params
  const account = accountOf(context, id)
  const namespace = what === 'movies' ? 'movie' : 'tv'
  const keys = shown(context.state, account).watchlist.filter((key) => key.startsWith(`${namespace}/`))
  return page(context, keys, (key) => rowOf(context, key))
}

export const writeWatchlist: Answer = (context) => {
  const account = accountOf(context, context.params[0])
  const { media_type: namespace, media_id: id, watchlist } = context.body
  if ((namespace !== 'movie' && namespace !== 'tv') || typeof watchlist !== 'boolean') return refuse(5)
  const work = context.state.works.get(namespace, Number(id)) ?? refuse(34)
  const done = listOn(context.state, account, keyOf(namespace, work.id), watchlist)
  return coded(done === 'removed' ? 13 : done === 'there' ? 12 : 1)
}

export const readRated: Answer = (context) => {
  const [id, what] = context.params
  const account = accountOf(context, id)
  const isOf = {
    movies: (key: WorkKey) => key.startsWith('movie/'),
    tv: (key: WorkKey) => /^tv\/\d+$/.test(key),
    'tv/episodes': (key: WorkKey) => /^tv\/\d+\/\d/.test(key),
  }[what as 'movies']
  const ratings = shown(context.state, account).ratings.filter(({ key }) => isOf(key))
  return page(context, ratings, ({ key, value }) => ({ ...rowOf(context, key), rating: value }))
}

export const rateWork: Answer = (context) => {
  const { key, account } = rated(context)
  const value = Number(context.body['value'])
  if (!(value >= 0.5 && value <= 10) || value * 2 !== Math.round(value * 2)) return refuse(18)
  return coded(rate(context.state, account, key, value) === 'added' ? 1 : 12)
}

export const unrateWork: Answer = (context) => {
  const { key, account } = rated(context)
  rate(context.state, account, key, undefined)
  return coded(13)
}

/** The account's state of one work. */
export const readStates: Answer = (context) => {
  const { key, account, id } = rated(context)
  const lists = shown(context.state, account)
  const value = lists.ratings.find((one) => one.key === key)?.value
  return ok({
    id,
    favorite: false,
    rated: value === undefined ? false : { value },
    watchlist: lists.watchlist.includes(key),
  })
}

function rated(context: Context): { readonly key: WorkKey; readonly account: Account; readonly id: number } {
  const [name, id, season, episode] = context.params
  const namespace = name as Namespace
  const account = accountOf(context)
  const work = context.state.works.get(namespace, Number(id)) ?? refuse(34)
  if (season === undefined) return { key: keyOf(namespace, work.id), account, id: work.id }
  const found =
    work.episodes.find((one) => one.season === Number(season) && one.number === Number(episode)) ?? refuse(34)
  return { key: keyOf(namespace, work.id, found.season, found.number), account, id: found.id }
}

function rowOf({ state }: Context, key: WorkKey): Readonly<Record<string, unknown>> | undefined {
  const [namespace, id, season, episode] = key.split('/')
  const work = state.works.get(namespace as Namespace, Number(id))
  if (work === undefined || season === undefined) return work === undefined ? undefined : summaryOf(work)
  const found = work.episodes.find((one) => one.season === Number(season) && one.number === Number(episode))
  return found === undefined
    ? undefined
    : {
        id: found.id,
        name: found.title,
        air_date: found.airedAtMs === null ? null : dateOf(found.airedAtMs),
        show_id: work.id,
        season_number: found.season,
        episode_number: found.number,
      }
}

export function summaryOf(work: Work): Readonly<Record<string, unknown>> {
  const { namespace, id, title, releasedAtMs, average, votes, hasImages } = work
  const date = dateOf(releasedAtMs)
  return {
    id,
    adult: false,
    overview: `The story of ${title}.`,
    vote_average: average,
    vote_count: votes,
    original_language: 'en',
    poster_path: hasImages ? `/${namespace}${id}-poster-en.jpg` : null,
    backdrop_path: hasImages ? `/${namespace}${id}-backdrop.jpg` : null,
    ...(namespace === 'movie'
      ? { title, original_title: title, release_date: date }
      : { name: title, original_name: title, first_air_date: date }),
  }
}

/** @param show formats a row on the page */
export function page<Row>(
  { request }: Pick<Context, 'request'>,
  rows: readonly Row[],
  show: (row: Row) => unknown,
): Reply {
  const asked = request.query.get('page') ?? '1'
  const number = Number(asked)
  if (!/^\d+$/.test(asked) || number < 1 || number > MAX_PAGE) return refuse(22)
  const oldestFirst = request.query.get('sort_by') !== 'created_at.desc' ? rows : rows.toReversed()
  return ok({
    page: number,
    results: oldestFirst.slice((number - 1) * PAGE_ROWS, number * PAGE_ROWS).map(show),
    total_pages: Math.max(1, Math.ceil(rows.length / PAGE_ROWS)),
    total_results: rows.length,
  })
}
