// The capability `anime-mapping`: translates between shows with seasons (TVDB, TMDB, IMDb) and the entries of anime
// services, from local data sets and a person's own rules. Makes no requests.
import { capability } from '../capability.ts'
import type { MappedCoordinate } from '../items/anime-tokens.ts'
import type { Ids } from '../items/id-schemes.ts'
import type { Item } from '../items/item.ts'
import type { Feature } from '../provider/features.ts'

export const ANIME_MAPPING = capability<AnimeMapping>('anime-mapping')

/** Schemes whose ids name an entry, which is a season, a part of one, a film or a special. */
export type EntryScheme = 'anidb' | 'mal' | 'anilist' | 'kitsu' | 'trackb'
/** Schemes whose ids name a show with seasons, or a film. */
export type AiredScheme = 'tvdb' | 'tmdb' | 'imdb'

/** An episode of an entry, counted from 1 within the entry. */
export interface EntryCoordinate {
  readonly scheme: EntryScheme
  readonly id: string
  readonly episode: number
}

/** An episode of a show, by season and number. */
export interface AiredCoordinate extends MappedCoordinate {
  readonly scheme: AiredScheme
}

/**
 * Why an item or episode is not mapped.
 * - `mapping_off`: the mapping is switched off
 * - `no_index`: no data set was downloaded yet
 * - `not_mappable`: not of the requested kind
 * - `no_identity`: no id in a scheme of the data sets
 * - `no_position`: an episode without season and number
 * - `specials_off`: a special, and `specials` was not given
 * - `no_mapping`: the data sets do not have these ids
 * - `outside_ranges`: the data sets have the ids, but not this episode
 * - `ratio_unsupported`: one episode corresponds to several of the other numbering
 * - `ambiguous`: several positions or ids of one scheme are possible
 * - `disagreement`: the schemes contradict each other
 */
export type MappingReason =
  | 'mapping_off'
  | 'no_index'
  | 'not_mappable'
  | 'no_identity'
  | 'no_position'
  | 'specials_off'
  | 'no_mapping'
  | 'outside_ranges'
  | 'ratio_unsupported'
  | 'ambiguous'
  | 'disagreement'

/** The evidence of an answer, strongest first. */
export type MappingBasis =
  /** A person's rule. */
  | 'user_override'
  /** An edge of the data sets between both ids. */
  | 'anibridge'
  /** An edge of the TVDB show that is paired with the item's TMDB show. */
  | 'show_pair_hop'
  /** The item's own entry id, whose edges cover the episode. */
  | 'anibridge_native'
  /** Ids only: the identity table. */
  | 'identity'

/** Ids of a film or show. */
export interface Enriched {
  /** The item's ids with the found ones. Given ids are unchanged, except for those in `replaced`. */
  readonly ids: Ids
  readonly added: readonly (EntryScheme | AiredScheme)[]
  /** Given ids that a person's rule changed. */
  readonly replaced: readonly (EntryScheme | AiredScheme)[]
  /**
   * Added ids of shows that other entries of the same service map to as well: this entry is only a part of the show.
   * Its rating or place on a list is not necessarily that of the show.
   */
  readonly shared: readonly AiredScheme[]
  /** Schemes with several possible ids, which were left out. */
  readonly ambiguous: readonly (EntryScheme | AiredScheme)[]
  /** The kind of an `anime`, if the mapping knows it. */
  readonly type?: 'movie' | 'show'
  readonly basis: MappingBasis | null
  /** Present if nothing was added or replaced, and the mapping was needed to do so. */
  readonly reason?: MappingReason
}

/** All positions at which an episode is known. */
export interface Coordinates {
  /** Includes the given position if it was mapped. At most one per show. */
  readonly aired: readonly AiredCoordinate[]
  /** Includes the given position if it was mapped. At most one per scheme. */
  readonly entries: readonly EntryCoordinate[]
  /** Schemes with several possible positions, which were left out. */
  readonly ambiguous: readonly (EntryScheme | AiredScheme)[]
  readonly basis: MappingBasis | null
  /** Present if, and only if, both lists are empty. */
  readonly reason?: MappingReason
}

export interface EntryQuery {
  readonly showIds: Ids
  readonly season: number
  readonly episode: number
  /**
   * The scheme in which the episode is about to be written. Its own edges are used first; AniDB and MyAnimeList, which
   * may count otherwise, only if it has none and both agree. Default: AniDB first, else all schemes have to agree.
   */
  readonly scheme?: EntryScheme
  /** Also maps specials (season 0). Default false; rules of a person always apply. */
  readonly specials?: boolean
}

export type EntryAnswer =
  | (EntryCoordinate & { readonly found: true; readonly basis: MappingBasis })
  | { readonly found: false; readonly reason: MappingReason }

export interface AiredQuery {
  /** Ids of the entry. */
  readonly ids: Ids
  /** Number within the entry, from 1. */
  readonly episode: number
  /** The show numbering that is wanted if there are several. Default TVDB, then TMDB. */
  readonly preferred?: AiredScheme
}

export type AiredAnswer =
  | (AiredCoordinate & { readonly found: true; readonly basis: MappingBasis })
  | { readonly found: false; readonly reason: MappingReason }

/**
 * Every function takes at most 1000 items (`PLH_INVALID`) and returns one answer for each, in order. Bad ids and
 * numbers are answered with a reason, not thrown.
 */
export interface AnimeMapping {
  /**
   * Changes whenever answers may have changed; equal revisions give equal answers. Null while nothing is mapped: the
   * mapping is off, or there are neither data sets nor rules.
   */
  revision(): Promise<string | null>
  /**
   * The mapped pairs: those with one of these providers (ids such as `ANIMEA`; `*` is any) for these features.
   * Both are empty while the mapping is off. History also needs the option `use_anime_mapping` of the pair.
   */
  scope(): Promise<{ readonly providers: readonly string[]; readonly features: readonly Feature[] }>
  /** Ids that the mapping adds to films and shows. */
  enrich(items: readonly Item[]): Promise<readonly Enriched[]>
  /**
   * All positions of episodes, for matching. An episode whose show has an id of TVDB, TMDB or IMDb is numbered as
   * aired; otherwise its number is one within the entry that `show_ids` names.
   */
  coordinates(episodes: readonly Item[], options?: { readonly specials?: boolean }): Promise<readonly Coordinates[]>
  /** The position of aired episodes in entries, for writing. Write only if `id` is the entry to change. */
  toEntries(queries: readonly EntryQuery[]): Promise<readonly EntryAnswer[]>
  /** The aired position of episodes of entries, for writing. */
  toAired(queries: readonly AiredQuery[]): Promise<readonly AiredAnswer[]>
}
