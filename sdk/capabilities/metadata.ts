// The capability `metadata`: titles, ids and details of works, from a metadata service.
import { capability } from '../capability.ts'
import type { Ids } from '../items/id-schemes.ts'
import type { Picture, PictureRequest } from '../provider/pictures.ts'

export const METADATA = capability<Metadata>('metadata')

/** Ids of a work. At least one is required: a title alone does not identify a work. */
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
  /** Empty if there is none. */
  readonly tagline: string
  readonly genres: readonly string[]
  readonly runtimeMinutes: number | null
  /** 0 to 100 */
  readonly score: number | null
  /** The last aired episode of a show; null if it is unknown, and for movies. */
  readonly lastAired: { readonly season: number; readonly episode: number } | null
  /** First release of a movie, first air date of a show: `2026-07-01`; null if it is unknown. May be in the future. */
  readonly released: string | null
}

export interface WorkEpisode {
  readonly season: number
  readonly episode: number
  /** Empty if there is none. */
  readonly title: string
  /** `2026-07-01`; null if it is unknown. May be in the future. */
  readonly aired: string | null
}

export interface Metadata {
  /** False without an API key; the other calls then throw `PLH_NOT_READY` (`metadata_key_missing`). */
  ready(): boolean
  /** Search by title, best match first. Results are suggestions for a person, never an identity. */
  search(
    query: string,
    options?: { readonly type?: 'movie' | 'show'; readonly year?: number; readonly limit?: number },
  ): Promise<readonly WorkSummary[]>
  /**
   * All ids of a work. Every given id that the service knows must resolve to the same work of the given kind.
   * undefined: unknown or contradictory. Throws errors of the service.
   */
  identify(work: WorkIds): Promise<Ids | undefined>
  /** Cached lengths in minutes, by `movie/<tmdb>` and `show/<tmdb>`; makes no request. At most 100 works. */
  cachedLengths(
    works: readonly { readonly type: 'movie' | 'show'; readonly tmdb: string }[],
  ): Promise<Readonly<Record<string, number>>>
  /** Cached genres, in the language of the metadata; named and limited as `cachedLengths`. Makes no request. */
  cachedGenres(
    works: readonly { readonly type: 'movie' | 'show'; readonly tmdb: string }[],
  ): Promise<Readonly<Record<string, readonly string[]>>>
  /**
   * All release dates that are cached, in pages of `movie 603` or `show 1399` to `2026-07-01`: the first release of a
   * movie, the first air date of a show. Makes no request.
   */
  cachedReleases(): AsyncIterable<Readonly<Record<string, string>>>
  /** The ids of all cached works, in pages that are named as those of `cachedReleases`. Makes no request. */
  cachedIds(): AsyncIterable<Readonly<Record<string, Ids>>>
  /** As `identify`, with details for display. */
  details(work: WorkIds, options?: { readonly locale?: string }): Promise<WorkDetails | undefined>
  /** As `PictureProvider.picture`; null without a TMDB id. Kept on disk. Throws errors of the service. */
  picture(request: PictureRequest): Promise<Picture | null>
  /**
   * The episodes of a show in order, specials (season 0) first; of one season only, if given. Not cached: new episodes
   * are announced at any time. undefined: the show or the season is unknown. Throws as `identify`.
   */
  episodes(
    ids: Ids,
    options?: { readonly season?: number; readonly locale?: string },
  ): Promise<readonly WorkEpisode[] | undefined>
}
