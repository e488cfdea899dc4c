// The play log of the server. The owner sees all plays and filters their own; other users only see their own.
import { REPORTED_PLAY_MS } from '@playhead/sdk/items'
import { type Listing, type ListingEnd, readPage, readPages } from './pages.ts'
import type { Server } from '../session.ts'
import type { Metadata } from '../wire.ts'

const LOG = '/status/sessions/history/all'
const PAGE = 1_000
/**
 * Each copy of a work has its own play log. A play that was reported for all copies is logged once for each, with the same time;
 * such entries are one play.
 */
export const COPIES_S = 2
/** A log entry and a mark this close are one play. Plex counts in seconds. */
export const SAME_PLAY_S = REPORTED_PLAY_MS / 1_000
/** The owner's id on every server. */
const OWNER = 1

export interface Logged {
  readonly row: Metadata
  /** `123` of `/status/sessions/history/123`. */
  readonly eventId: string | undefined
  readonly ratingKey: string | undefined
  readonly section: string | undefined
  readonly viewedAt: number
}

/** Yields the plays of each page, newest first, and returns how the list ended. */
export async function* readLog(server: Server, signal?: AbortSignal): AsyncGenerator<readonly Logged[], ListingEnd> {
  const listing: Listing = {
    path: LOG,
    size: PAGE,
    query: { ...ownOnly(server), sort: 'viewedAt:desc' },
    keyOf: keyOfRow,
  }
  const pages = readPages(server.http, listing, signal)
  for (;;) {
    const page = await pages.next()
    if (page.done === true) return page.value
    yield page.value.flatMap((row) => toLogged(row) ?? [])
  }
}

/** Last completed play of an item according to the log. */
export async function lastLogged(server: Server, ratingKey: string, signal?: AbortSignal): Promise<number | undefined> {
  const query = { ...ownOnly(server), metadataItemID: ratingKey, sort: 'viewedAt:desc' }
  const { rows } = await readPage(server.http, { path: LOG, query, size: 1 }, 0, signal)
  return rows.find((row) => row.ratingKey === ratingKey)?.viewedAt
}

/** The plays of an item within this many seconds of a time; the log is read no further back. */
export async function loggedAt(
  server: Server,
  ratingKey: string,
  atSeconds: number,
  signal?: AbortSignal,
): Promise<readonly Logged[]> {
  const query = { ...ownOnly(server), metadataItemID: ratingKey, sort: 'viewedAt:desc' }
  const found: Logged[] = []
  for await (const rows of readPages(server.http, { path: LOG, query, size: PAGE, keyOf: keyOfRow }, signal)) {
    const plays = rows.flatMap((row) => toLogged(row) ?? []).filter((play) => play.ratingKey === ratingKey)
    found.push(...plays.filter(({ viewedAt }) => Math.abs(viewedAt - atSeconds) <= COPIES_S))
    if (plays.some(({ viewedAt }) => viewedAt < atSeconds - COPIES_S)) break
  }
  return found
}

function eventIdOf(historyKey: string | undefined): string | undefined {
  return /^\/status\/sessions\/history\/(\d+)$/.exec(historyKey ?? '')?.[1]
}

function keyOfRow({ historyKey }: Metadata): string | undefined {
  return historyKey
}

function ownOnly({ isOwner }: Server): Record<string, number> {
  return isOwner ? { accountID: OWNER } : {}
}

function toLogged(row: Metadata): Logged | undefined {
  if (row.viewedAt === undefined || (row.type !== 'movie' && row.type !== 'episode')) return undefined
  return {
    row,
    eventId: eventIdOf(row.historyKey),
    ratingKey: row.ratingKey,
    section: row.librarySectionID === undefined ? undefined : String(row.librarySectionID),
    viewedAt: row.viewedAt,
  }
}
