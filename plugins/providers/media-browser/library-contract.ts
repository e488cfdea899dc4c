// The index of libraries, as its users see it.
import type { Item } from '@playhead/sdk'
import type { Ids } from '@playhead/sdk'

export interface Library {
  /** Builds the index, or rebuilds an old one. Rethrows client errors. */
  ready(signal?: AbortSignal): Promise<void>
  /** Reads recently added items, at most once a minute. */
  refresh(signal?: AbortSignal): Promise<void>
  /** `shared`: also the file of several episodes of which this is a later one. */
  find(item: Item, shared?: boolean): Found
  byId(id: string): Entry | undefined
  /** Removes a deleted item. */
  forget(id: string): void
}

/** One item of the server. */
export interface Entry {
  readonly id: string
  readonly kind: 'movie' | 'show' | 'episode'
  readonly ids: Ids
  readonly season: number | undefined
  readonly episode: number | undefined
  /** All episodes of a file that holds several; otherwise empty. */
  readonly episodes: readonly number[]
  readonly durationMs: number | undefined
}

/** `ambiguous`: the ids match different works; nothing is written. */
export type Found =
  | { readonly entries: readonly Entry[] }
  | { readonly reason: 'not_in_library' | 'episode_missing' | 'ambiguous_identity' | 'missing_ids' }
