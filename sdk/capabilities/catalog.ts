// The capability `catalog`: the films and shows of all accounts, from an index of their rows. It may lag behind by seconds.
import { capability } from '../capability.ts'
import type { Ids } from '../items/id-schemes.ts'
import type { Item } from '../items/item.ts'
import type { Feature } from '../provider/features.ts'
import type { AccountName } from './accounts.ts'
import type { WorkEpisode } from './metadata.ts'

export const CATALOG = capability<Catalog>('catalog')

/** A film or show of any account. Works without ids are left out, because a title alone identifies none. */
export interface CatalogWork {
  readonly type: 'movie' | 'show'
  readonly title: string
  readonly year: number | null
  /** Of all accounts; without ids of single servers. */
  readonly ids: Ids
}

export interface CatalogSearch {
  readonly title: string
  readonly type?: CatalogWork['type']
  /** Works of this year, and of an unknown one. */
  readonly year?: number
  readonly limit: number
}

/** All plays of films and episodes, each counted once, however many accounts have it: those of the page of statistics. */
export interface PlayTotals {
  readonly movies: number
  readonly episodes: number
  /** Time watched: lengths that a service reported or that are cached, else 115 minutes for a film and 45 for an episode. */
  readonly minutes: number
  /** Plays of known length. */
  readonly known: number
}

export type CountedFeature = Extract<Feature, 'watchlist' | 'history' | 'ratings' | 'progress'>

/** Items by kind; seasons count as shows. */
export interface KindCounts {
  readonly movies: number
  readonly shows: number
  readonly anime: number
  readonly episodes: number
}

/** The newest rows of a feature; equal plays, ratings or items are merged. */
export interface NewestRow {
  readonly item: Item
  readonly key: string
  readonly atMs: number
  readonly sources: readonly AccountName[]
}

export interface FeatureNumbers {
  /** Distinct items. */
  readonly now: number
  readonly kinds: KindCounts
  readonly accounts: readonly (AccountName & {
    readonly count: number
    readonly kinds: KindCounts
    /** Stored rows that are damaged. They are not counted. */
    readonly unreadable: number
  })[]
  /** Items by provider, over all its profiles. */
  readonly providers: Readonly<Record<string, number>>
  readonly providerKinds: Readonly<Record<string, KindCounts>>
  /** Items that only this provider has. */
  readonly only: Readonly<Record<string, number>>
  /** Items that two or more providers have. */
  readonly both: number
  /** The newest rows, at most 24, and the number of rows with a time. */
  readonly newest: { readonly rows: readonly NewestRow[]; readonly total: number }
}

/** Titles are compared by `looseTitle`. */
export interface Catalog {
  /** Works whose title contains the text, best match first. Undefined if no account was read yet. */
  search(query: CatalogSearch): Promise<readonly CatalogWork[] | undefined>
  /** The works with each of these titles. At most 500 titles. */
  byTitle(titles: readonly string[]): Promise<readonly (readonly CatalogWork[])[]>
  /** The episodes of a show that any account has, without dates. */
  episodes(show: Ids): Promise<readonly WorkEpisode[]>
  plays(): Promise<PlayTotals>
  /**
   * The items of a feature over all accounts, with all changes made before the call. Rows are one item if they are of one film,
   * season or episode of one title, as on the page of the library. Rows without the time of a play, or without a rating, do
   * not count.
   *
   * @throws errors of the accounts, `PLH_NOT_READY` if they change all the time
   */
  numbers(feature: CountedFeature): Promise<FeatureNumbers>
}
