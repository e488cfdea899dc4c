// Clusters of rows that are one play, rating or position, and the newest of them for display.
import type { AccountName, CountedFeature, LibraryRow, NewestRow } from '@playhead/sdk'
import {
  fillGaps,
  formatKey,
  groupPlays,
  type Item,
  keyOf,
  kindOf,
  parseTime,
  partOf,
  SHOWN_PLAY_MS,
  sharesScheme,
  shownRating,
  slugOf,
} from '@playhead/sdk/items'
import { TIMES } from '../index-thread/load.ts'

/** A row with a time, and the index of its account. */
export interface Mark extends LibraryRow {
  readonly account: number
  readonly atMs: number
  /** Only the day is known, not the time. */
  readonly isDate: boolean
}

/** Rows that are displayed as one. */
export interface Cluster {
  readonly atMs: number
  /** The rows of the cluster; the first one represents it. */
  readonly marks: readonly [Mark, ...Mark[]]
}

type Shown = NewestRow & { readonly isDate: boolean }

const DAY_MS = 86_400_000
const MAX_ROWS = 24

export function markOf(feature: CountedFeature, row: Pick<Mark, 'account' | 'key' | 'item'>): Mark | undefined {
  const time = feature === 'watchlist' ? undefined : parseTime(row.item[TIMES[feature]])
  if (time === undefined || (feature === 'ratings' && row.item.rating === undefined)) return undefined
  return { ...row, atMs: time.atMs, isDate: time.precision === 'date' }
}

/** The clusters of the marks of one item. */
export function clustersOf(
  feature: CountedFeature,
  marks: readonly Mark[],
  isTracker: (account: number) => boolean,
): readonly Cluster[] {
  if (marks.length === 0) return []
  if (feature === 'history') return playsOf(marks)
  return [feature === 'ratings' ? ratingOf(marks, isTracker) : progressOf(marks)].flatMap((cluster) => cluster ?? [])
}

function playsOf(marks: readonly Mark[]): Cluster[] {
  return groupPlays(marks).map((play) => clusterOf(play.filter(({ isDate }) => !isDate).at(-1) ?? play[0], play))
}

function ratingOf(marks: readonly Mark[], isTracker: (account: number) => boolean): Cluster | undefined {
  const first = shownRating(marks, ({ item, atMs, account }) => ({
    rating: item.rating!,
    atMs,
    isTracker: isTracker(account),
  }))
  return first === undefined ? undefined : clusterOf(first, marks)
}

/** The newest position in an item. */
function progressOf(marks: readonly Mark[]): Cluster | undefined {
  const [newest] = marks.toSorted((a, b) => b.atMs - a.atMs)
  return newest === undefined ? undefined : clusterOf(newest, marks)
}

function clusterOf(first: Mark, marks: readonly Mark[]): Cluster {
  return { atMs: first.atMs, marks: [first, ...marks.filter((mark) => mark !== first)] }
}

/** @param total number of all clusters, including the given ones */
export function newestRows(
  feature: CountedFeature,
  clusters: readonly Cluster[],
  total: number,
  accounts: readonly AccountName[],
): { readonly rows: readonly NewestRow[]; readonly total: number } {
  const rows: Shown[] = []
  let merged = 0
  for (const cluster of clusters) {
    const row = shownOf(feature, cluster, accounts)
    const at = rows.findIndex((other) => isSame(feature, other, row))
    if (at === -1) rows.push(row)
    else {
      rows[at] = unite(rows[at]!, row)
      merged += 1
    }
  }
  // A row merged with its copy has the earlier time.
  const shown = rows
    .sort((a, b) => b.atMs - a.atMs)
    .slice(0, MAX_ROWS)
    .map(({ item, key, atMs, sources }) => ({ item, key, atMs, sources }))
  return { rows: shown, total: total - merged }
}

function shownOf(feature: CountedFeature, { atMs, marks }: Cluster, accounts: readonly AccountName[]): Shown {
  const [first, ...others] = marks
  const item = others.reduce((all, other) => fillGaps(all, other.item), fillGaps(first.item, first.item))
  const key = keyOf(item)
  const play = feature === 'history' ? `@${Math.floor(atMs / 1_000)}` : ''
  return {
    item,
    key: (key.ok ? formatKey(key.value) : first.key) + play,
    atMs,
    sources: [...new Set(marks.map(({ account }) => account))].map((account) => ({
      provider: accounts[account]!.provider,
      instance: accounts[account]!.instance,
    })),
    isDate: first.isDate,
  }
}

/** Rows without a common id scheme that have the same title, number or year, and time. */
function isSame(feature: CountedFeature, a: Shown, b: Shown): boolean {
  const name = titleOf(a.item)
  if (name === undefined || name !== titleOf(b.item) || sharesScheme(a.item, b.item)) return false
  if (feature !== 'history') return true
  return a.isDate !== b.isDate ? dayOf(a) === dayOf(b) : Math.abs(a.atMs - b.atMs) <= SHOWN_PLAY_MS
}

function titleOf(item: Item): string | undefined {
  const kind = kindOf(item)
  const part = partOf(item)
  const title = slugOf((part === undefined ? item.title : item.series_title) ?? '')
  if (title === '') return undefined
  if (part !== undefined) return `${kind} ${title} ${part.season} ${part.episode ?? ''}`
  return item.year == null ? undefined : `${kind} ${title} ${item.year}`
}

function dayOf({ atMs }: Shown): number {
  return Math.floor(atMs / DAY_MS)
}

// The earlier row in the list is the newer one. Among equal ratings the later row counts, because it is older.
function unite(a: Shown, b: Shown): Shown {
  const isEcho = a.item.rating !== undefined && a.item.rating === b.item.rating
  const [first, second] = isEcho ? [b, a] : [a, b]
  const isKnown = (one: AccountName) =>
    a.sources.some(({ provider, instance }) => provider === one.provider && instance === one.instance)
  return {
    ...first,
    item: fillGaps(first.item, second.item),
    sources: [...a.sources, ...b.sources.filter((one) => !isKnown(one))],
  }
}
