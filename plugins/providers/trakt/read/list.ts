// Reading a list: watchlist, ratings, progress. All of it, or the word of the service that nothing changed.
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
} from '@playhead/sdk'
import { checkpoints } from './activities.ts'
import { progressItem, ratingItem, watchlistItem } from '../items.ts'
import { createProof, furtherPages, type ListRequest, readPage } from './pages.ts'
import type { Session } from '../session.ts'
import type { Row } from '../wire.ts'

export interface ListSpec {
  readonly feature: Feature
  readonly path: string
  /** Those that move when anything of the list does, removals too. */
  readonly stamps: readonly string[]
  readonly itemOf: (row: Row) => ReadItem
  /** What tells a row from all others. */
  readonly idOf: (row: Row) => unknown
}

export const WATCHLIST: ListSpec = {
  feature: 'watchlist',
  // New rows come at the end, so that they move no others from page to page.
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

export interface Before {
  readonly lineage: string
  readonly stamps: Stamps | undefined
  readonly names: readonly string[]
  readonly pages: number
}

/**
 * What happened while the list was read, if it matters. Rows may move from one page to the other: only the time of the
 * last change can tell. And somebody else may have signed in.
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
 * Makes parts of a read from pages: the rows of the wanted kinds as items; what cannot be told goes to `unreadable`.
 * @param total rows of the whole list, as Trakt says
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

/** A row without an id of its own cannot be told from others: each counts as one. */
function rowId({ id }: Row): unknown {
  return idText(id) ?? {}
}

export function workId(row: Row): unknown {
  const work = row[row.type as 'movie' | 'show' | 'season' | 'episode']
  const id = idText((work?.ids as { readonly trakt?: unknown } | null | undefined)?.trakt)
  return id === undefined ? {} : `${row.type ?? ''}/${id}`
}
