// The capability `catalog`: the films and shows of all accounts, from an index of their rows. It may lag behind by seconds.
import { capability } from '../capability.ts'
import type { Ids } from '../items/id-schemes.ts'
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

/** Titles are compared by `looseTitle`. */
export interface Catalog {
  /** Works whose title contains the text, best match first. Undefined if no account was read yet. */
  search(query: CatalogSearch): Promise<readonly CatalogWork[] | undefined>
  /** The works with each of these titles. At most 500 titles. */
  byTitle(titles: readonly string[]): Promise<readonly (readonly CatalogWork[])[]>
  /** The episodes of a show that any account has, without dates. */
  episodes(show: Ids): Promise<readonly WorkEpisode[]>
  plays(): Promise<PlayTotals>
}
