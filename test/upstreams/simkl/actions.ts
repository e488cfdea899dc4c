// Actions of a person on SIMKL's website, which change an account from outside.
import { move, pause, rate, remove, unpause, unrate, unwatchEpisode, watchEpisode, watchFilm } from './library.ts'
import type { Account, Entry, Plan, State, Status } from './state.ts'
import type { Work } from './works.ts'

export interface User {
  /** The data of the account, for comparison in tests. */
  readonly account: Readonly<Account>
  entry(work: Work): Entry | undefined
  /** All recorded plays: `600001`, `650001/1/2`. */
  plays(): readonly { readonly key: string; readonly watchedAtMs: number }[]
  watching(): string | undefined
  /** Adds the work to the watchlist. */
  plan(work: Work, atMs?: number): void
  move(work: Work, status: Status): void
  watch(film: Work, atMs?: number): void
  watchEpisode(show: Work, season: number, number: number, atMs?: number): void
  unwatchEpisode(show: Work, season: number, number: number): void
  /** Removes the work from the library. */
  remove(work: Work): void
  /** `undefined` removes the rating. */
  rate(work: Work, rating: number | undefined, atMs?: number): void
  /** Percent; `undefined` clears the position. */
  pause(
    work: Work,
    progress: number | undefined,
    episode?: { readonly season: number; readonly number: number },
    atMs?: number,
  ): void
  changePlan(plan: Plan): void
  /** Expires all access tokens; those of AUTH V2 can be refreshed. */
  expireTokens(): void
  /** The person disconnects the application. */
  revokeTokens(): void
}

export function createUser(state: State, account: Account): User {
  const { nowMs } = state
  const own = () => [...state.tokens.values()].filter((token) => token.account === account)
  return {
    account,
    plays: () => account.plays,
    watching: () => account.watching,
    entry: (work) => account.library.get(work.simkl),
    plan: (work, atMs = nowMs()) => void move(account, work, 'plantowatch', atMs, nowMs()),
    // The website keeps the day on which the work was added to the library.
    move: (work, status) =>
      void move(account, work, status, account.library.get(work.simkl)?.addedAtMs ?? nowMs(), nowMs()),
    watch: (film, atMs = nowMs()) => watchFilm(account, film, atMs, nowMs()),
    watchEpisode: (show, season, number, atMs = nowMs()) => {
      if (!watchEpisode(account, show, season, number, atMs, nowMs()))
        throw new RangeError(`there is no episode ${season}/${number}`)
    },
    unwatchEpisode: (show, season, number) => void unwatchEpisode(account, show, season, number, nowMs()),
    remove: (work) => void remove(account, work, nowMs()),
    rate: (work, rating, atMs = nowMs()) => {
      if (rating === undefined) unrate(account, work, nowMs())
      else rate(account, work, rating, atMs, nowMs())
    },
    pause: (work, progress, episode, atMs = nowMs()) => {
      if (progress === undefined) unpause(account, work, nowMs())
      else pause(state, account, work, episode, progress, atMs)
    },
    changePlan: (plan) => {
      account.plan = plan
    },
    expireTokens: () => {
      for (const token of own()) token.expiresAtMs = nowMs()
    },
    revokeTokens: () => {
      for (const token of own()) state.tokens.delete(token.access)
    },
  }
}
