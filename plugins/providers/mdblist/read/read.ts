// Reads watchlist, history, ratings and progress, or proves by stamps that nothing changed.
import { PlayheadError, type UpstreamRequest } from '@playhead/sdk'
import { type Item, parseTime } from '@playhead/sdk/items'
import {
  readEnd,
  type ReadItem,
  type ReadPart,
  type ReadRequest,
  sameStamps,
  type Stamps,
  unchangedEnd,
  type Unreadable,
  wantedItems,
} from '@playhead/sdk/provider'
import { checkpoints, isFresh, stampsOf } from './activities.ts'
import { playId, playItem, progressItem, ratingItem, type Row, watchlistItem } from '../items.ts'
import { readPages, rowOf } from './pages.ts'
import type { Session } from '../session.ts'
import { chunksOf, isFields, Page } from '../wire.ts'

const HOUR_MS = 3_600_000
const PART_ROWS = 500

interface ListSpec {
  readonly path: string
  readonly query: UpstreamRequest['query']
  readonly stamps: readonly string[]
  /** How long stamps are trusted before a full read. */
  readonly trustedMs: number
  /** Undefined for a row that does not belong to the list. */
  readonly itemOf: (row: Row) => ReadItem | undefined
  readonly idOf: (row: Row) => string
}

const WATCHLIST: ListSpec = {
  path: '/watchlist/items',
  query: { unified: true },
  // Removals may not change the stamp.
  stamps: ['watchlisted_at'],
  trustedMs: HOUR_MS,
  itemOf: watchlistItem,
  idOf: identify,
}
const RATINGS: ListSpec = {
  path: '/sync/ratings',
  query: {},
  stamps: ['rated_at'],
  trustedMs: 24 * HOUR_MS,
  // A removed rating stays as a row without a value.
  itemOf: (row) => (row.fields['rating'] === null ? undefined : ratingItem(row)),
  idOf: identify,
}
const historySpec = (plays: boolean): ListSpec => ({
  path: '/sync/watched',
  query: plays ? { plays: 'all' } : {},
  stamps: ['watched_at'],
  trustedMs: 24 * HOUR_MS,
  // Rows of shows and seasons are summaries of their episodes.
  itemOf: (row) => (isPlayed(row) ? playItem(row, plays) : undefined),
  idOf: (row) => (plays && isPlayed(row) ? `${row.kind} ${playId(row.fields) ?? identify(row)}` : identify(row)),
})

export function readWatchlist(session: Session, request: ReadRequest, signal: AbortSignal): AsyncIterable<ReadPart> {
  return readList(session, WATCHLIST, request, signal)
}

export function readRatings(session: Session, request: ReadRequest, signal: AbortSignal): AsyncIterable<ReadPart> {
  return readList(session, RATINGS, request, signal)
}

export function readHistory(session: Session, request: ReadRequest, signal: AbortSignal): AsyncIterable<ReadPart> {
  return readList(session, historySpec(request.plays === true), request, signal)
}

/** The wanted plays since a time, and why the list may be incomplete. */
export async function readRecentPlays(
  session: Session,
  sinceMs: number,
  isWanted: (watchedAt: unknown) => boolean,
  signal: AbortSignal,
): Promise<{ readonly rows: readonly Item[]; readonly reason: string | undefined }> {
  const spec = historySpec(true)
  const since = new Date(sinceMs).toISOString().replace(/\.\d+Z$/, 'Z')
  const unreadable: Unreadable[] = []
  const rows: Item[] = []
  const pages = readPages(session.upstream, { path: spec.path, query: { ...spec.query, since }, signal }, spec.idOf)
  for await (const page of pages.rows) {
    const wanted = page.filter(({ fields }) => isWanted(fields['watched_at'] ?? fields['last_watched_at']))
    const part = partOf(wanted, spec.itemOf, { feature: 'history' }, unreadable)
    if (part.type === 'rows') rows.push(...part.rows)
  }
  return { rows, reason: pages.flaw() ?? (unreadable.length > 0 ? 'unreadable' : undefined) }
}

