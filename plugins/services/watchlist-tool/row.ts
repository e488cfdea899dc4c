// A row of a watchlist, and the account that it was read from.
import type { Item } from '@playhead/sdk'

/** An account whose watchlist was read at least once. */
export interface Source {
  readonly provider: string
  /** The provider's token in lower case. */
  readonly token: string
  readonly instance: string
  readonly readAtMs: number
}

export interface StoredRow {
  readonly source: Source
  readonly key: string
  readonly item: Item
}
