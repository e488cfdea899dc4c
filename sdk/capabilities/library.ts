// What the accounts hold, as the capability `library`: rows as they were last read with what was written since, and the
// same rows united across accounts. For people to look at and for plugins to build on; no run decides by it.
import { capability } from '../capability.ts'
import type { Item } from '../items/item.ts'
import type { Feature } from '../provider/contract.ts'

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
}
