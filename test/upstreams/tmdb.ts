// A stand-in for TMDB on loopback: keys and sessions, accounts with watchlist and ratings, details, search and
// pictures.
import { randomBytes } from 'node:crypto'
import { type CatalogueShow, startUpstream, type Upstream } from './base/index.ts'
import { makeList } from './tmdb/own-lists.ts'
import { handle } from './tmdb/routes.ts'
import { change, createAccount, keyOf, listOn, newToken, rate, type Account, type State } from './tmdb/state.ts'
import { type Namespace, seededWorks, type Work, type Works } from './tmdb/works.ts'

export type { Namespace, Work } from './tmdb/works.ts'

export interface TmdbOptions {
  readonly seed?: number
  readonly movies?: number
  readonly shows?: number
  /** Additional shows after those of the catalogue. */
  readonly moreShows?: readonly CatalogueShow[]
  /** Default: `ada`. */
  readonly usernames?: readonly string[]
  /** Requests per second. Default: unlimited. */
  readonly perSecond?: number
  /** Lists are this far behind. Default 0. */
  readonly lagMs?: number
  readonly nowMs?: () => number
  readonly latencyMs?: number
  readonly port?: number
}

/** Actions of a person in the browser. */
export interface TmdbActions {
  approve(requestToken: string, username?: string): void
  deny(requestToken: string): void
  /** Expires the token early. */
  expire(requestToken: string): void
  list(work: Work, username?: string): void
  unlist(work: Work, username?: string): void
  rate(
    work: Work,
    value: number,
    username?: string,
    episode?: { readonly season: number; readonly number: number },
  ): void
  unrate(work: Work, username?: string, episode?: { readonly season: number; readonly number: number }): void
  /** Signs out one person, or all. */
  endSessions(username?: string): void
  emptyWatchlist(username?: string): void
  /** Returns the id of the list. */
  makeList(name: string, works?: readonly Work[], username?: string): string
  takeFromList(id: string, work: Work, username?: string): void
  setRatingLeavesWatchlist(on: boolean, username?: string): void
}

export interface Tmdb extends Upstream {
  /** Address of the API, with its version. */
  readonly apiUrl: string
  /** Address of the pictures. */
  readonly imageUrl: string
  readonly apiKey: string
  readonly bearer: string
  readonly works: Works
  readonly actions: TmdbActions
  readonly sessions: ReadonlyMap<string, string>
  /** Returns a session as if the person had signed in. */
  signIn(username?: string): string
  /** The content of an account's watchlist, such as `movie/900001`. */
  watchlist(username?: string): readonly string[]
  ratings(username?: string): Readonly<Record<string, number>>
  /** The content of each list, by name. */
  ownLists(username?: string): Readonly<Record<string, readonly string[]>>
  work(namespace: Namespace, index: number): Work
  /** Advances the clock: tokens age. */
  advance(ms: number): void
  setLag(ms: number): void
}

/**
 * @example
 * await using tmdb = await startTmdb()
 * tmdb.actions.list(tmdb.work('movie', 0))
 * const session = tmdb.signIn()
 */
export async function startTmdb(options: TmdbOptions = {}): Promise<Tmdb> {
  const { seed = 1, movies = 60, shows = 12, usernames = ['ada'], latencyMs = 0, port = 0 } = options
  let advancedMs = 0
  const clock = options.nowMs ?? Date.now
  const state: State = {
    works: seededWorks(seed, movies, shows, options.moreShows),
    apiKey: randomBytes(16).toString('hex'),
    bearer: `eyJ${randomBytes(60).toString('base64url')}.${randomBytes(30).toString('base64url')}.${randomBytes(30).toString('base64url')}`,
    accounts: new Map(usernames.map((username, index) => [username, createAccount(548 + index, username)])),
    tokens: new Map(),
    sessions: new Map(),
    nowMs: () => clock() + advancedMs,
    lagMs: options.lagMs ?? 0,
    perSecond: options.perSecond,
    window: { endsAtMs: 0, used: 0 },
  }
  const first = usernames[0] ?? ''
  const account = (username = first): Account => known(state.accounts.get(username), `account ${username}`)
  const token = (text: string) => known(state.tokens.get(text), `request token ${text}`)
  const upstream = await startUpstream({ name: 'TMDB', latencyMs, port, handler: (request) => handle(state, request) })

  const actions: TmdbActions = {
    approve: (text, username = first) => void (token(text).outcome = { username: account(username).username }),
    expire: (text) => void (token(text).expiresAtMs = 0),
    deny: (text) => void (token(text).outcome = 'denied'),
    list: ({ namespace, id }, username) => void listOn(state, account(username), keyOf(namespace, id), true),
    unlist: ({ namespace, id }, username) => void listOn(state, account(username), keyOf(namespace, id), false),
    rate: ({ namespace, id }, value, username, episode) =>
      void rate(state, account(username), keyOf(namespace, id, episode?.season, episode?.number), value),
    unrate: ({ namespace, id }, username, episode) =>
      void rate(state, account(username), keyOf(namespace, id, episode?.season, episode?.number), undefined),
    endSessions: (username) => {
      for (const [session, owner] of state.sessions)
        if (username === undefined || owner === username) state.sessions.delete(session)
    },
    emptyWatchlist: (username) => change(state, account(username), { watchlist: [] }),
    makeList: (name, works = [], username) =>
      makeList(
        state,
        account(username),
        name,
        works.map(({ namespace, id }) => keyOf(namespace, id)),
      ).id,
    takeFromList: (id, work, username) =>
      change(state, account(username), {
        own: account(username).lists.own.map((list) =>
          list.id !== id ? list : { ...list, keys: list.keys.filter((key) => key !== keyOf(work.namespace, work.id)) },
        ),
      }),
    setRatingLeavesWatchlist: (on, username) => void (account(username).ratingLeavesWatchlist = on),
  }
  return {
    ...upstream,
    apiUrl: `${upstream.url}/3`,
    imageUrl: `${upstream.url}/t/p`,
    apiKey: state.apiKey,
    bearer: state.bearer,
    works: state.works,
    actions,
    sessions: state.sessions,
    signIn: (username = first) => {
      const session = newToken()
      state.sessions.set(session, account(username).username)
      return session
    },
    watchlist: (username) => account(username).lists.watchlist,
    ratings: (username) => Object.fromEntries(account(username).lists.ratings.map(({ key, value }) => [key, value])),
    ownLists: (username) => Object.fromEntries(account(username).lists.own.map(({ name, keys }) => [name, keys])),
    work: (namespace, index) =>
      known((namespace === 'movie' ? state.works.movies : state.works.shows)[index], `${namespace} ${index}`),
    advance: (ms) => void (advancedMs += ms),
    setLag: (ms) => void (state.lagMs = ms),
  }
}

function known<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new RangeError(`TMDB knows no ${name}`)
  return value
}
