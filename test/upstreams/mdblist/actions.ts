// Changes of an account, by requests and by the person on the website.
import type { Entry } from '../trakt/catalogue.ts'
import { newList } from './lists.ts'
import { type Account, type List, nextId, type State, touch } from './state.ts'

export interface User {
  readonly username: string
  readonly apiKey: string
  /** The data of the account, for comparison in tests. */
  readonly account: Account
  /** All recorded plays, by the key of their entry. */
  plays(): readonly { readonly key: string; readonly watchedAtMs: number }[]
  watching(): string | undefined
  addToWatchlist(entry: Entry, atMs?: number): void
  removeFromWatchlist(entry: Entry): void
  /** Returns the list, whose entries a test may change. */
  makeList(name: string, more?: Partial<Pick<List, 'dynamic' | 'isPrivate'>>): List
  /** Returns the id of the play. */
  watch(entry: Entry, atMs?: number): number
  unwatch(entry: Entry): void
  /** `null` removes the rating. */
  rate(entry: Entry, rating: number | null, atMs?: number): void
  /** Percent; undefined clears the position. */
  pause(entry: Entry, progress: number | undefined, atMs?: number): void
  /** Drops a show, or resumes it. */
  drop(show: Entry, isDropped?: boolean): void
  changePlan(change: Partial<Account['plan']>): void
  /** Expires all access tokens; they can still be refreshed. */
  expireTokens(): void
  /** The person disconnects the application. */
  revokeTokens(): void
}

export function createUser(state: State, account: Account): User {
  const tokens = () => [...state.tokens.values()].filter((token) => token.account === account)
  return {
    username: account.username,
    apiKey: account.apiKey,
    account,
    plays: () => account.plays.map(({ entry: { key }, watchedAtMs }) => ({ key, watchedAtMs })),
    watching: () => account.watching,
    addToWatchlist: (entry, atMs = state.nowMs()) => list(state, account, entry, atMs),
    removeFromWatchlist: (entry) => void unlist(state, account, entry),
    makeList: (name, more) => newList(state, account, name, more),
    watch: (entry, atMs = state.nowMs()) => play(state, account, entry, atMs),
    unwatch: (entry) => void unplay(state, account, (one) => one.entry.key === entry.key),
    rate: (entry, rating, atMs = state.nowMs()) => rate(state, account, entry, rating, atMs),
    pause: (entry, progress, atMs = state.nowMs()) => {
      if (progress === undefined) account.paused.delete(entry.key)
      else pause(state, account, entry, progress, atMs)
    },
    drop: (show, isDropped = true) => {
      if (isDropped) account.dropped.set(show.key, { entry: show, atMs: state.nowMs() })
      else account.dropped.delete(show.key)
      touch(state, account, 'dropped_at')
    },
    changePlan: (change) => {
      account.plan = { ...account.plan, ...change }
    },
    expireTokens: () => {
      for (const token of tokens()) token.expiresAtMs = state.nowMs()
    },
    revokeTokens: () => {
      for (const { access } of tokens()) state.tokens.delete(access)
    },
  }
}

export function list(state: State, account: Account, entry: Entry, atMs: number): void {
  account.watchlist.set(entry.key, { entry, atMs })
  touch(state, account, 'watchlisted_at')
}

export function unlist(state: State, account: Account, entry: Entry): boolean {
  const wasThere = account.watchlist.delete(entry.key)
  if (wasThere) touch(state, account, 'watchlisted_at')
  return wasThere
}

export function play(state: State, account: Account, entry: Entry, watchedAtMs: number): number {
  const id = nextId(state)
  account.plays.push({ id, entry, watchedAtMs })
  touch(state, account, 'watched_at')
  return id
}

export function unplay(state: State, account: Account, isMeant: (play: Account['plays'][number]) => boolean): number {
  const before = account.plays.length
  account.plays = account.plays.filter((one) => !isMeant(one))
  if (account.plays.length < before) touch(state, account, 'watched_at')
  return before - account.plays.length
}

export function rate(state: State, account: Account, entry: Entry, rating: number | null, atMs: number): void {
  account.ratings.set(entry.key, { entry, rating, atMs })
  touch(state, account, 'rated_at')
}

export function pause(state: State, account: Account, entry: Entry, progress: number, atMs: number): void {
  account.paused.set(entry.key, { id: account.paused.get(entry.key)?.id ?? nextId(state), entry, progress, atMs })
  touch(state, account, 'paused_at')
}
