// The capability `watchlist`: the watchlists of all accounts, merged.
import { capability } from '../capability.ts'

export const WATCHLIST = capability<Watchlist>('watchlist')

/** An item with all accounts that have it, as in `GET /api/watchlist`. */
export interface WatchlistRow {
  readonly key: string
  readonly aliases: readonly string[]
  readonly type: 'movie' | 'tv' | 'anime'
  readonly title: string | null
  readonly year: number | null
  /** `<provider>_only`, or `both` when two or more have it. */
  readonly status: string
  /** Providers in lower case. */
  readonly sources: readonly string[]
  readonly sources_by_provider: Readonly<Record<string, readonly string[]>>
  readonly [field: string]: unknown
}

export interface Watchlist {
  /** Rows, newest first, in pages. `signedOut` includes accounts that are not signed in. */
  rows(options?: { readonly signedOut?: boolean }): AsyncIterable<readonly WatchlistRow[]>
  /** Changes when the rows may have changed. */
  revision(options?: { readonly signedOut?: boolean }): Promise<string>
}
