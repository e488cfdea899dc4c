// A stand-in for Trakt on loopback, with Trakt's limits, token lifetimes and refusals.
import { randomBytes } from 'node:crypto'
import { startUpstream, type Upstream } from './base/index.ts'
import { createUser, type User } from './trakt/actions.ts'
import type { Catalogue, Entry, Ids } from './trakt/catalogue.ts'
import type { Context } from './trakt/context.ts'
import { issueToken, type TokenAnswer, wire } from './trakt/oauth.ts'
import { type Plan, PLANS, type PlanName, RATE_LIMITS, type RateLimits } from './trakt/plans.ts'
import { handle } from './trakt/routes.ts'
import { seededCatalogue } from './trakt/seeded.ts'
import { createAccount, createState, type State } from './trakt/state.ts'

export type { Item, User } from './trakt/actions.ts'
export type { Catalogue, Entry, Episode, Movie, Season, Show } from './trakt/catalogue.ts'
export { createCatalogue } from './trakt/catalogue.ts'
export type { TokenAnswer } from './trakt/oauth.ts'
export { PLANS, RATE_LIMITS } from './trakt/plans.ts'

export interface TraktOptions {
  /** Default: the shared catalogue with this seed (1), and this many movies (60) and shows (12). */
  readonly catalogue?: Catalogue
  readonly seed?: number
  readonly movies?: number
  readonly shows?: number
  /** Default: `ada`. */
  readonly usernames?: readonly string[]
  /** Default: free. */
  readonly plan?: PlanName | Plan
  /** Default: the limits of the service; `false` disables them. */
  readonly rateLimits?: RateLimits | false
  /** Default: seven days. */
  readonly tokenLifetimeS?: number
  /** Default: `secret`, as for applications from before October 2026; `public` has no secret. */
  readonly application?: 'secret' | 'public'
  /** Handling of a batch that exceeds the free space. Default: refuse all of it. */
  readonly overLimit?: Context['overLimit']
  /** Default: the computer's clock. */
  readonly nowMs?: () => number
  readonly latencyMs?: number
  /** Default: any free one. */
  readonly port?: number
}

export interface Trakt extends Upstream {
  readonly clientId: string
  /** Empty for a public application. */
  readonly clientSecret: string
  readonly catalogue: Catalogue
  /** The first user. */
  readonly user: User
  userNamed(username: string): User
  nowMs(): number
  /** Advances the clock of the service: codes and tokens age, limits recover. */
  advance(ms: number): void
  /** Returns tokens as if the person had signed in. */
  signIn(username?: string): TokenAnswer
  /** The person enters the code and consents. */
  approve(userCode: string, username?: string): void
  /** The person enters the code and refuses. */
  deny(userCode: string): void
  /** Returns the code that the browser brings back to the redirect address. */
  authorize(redirectUri: string, username?: string): string
  /** The person consents on the page at this address; returns the redirect address. */
  consent(address: string, username?: string): URL
  movie(index: number): Entry
  show(index: number): Entry
  episode(showIndex: number, season: number, number: number): Entry
}

const WEEK_S = 604_800
const YEAR_MS = 365 * 86_400_000

/**
 * @example
 * await using trakt = await startTrakt({ rateLimits: false })
 * trakt.user.watch(trakt.movie(0))
 * const { access_token } = trakt.signIn()
 */
export async function startTrakt(options: TraktOptions = {}): Promise<Trakt> {
  const { seed = 1, movies = 60, shows = 12, usernames = ['ada'], plan = 'free', rateLimits = RATE_LIMITS } = options
  const { tokenLifetimeS = WEEK_S, overLimit = 'refuse', latencyMs = 0, port = 0, application = 'secret' } = options
  let advancedMs = 0
  const clock = options.nowMs ?? Date.now
  const nowMs = (): number => clock() + advancedMs
  const catalogue = options.catalogue ?? seededCatalogue(seed, movies, shows)
  const clientId = randomBytes(32).toString('hex')
  const clientSecret = application === 'secret' ? randomBytes(32).toString('hex') : ''
  const state = createState({ clientId, clientSecret, tokenLifetimeS, catalogue, nowMs })
  const joinedAtMs = nowMs() - YEAR_MS
  const users = usernames.map((username) => {
    const account = createAccount(username, joinedAtMs, typeof plan === 'string' ? PLANS[plan] : plan)
    state.accounts.set(username, account)
    return createUser(state, account)
  })
  const user = users[0]
  if (user === undefined) throw new TypeError('Trakt needs at least one user')
  const rules = { rateLimits: rateLimits === false ? undefined : rateLimits, overLimit }
  const upstream = await startUpstream({
    name: 'Trakt',
    latencyMs,
    port,
    handler: (request) => handle(state, rules, request),
  })

  return {
    ...upstream,
    clientId,
    clientSecret,
    catalogue,
    user,
    userNamed: (username) =>
      known(
        users.find((one) => one.username === username),
        username,
      ),
    nowMs,
    advance: (ms) => {
      advancedMs += ms
    },
    signIn: (username = user.username) => wire(state, issueToken(state, username)),
    approve: (userCode, username = user.username) => {
      pendingDevice(state, userCode).outcome = { username }
    },
    deny: (userCode) => {
      pendingDevice(state, userCode).outcome = 'denied'
    },
    authorize: (redirectUri, username = user.username) => {
      const code = randomBytes(32).toString('hex')
      state.codes.set(code, { username, redirectUri, challenge: null })
      return code
    },
    consent: (address, username = user.username) => {
      const { pathname, searchParams: asked } = new URL(address)
      const redirectUri = asked.get('redirect_uri') ?? ''
      if (pathname !== '/oauth/authorize' || asked.get('client_id') !== clientId)
        throw new RangeError('Trakt does not know the application')
      if (!redirectUri.startsWith('https:')) throw new RangeError('Trakt leads back to https only')
      const challenge = asked.get('code_challenge')
      if (challenge === null || asked.get('code_challenge_method') !== 'S256')
        throw new RangeError('Trakt takes no sign-in without PKCE')
      const code = randomBytes(32).toString('hex')
      state.codes.set(code, { username, redirectUri, challenge })
      const back = new URL(redirectUri)
      back.searchParams.set('code', code)
      back.searchParams.set('state', asked.get('state') ?? '')
      return back
    },
    movie: (index) => known(catalogue.find('movie', catalogue.movies[index]?.ids), `movie ${index}`),
    show: (index) => known(catalogue.find('show', catalogue.shows[index]?.ids), `show ${index}`),
    episode: (showIndex, season, number) =>
      known(
        catalogue.find('episode', idsOfEpisode(catalogue, showIndex, season, number)),
        `episode ${showIndex}/${season}/${number}`,
      ),
  }
}

function idsOfEpisode(catalogue: Catalogue, showIndex: number, season: number, number: number): Ids | undefined {
  return catalogue.shows[showIndex]?.seasons
    .find((one) => one.number === season)
    ?.episodes.find((one) => one.number === number)?.ids
}

function pendingDevice(state: State, userCode: string) {
  const device = [...state.devices.values()].find((one) => one.userCode === userCode && one.outcome === 'pending')
  return known(device, `code ${userCode}`)
}

function known<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new RangeError(`Trakt knows no ${name}`)
  return value
}
