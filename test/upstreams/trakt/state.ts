// The state of the Trakt stand-in: the application, the sessions, and the data of every account.
import type { Catalogue, Entry } from './catalogue.ts'
import type { Plan } from './plans.ts'

export interface Play {
  readonly id: number
  readonly entry: Entry
  readonly watchedAtMs: number
  readonly action: 'watch' | 'scrobble' | 'checkin'
}

export interface Listed {
  readonly id: number
  readonly entry: Entry
  readonly listedAtMs: number
  notes: string | null
}

/** A list that the person made, in the order of rank. */
export interface OwnList {
  readonly id: number
  name: string
  readonly privacy: string
  readonly type: 'personal' | 'smart'
  readonly createdAtMs: number
  updatedAtMs: number
  rows: Listed[]
}

export interface Rated {
  readonly entry: Entry
  readonly rating: number
  readonly ratedAtMs: number
}

export interface Paused {
  readonly id: number
  readonly entry: Entry
  readonly progress: number
  readonly pausedAtMs: number
}

/** Settings of the account that change side effects of the service. */
export interface Browsing {
  watchOnlyOnce: boolean
  /**
   * When watching removes an item from the watchlist; a show is removed at its first play or when all aired episodes are
   * watched.
   */
  removeWatched: 'never' | 'first-play' | 'all-aired'
}

export interface Account {
  readonly username: string
  readonly joinedAtMs: number
  plan: Plan
  /** A locked or deactivated account gets 423 for every request. */
  state: 'open' | 'locked' | 'deactivated'
  readonly browsing: Browsing
  /** In the order of rank. */
  watchlist: Listed[]
  lists: OwnList[]
  plays: Play[]
  readonly ratings: Map<string, Rated>
  readonly paused: Map<string, Paused>
  /** Shows that the person dropped. */
  readonly dropped: Map<string, { readonly entry: Entry; readonly droppedAtMs: number }>
  /** Times of the last change, `group.feature` to epoch milliseconds. */
  readonly stamps: Map<string, number>
  /** The last recorded scrobble of an item, with the time until which the next one counts as the same. */
  readonly scrobbled: Map<string, { readonly watchedAtMs: number; readonly expiresAtMs: number }>
  /** The item that is being watched, until its runtime ends. */
  watching: { readonly entry: Entry; readonly progress: number; readonly expiresAtMs: number } | undefined
  /** Requests in the current window of each limit. */
  readonly windows: Map<string, { readonly endsAtMs: number; used: number }>
}

export interface Token {
  readonly access: string
  readonly refresh: string
  readonly username: string
  readonly createdAtMs: number
  /** Issued with PKCE instead of a secret: it is refreshed without one. */
  readonly isPublic: boolean
  expiresAtMs: number
}

export interface Device {
  readonly userCode: string
  readonly clientId: string
  readonly challenge: string | null
  readonly expiresAtMs: number
  lastPollAtMs: number
  outcome: 'pending' | 'denied' | 'used' | { readonly username: string }
}

export interface State {
  readonly clientId: string
  /** Empty for a public application, which never has a secret. */
  readonly clientSecret: string
  readonly tokenLifetimeS: number
  readonly catalogue: Catalogue
  readonly nowMs: () => number
  readonly accounts: Map<string, Account>
  /** By access token. */
  readonly tokens: Map<string, Token>
  /** By device code. */
  readonly devices: Map<string, Device>
  /** Codes of the browser sign-in that are not exchanged yet. */
  readonly codes: Map<
    string,
    { readonly username: string; readonly redirectUri: string; readonly challenge: string | null }
  >
  lastId: number
}

export type StateOptions = Pick<State, 'clientId' | 'clientSecret' | 'tokenLifetimeS' | 'catalogue' | 'nowMs'>

export function createState(options: StateOptions): State {
  return {
    ...options,
    accounts: new Map(),
    tokens: new Map(),
    devices: new Map(),
    codes: new Map(),
    // Ids exceed 32 bits, as real play ids do.
    lastId: 10_400_000_000,
  }
}

export function createAccount(username: string, joinedAtMs: number, plan: Plan): Account {
  return {
    username,
    joinedAtMs,
    plan,
    state: 'open',
    browsing: { watchOnlyOnce: false, removeWatched: 'all-aired' },
    watchlist: [],
    lists: [],
    plays: [],
    ratings: new Map(),
    paused: new Map(),
    dropped: new Map(),
    stamps: new Map(),
    scrobbled: new Map(),
    watching: undefined,
    windows: new Map(),
  }
}

export function nextId(state: State): number {
  return (state.lastId += 1)
}
