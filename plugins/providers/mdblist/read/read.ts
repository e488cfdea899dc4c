// Reads watchlist, history, ratings and progress, or proves by stamps that nothing changed.
import { PlayheadError } from '@playhead/sdk'
import { isRecord, type Item, parseTime } from '@playhead/sdk/items'
import { readEnd, type ReadPart, type ReadRequest, type Unreadable } from '@playhead/sdk/provider'
import { type ListSpec, partsOf, readList } from '@playhead/trakt-dialect'
import { playId, playItem, progressItem, ratingItem, type Row, watchlistItem, workItem } from '../items.ts'
import { DIALECT, rowOf } from './pages.ts'
import type { Session } from '../session.ts'
import { Page } from '../wire.ts'

const HOUR_MS = 3_600_000
const PART_ROWS = 500

type Spec = ListSpec<Row>

const WATCHLIST: Spec = {
  path: '/watchlist/items',
  query: { unified: true },
  // Removals may not change the stamp.
  stamps: ['watchlisted_at'],
  trustedMs: HOUR_MS,
  itemOf: watchlistItem,
  idOf: identify,
}
const RATINGS: Spec = {
  path: '/sync/ratings',
  stamps: ['rated_at'],
  // A removed rating stays as a row without a value.
  itemOf: (row) => (row.fields['rating'] === null ? undefined : ratingItem(row)),
  idOf: identify,
}
const historySpec = (plays: boolean): Spec => ({
  path: '/sync/watched',
  query: plays ? { plays: 'all' } : {},
  stamps: ['watched_at'],
  // Rows of shows and seasons are summaries of their episodes.
  itemOf: (row) => (isPlayed(row) ? playItem(row, plays) : undefined),
  idOf: (row) => (plays && isPlayed(row) ? `${row.kind} ${playId(row.fields) ?? identify(row)}` : identify(row)),
})

export const DROPPED: Spec = {
  path: '/sync/dropped',
  stamps: ['dropped_at'],
  itemOf: workItem,
  idOf: ({ fields }) => JSON.stringify(fields['show'] ?? fields),
}

export const readWatchlist = readerOf(() => WATCHLIST)
export const readRatings = readerOf(() => RATINGS)
export const readHistory = readerOf(({ plays }) => historySpec(plays === true))

function readerOf(specOf: (request: ReadRequest) => Spec) {
  return (session: Session, request: ReadRequest, signal: AbortSignal): AsyncIterable<ReadPart> =>
    readList(session, DIALECT, specOf(request), request, signal)
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
  const list = { path: spec.path, query: { ...spec.query, since }, signal }
  const pages = DIALECT.readPages(session.upstream, list, spec.idOf)
  const partOf = partsOf(spec.itemOf, {}, unreadable)
  for await (const page of pages.rows) {
    const wanted = page.filter(({ fields }) => isWanted(fields['watched_at'] ?? fields['last_watched_at']))
    rows.push(...partOf(wanted).rows)
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
    throw new PlayheadError('PLH_UPSTREAM_INVALID', 'MDBList sent an invalid response instead of a list.', {
      details: { path: '/sync/playback' },
    })
  }
  const unreadable: Unreadable[] = []
  const partOf = partsOf(progressItem, request, unreadable)
  for (let from = 0; from < rows.length; from += PART_ROWS)
    yield partOf(rows.slice(from, from + PART_ROWS).map((row: unknown) => rowOf(isRecord(row) ? row : {})))
  const reason = (await session.lineage()) === lineage ? undefined : 'account_changed'
  yield readEnd({ account, reason, unreadable })
}

function isPlayed({ kind }: Row): boolean {
  return kind !== 'show' && kind !== 'season'
}

/** Identity of a row: kind, ids, numbers and time. */
function identify({ kind, fields }: Row): string {
  const work = kind !== undefined && isRecord(fields[kind]) ? fields[kind] : fields
  const show = isRecord(work['show'])
    ? work['show']['ids']
    : isRecord(fields['show'])
      ? fields['show']['ids']
      : undefined
  const own = work === fields ? [fields['id'], fields['imdb_id'], fields['ids']] : [work['ids']]
  return JSON.stringify([kind, own, show, work['season'], work['number'], parseTime(fields['watched_at'])?.atMs])
}
