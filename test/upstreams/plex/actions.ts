// Actions of people during a test: at a player, on the website, at the link page, or as the owner of the server.
import { play, rate, setOffset } from './play-state.ts'
import { put } from './seed.ts'
import { approvePin } from './sign-in.ts'
import type { Webhooks } from './webhooks.ts'
import { type Account, type Item, leavesOf, type PlexState, takeId, watchlistOf } from './state.ts'

/** An account by its role, or by its id in the cloud. */
export type Who = Account['role'] | number

export interface PlayOptions {
  /** Default: playing. */
  readonly state?: string
  /** Default: the living room. */
  readonly device?: string
}

export interface PlexActions {
  /** Plays an item to the end; a show means every episode. */
  watch(who: Who, ratingKey: string, atMs: number): void
  /** 0 to 10; null removes the rating. Resolves when the webhooks were answered. */
  rate(who: Who, ratingKey: string, rating: number | null, atMs?: number): Promise<void>
  /** Stops playback at this position. */
  setOffset(who: Who, ratingKey: string, offsetMs: number, atMs?: number): void
  /** `atMs` null: the service does not report the time. */
  addToWatchlist(who: Who, hex: string, atMs?: number | null): void
  removeFromWatchlist(who: Who, hex: string): void
  addItem(item: Omit<Item, 'ratingKey' | 'addedAtMs'>, addedAtMs?: number): Item
  /** Deletes an item and its children; their plays stay in the log. */
  removeItem(ratingKey: string): void
  /** Enters the code of a PIN. Throws if no such PIN is pending. */
  approvePin(code: string, who?: Who): void
  /** Expires every token, or those of one account. */
  expireTokens(who?: Who): void
  /** Starts a playback; returns the session key. Its timeline is not reported, so that nothing else changes. */
  startPlaying(who: Who, ratingKey: string, offsetMs?: number, options?: PlayOptions): string
  reportPlaying(sessionKey: string, report: { readonly offsetMs?: number; readonly state?: string }): void
  stopPlaying(sessionKey: string): void
  /** Answers 429 to the next requests of the cloud. */
  throttle(requests: number, retryAfterS?: number): void
}

export function createActions(state: PlexState, webhooks: Webhooks): PlexActions {
  const item = (ratingKey: string): Item => {
    const found = state.items.get(ratingKey)
    if (found === undefined) throw new Error(`no item ${ratingKey} in the library`)
    return found
  }
  return {
    watch: (who, ratingKey, atMs) => play(state, accountOf(state, who), item(ratingKey), atMs),
    async rate(who, ratingKey, rating, atMs = state.now()) {
      rate(state, accountOf(state, who), item(ratingKey), rating, atMs)
      await webhooks.send('media.rate', accountOf(state, who), item(ratingKey), { row: { userRating: rating } })
    },
    setOffset: (who, ratingKey, offsetMs, atMs = state.now()) =>
      setOffset(state, accountOf(state, who), item(ratingKey), offsetMs, atMs),
    addToWatchlist(who, hex, atMs = state.now()) {
      if (!state.cloud.has(hex)) throw new Error(`no title ${hex} in the cloud`)
      watchlistOf(state, accountOf(state, who)).set(hex, atMs)
    },
    removeFromWatchlist(who, hex) {
      watchlistOf(state, accountOf(state, who)).delete(hex)
    },
    addItem: (added, addedAtMs = state.now()) => put(state, added, addedAtMs),
    removeItem(ratingKey) {
      const gone = item(ratingKey)
      const seasons = [...state.items.values()].filter(({ parentKey }) => parentKey === ratingKey)
      for (const { ratingKey: key } of [gone, ...seasons, ...leavesOf(state, gone)]) state.items.delete(key)
    },
    approvePin: (code, who = 'owner') => approvePin(state, code, accountOf(state, who)),
    expireTokens(who) {
      const only = who === undefined ? undefined : accountOf(state, who).id
      for (const token of state.tokens.values()) token.expired ||= only === undefined || token.accountId === only
    },
    startPlaying(who, ratingKey, offsetMs, { state: playing = 'playing', device } = {}) {
      const account = accountOf(state, who)
      const sessionKey = String(takeId(state))
      const clientIdentifier = `player-${sessionKey}`
      state.sessions.set(`${clientIdentifier} ${account.id} ${ratingKey}`, {
        sessionKey,
        accountId: account.id,
        ratingKey: item(ratingKey).ratingKey,
        clientIdentifier,
        state: playing,
        counted: false,
        ...(offsetMs === undefined ? {} : { viewOffsetMs: offsetMs }),
        ...(device === undefined ? {} : { device }),
      })
      return sessionKey
    },
    reportPlaying(sessionKey, { offsetMs, state: playing }) {
      const session = [...state.sessions.values()].find((one) => one.sessionKey === sessionKey)
      if (session === undefined) throw new Error(`no session ${sessionKey}`)
      if (offsetMs !== undefined) session.viewOffsetMs = offsetMs
      if (playing !== undefined) session.state = playing
    },
    stopPlaying(sessionKey) {
      for (const [id, session] of state.sessions) if (session.sessionKey === sessionKey) state.sessions.delete(id)
    },
    throttle(requests, retryAfterS) {
      Object.assign(state.throttle, { requests, retryAfterS })
    },
  }
}

export function accountOf(state: PlexState, who: Who): Account {
  const account = state.accounts.find(({ id, role }) => id === who || role === who)
  if (account === undefined) throw new Error(`no account ${who}`)
  return account
}
