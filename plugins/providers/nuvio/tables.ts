// The three tables of a profile that are synced: how each is read, and what tells its rows apart.
import type { Feature } from '@playhead/sdk'
import { libraryItem, playedWork, progressItem, type ReadItem, savedWork, watchedItem } from './items.ts'
import type { Arguments } from './rpc.ts'
import type { Row } from './wire.ts'

const LIBRARY_PAGE = 500
const WATCHED_PAGE = 900
/** There is no second page of positions. */
const ALL_POSITIONS = 100_000

export interface Table {
  readonly feature: Extract<Feature, 'watchlist' | 'history' | 'progress'>
  /** In the overview, where the rows of each table are counted. */
  readonly counted: string
  readonly pull: string
  readonly pageRows: number
  /** The arguments of a page, counted from 0. */
  readonly page: (index: number) => Arguments
  /** Everything comes in one answer. */
  readonly isWhole: boolean
  readonly cursor: string
  readonly delta: string
  readonly itemOf: (row: Row) => ReadItem
  /** As `itemOf`, without what a row that is gone does not tell. */
  readonly workOf: (row: Row) => ReadItem
  /** The name of the row within the table; undefined for a row that has none. */
  readonly keyOf: (row: Row) => string | undefined
  /** Some rows are copies of others, which count only where the other is missing. */
  readonly hasCopies: boolean
  /** A copy of another row, kept by older apps: the key of the show with the numbers of an episode. */
  readonly isMirror: (row: Row) => boolean
}

export const TABLES = {
  watchlist: {
    feature: 'watchlist',
    counted: 'library_items',
    pull: 'sync_pull_library',
    pageRows: LIBRARY_PAGE,
    page: (index) => ({ p_limit: LIBRARY_PAGE, p_offset: index * LIBRARY_PAGE }),
    isWhole: false,
    cursor: 'sync_get_library_delta_cursor',
    delta: 'sync_pull_library_delta',
    itemOf: libraryItem,
    workOf: savedWork,
    keyOf: ({ content_id: id, content_type: type }) => (isText(id) && isText(type) ? libraryKey(type, id) : undefined),
    hasCopies: false,
    isMirror: () => false,
  },
  history: {
    feature: 'history',
    counted: 'watched_items',
    pull: 'sync_pull_watched_items',
    pageRows: WATCHED_PAGE,
    page: (index) => ({ p_page: index + 1, p_page_size: WATCHED_PAGE }),
    isWhole: false,
    cursor: 'sync_get_watched_items_delta_cursor',
    delta: 'sync_pull_watched_items_delta',
    itemOf: watchedItem,
    workOf: playedWork,
    keyOf: ({ content_id: id, season, episode }) => (isText(id) ? watchedKey(id, season, episode) : undefined),
    hasCopies: false,
    isMirror: () => false,
  },
  progress: {
    feature: 'progress',
    counted: 'watch_progress',
    pull: 'sync_pull_watch_progress',
    pageRows: ALL_POSITIONS,
    // Without a moment to begin with, only the newest rows would come.
    page: () => ({ p_since_last_watched: 0, p_limit: ALL_POSITIONS }),
    isWhole: true,
    cursor: 'sync_get_watch_progress_delta_cursor',
    delta: 'sync_pull_watch_progress_delta',
    itemOf: progressItem,
    workOf: playedWork,
    keyOf: ({ progress_key: key, content_id: id, season, episode }) => {
      if (isText(key)) return key
      return isText(id) ? progressKey(id, season, episode) : undefined
    },
    hasCopies: true,
    isMirror: ({ progress_key: key, content_id: id, season, episode }) =>
      key === id && season != null && episode != null,
  },
} as const satisfies Record<string, Table>

export function libraryKey(type: string, contentId: string): string {
  return `${type} ${contentId}`
}

export function watchedKey(contentId: string, season?: unknown, episode?: unknown): string {
  return season == null && episode == null ? contentId : `${contentId} ${String(season)} ${String(episode)}`
}

export function progressKey(contentId: string, season?: unknown, episode?: unknown): string {
  return season == null || episode == null ? contentId : `${contentId}_s${String(season)}e${String(episode)}`
}

/**
 * The rows without the copies that older apps keep of an episode that has a row of its own.
 */
export function withoutMirrors(table: Table, rows: readonly Row[]): readonly Row[] {
  const keys = new Set(rows.map(table.keyOf))
  return rows.filter(
    (row) => !table.isMirror(row) || !keys.has(progressKey(String(row.content_id), row.season, row.episode)),
  )
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
