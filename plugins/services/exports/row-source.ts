// The stored rows of accounts, and the rows of a selection.
import type { AccountName, ExportFeature, ExportRow, LibraryService, Remote, UnitedRowsQuery } from '@playhead/sdk'
import type { ItemKind } from '@playhead/sdk/items'

type RowFeature = ExportRow['feature']
export type RowFilter = Pick<UnitedRowsQuery, 'kinds' | 'search' | 'keys' | 'latestOnly' | 'order'>

/** Stored rows of an account and feature. */
export interface Held extends AccountName {
  readonly feature: RowFeature
  readonly count: number
}

/** The rows of a selection, which stay the same until they are disposed. */
interface OpenRows extends AsyncDisposable {
  /** Changes with the rows. */
  readonly revision: string
  /** Rows that match, also of kinds that were not selected. */
  readonly counts: Readonly<Record<ItemKind, number>>
  /** Read once. */
  pages(): AsyncGenerator<readonly ExportRow[]>
}

export interface RowSource {
  /** All accounts with stored rows, including the tracker. */
  held(): Promise<readonly Held[]>
  open(accounts: readonly AccountName[], feature: ExportFeature, filter?: RowFilter): Promise<OpenRows>
}

const ROW_FEATURES: readonly RowFeature[] = ['watchlist', 'history', 'ratings', 'progress']

export function createRowSource(library: Pick<Remote<LibraryService>, 'currentHoldings' | 'unitedRows'>): RowSource {
  return {
    async held() {
      return (await library.currentHoldings(ROW_FEATURES)).flatMap(({ provider, instance, feature, count }) =>
        count === 0 ? [] : [{ provider, instance, feature: feature as RowFeature, count }],
      )
    },

    async open(chosen, feature, filter = {}) {
      const features =
        feature === 'combined' ? (['history', 'ratings'] as const) : feature === 'all' ? ROW_FEATURES : [feature]
      const joinsRatings = feature === 'combined'
      const parts = library.unitedRows({ ...filter, accounts: chosen, features, joinsRatings })[Symbol.asyncIterator]()
      const { value: about } = await parts.next()
      if (about?.type !== 'about') throw new TypeError('The rows have no beginning.')
      return {
        ...about,
        async *pages() {
          for await (const part of { [Symbol.asyncIterator]: () => parts }) if (part.type === 'rows') yield part.rows
        },
        async [Symbol.asyncDispose]() {
          await parts.return?.()
        },
      }
    },
  }
}
