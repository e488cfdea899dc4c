// Watching in the cloud: the watchlist of an account, and the titles of the cloud, found by id, match or search.
import type { UpstreamReply } from '../base/index.ts'
import { type Fields, select } from './operators.ts'
import type { Route } from './router.ts'
import { type Account, type CloudItem, type PlexState, playStateOf, watchlistOf } from './state.ts'
import {
  type AccountCall,
  answer,
  cloudError,
  container,
  day,
  plexValue,
  present,
  type Row,
  seconds,
  serverError,
  wholeNumber,
} from './wire.ts'

/** The service does not answer larger pages in time. */
const LARGEST_PAGE = 200
const DEFAULT_PAGE = 20
const TYPES: Readonly<Record<string, CloudItem['type']>> = { 1: 'movie', 2: 'show', movie: 'movie', show: 'show' }

export const discoverRoutes: readonly Route[] = [
  ['account', 'GET', '/library/sections/watchlist/:filter', watchlist],
  ['account', 'PUT', '/actions/addToWatchlist', addToWatchlist],
  ['account', 'PUT', '/actions/removeFromWatchlist', removeFromWatchlist],
  ['account', 'GET', '/library/metadata/matches', matches],
  ['account', 'GET', '/library/metadata/:ids', metadata],
  ['account', 'GET', '/library/metadata/:id/userState', userState],
  ['account', 'GET', '/library/search', search],
]

function watchlist(call: AccountCall): UpstreamReply {
  const { state, account, query, params } = call
  const keep = FILTERS[params['filter'] as string]
  if (keep === undefined) return cloudError(call, 404, 1001, 'Not found')
  if ((wholeNumber(plexValue(call.request, 'X-Plex-Container-Size')) ?? 0) > LARGEST_PAGE) return serverError(504)
  const asked = query.get('type') ?? query.get('libtype')
  const own = [...watchlistOf(state, account).keys()].flatMap((hex) => state.cloud.get(hex) ?? [])
  const kept = own.filter((item) => keep(item, state) && (asked === null || item.type === TYPES[asked]))
  // The type cannot be filtered here; other comparisons must name a known field.
  const found = select(kept, query, fieldsFor(state, account), 'watchlistedAt:desc')
  if (found === undefined) return cloudError(call, 400, 1002, 'Bad request')
  return container(call, {
    of: found,
    row: (item) => ({ ...cloudRow(item, !item.bareInLists), ...listedAt(state, account, item) }),
    extra: { librarySectionID: 'watchlist', librarySectionTitle: 'Watchlist' },
    defaultSize: DEFAULT_PAGE,
  })
}

const FILTERS: Readonly<Record<string, (item: CloudItem, state: PlexState) => boolean>> = {
  all: () => true,
  available: ({ type, hex }, { items }) => [...items.values()].some(({ guid }) => guid === `plex://${type}/${hex}`),
  released: ({ premieredAtMs }, { now }) => premieredAtMs <= now(),
}

function fieldsFor(state: PlexState, account: Account): Fields<CloudItem> {
  return {
    title: ({ title }) => title,
    titleSort: ({ title }) => title,
    year: ({ year }) => year,
    originallyAvailableAt: ({ premieredAtMs }) => day(premieredAtMs),
    watchlistedAt: ({ hex }) => watchlistOf(state, account).get(hex) ?? undefined,
  }
}

function addToWatchlist(call: AccountCall): UpstreamReply {
  const item = call.state.cloud.get(call.query.get('ratingKey') ?? '')
  if (item === undefined) return cloudError(call, 404, 1003, 'Item not found')
  const list = watchlistOf(call.state, call.account)
  if (list.has(item.hex)) return cloudError(call, 409, 1004, 'Item is already on the watchlist')
  list.set(item.hex, call.nowMs)
  return answer(call, 'MediaContainer', { size: 0 })
}

