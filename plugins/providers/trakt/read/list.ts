// Reads watchlist, ratings and progress, or proves by stamps that nothing changed.
import {
  type Feature,
  idText,
  readEnd,
  type ReadItem,
  type ReadPart,
  type ReadRequest,
  sameStamps,
  type Stamps,
  stampsFor,
  unchangedEnd,
  type Unreadable,
  wantedItems,
} from '@playhead/sdk/provider'
import { checkpoints } from './activities.ts'
import { progressItem, ratingItem, watchlistItem } from '../items.ts'
import { createProof, furtherPages, type ListRequest, readPage } from './pages.ts'
import type { Session } from '../session.ts'
import type { Row } from '../wire.ts'

interface ListSpec {
  readonly feature: Feature
  readonly path: string
  /** Stamps that change with the list, including removals. */
  readonly stamps: readonly string[]
  readonly itemOf: (row: Row) => ReadItem
  /** Identity of a row. */
  readonly idOf: (row: Row) => unknown
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

export async function* readList(
  session: Session,
  spec: ListSpec,
  request: ReadRequest,
  signal: AbortSignal,
): AsyncGenerator<ReadPart> {
  const lineage = await session.lineage()
  const { account } = await session.facts.get()
  const stamps = stampsFor(await session.activities.get(), spec.stamps)
  const since = checkpoints.decode(request.since, { account, nowMs: session.now() })
  if (
    stamps !== undefined &&
    since !== undefined &&
    sameStamps(since.stamps, stamps) &&
    (await session.lineage()) === lineage
  ) {
    yield unchangedEnd(account, checkpoints.encode({ ...since, stamps }))
    return
  }

  const unreadable: Unreadable[] = []
  const list: ListRequest = { path: spec.path, signal }
  const proof = createProof()
  const first = await readPage(session.upstream, list, 1)
  proof.add(first, 1, spec.idOf)
  const partOf = partsOf(spec.itemOf, request, unreadable, first.total)
  yield partOf(first.rows)
  let asked = 1
  for await (const page of furtherPages(session.upstream, list, first)) {
    asked += 1
    proof.add(page, asked, spec.idOf)
    yield partOf(page.rows)
  }

  const reason =
    proof.flaw() ?? (await changeSince(session, { lineage, stamps, names: spec.stamps, pages: first.pages }))
  if (reason === undefined && first.total !== undefined)
    session.sizes.set(spec.feature, { rows: first.total, atMs: session.now() })
  else session.sizes.delete(spec.feature)
  const checkpoint = stamps === undefined ? undefined : checkpoints.encode({ account, stamps, fullAtMs: session.now() })
  yield readEnd({ account, reason, checkpoint, unreadable })
}

interface Before {
  readonly lineage: string
  readonly stamps: Stamps | undefined
  readonly names: readonly string[]
  readonly pages: number
}

/**
 * Detects changes during the read by the stamps, because rows may move between pages. The account may also have
 * changed.
 */
export async function changeSince(
  session: Pick<Session, 'lineage' | 'activities'>,
  { lineage, stamps, names, pages }: Before,
): Promise<string | undefined> {
  if ((await session.lineage()) !== lineage) return 'account_changed'
  if (stamps === undefined || pages <= 1) return undefined
  const after = stampsFor(await session.activities.fresh(), names)
  return after !== undefined && sameStamps(stamps, after) ? undefined : 'changed_while_reading'
}

/**
 * Converts pages to parts of a read; unreadable rows are reported. `total` is the number of rows according to Trakt.
 */
export function partsOf(
  read: (row: Row) => ReadItem,
  request: ReadRequest,
  unreadable: Unreadable[],
  total?: number,
): (rows: readonly Row[]) => ReadPart {
  let leftOut = 0
  return (rows) => {
    const items = wantedItems(rows.map(read), request, unreadable)
    leftOut += rows.length - items.length
    return { type: 'rows', rows: items, ...(total === undefined ? {} : { total: total - leftOut }) }
  }
}

/** Rows without an id count separately. */
function rowId({ id }: Row): unknown {
  return idText(id) ?? {}
}

export function workId(row: Row): unknown {
  const work = row[row.type as 'movie' | 'show' | 'season' | 'episode']
  const id = idText((work?.ids as { readonly trakt?: unknown } | null | undefined)?.trakt)
  return id === undefined ? {} : `${row.type ?? ''}/${id}`
}
