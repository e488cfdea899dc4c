// A stand-in for MDBList on loopback: accounts by key or device code, a daily request quota, paged lists, and responses that
// count changes.
import { randomBytes } from 'node:crypto'
import { startUpstream, type Upstream } from './base/index.ts'
import { createUser, type User } from './mdblist/actions.ts'
import { issueToken, wire } from './mdblist/oauth.ts'
import { handle } from './mdblist/routes.ts'
import { type Account, createAccount, type Quirks, type State } from './mdblist/state.ts'
import { type Catalogue, type Entry, episodeEntry } from './trakt/catalogue.ts'
import { seededCatalogue } from './trakt/seeded.ts'

export type { User } from './mdblist/actions.ts'
export { DEVICE } from './mdblist/oauth.ts'

export interface MdblistOptions extends Partial<Quirks> {
  /** Seed of the shared catalogue. Default 1, 60 movies and 12 shows. */
  readonly seed?: number
  readonly movies?: number
  /** Replaces the shared catalogue. */
  readonly catalogue?: Catalogue
  readonly shows?: number
  /** Default: `ada`. */
  readonly usernames?: readonly string[]
  /** Default: free, with 1 000 requests a day. */
  readonly plan?: Partial<Account['plan']>
  /** Default: the computer's clock. */
  readonly nowMs?: () => number
  readonly latencyMs?: number
  readonly port?: number
}

export interface Mdblist extends Upstream {
  readonly clientId: string
  /** The first user. */
  readonly user: User
  userNamed(username: string): User
  nowMs(): number
  /** Advances the clock of the service: codes and tokens age, a new day starts. */
  advance(ms: number): void
  /** Returns tokens as if the person had signed in. */
  signIn(username?: string): ReturnType<typeof wire>
  /** The person enters the code and consents. */
  approve(userCode: string, username?: string): void
  /** The person enters the code and refuses. */
  deny(userCode: string): void
  movie(index: number): Entry
  show(index: number): Entry
  season(showIndex: number, season: number): Entry
  episode(showIndex: number, season: number, number: number): Entry
}

const STAMPS = ['watchlisted_at', 'rated_at', 'watched_at', 'paused_at', 'journal_at']
const DAY_MS = 86_400_000

/**
 * @example
 * await using mdblist = await startMdblist({ plan: { requests: 25_000 } })
 * mdblist.user.watch(mdblist.movie(0))
 */
export async function startMdblist(options: MdblistOptions = {}): Promise<Mdblist> {
  const { seed = 1, movies = 60, shows = 12, usernames = ['ada'], plan = {}, latencyMs = 0, port = 0 } = options
  const clock = options.nowMs ?? Date.now
  let advancedMs = 0
  const catalogue = options.catalogue ?? seededCatalogue(seed, movies, shows)
  const quirks: Quirks = {
    tokenLifetimeS: 36_000,
    pageRows: 1_000,
    notFound: 'counts',
    removedAs: 'removed',
    watchlist: 'list',
    cursors: false,
    saysMore: true,
    ...options,
  }
  const state: State = {
    clientId: randomBytes(16).toString('hex'),
    catalogue,
    quirks,
    nowMs: () => clock() + advancedMs,
    accounts: new Map(),
    tokens: new Map(),
    devices: new Map(),
    lastId: 990,
  }
  const users = usernames.map((username, index) => {
    const key = randomBytes(12).toString('hex')
    const account = createAccount(77 + index, username, key, {
      name: 'free',
      requests: 1_000,
      watchlist: 10_000,
      lists: 50,
      listItems: 10_000,
      ...plan,
    })
    for (const name of STAMPS) account.stamps.set(name, state.nowMs() - DAY_MS)
    state.accounts.set(username, account)
    return createUser(state, account)
  })
  const user = known(users[0], 'user')
  const upstream = await startUpstream({
    name: 'MDBList',
    latencyMs,
    port,
    handler: (request) => handle(state, request),
  })
  const userNamed = (username: string) =>
    known(
      users.find((one) => one.username === username),
      username,
    )
  const deviceOf = (userCode: string) =>
    known(
      [...state.devices.values()].find((one) => one.userCode === userCode && one.outcome === 'pending'),
      `code ${userCode}`,
    )

  return {
    ...upstream,
    clientId: state.clientId,
    user,
    userNamed,
    nowMs: state.nowMs,
    advance: (ms) => {
      advancedMs += ms
    },
    signIn: (username = user.username) => wire(state, issueToken(state, userNamed(username).account)),
    approve: (userCode, username = user.username) => {
      deviceOf(userCode).outcome = userNamed(username).account
    },
    deny: (userCode) => {
      deviceOf(userCode).outcome = 'denied'
    },
    movie: (index) => known(catalogue.find('movie', catalogue.movies[index]?.ids), `movie ${index}`),
    show: (index) => known(catalogue.find('show', catalogue.shows[index]?.ids), `show ${index}`),
    season: (index, number) => {
      const season = catalogue.shows[index]?.seasons.find((one) => one.number === number)
      return known(catalogue.find('season', season?.ids), `season ${index}/${number}`)
    },
    episode: (index, season, number) => {
      const show = known(catalogue.shows[index], `show ${index}`)
      const episode = show.seasons.find((one) => one.number === season)?.episodes.find((one) => one.number === number)
      return episodeEntry(show, known(episode, `episode ${index}/${season}/${number}`))
    },
  }
}

function known<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new RangeError(`MDBList knows no ${name}`)
  return value
}
