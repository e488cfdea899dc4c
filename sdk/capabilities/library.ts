// What the accounts hold, as the capability `library`: rows as they were last read with what was written since, and the
// same rows united across accounts. For people to look at and for plugins to build on; no run decides by it. Whoever
// wants something changed at an account, an editor, a restore, a tool, plans it and applies the plan here: nobody writes
// to a provider by another road.
import { capability } from '../capability.ts'
import type { Item } from '../items/item.ts'
import type { Feature, WriteItem, WriteOutcome } from '../provider/contract.ts'
import type { RunStart } from './sync.ts'

export const LIBRARY = capability<LibraryService>('library')

/** One account in one feature. */
export interface Holding {
  readonly provider: string
  readonly instance: string
  readonly feature: Feature
  /** End of the last complete read, epoch milliseconds; null when it was never read. */
  readonly readAtMs: number | null
  readonly count: number
  /** Equal for equal rows, however often they are read. Absent: the rows may have changed with each read. */
  readonly revision?: string
}

export interface LibraryRow {
  /** Unique within the account and feature. */
  readonly key: string
  readonly item: Item
}

export interface AccountName {
  readonly provider: string
  readonly instance: string
}

/** A row of an account that is one of the rows of an item. */
export interface HeldRow extends LibraryRow, AccountName {
  /** When the account was read, epoch milliseconds. */
  readonly readAtMs: number
}

/** One item over all accounts that hold it. */
export interface UnitedItem {
  /** Names it among all items, as far as its ids allow. */
  readonly key: string
  /** All keys that mean it, `key` included. */
  readonly names: readonly string[]
  /** What its rows say together: the row with the most ids first, the others fill its gaps. Ids of one server are left out. */
  readonly item: Item
  readonly type: 'movie' | 'tv' | 'anime'
  /** The newest time at which a row was added, as the account says it; null when none says. */
  readonly added: (AccountName & { readonly atMs: number; readonly text: string }) | null
  readonly rows: readonly HeldRow[]
}

export interface UnitedQuery {
  readonly feature: Feature
  /** Also of accounts that are not signed in. Default false. */
  readonly signedOut?: boolean
}

export interface UnitedCounts {
  readonly total: number
  /** The newest read of any of the accounts, epoch milliseconds; null before the first. */
  readonly lastReadAtMs: number | null
  /** How many items of a type these providers, in order, and no others hold. */
  readonly held: readonly {
    readonly providers: readonly string[]
    readonly type: UnitedItem['type']
    readonly count: number
  }[]
}

/** Items by kind; seasons count as shows. */
export interface KindCounts {
  readonly movies: number
  readonly shows: number
  readonly anime: number
  readonly episodes: number
}

/** The newest rows of a feature, those of one play, rating or item united. */
export interface NewestRow {
  readonly item: Item
  readonly key: string
  readonly atMs: number
  readonly sources: readonly AccountName[]
}

export interface FeatureNumbers {
  /** Items, each once. */
  readonly now: number
  readonly kinds: KindCounts
  readonly accounts: readonly (AccountName & { readonly count: number; readonly kinds: KindCounts })[]
  /** Items by provider, over all its profiles. */
  readonly providers: Readonly<Record<string, number>>
  readonly providerKinds: Readonly<Record<string, KindCounts>>
  /** Items that only this provider has. */
  readonly only: Readonly<Record<string, number>>
  /** Items that two or more providers have. */
  readonly both: number
  /** Plays; zero except for history. */
  readonly plays: { readonly movies: number; readonly episodes: number }
  /** The works that were played most, by plays: the shows of episodes. At most 50; empty except for history. */
  readonly mostPlayed: readonly { readonly type: 'movie' | 'show'; readonly tmdb: string; readonly plays: number }[]
  /** The newest first, at most 24, and how many there are with a time. */
  readonly newest: { readonly rows: readonly NewestRow[]; readonly total: number }
}