function removeFromWatchlist(call: AccountCall): UpstreamReply {
  const removed = watchlistOf(call.state, call.account).delete(call.query.get('ratingKey') ?? '')
  return removed
    ? answer(call, 'MediaContainer', { size: 0 })
    : cloudError(call, 404, 1005, 'Item is not on the watchlist')
}

function metadata(call: AccountCall): UpstreamReply {
  const found = (call.params['ids'] as string).split(',').flatMap((hex) => call.state.cloud.get(hex) ?? [])
  if (found.length === 0) return cloudError(call, 404, 1003, 'Item not found')
  return container(call, { of: found, row: (item) => cloudRow(item, call.query.get('includeGuids') !== '0') })
}

function userState(call: AccountCall): UpstreamReply {
  const { state, account } = call
  const item = state.cloud.get(call.params['id'] as string)
  if (item === undefined) return cloudError(call, 404, 1003, 'Item not found')
  const local = [...state.items.values()].find(({ guid }) => guid === `plex://${item.type}/${item.hex}`)
  const { viewCount, viewOffsetMs, lastViewedAtMs } = playStateOf(state, account, local?.ratingKey ?? '')
  const UserState = present({
    ratingKey: item.hex,
    type: item.type,
    viewCount,
    viewOffset: viewOffsetMs ?? 0,
    lastViewedAt: lastViewedAtMs === undefined ? undefined : seconds(lastViewedAtMs),
    ...listedAt(state, account, item),
  })
  return answer(call, 'MediaContainer', { size: 1, UserState })
}

/** Finds titles by `tmdb-1`, `imdb-tt1` or `tvdb-1`; a text must match the whole title. */
function matches(call: AccountCall): UpstreamReply {
  const { query, state } = call
  const type = TYPES[query.get('type') ?? '']
  const title = query.get('title')
  if (type === undefined || title === null) return cloudError(call, 400, 1002, 'Bad request')
  const guid = title.replace(/^(imdb|tmdb|tvdb)-/, '$1://')
  const found = [...state.cloud.values()].filter(
    (item) =>
      item.type === type &&
      (guid === title ? item.title.toLowerCase() === title.toLowerCase() : item.guids.includes(guid)),
  )
  return container(call, { of: found, row: (item) => cloudRow(item, !item.bareInLists) })
}

function search(call: AccountCall): UpstreamReply {
  const { query, state } = call
  const words = query.get('query')?.toLowerCase()
  if (words === undefined || words === '') return cloudError(call, 400, 1002, 'Bad request')
  const types = (query.get('searchTypes') ?? 'movies,tv')
    .split(',')
    .map((name) => (name === 'tv' ? 'show' : name.replace(/s$/, '')))
  const found = [...state.cloud.values()].filter(
    ({ type, title }) => types.includes(type) && title.toLowerCase().includes(words),
  )
  const rows = found.slice(0, wholeNumber(query.get('limit')) ?? 10)
  const SearchResult = rows.map((item) => ({
    score: item.title.toLowerCase() === words ? 1 : 0.5,
    Metadata: cloudRow(item, !item.bareInLists),
  }))
  const SearchResults = [{ id: 'external', title: 'More Ways To Watch', size: rows.length, SearchResult }]
  return answer(call, 'MediaContainer', { size: rows.length, suggestedTerms: '', SearchResults })
}

function cloudRow({ hex, type, title, year, premieredAtMs, guids }: CloudItem, withGuids: boolean): Row {
  return present({
    ratingKey: hex,
    key: type === 'show' ? `/library/metadata/${hex}/children` : `/library/metadata/${hex}`,
    guid: `plex://${type}/${hex}`,
    type,
    title,
    slug: title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-'),
    year,
    originallyAvailableAt: day(premieredAtMs),
    Guid: withGuids && guids.length > 0 ? guids.map((id) => ({ id })) : undefined,
  })
}

function listedAt(state: PlexState, account: Account, { hex }: CloudItem): Row {
  const atMs = watchlistOf(state, account).get(hex)
  return atMs === null || atMs === undefined ? {} : { watchlistedAt: seconds(atMs) }
}
