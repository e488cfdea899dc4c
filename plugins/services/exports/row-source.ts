// The stored rows of accounts, and the rows of a selection.
import type {
  Account,
  AccountName,
  Accounts,
  ExportFeature,
  ExportRow,
  LibraryService,
  Remote,
  TrackerStore,
  UnitedRowsQuery,
} from '@playhead/sdk'
import type { ItemKind } from '@playhead/sdk/items'

type RowFeature = ExportRow['feature']
export type RowFilter = Pick<UnitedRowsQuery, 'kinds' | 'search' | 'keys' | 'latestOnly' | 'order'>

interface RowSourceOptions {
  readonly accounts: Pick<Remote<Accounts>, 'list'>
  readonly library: Pick<Remote<LibraryService>, 'holdings' | 'unitedRows'>
  readonly tracker: () => Pick<Remote<TrackerStore>, 'stats'> | undefined
}

/** Stored rows of an account and feature. */
export interface Held extends AccountName {
  readonly feature: RowFeature
  readonly count: number
}

/** The rows of a selection, which stay the same until they are disposed. */
export interface OpenRows extends AsyncDisposable {
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

/** The provider of Playhead's own tracker, whose rows are read at the time of the query. */
const TRACKER = 'SVC'
const ROW_FEATURES: readonly RowFeature[] = ['watchlist', 'history', 'ratings', 'progress']

export function createRowSource({ accounts, library, tracker }: RowSourceOptions): RowSource {
  return {
    async held() {
      const all = await accounts.list()
      const known = new Set(all.map(nameOf))
      const read = await Promise.all(ROW_FEATURES.map((feature) => library.holdings(feature)))
      const others = read.flat().flatMap(({ provider, instance, feature, count, readAtMs }) =>
        // Removed accounts may still have rows; rows of another person's account are never offered.
        readAtMs === null || provider === TRACKER || !known.has(nameOf({ provider, instance }))
          ? []
          : [{ provider, instance, feature: feature as RowFeature, count }],
      )
      return [...others, ...(await trackerRows(all, tracker()))].filter(({ count }) => count > 0)
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

async function trackerRows(
  accounts: readonly Account[],
  store: Pick<Remote<TrackerStore>, 'stats'> | undefined,
): Promise<readonly Held[]> {
  if (store === undefined) return []
  const own = accounts.filter(({ provider }) => provider === TRACKER)
  const stats = await Promise.all(own.map(async ({ instance }) => ({ instance, stats: await store.stats(instance) })))
  return stats.flatMap(({ instance, stats: counts }) =>
    counts.flatMap(({ feature, rows }) =>
      isRowFeature(feature) ? [{ provider: TRACKER, instance, feature, count: rows }] : [],
    ),
  )
}

function isRowFeature(feature: string): feature is RowFeature {
  return (ROW_FEATURES as readonly string[]).includes(feature)
}

function nameOf({ provider, instance }: AccountName): string {
  return `${provider}@${instance}`
}
