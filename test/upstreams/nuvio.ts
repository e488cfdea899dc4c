// A stand-in for Nuvio on loopback: profiles with their library, watched items and positions, stored as the service stores
// them.
import { randomBytes } from 'node:crypto'
import {
  type CatalogueIds,
  type CatalogueMovie,
  type CatalogueShow,
  movieCatalogue,
  showCatalogue,
  startUpstream,
  type Upstream,
  type UpstreamReply,
  type UpstreamRequest,
} from './base/index.ts'
import { accountOf, callerOf, checkKey, exchange, issue, logOut, renew, type TokenAnswer } from './nuvio/auth.ts'
import { callFunction } from './nuvio/functions.ts'
import { ok, Refusal } from './nuvio/replies.ts'
import {
  type Abilities,
  type Account,
  drop,
  keyOf,
  type Person,
  put,
  type Row,
  type State,
  tableOf,
  type TableName,
} from './nuvio/state.ts'

export { LOGIN } from './nuvio/auth.ts'
export type { Row } from './nuvio/state.ts'

export interface NuvioOptions {
  /** Seed of the shared catalogue. Default 1, 60 films, 12 shows. */
  readonly seed?: number
  readonly movies?: number
  readonly shows?: number
  /** Default: `ada`. */
  readonly usernames?: readonly string[]
  /** Names of the profiles of each person. Default: `Main`. */
  readonly people?: readonly string[]
  /** Default: all abilities. */
  readonly abilities?: Partial<Abilities>
  /** Default: an hour. */
  readonly tokenLifetimeS?: number
  /** Seconds between two polls during a sign-in. Default 3. */
  readonly loginIntervalS?: number
  /** Requests per second. Default: unlimited. */
  readonly mostPerSecond?: number
  readonly nowMs?: () => number
  readonly latencyMs?: number
  readonly port?: number
}

/** Actions of a person in the app, in profile 1 by default. */
export interface NuvioUser {
  readonly id: string
  put(table: TableName, row: Row, profile?: number): void
  drop(table: TableName, row: Row, profile?: number): void
  rows(table: TableName, profile?: number): Row[]
  setPeople(people: readonly Person[]): void
  expireTokens(): void
  revokeTokens(): void
}

export interface Nuvio extends Upstream {
  readonly clientKey: string
  readonly user: NuvioUser
  userNamed(username: string): NuvioUser
  readonly movies: readonly CatalogueMovie[]
  readonly shows: readonly CatalogueShow[]
  /** Can be changed while the service runs. */
  readonly abilities: State['abilities']
  /** Writer names that clients sent. */
  readonly origins: ReadonlySet<string>
  nowMs(): number
  advance(ms: number): void
  /** Returns tokens as if the person had signed in. */
  signIn(username?: string): TokenAnswer
  /** The person opens the link and consents. */
  approve(code: string, username?: string): void
  /** The person refuses. */
  cancel(code: string): void
}

/** The id that the apps use for a work: its TMDB id if there is one. */
export function contentId({ tmdb, imdb }: CatalogueIds): string {
  return tmdb === undefined ? String(imdb) : `tmdb:${tmdb}`
}

/**
 * @example
 * await using nuvio = await startNuvio()
 * nuvio.user.put('library', { content_id: 'tmdb:900001', content_type: 'movie', name: 'Heat', added_at: Date.now() })
 */
