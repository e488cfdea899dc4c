// What the stand-in for Trakt remembers: the application, who signed in how, and everything each account holds.
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

/** Settings of the account that change what the service does by itself. */
export interface Browsing {
  watchOnlyOnce: boolean
  /**
   * When watching takes something off the watchlist; a show leaves at its first play or when all that aired is watched.
   */
  removeWatched: 'never' | 'first-play' | 'all-aired'
}

export interface Account {
  readonly username: string
  readonly joinedAtMs: number
  plan: Plan
  /** A locked or deactivated account gets 423 for everything. */
  state: 'open' | 'locked' | 'deactivated'
  readonly browsing: Browsing
  /** In the order of rank. */
  watchlist: Listed[]
  lists: OwnList[]
  plays: Play[]
  readonly ratings: Map<string, Rated>
  readonly paused: Map<string, Paused>
  /** Shows that the person gave up. */
  readonly dropped: Map<string, { readonly entry: Entry; readonly droppedAtMs: number }>
  /** Moments of the last change, `group.feature` to epoch milliseconds. */
  readonly stamps: Map<string, number>
  /** The last recorded scrobble of an item: until when the next one counts as the same. */
  readonly scrobbled: Map<string, { readonly watchedAtMs: number; readonly expiresAtMs: number }>
  /** What the account shows as being watched, until its runtime is over. */
  watching: { readonly entry: Entry; readonly progress: number; readonly expiresAtMs: number } | undefined
  /** Requests in the running window of each limit. */
  readonly windows: Map<string, { readonly endsAtMs: number; used: number }>
}

export interface Token {
  readonly access: string
  readonly refresh: string
  readonly username: string
  readonly createdAtMs: number
  /** Given for a proof instead of a secret (PKCE): it is renewed without one. */
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
  /** Empty: a public application, which never has one. */
  readonly clientSecret: string
  readonly tokenLifetimeS: number
  readonly catalogue: Catalogue
  readonly nowMs: () => number
  readonly accounts: Map<string, Account>
  /** By access token. */
  readonly tokens: Map<string, Token>
  /** By device code. */
  readonly devices: Map<string, Device>
  /** Codes of the browser sign-in that wait for their exchange. */
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
    // Ids outgrow 32 bits, as the ids of real plays do.
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
