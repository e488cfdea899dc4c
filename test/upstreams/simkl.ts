// A stand-in for SIMKL on loopback: accounts with one state per title, and SIMKL's side effects, limits and refusals.
import { randomBytes } from 'node:crypto'
import { type CatalogueShow, startUpstream, type Upstream } from './base/index.ts'
import { createUser, type User } from './simkl/actions.ts'
import { handle } from './simkl/routes.ts'
import { issueToken, issueV1, scopesOf } from './simkl/sign-in.ts'
import { createAccount, type Plan, type State } from './simkl/state.ts'
import { createWorks, type Part, type Work } from './simkl/works.ts'

export type { User } from './simkl/actions.ts'
export type { Work } from './simkl/works.ts'

export interface SimklOptions {
  /** Default: 1. */
  readonly seed?: number
  readonly movies?: number
  readonly shows?: number
  /** Additional shows after those of the catalogue. */
  readonly moreShows?: readonly CatalogueShow[]
  /** Default: `ada`. */
  readonly usernames?: readonly string[]
  readonly plan?: Plan
  /** Default: public; `server` has a secret. */
  readonly application?: 'public' | 'server'
  /** Default: true; false disables the limits. */
  readonly limits?: boolean
  /** Default: true; false lets clients read the whole library as often as they want. */
  readonly suspends?: boolean
  /** Default: the computer's clock. */
  readonly nowMs?: () => number
  readonly latencyMs?: number
  /** Default: any free one. */
  readonly port?: number
}

/** Settings of a profile that is signed in. */
export interface Credentials {
  readonly access_token: string
  readonly refresh_token: string
  /** Epoch seconds. */
  readonly expires_at: number
  readonly scope: string
  readonly auth_method: 'pin'
}

export interface Simkl extends Upstream {
  readonly clientId: string
  /** Empty for a public application. */
  readonly clientSecret: string
  /** The application of AUTH V1. */
  readonly v1ClientId: string
  readonly v1ClientSecret: string
  readonly state: State
  /** The first user. */
  readonly user: User
  userNamed(name: string): User
  nowMs(): number
  /** Advances the clock of the service: codes age, positions expire. */
  advance(ms: number): void
  /** Returns a token as if the person had signed in. */
  signIn(name?: string): string
  /** A token of AUTH V1. */
  signInV1(name?: string): string
  /** Credentials as if the person had signed in with a PIN. */
  credentials(name?: string): Credentials
  /** The person enters the code. */
  approve(code: string, name?: string): void
  /** The person enters the code and refuses. */
  deny(code: string): void
  /** The person consents on the page at this address; returns the redirect address. */
  authorize(address: string, name?: string): URL
  movie(index: number): Work
  show(index: number): Work
  /** Two seasons, then a film. */
  anime(index: number): Work
}

/**
 * @example
 * await using simkl = await startSimkl({ limits: false })
 * simkl.user.plan(simkl.movie(0))
 * const token = simkl.signIn()
 */
export async function startSimkl(options: SimklOptions = {}): Promise<Simkl> {
  const {
    seed = 1,
    movies = 60,
    shows = 12,
    usernames = ['ada'],
    plan = 'free',
    limits = true,
    suspends = true,
    application = 'public',
    latencyMs = 0,
    port = 0,
  } = options
  let advancedMs = 0
  const clock = options.nowMs ?? Date.now
  const nowMs = () => clock() + advancedMs
  const works = createWorks(seed, movies, shows, options.moreShows)
  const state: State = {
    clientId: randomBytes(32).toString('hex'),
    clientSecret: application === 'server' ? randomBytes(32).toString('hex') : '',
    v1ClientId: randomBytes(32).toString('hex'),
    v1ClientSecret: randomBytes(32).toString('hex'),
    rotates: false,
    scopeAs: (scopes) => ({ scope: scopes.join(' ') }),
    works,
    nowMs,
    accounts: usernames.map((name, index) => createAccount(51 + index, name, plan)),
    tokens: new Map(),
    pins: new Map(),
    codes: new Map(),
    // Larger than a JavaScript number can represent exactly.
    lastPausedId: 1_123_000_000_000_000_000n,
    suspends,
    isSuspended: false,
    windows: { second: 0, reads: 0, writes: 0, blockedUntilMs: 0 },
  }
  const users = state.accounts.map((account) => createUser(state, account))
  const user = users[0]
  if (user === undefined) throw new TypeError('SIMKL needs at least one user')
  const upstream = await startUpstream({
    name: 'SIMKL',
    latencyMs,
    port,
    handler: (request) => handle(state, limits, request),
  })
  const accountNamed = (name: string) =>
    known(
      state.accounts.find((account) => account.name === name),
      name,
    )
  const work = (part: Part, index: number) =>
    known(works.all.filter((one) => one.part === part)[index], `${part} ${index}`)

  return {
    ...upstream,
    clientId: state.clientId,
    clientSecret: state.clientSecret,
    v1ClientId: state.v1ClientId,
    v1ClientSecret: state.v1ClientSecret,
    state,
    user,
    userNamed: (name) =>
      known(
        users.find(({ account }) => account.name === name),
        name,
      ),
    nowMs,
    advance: (ms) => {
      advancedMs += ms
    },
    signIn: (name = user.account.name) => issueToken(state, accountNamed(name)).access,
    signInV1: (name = user.account.name) => issueV1(state, accountNamed(name)),
    credentials(name = user.account.name) {
      const { access, refresh, scopes } = issueToken(state, accountNamed(name))
      return {
        access_token: access,
        refresh_token: refresh,
        expires_at: Math.floor(Date.now() / 1_000) + 604_800,
        scope: scopes.join(' '),
        auth_method: 'pin',
      }
    },
    approve: (code, name = user.account.name) => {
      known(state.pins.get(code), `code ${code}`).approvedBy = accountNamed(name)
    },
    deny: (code) => {
      known(state.pins.get(code), `code ${code}`).isDenied = true
    },
    authorize: (address, name = user.account.name) => {
      const { pathname, searchParams: asked } = new URL(address)
      const isV2 = pathname === '/oauth2/authorize'
      const clientId = isV2 ? state.clientId : state.v1ClientId
      if (asked.get('client_id') !== clientId || asked.get('response_type') !== 'code')
        throw new RangeError('SIMKL does not know the application')
      const challenge = asked.get('code_challenge')
      if (isV2 && (challenge === null || asked.get('code_challenge_method') !== 'S256'))
        throw new RangeError('SIMKL takes no sign-in without PKCE')
      const redirectUri = asked.get('redirect_uri') ?? ''
      const code = randomBytes(16).toString('hex')
      const scopes = isV2 ? scopesOf(asked.get('scope')) : ['media:read', 'media:write']
      state.codes.set(code, { account: accountNamed(name), clientId, redirectUri, scopes, challenge })
      const back = new URL(redirectUri)
      back.searchParams.set('code', code)
      back.searchParams.set('state', asked.get('state') ?? '')
      if (isV2) back.searchParams.set('iss', 'https://simkl.com')
      return back
    },
    movie: (index) => work('movies', index),
    show: (index) => work('shows', index),
    anime: (index) => work('anime', index),
  }
}

function known<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new RangeError(`SIMKL knows no ${name}`)
  return value
}
