// Reads watchlist, ratings and progress.
import { type Feature, idText, type ReadPart, type ReadRequest } from '@playhead/sdk/provider'
import { type ListSpec as ListSpecOf, readList } from '@playhead/trakt-dialect'
import { noteRows } from '../capacity.ts'
import { itemOf, progressItem, ratingItem, watchlistItem } from '../items.ts'
import { DIALECT } from './pages.ts'
import type { Session } from '../session.ts'
import type { Row } from '../wire.ts'

interface ListSpec extends ListSpecOf<Row> {
  readonly feature: Feature
}

export const WATCHLIST: ListSpec = {
  feature: 'watchlist',
  // New rows come last, so that they do not move others between pages.
  path: '/sync/watchlist/all/added/asc',
  stamps: [
    'watchlist.updated_at',
    'movies.watchlisted_at',
    'shows.watchlisted_at',
    'seasons.watchlisted_at',
    'episodes.watchlisted_at',
  ],
  itemOf: watchlistItem,
  idOf: rowId,
}
export const RATINGS: ListSpec = {
  feature: 'ratings',
  path: '/sync/ratings/all',
  stamps: ['movies.rated_at', 'shows.rated_at', 'seasons.rated_at', 'episodes.rated_at'],
  itemOf: ratingItem,
  idOf: workId,
}
export const PROGRESS: ListSpec = {
  feature: 'progress',
  path: '/sync/playback',
  stamps: ['movies.paused_at', 'episodes.paused_at'],
  itemOf: progressItem,
  idOf: rowId,
}

/** Shows that the person dropped: a list among the hidden items, with its own change time. */
export const DROPPED: ListSpecOf<Row> = {
  path: '/users/hidden/dropped',
  query: { type: 'show' },
  stamps: ['shows.dropped_at'],
  itemOf,
  idOf: workId,
}

export function readerOf(spec: ListSpec) {
  return (session: Session, request: ReadRequest, signal: AbortSignal): AsyncIterable<ReadPart> =>
    readList(session, DIALECT, spec, request, signal, (rows) => noteRows(session, spec.feature, rows))
}

/** Rows without an id count separately. */
export function rowId({ id }: Row): unknown {
  return idText(id) ?? {}
}

function workId(row: Row): unknown {
  const work = row[row.type as 'movie' | 'show' | 'season' | 'episode']
  const id = idText((work?.ids as { readonly trakt?: unknown } | null | undefined)?.trakt)
  return id === undefined ? {} : `${row.type ?? ''}/${id}`
}
