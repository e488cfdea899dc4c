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
  /** Default: the shared catalogue with this seed (1) and so many films (40) and shows (12), a season each an entry. */
  readonly catalogue?: readonly Media[]
  readonly seed?: number
  readonly movies?: number
  readonly shows?: number
  /** Default: `ada`. */
  readonly names?: readonly string[]
  /** Default: those of the service; `false` lets every request through. */
  readonly rateLimits?: RateLimits | false
  /** Default: a year. */
  readonly tokenLifetimeS?: number
  /** Default: JSON web tokens, as those of the service. */
  readonly opaqueTokens?: boolean
  readonly errorsWith200?: boolean
  readonly errorsWithPath?: boolean
  /** Default: the computer's clock. */
  readonly nowMs?: () => number
  readonly latencyMs?: number
  readonly port?: number
}

/** What a person does on the website, and a look at what the account holds. */
export interface User {
  readonly account: Account
  /** Makes or changes the entry of a work; gives it back. */
  save(media: Media, change: EntryChange, atMs?: number): Entry
  entry(media: Media): Entry | undefined
  /** The person's own lists are these from now on. */
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
  /** A token without a sign-in, as after one. */
  signIn(name?: string): string
  /** The person says yes on the page of this address; gives the address that the browser goes back to. */
  authorize(address: string, name?: string): string
  setMaintenance(isOn: boolean): void
  /** The field fails with this status so many times (1), after it worked a few times (0). */
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
