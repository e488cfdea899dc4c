// Reading watchlist, history, ratings and progress: all of it, or the word of the service that nothing changed.
import {
  kindOf, type Item, parseTime, PlayheadError, type ReadEnd, type ReadPart, type ReadRequest, type UpstreamRequest,
} from '@playhead/sdk'
import type { Stamps } from './activities.ts'
import { decode, encode, isFresh, isSame, stampsFor } from './checkpoint.ts'
import { playId, playItem, progressItem, ratingItem, type ReadItem, type Row, watchlistItem } from './items.ts'
import { readPages, rowOf } from './pages.ts'
import type { Session } from './session.ts'
import { chunksOf, isFields, Page } from './wire.ts'

const MOST_UNREADABLE = 200
const HOUR_MS = 3_600_000
const PART_ROWS = 500

type Unreadable = NonNullable<ReadEnd['unreadable']>[number]

interface ListSpec {
  readonly path: string
  readonly query: UpstreamRequest['query']
  readonly stamps: readonly string[]
  /** How long the stamps are believed before everything is read again. */
  readonly trustedMs: number
  /** undefined: a row that is none of the list's. */
  readonly itemOf: (row: Row) => ReadItem | undefined
  readonly idOf: (row: Row) => string
}

const WATCHLIST: ListSpec = {
  path: '/watchlist/items', query: { unified: true },
  // Nothing says that a removal moves it, too.
  stamps: ['watchlisted_at'], trustedMs: HOUR_MS,
  itemOf: watchlistItem, idOf: identify,
}
const RATINGS: ListSpec = {
  path: '/sync/ratings', query: {}, stamps: ['rated_at'], trustedMs: 24 * HOUR_MS,
  // A rating that was taken away stays as a row without one.
  itemOf: (row) => (row.fields['rating'] === null ? undefined : ratingItem(row)),
  idOf: identify,
}
const historySpec = (plays: boolean): ListSpec => ({
  path: '/sync/watched', query: plays ? { plays: 'all' } : {},
  stamps: ['watched_at'], trustedMs: 24 * HOUR_MS,
  // Shows and seasons sum up their episodes.
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

/** Positions come in one answer; a position that was cleared moves no time, so they are always read. */
export async function* readProgress(session: Session, request: ReadRequest, signal: AbortSignal): AsyncGenerator<ReadPart> {
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
    yield partOf(chunk.map((fields: unknown) => rowOf(isFields(fields) ? fields : {})), progressItem, request, unreadable)
  }
  const reason = await session.lineage() === lineage ? undefined : 'account_changed'
  yield endOf({ account, reason, unreadable })
}

async function* readList(session: Session, spec: ListSpec, request: ReadRequest, signal: AbortSignal): AsyncGenerator<ReadPart> {
  const lineage = await session.lineage()
  const { account } = await session.facts.get()
  const stamps = stampsFor(await session.activities.get(), spec.stamps)
  const since = decode(request.since, account, session.now(), spec.trustedMs)
  if (stamps !== undefined && since !== undefined && isSame(since.stamps, stamps) && await session.lineage() === lineage) {
    yield { type: 'end', end: { complete: true, semantics: 'unchanged', account, checkpoint: encode({ ...since, stamps }) } }
    return
  }

  const unreadable: Unreadable[] = []
  const pages = readPages(session.upstream, { path: spec.path, query: spec.query, signal }, spec.idOf)
  for await (const rows of pages.rows) yield partOf(rows, spec.itemOf, request, unreadable)

  const reason = pages.flaw() ?? await changeSince(session, spec, { lineage, stamps, pages: pages.count() })
  const isCertain = reason === undefined && stamps !== undefined && !isFresh(stamps, session.now())
  yield endOf({ account, reason, unreadable, ...(isCertain ? { checkpoint: encode({ account, stamps, fullAtMs: session.now() }) } : {}) })
}

interface Before {
  readonly lineage: string
  readonly stamps: Stamps | undefined
  readonly pages: number
}

/**
 * What happened while the list was read, if it matters. Rows may move from one page to the other: only the time of the last change can
 * tell. And somebody else may have signed in.
 */
async function changeSince(session: Session, spec: ListSpec, { lineage, stamps, pages }: Before): Promise<string | undefined> {
  if (await session.lineage() !== lineage) return 'account_changed'
  if (stamps === undefined || pages <= 1) return undefined
  const after = stampsFor(await session.activities.fresh(), spec.stamps)
  return after !== undefined && isSame(stamps, after) ? undefined : 'changed_while_reading'
}

/** The rows of the wanted kinds as items; what cannot be told goes to `unreadable`. */
function partOf(rows: readonly Row[], read: ListSpec['itemOf'], { kinds }: ReadRequest, unreadable: Unreadable[]): ReadPart {
  const items: Item[] = []
  for (const row of rows) {
    const found = read(row)
    if (found === undefined) continue
    if ('item' in found) {
      if (kinds === undefined || kinds.length === 0 || kinds.includes(kindOf(found.item))) items.push(found.item)
    } else if (unreadable.length < MOST_UNREADABLE) unreadable.push(found.unreadable)
  }
  return { type: 'rows', rows: items }
}

interface End {
  readonly account: string
  readonly reason: string | undefined
  readonly unreadable: readonly Unreadable[]
  readonly checkpoint?: string
}

function endOf({ account, reason, unreadable, checkpoint }: End): ReadPart {
  return {
    type: 'end',
    end: {
      complete: reason === undefined,
      ...(reason === undefined ? {} : { reason }),
      semantics: 'present',
      account,
      ...(checkpoint === undefined ? {} : { checkpoint }),
      ...(unreadable.length === 0 ? {} : { unreadable }),
    },
  }
}

function isPlayed({ kind }: Row): boolean {
  return kind !== 'show' && kind !== 'season'
}

/** A row by what it is about: kind, ids, numbers, and when. */
function identify({ kind, fields }: Row): string {
  const work = kind !== undefined && isFields(fields[kind]) ? fields[kind] : fields
  const show = isFields(work['show']) ? work['show']['ids'] : isFields(fields['show']) ? fields['show']['ids'] : undefined
  const own = work === fields ? [fields['id'], fields['imdb_id'], fields['ids']] : [work['ids']]
  return JSON.stringify([kind, own, show, work['season'], work['number'], parseTime(fields['watched_at'])?.atMs])
}
