// The rows of accounts in the form that exporters receive: collected on the thread, read in pages.
import {
  type Account,
  type AccountName,
  type Accounts,
  defined,
  type ExportFeature,
  type ExportRow,
  type Item,
  type LibraryService,
  PlayheadError,
  type Remote,
  type TrackerStore,
} from '@playhead/sdk'
import type { RowFeature } from './collection/collect.ts'
import type { CollectionRequest, Collections, RowFilter } from './collection/collections.ts'

interface RowSourceOptions {
  readonly collections: Remote<Collections>
  readonly accounts: Pick<Remote<Accounts>, 'list'>
  readonly library: () => Pick<Remote<LibraryService>, 'holdings'> | undefined
  readonly tracker: () => Pick<Remote<TrackerStore>, 'stats'> | undefined
}

/** Stored rows of an account and feature. */
export interface Held extends AccountName {
  readonly feature: RowFeature
  readonly count: number
}

export interface OpenRows extends AsyncDisposable {
  /** Changes with the rows. */
  readonly id: string
  count(filter: RowFilter): Promise<number>
  pages(filter: RowFilter, order: 'stored' | 'works', limit?: number): AsyncGenerator<readonly ExportRow[]>
}

export interface RowSource {
  /** All accounts with stored rows, including the tracker. */
  held(): Promise<readonly Held[]>
  open(accounts: readonly AccountName[], feature: ExportFeature): Promise<OpenRows>
}

/** The provider of Playhead's own tracker, whose rows are read at the time of the query. */
const TRACKER = 'SVC'
const ROW_FEATURES: readonly RowFeature[] = ['watchlist', 'history', 'ratings', 'progress']
const PAGE = 500

export const EVERYTHING: RowFilter = { kinds: null, words: [], keys: null, latestOnly: false }

export function createRowSource({ collections, accounts, library, tracker }: RowSourceOptions): RowSource {
  return {
    async held() {
      const all = await accounts.list()
      const known = new Set(all.map(nameOf))
      const read = await Promise.all(ROW_FEATURES.map((feature) => library()?.holdings(feature) ?? []))
      const others = read.flat().flatMap(({ provider, instance, feature, count, readAtMs }) =>
        // Removed accounts may still have rows; rows of another person's account are never offered.
        readAtMs === null || provider === TRACKER || !known.has(nameOf({ provider, instance }))
          ? []
          : [{ provider, instance, feature: feature as RowFeature, count }],
      )
      return [...others, ...(await trackerRows(all, tracker()))].filter(({ count }) => count > 0)
    },

    async open(chosen, feature) {
      const request: CollectionRequest = {
        accounts: chosen.map(({ provider, instance }) => ({
          provider,
          instance,
          live: provider === TRACKER && tracker() !== undefined,
        })),
        features: feature === 'combined' ? ['history', 'ratings'] : feature === 'all' ? ROW_FEATURES : [feature],
        combined: feature === 'combined',
      }
      const id = await collections.open(request)
      return {
        id,
        count: (filter) => collections.count(id, filter),
        async *pages(filter, order, limit = Number.POSITIVE_INFINITY) {
          const expected = Math.min(limit, await collections.count(id, filter))
          let left = expected
          for (let after: number | null = -1; after !== null && left > 0; ) {
            const size = Math.min(PAGE, left)
            const page: { readonly rows: string; readonly last: number | null } = await collections.page(id, {
              ...filter,
              order,
              after,
              limit: size,
            })
            const rows = rowsOf(page.rows)
            left -= rows.length
            after = page.last
            if (rows.length > 0) yield rows
          }
          // A truncated file must not look complete.
          if (left > 0)
            throw new PlayheadError('PLH_ABORTED', 'The rows are not there any more. Export the file again.')
        },
        [Symbol.asyncDispose]: () => collections.release(id),
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

type PageRow = readonly [key: string, feature: RowFeature, play: number, item: Item, rating: Item | null]

function rowsOf(text: string): readonly ExportRow[] {
  return (JSON.parse(text) as readonly PageRow[]).map(([key, feature, play, item, rating]) => ({
    key,
    feature,
    play,
    item: rating === null ? item : withRating(item, rating),
  }))
}

function withRating(item: Item, { rating, rated_at: ratedAt }: Item): Item {
  return { ...item, ...defined({ rating, rated_at: ratedAt }) }
}

function isRowFeature(feature: string): feature is RowFeature {
  return (ROW_FEATURES as readonly string[]).includes(feature)
}

function nameOf({ provider, instance }: AccountName): string {
  return `${provider}@${instance}`
}