/** Positions come in one response. Clearing one changes no stamp, so they are always read. */
export async function* readProgress(
  session: Session,
  request: ReadRequest,
  signal: AbortSignal,
): AsyncGenerator<ReadPart> {
  const lineage = await session.lineage()
  const { account } = await session.facts.get()
  const body = await session.upstream.json({ path: '/sync/playback', signal }, Page)
  const rows = Array.isArray(body) ? body : body['playback']
  if (!Array.isArray(rows)) {
    throw new PlayheadError('PLH_UPSTREAM_INVALID', 'MDBList answered with something else than a list.', {
      details: { path: '/sync/playback' },
    })
  }
  const unreadable: Unreadable[] = []
  for (const chunk of chunksOf(rows, PART_ROWS)) {
    yield partOf(
      chunk.map((fields: unknown) => rowOf(isFields(fields) ? fields : {})),
      progressItem,
      request,
      unreadable,
    )
  }
  const reason = (await session.lineage()) === lineage ? undefined : 'account_changed'
  yield readEnd({ account, reason, unreadable })
}

async function* readList(
  session: Session,
  spec: ListSpec,
  request: ReadRequest,
  signal: AbortSignal,
): AsyncGenerator<ReadPart> {
  const lineage = await session.lineage()
  const { account } = await session.facts.get()
  const stamps = stampsOf(await session.activities.get(), spec.stamps)
  const since = checkpoints.decode(request.since, { account, nowMs: session.now(), trustedMs: spec.trustedMs })
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
  const pages = readPages(session.upstream, { path: spec.path, query: spec.query, signal }, spec.idOf)
  for await (const rows of pages.rows) yield partOf(rows, spec.itemOf, request, unreadable)

  const reason = pages.flaw() ?? (await changeSince(session, spec, { lineage, stamps, pages: pages.count() }))
  const isCertain = stamps !== undefined && !isFresh(stamps, session.now())
  yield readEnd({
    account,
    reason,
    unreadable,
    checkpoint: isCertain ? checkpoints.encode({ account, stamps, fullAtMs: session.now() }) : undefined,
  })
}

interface Before {
  readonly lineage: string
  readonly stamps: Stamps | undefined
  readonly pages: number
}

/**
 * Detects changes during the read by the stamps, because rows may move between pages. The account may also have
 * changed.
 */
async function changeSince(
  session: Session,
  spec: ListSpec,
  { lineage, stamps, pages }: Before,
): Promise<string | undefined> {
  if ((await session.lineage()) !== lineage) return 'account_changed'
  if (stamps === undefined || pages <= 1) return undefined
  const after = stampsOf(await session.activities.fresh(), spec.stamps)
  return after !== undefined && sameStamps(stamps, after) ? undefined : 'changed_while_reading'
}

/** The rows of the requested kinds as items; others go to `unreadable`. */
function partOf(
  rows: readonly Row[],
  read: ListSpec['itemOf'],
  request: ReadRequest,
  unreadable: Unreadable[],
): ReadPart {
  return {
    type: 'rows',
    rows: wantedItems(
      rows.flatMap((row) => read(row) ?? []),
      request,
      unreadable,
    ),
  }
}

function isPlayed({ kind }: Row): boolean {
  return kind !== 'show' && kind !== 'season'
}

/** Identity of a row: kind, ids, numbers and time. */
function identify({ kind, fields }: Row): string {
  const work = kind !== undefined && isFields(fields[kind]) ? fields[kind] : fields
  const show = isFields(work['show'])
    ? work['show']['ids']
    : isFields(fields['show'])
      ? fields['show']['ids']
      : undefined
  const own = work === fields ? [fields['id'], fields['imdb_id'], fields['ids']] : [work['ids']]
  return JSON.stringify([kind, own, show, work['season'], work['number'], parseTime(fields['watched_at'])?.atMs])
}
