// The capability `metadata`: what is known of a work beside what a person did with it. Provided by the plugin that asks
// a metadata service.
import { capability } from '../capability.ts'
import type { Ids } from '../items/id-schemes.ts'

export const METADATA = capability<Metadata>('metadata')

/** What a work is looked for by. At least one id is needed: a title alone names no work. */
export interface WorkIds {
  readonly type: 'movie' | 'show'
  readonly ids: Ids
}

export interface WorkSummary {
  readonly type: 'movie' | 'show'
  readonly tmdb: string
  readonly title: string
  readonly year: number | null
  readonly overview: string
}

export interface WorkDetails {
  readonly type: 'movie' | 'show'
  readonly ids: Ids
  readonly title: string
  readonly year: number | null
  readonly overview: string
  /** Empty where there is none. */
  readonly tagline: string
  readonly genres: readonly string[]
  readonly runtimeMinutes: number | null
  /** 0 to 100 */
  readonly score: number | null
}

export interface Metadata {
  /** False while there is no key; then the others throw `PLH_NOT_READY` (`metadata_key_missing`). */
  ready(): boolean
  /** By title, best first. What comes back are suggestions for a person, never an identity. */
  search(
    query: string,
    options?: { readonly type?: 'movie' | 'show'; readonly year?: number; readonly limit?: number },
  ): Promise<readonly WorkSummary[]>
  /**
   * All ids of the work that one of the given ids names, proven: every id given that the service knows must name the
   * same work, in the kind given. undefined: not known, or the ids contradict each other. Throws what the service's
   * failure throws, never guesses.
   */
  identify(work: WorkIds): Promise<Ids | undefined>
  /**
   * Lengths in minutes as far as they are kept already, by `movie/<tmdb>` and `show/<tmdb>`; nobody is asked for
   * others. At most 100 works.
   */
  keptLengths(
    works: readonly { readonly type: 'movie' | 'show'; readonly tmdb: string }[],
  ): Promise<Readonly<Record<string, number>>>
  /** As `identify`, with what people read. */
  details(work: WorkIds, options?: { readonly locale?: string }): Promise<WorkDetails | undefined>
}
