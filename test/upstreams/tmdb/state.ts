// The state of the TMDB stand-in: keys, sessions, and the data of every account.
import { randomBytes } from 'node:crypto'
import type { Namespace, Works } from './works.ts'

/** `movie/900001`, `tv/900001`, `tv/900001/1/2` */
export type WorkKey = string

export interface Rated {
  readonly key: WorkKey
  readonly value: number
}

export interface OwnList {
  readonly id: string
  readonly name: string
  /** In the order in which they were added. */
  readonly keys: readonly WorkKey[]
}

interface Lists {
  /** In the order in which they were added. */
  readonly watchlist: readonly WorkKey[]
  readonly ratings: readonly Rated[]
  readonly own: readonly OwnList[]
}

export interface Account {
  readonly id: number
  readonly username: string
  lists: Lists
  /** Earlier states with their end, for lagging responses. */
  readonly past: { readonly untilMs: number; readonly lists: Lists }[]
  /** A setting of the person: rating a title removes it from the watchlist. */
  ratingLeavesWatchlist: boolean
}

export interface RequestToken {
  expiresAtMs: number
  outcome: 'pending' | 'denied' | 'used' | { readonly username: string }
}

export interface State {
  readonly works: Works
  /** 32 hex digits */
  readonly apiKey: string
  /** The same application, with the newer kind of token. */
  readonly bearer: string
  readonly accounts: Map<string, Account>
  readonly tokens: Map<string, RequestToken>
  /** Session to user name. They do not expire. */
  readonly sessions: Map<string, string>
  readonly nowMs: () => number
  /** Lists are this far behind. */
  lagMs: number
  /** Requests per second; undefined: unlimited. */
  readonly perSecond: number | undefined
  readonly window: { endsAtMs: number; used: number }
}

export function createAccount(id: number, username: string): Account {
  return { id, username, lists: { watchlist: [], ratings: [], own: [] }, past: [], ratingLeavesWatchlist: false }
}

export function change(state: State, account: Account, next: Partial<Lists>): void {
  if (state.lagMs > 0) account.past.push({ untilMs: state.nowMs(), lists: account.lists })
  account.lists = { ...account.lists, ...next }
}

/** The lists that a read returns now. */
export function shown(state: State, account: Account): Lists {
  const atMs = state.nowMs() - state.lagMs
  return state.lagMs === 0
    ? account.lists
    : (account.past.find(({ untilMs }) => untilMs > atMs)?.lists ?? account.lists)
}

export const keyOf = (namespace: Namespace, id: number, season?: number, episode?: number): WorkKey =>
  season === undefined ? `${namespace}/${id}` : `${namespace}/${id}/${season}/${episode}`

export function listOn(state: State, account: Account, key: WorkKey, wanted: boolean): 'added' | 'there' | 'removed' {
  const { watchlist } = account.lists
  if (wanted && watchlist.includes(key)) return 'there'
  change(state, account, { watchlist: wanted ? [...watchlist, key] : watchlist.filter((one) => one !== key) })
  return wanted ? 'added' : 'removed'
}

export function rate(
  state: State,
  account: Account,
  key: WorkKey,
  value: number | undefined,
): 'added' | 'updated' | 'removed' {
  const { ratings, watchlist } = account.lists
  const was = ratings.some((one) => one.key === key)
  if (value === undefined) change(state, account, { ratings: ratings.filter((one) => one.key !== key) })
  else {
    change(state, account, {
      ratings: was ? ratings.map((one) => (one.key === key ? { key, value } : one)) : [...ratings, { key, value }],
      ...(account.ratingLeavesWatchlist ? { watchlist: watchlist.filter((one) => one !== key) } : {}),
    })
  }
  return value === undefined ? 'removed' : was ? 'updated' : 'added'
}

export const newToken = (): string => randomBytes(20).toString('hex')
