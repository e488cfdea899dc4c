// Reading a list: watchlist, ratings, progress. All of it, or the word of the service that nothing changed.
import { kindOf, type Feature, type Item, type ReadEnd, type ReadPart, type ReadRequest } from '@playhead/sdk'
import type { Stamps } from './activities.ts'
import { decode, encode, isSame, stampsFor } from './checkpoint.ts'
import { idText, progressItem, ratingItem, type ReadItem, watchlistItem } from './items.ts'
import { createProof, furtherPages, type ListRequest, readPage } from './pages.ts'
import type { Session } from './session.ts'
import type { Row } from './wire.ts'

const MOST_UNREADABLE = 200

export type Unreadable = NonNullable<ReadEnd['unreadable']>[number]

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
  stamps: ['watchlist.updated_at', 'movies.watchlisted_at', 'shows.watchlisted_at', 'seasons.watchlisted_at', 'episodes.watchlisted_at'],
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
  feature: 'progress', path: '/sync/playback', stamps: ['movies.paused_at', 'episodes.paused_at'], itemOf: progressItem, idOf: rowId,
}

export async function* readList(session: Session, spec: ListSpec, request: ReadRequest, signal: AbortSignal): AsyncGenerator<ReadPart> {
  const lineage = await session.lineage()
  const { account } = await session.facts.get()
  const stamps = stampsFor(await session.activities.get(), spec.stamps)
  const since = decode(request.since, account, session.now())
  if (stamps !== undefined && since !== undefined && isSame(since.stamps, stamps) && await session.lineage() === lineage) {
    yield { type: 'end', end: { complete: true, semantics: 'unchanged', account, checkpoint: encode({ ...since, stamps }) } }
    return
  }

  const unreadable: Unreadable[] = []
  const list: ListRequest = { path: spec.path, signal }
  const proof = createProof()
  const first = await readPage(session.upstream, list, 1)
  proof.add(first, 1, spec.idOf)
  yield partOf(first.rows, spec.itemOf, request, unreadable, first.total)
  let asked = 1
  for await (const page of furtherPages(session.upstream, list, first)) {
    asked += 1
    proof.add(page, asked, spec.idOf)
    yield partOf(page.rows, spec.itemOf, request, unreadable, first.total)
  }

  const reason = proof.flaw() ?? await changeSince(session, { lineage, stamps, names: spec.stamps, pages: first.pages })
  if (reason === undefined && first.total !== undefined) session.sizes.set(spec.feature, { rows: first.total, atMs: session.now() })
  else session.sizes.delete(spec.feature)
  yield {
    type: 'end',
    end: {
      complete: reason === undefined,
      ...(reason === undefined ? {} : { reason }),
      semantics: 'present',
      account,
      ...(stamps === undefined || reason !== undefined ? {} : { checkpoint: encode({ account, stamps, fullAtMs: session.now() }) }),
      ...(unreadable.length === 0 ? {} : { unreadable }),
    },
  }
}

export interface Before {
  readonly lineage: string
  readonly stamps: Stamps | undefined
  readonly names: readonly string[]
  readonly pages: number
}

/**
 * What happened while the list was read, if it matters. Rows may move from one page to the other: only the time of the last change can
 * tell. And somebody else may have signed in.
 */
export async function changeSince(session: Session, { lineage, stamps, names, pages }: Before): Promise<string | undefined> {
  if (await session.lineage() !== lineage) return 'account_changed'
  if (stamps === undefined || pages <= 1) return undefined
  const after = stampsFor(await session.activities.fresh(), names)
  return after !== undefined && isSame(stamps, after) ? undefined : 'changed_while_reading'
}

/** The rows of the wanted kinds as items; what cannot be told goes to `unreadable`. */
export function partOf(
  rows: readonly Row[], read: (row: Row) => ReadItem, { kinds }: ReadRequest, unreadable: Unreadable[], total?: number,
): ReadPart {
  const items: Item[] = []
  for (const row of rows) {
    const found = read(row)
    if ('unreadable' in found) note(unreadable, found)
    else if (kinds === undefined || kinds.length === 0 || kinds.includes(kindOf(found.item))) items.push(found.item)
  }
  return { type: 'rows', rows: items, ...(total === undefined ? {} : { total }) }
}

/** Keeps some of them: a thousand tell no more. */
export function note(unreadable: Unreadable[], { unreadable: row }: { readonly unreadable: Unreadable }): void {
  if (unreadable.length < MOST_UNREADABLE) unreadable.push(row)
}

/** A row without an id of its own cannot be told from others: each counts as one. */
function rowId({ id }: Row): unknown {
  return idText(id) ?? {}
}

function workId(row: Row): unknown {
  const work = row[row.type as 'movie' | 'show' | 'season' | 'episode']
  const id = idText((work?.ids as { readonly trakt?: unknown } | null | undefined)?.trakt)
  return id === undefined ? {} : `${row.type ?? ''}/${id}`
}
