// The three synced tables of a profile: how they are read, and their row keys.
import type { Feature } from '@playhead/sdk'
import { libraryItem, playedWork, progressItem, type ReadItem, savedWork, watchedItem } from './items.ts'
import type { Arguments } from './rpc.ts'
import type { Row } from './wire.ts'

const LIBRARY_PAGE = 500
const WATCHED_PAGE = 900
/** Positions have no second page. */
const ALL_POSITIONS = 100_000

export interface Table {
  readonly feature: Extract<Feature, 'watchlist' | 'history' | 'progress'>
  /** Name of the count in the overview. */
  readonly counted: string
  readonly pull: string
  readonly pageRows: number
  /** Arguments of a page, starting at 0. */
  readonly page: (index: number) => Arguments
  /** All rows come in one response. */
  readonly isWhole: boolean
  readonly cursor: string
  readonly delta: string
  readonly itemOf: (row: Row) => ReadItem
  /** Like `itemOf`, without the fields that a deleted row lacks. */
  readonly workOf: (row: Row) => ReadItem
  /** Row key within the table; undefined for a row without one. */
  readonly keyOf: (row: Row) => string | undefined
  /** Some rows are copies that only count without the original. */
  readonly hasCopies: boolean
  /** A copy made by older apps: the key of the show with the numbers of an episode. */
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
    // Without a start only the newest rows are returned.
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

/** Removes copies by older apps of episodes that have their own row. */
export function withoutMirrors(table: Table, rows: readonly Row[]): readonly Row[] {
  const keys = new Set(rows.map(table.keyOf))
  return rows.filter(
    (row) => !table.isMirror(row) || !keys.has(progressKey(String(row.content_id), row.season, row.episode)),
  )
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
