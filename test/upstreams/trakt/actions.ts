// Actions of a person on Trakt's website, and of the service itself, which change an account from outside.
import { touch } from './activities.ts'
import type { Catalogue, Entry, EntryType, Ids } from './catalogue.ts'
import { setDropped } from './hidden.ts'
import { play, unplay } from './history.ts'
import { change, makeList } from './lists.ts'
import { type Plan, PLANS, type PlanName } from './plans.ts'
import { pause, unpause } from './playback.ts'
import { rate } from './ratings.ts'
import { type Account, type Browsing, nextId, type OwnList, type State } from './state.ts'
import { list, unlist } from './watchlist.ts'

/** An entry of the catalogue, or any one of its ids. */
export type Item = Entry | { readonly type: EntryType; readonly ids: Partial<Ids> }

export interface User {
  readonly username: string
  /** The data of the account, for comparison in tests. */
  readonly account: Readonly<Account>
  /** All recorded plays, by the key of their entry. */
  plays(): readonly { readonly key: string; readonly watchedAtMs: number }[]
  /** Key of the entry that is being watched. */
  watching(): string | undefined
  addToWatchlist(item: Item, atMs?: number): void
  removeFromWatchlist(item: Item): void
  /** Returns the list, with these items. */
  makeList(name: string, items?: readonly Item[], more?: Partial<Pick<OwnList, 'privacy' | 'type'>>): OwnList
  removeFromList(list: OwnList, item: Item): void
  /** Returns the id of the play. */
  watch(item: Item, atMs?: number): number
  /** Removes every play of the item. */
  unwatch(item: Item): void
  /** Removes one play, by its id. */
  removePlay(id: number): void
  /** `undefined` removes the rating. */
  rate(item: Item, rating: number | undefined, atMs?: number): void
  /** Percent; `undefined` clears the position. */
  pause(item: Item, progress: number | undefined, atMs?: number): void
  /** Drops a show, or resumes it. */
  drop(show: Item, isDropped?: boolean): void
  changeBrowsing(change: Partial<Browsing>): void
  /** A plan by its name, or changed limits of the current one. */
  changePlan(plan: PlanName | Partial<Plan>): void
  setState(state: Account['state']): void
  /** Expires all access tokens; they can still be refreshed. */
  expireTokens(): void
  /** The person disconnects the application: tokens become invalid and cannot be refreshed. */
  revokeTokens(): void
}

export function createUser(state: State, account: Account): User {
  const entryOf = (item: Item): Entry => resolve(state.catalogue, item)
  const tokens = () => [...state.tokens.values()].filter(({ username }) => username === account.username)

  return {
    username: account.username,
    account,
    plays: () => account.plays.map(({ entry: { key }, watchedAtMs }) => ({ key, watchedAtMs })),
    watching: () =>
      account.watching !== undefined && account.watching.expiresAtMs > state.nowMs()
        ? account.watching.entry.key
        : undefined,
    addToWatchlist: (item, atMs = state.nowMs()) => {
      const entry = entryOf(item)
      if (!account.watchlist.some(({ entry: { key } }) => key === entry.key)) list(state, account, entry, atMs)
    },
    removeFromWatchlist: (item) => {
      unlist(account, new Set([entryOf(item).key]), state.nowMs())
    },
    makeList: (name, items = [], more) => {
      const list = makeList(state, account, name, more)
      list.rows = items.map((item) => ({
        id: nextId(state),
        entry: entryOf(item),
        listedAtMs: state.nowMs(),
        notes: null,
      }))
      return list
    },
    removeFromList: (list, item) => {
      const { key } = entryOf(item)
      list.rows = list.rows.filter(({ entry }) => entry.key !== key)
      change(account, list, state.nowMs())
    },
    watch: (item, atMs = state.nowMs()) => {
      const entry = entryOf(item)
      if (entry.type !== 'movie' && entry.type !== 'episode')
        throw new TypeError('only a movie or an episode can be watched')
      return play(state, account, { entry, watchedAtMs: atMs, action: 'watch' }, state.nowMs())
    },
    unwatch: (item) => {
      const { key } = entryOf(item)
      unplay(account, ({ entry }) => entry.key === key, state.nowMs())
    },
    removePlay: (id) => {
      unplay(account, (play) => play.id === id, state.nowMs())
    },
    rate: (item, rating, atMs = state.nowMs()) => {
      const entry = entryOf(item)
      if (rating !== undefined) rate(account, entry, rating, atMs, state.nowMs())
      else if (account.ratings.delete(entry.key)) touch(account, [`${entry.type}s.rated_at`], state.nowMs())
    },
    pause: (item, progress, atMs = state.nowMs()) => {
      if (progress === undefined) unpause(account, entryOf(item), state.nowMs())
      else pause(state, account, entryOf(item), progress, atMs)
    },
    drop: (show, isDropped = true) => {
      setDropped(account, entryOf(show), isDropped, state.nowMs())
    },
    changeBrowsing: (change) => {
      Object.assign(account.browsing, change)
      touch(account, ['account.settings_at'], state.nowMs())
    },
    changePlan: (plan) => {
      account.plan = typeof plan === 'string' ? PLANS[plan] : { ...account.plan, ...plan }
      touch(account, ['account.settings_at'], state.nowMs())
    },
    setState: (next) => {
      account.state = next
    },
    expireTokens: () => {
      for (const token of tokens()) token.expiresAtMs = state.nowMs()
    },
    revokeTokens: () => {
      for (const { access } of tokens()) state.tokens.delete(access)
    },
  }
}

function resolve(catalogue: Catalogue, item: Item): Entry {
  if ('key' in item) return item
  const entry = catalogue.find(item.type, item.ids)
  if (entry === undefined) throw new RangeError(`the catalogue has no ${item.type} ${JSON.stringify(item.ids)}`)
  return entry
}