/** Changes that somebody wants made to one account, in one feature. */
export interface AccountChanges extends AccountName {
  readonly feature: Feature
  /** They are of single plays, each with its time. Only for the history. */
  readonly plays?: boolean
  /** In any order; removals are done first, then updates, then adds. A key occurs once for each `op`. */
  readonly changes: readonly AccountChange[]
  /** Who asks, for the record: `watchlist_tool`, `editor`, … */
  readonly cause: string
}

/** `current`: the row as the account has it; default: the stored row of the same key, where there is one. */
export interface AccountChange extends WriteItem {
  readonly op: 'add' | 'update' | 'remove'
}

/** What would be done. */
export interface ChangePlan {
  readonly planId: string
  readonly ready: Readonly<Record<AccountChange['op'], number>>
  /** Removals that `apply` does only when they are approved: too many of the account, or with other data behind them. */
  readonly held: { readonly count: number; readonly reason: 'mass_delete' | 'removal_side_effects' } | null
  /** What is never sent: `missing_ids` where only a title names the item. */
  readonly leftOut: readonly { readonly key: string; readonly op: AccountChange['op']; readonly reason: string }[]
}

export interface ChangeOutcome {
  readonly key: string
  readonly op: AccountChange['op']
  /** `held`, `filtered` and `deferred` were not sent. */
  readonly outcome: WriteOutcome['outcome'] | 'held' | 'filtered' | 'deferred'
  readonly reason?: string
}

export interface LibraryService {
  /** All accounts of a feature that were ever read. */
  holdings(feature: Feature): Promise<readonly Holding[]>
  /** Rows of an account, in pages of at most 1000; none for an account that was never read. */
  rows(provider: string, instance: string, feature: Feature): AsyncIterable<readonly LibraryRow[]>
  /** Those of the rows that are still there. At most 500 keys. */
  items(provider: string, instance: string, feature: Feature, keys: readonly string[]): Promise<readonly LibraryRow[]>
  /** Changes with the items, with their accounts, and with each read of one. */
  revision(query: UnitedQuery): Promise<string>
  /** The items, the newest first, in pages of at most 250. */
  united(query: UnitedQuery & { readonly limit?: number }): AsyncIterable<readonly UnitedItem[]>
  /** The items that any of the keys means. At most 500 keys. */
  named(query: UnitedQuery, keys: readonly string[]): Promise<readonly UnitedItem[]>
  counts(query: UnitedQuery): Promise<UnitedCounts>
  /**
   * Of all accounts that exist. The tracker counts as it is now. Counted once for each change of the rows.
   *
   * @param signal refuses the answer that comes after it
   */
  numbers(feature: Feature, signal?: AbortSignal): Promise<FeatureNumbers>
  /**
   * Stores what would be done, with what the account has now, and writes nothing. A plan is kept for 30 days.
   *
   * @throws `PLH_NOT_FOUND` for an account that is not there, `PLH_UNSUPPORTED` (`unsupported_feature`) where it cannot
   *   do one of the operations
   */
  plan(changes: AccountChanges): Promise<ChangePlan>
  /**
   * Does what a plan says, once. One outcome for each change. What was removed stays away: no pair brings it back, and
   * pairs that remove carry it on as if it had been done at the service itself.
   *
   * @param options `approved`: what the plan holds is done as well
   * @throws `PLH_CONFLICT`: `busy` while a run holds the account, `plan_applied`, `account_changed`; `PLH_NOT_FOUND`
   *   (`plan_not_found`)
   */
  apply(planId: string, options?: { readonly approved?: boolean }): Promise<readonly ChangeOutcome[]>
  /**
   * Takes back what a plan did, as a run of its own: the account is read, and what is not as the plan left it is left
   * alone.
   *
   * @throws `PLH_CONFLICT`: `already_running` while a run goes on, `nothing_to_undo`; `PLH_NOT_FOUND` (`run_not_found`)
   */
  undo(planId: string): Promise<RunStart>
}