export async function startNuvio(options: NuvioOptions = {}): Promise<Nuvio> {
  const {
    seed = 1,
    movies = 60,
    shows = 12,
    usernames = ['ada'],
    people = ['Main'],
    tokenLifetimeS = 3_600,
    latencyMs = 0,
    port = 0,
  } = options
  const clock = options.nowMs ?? Date.now
  let advancedMs = 0
  const nowMs = () => clock() + advancedMs
  const state: State = {
    clientKey: `public-${randomBytes(16).toString('hex')}`,
    nowMs,
    tokenLifetimeS,
    loginIntervalS: options.loginIntervalS ?? 3,
    abilities: {
      singleRows: true,
      deltas: true,
      origin: true,
      overview: true,
      mostRows: Infinity,
      ...options.abilities,
    },
    accounts: new Map(),
    access: new Map(),
    refresh: new Map(),
    logins: new Map(),
    origins: new Set(),
    lastEvent: 0,
  }
  for (const name of usernames) {
    const named = people.map((each, index) => ({ index: index + 1, name: each, locked: false }))
    state.accounts.set(name, { id: `user-of-${name}`, name, people: named, tables: new Map() })
  }
  const accountNamed = (name: string): Account => {
    const account = state.accounts.get(name)
    if (account === undefined) throw new RangeError(`Nuvio knows no ${name}`)
    return account
  }
  const window = { second: 0, used: 0 }
  const upstream = await startUpstream({
    name: 'Nuvio',
    latencyMs,
    port,
    handler: async (request) => {
      const second = Math.floor(nowMs() / 1_000)
      if (window.second !== second) Object.assign(window, { second, used: 0 })
      window.used += 1
      if (window.used > (options.mostPerSecond ?? Infinity)) return { status: 429, headers: { 'retry-after': '1' } }
      return handle(state, request)
    },
  })
  const first = usernames[0] ?? 'ada'

  return {
    ...upstream,
    clientKey: state.clientKey,
    movies: movieCatalogue(seed, movies),
    shows: showCatalogue(seed, shows),
    abilities: state.abilities,
    origins: state.origins,
    user: userOf(state, accountNamed(first)),
    userNamed: (name) => userOf(state, accountNamed(name)),
    nowMs,
    advance: (ms) => {
      advancedMs += ms
    },
    signIn: (name = first) => issue(state, accountNamed(name)),
    approve: (code, name = first) => {
      const login = state.logins.get(code)
      if (login?.status !== 'pending') throw new RangeError(`Nuvio waits for no code ${code}`)
      Object.assign(login, { status: 'approved', account: accountNamed(name) })
    },
    cancel: (code) => {
      const login = state.logins.get(code)
      if (login === undefined) throw new RangeError(`Nuvio knows no code ${code}`)
      login.status = 'cancelled'
    },
  }
}

function userOf(state: State, account: Account): NuvioUser {
  return {
    id: account.id,
    put: (table, row, profile = 1) => put(state, account, profile, table, row),
    drop: (table, row, profile = 1) => void drop(state, account, profile, table, keyOf(table, row)),
    rows: (table, profile = 1) => [...tableOf(account, profile, table).rows.values()],
    setPeople: (people) => {
      account.people = [...people]
    },
    expireTokens: () => {
      for (const token of state.access.values()) if (token.account === account) token.expiresAtMs = state.nowMs()
    },
    revokeTokens: () => {
      for (const [key, token] of state.access) if (token.account === account) state.access.delete(key)
      for (const [key, token] of state.refresh) if (token.account === account) state.refresh.delete(key)
    },
  }
}

async function handle(state: State, request: UpstreamRequest): Promise<UpstreamReply> {
  try {
    checkKey(state, request)
    const caller = callerOf(state, request)
    if (request.method === 'GET' && request.path === '/auth/v1/user') return ok({ id: accountOf(caller).id })
    if (request.method !== 'POST') throw new Refusal(404, 'route', 'no such route')
    const body = (await request.json()) as Row
    const [, name] = /^\/rest\/v1\/rpc\/(\w+)$/.exec(request.path) ?? []
    if (name !== undefined) return callFunction(name, { state, args: body, account: () => accountOf(caller) })
    switch (request.path) {
      case '/auth/v1/signup':
        return ok(issue(state, undefined))
      case '/auth/v1/token':
        return renew(state, body)
      case '/auth/v1/logout':
        return logOut(state, caller, request.query.get('scope'))
      case '/functions/v1/tv-logins-exchange':
        return exchange(state, body)
      default:
        throw new Refusal(404, 'route', 'no such route')
    }
  } catch (error) {
    if (error instanceof Refusal) return error.reply
    throw error
  }
}
