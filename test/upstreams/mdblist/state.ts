// The state of the MDBList stand-in: sessions, and the data of every account.
import type { Catalogue, Entry } from '../trakt/catalogue.ts'

export interface Play {
  readonly id: number
  readonly entry: Entry
  readonly watchedAtMs: number
}

export interface List {
  readonly id: number
  name: string
  /** The service fills the list. */
  readonly dynamic: boolean
  isPrivate: boolean
  entries: { readonly entry: Entry; readonly atMs: number }[]
}

export interface Account {
  readonly userId: number
  readonly username: string
  readonly apiKey: string
  /** Daily request quota and usage. */
  plan: {
    readonly name: string
    readonly requests: number
    readonly watchlist: number
    readonly lists: number
    readonly listItems: number
  }
  used: number
  dayEndsAtMs: number
  readonly watchlist: Map<string, { readonly entry: Entry; readonly atMs: number }>
  readonly lists: Map<number, List>
  plays: Play[]
  /** A removed rating stays as null. */
  readonly ratings: Map<string, { readonly entry: Entry; readonly rating: number | null; readonly atMs: number }>
  readonly paused: Map<
    string,
    { readonly id: number; readonly entry: Entry; readonly progress: number; readonly atMs: number }
  >
  /** Key of the item that is being watched. */
  watching: string | undefined
  readonly dropped: Map<string, { readonly entry: Entry; readonly atMs: number }>
  readonly stamps: Map<string, number>
}

export interface Token {
  readonly access: string
  readonly refresh: string
  readonly account: Account
  expiresAtMs: number
}

export interface Device {
  readonly userCode: string
  readonly expiresAtMs: number
  lastPollAtMs: number
  outcome: 'pending' | 'denied' | 'used' | Account
}

export interface State {
  readonly clientId: string
  readonly catalogue: Catalogue
  readonly nowMs: () => number
  readonly accounts: Map<string, Account>
  readonly tokens: Map<string, Token>
  readonly devices: Map<string, Device>
  readonly quirks: Quirks
  lastId: number
}

export interface Quirks {
  readonly tokenLifetimeS: number
  /** Maximum rows per page, regardless of the request. */
  readonly pageRows: number
  /** `not_found` contains numbers, or the sent items. */
  readonly notFound: 'counts' | 'echoes'
  readonly removedAs: 'deleted' | 'removed'
  /** The watchlist is one list, or grouped by kind. */
  readonly watchlist: 'list' | 'groups'
  /** Longer lists return a cursor for the next page. */
  readonly cursors: boolean
  /** A header of plain lists states whether there are more rows. */
  readonly saysMore: boolean
}

export function createAccount(userId: number, username: string, apiKey: string, plan: Account['plan']): Account {
  return {
    userId,
    username,
    apiKey,
    plan,
    used: 0,
    dayEndsAtMs: 0,
    watchlist: new Map(),
    lists: new Map(),
    plays: [],
    ratings: new Map(),
    paused: new Map(),
    watching: undefined,
    dropped: new Map(),
    stamps: new Map(),
  }
}

export function nextId(state: State): number {
  return (state.lastId += 1)
}

export function touch(
  state: State,
  account: Account,
  name: 'watchlisted_at' | 'rated_at' | 'watched_at' | 'paused_at' | 'dropped_at',
): void {
  account.stamps.set(name, state.nowMs())
  if (name === 'rated_at' || name === 'watched_at') account.stamps.set('journal_at', state.nowMs())
}
