// A stand-in for AniList on loopback: accounts with entries of anime, behind a GraphQL interface with its limits and
// refusals.
import { randomBytes } from 'node:crypto'
import { answer, type Rules } from './anilist/answer.ts'
import { type Media, seededCatalogue } from './anilist/catalogue.ts'
import { createLimits, RATE_LIMITS, type RateLimits } from './anilist/limits.ts'
import { authorize, exchange, issueToken, PIN_PAGE } from './anilist/oauth.ts'
import {
  type Account,
  type Entry,
  type EntryChange,
  entryOf,
  nameLists,
  saveEntry,
  type State,
} from './anilist/state.ts'
import { startUpstream, type Upstream } from './base/index.ts'

export type { Media } from './anilist/catalogue.ts'
export { RATE_LIMITS } from './anilist/limits.ts'
export type { Account, Entry, EntryChange } from './anilist/state.ts'

export interface AniListOptions {
  /** Default: the shared catalogue with this seed (1), and this many films (40) and shows (12), with one entry per season. */
  readonly catalogue?: readonly Media[]
  readonly seed?: number
  readonly movies?: number
  readonly shows?: number
  /** Default: `ada`. */
  readonly names?: readonly string[]
  /** Default: the limits of the service; `false` disables them. */
  readonly rateLimits?: RateLimits | false
  /** Default: a year. */
  readonly tokenLifetimeS?: number
  /** Default: JSON web tokens, as the service issues them. */
  readonly opaqueTokens?: boolean
  readonly errorsWith200?: boolean
  readonly errorsWithPath?: boolean
  /** Default: the computer's clock. */
  readonly nowMs?: () => number
  readonly latencyMs?: number
  readonly port?: number
}

/** Actions of a person on the website, and access to the data of the account. */
export interface User {
  readonly account: Account
  /** Creates or updates the entry of a work and returns it. */
  save(media: Media, change: EntryChange, atMs?: number): Entry
  entry(media: Media): Entry | undefined
  /** Replaces the person's custom lists. */
  nameLists(...names: readonly string[]): void
  /** Removes the whole entry. */
  remove(media: Media): void
  /** Disconnects all applications. */
  revokeTokens(): void
}

export interface AniList extends Upstream {
  readonly clientId: string
  readonly clientSecret: string
  readonly oauthUrl: string
  readonly catalogue: readonly Media[]
  readonly films: readonly Media[]
  readonly series: readonly Media[]
  /** The first user. */
  readonly user: User
  userNamed(name: string): User
  advance(ms: number): void
  /** Returns a token as if the person had signed in. */
  signIn(name?: string): string
  /** Consents on the page at this address; returns the redirect address. */
  authorize(address: string, name?: string): string
  setMaintenance(isOn: boolean): void
  /** Makes the field fail with this status this many times (1), after it worked this many times (0). */
  breakField(name: string, status: number, options?: { readonly after?: number; readonly times?: number }): void
}

const YEAR_S = 31_536_000
const FIRST_USER = 5_001

/**
 * @example
 * await using anilist = await startAniList({ rateLimits: false })
 * anilist.user.save(anilist.films[0], { status: 'PLANNING' })
 */
export async function startAniList(options: AniListOptions = {}): Promise<AniList> {
  const {
    seed = 1,
    movies = 40,
    shows = 12,
    names = ['ada'],
    rateLimits = RATE_LIMITS,
    tokenLifetimeS = YEAR_S,
  } = options
  let advancedMs = 0
  const clock = options.nowMs ?? Date.now
  const catalogue = options.catalogue ?? seededCatalogue(seed, movies, shows)
  const state: State = {
    clientId: String(10_000 + randomBytes(2).readUInt16BE()),
    clientSecret: randomBytes(20).toString('hex'),
    catalogue,
    tokenLifetimeS,
    opaqueTokens: options.opaqueTokens ?? false,
    nowMs: () => clock() + advancedMs,
    accounts: names.map(
      (name, index): Account => ({
        id: FIRST_USER + index,
        name,
        scoreFormat: 'POINT_10',
        isPrivate: false,
        splitCompleted: false,
        customLists: [],
        entries: new Map(),
      }),
    ),
    tokens: new Map(),
    codes: new Map(),
    isInMaintenance: false,
    lastEntryId: 300_000_000,
  }
  const users = state.accounts.map((account) => userOf(state, account))
  const [user] = users
  if (user === undefined) throw new TypeError('AniList needs at least one user')
  const userNamed = (name: string): User => users.find(({ account }) => account.name === name) ?? unknown(name)
  const rules: Rules = {
    pass: createLimits(rateLimits === false ? undefined : rateLimits),
    errorsWith200: options.errorsWith200 ?? false,
    errorsWithPath: options.errorsWithPath ?? false,
    broken: new Map(),
  }
  const upstream = await startUpstream({
    name: 'AniList',
    latencyMs: options.latencyMs ?? 0,
    port: options.port ?? 0,
    handler: (request) =>
      request.path === '/'
        ? answer(state, rules, request)
        : request.path === '/api/v2/oauth/token'
          ? exchange(state, request)
          : request.path === '/api/v2/oauth/pin'
            ? PIN_PAGE
            : { status: 404, text: 'Not Found' },
  })

  return {
    ...upstream,
    clientId: state.clientId,
    clientSecret: state.clientSecret,
    oauthUrl: `${upstream.url}/api/v2`,
    catalogue,
    films: catalogue.filter(({ format }) => format === 'MOVIE'),
    series: catalogue.filter(({ format }) => format !== 'MOVIE'),
    user,
    userNamed,
    advance: (ms) => {
      advancedMs += ms
    },
    signIn: (name = user.account.name) => issueToken(state, userNamed(name).account),
    authorize: (address, name = user.account.name) => authorize(state, address, userNamed(name).account),
    setMaintenance: (isOn) => {
      state.isInMaintenance = isOn
    },
    breakField: (name, status, { after = 0, times = 1 } = {}) => void rules.broken.set(name, { status, after, times }),
  }
}

function userOf(state: State, account: Account): User {
  return {
    account,
    save: (media, change, atMs) => saveEntry(state, account, media, change, atMs),
    nameLists: (...names) => nameLists(account, names),
    entry: (media) => entryOf(account, media.id),
    remove: (media) => {
      const entry = entryOf(account, media.id)
      if (entry !== undefined) account.entries.delete(entry.id)
    },
    revokeTokens: () => {
      for (const [token, { account: owner }] of state.tokens) if (owner === account) state.tokens.delete(token)
    },
  }
}

function unknown(name: string): never {
  throw new RangeError(`AniList knows no user ${name}`)
}
