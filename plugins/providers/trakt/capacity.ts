// Rows of an account: known from reads and writes, and free ones before a write and after a refusal.
import type { Feature, PlayheadError } from '@playhead/sdk'
import { readWhole } from '@playhead/sdk/provider'
import { numberOf } from './meanings.ts'
import type { Facts } from './sign-in/facts.ts'
import { noteLimit, type Session, type Sized } from './session.ts'
import { Rows } from './wire.ts'

/** How long a known size is reliable. The person may add rows at any time. */
const CERTAIN_MS = 300_000
const LIMIT_MAX_AGE_MS = 3_600_000
const LIST = 'list/'
const PATHS: { readonly [feature in Feature]?: string } = {
  watchlist: '/sync/watchlist/all/added/asc',
  history: '/sync/history',
  ratings: '/sync/ratings/all',
}

/** Path of a list's entries. */
export function entriesPath(id: string): string {
  return `/users/me/lists/${encodeURIComponent(id)}/items/movie,show,season,episode/rank/asc`
}

/** @param rows undefined when uncertain */
export function noteRows({ sizes, now }: Session, sized: Sized, rows: number | undefined): void {
  if (rows === undefined) sizes.delete(sized)
  else sizes.set(sized, { rows, atMs: now() })
}

/** Counts the rows without reading them; undefined when the service does not say. */
export async function countRows(session: Session, sized: Sized, signal: AbortSignal): Promise<number | undefined> {
  const path = isList(sized) ? entriesPath(sized.slice(LIST.length)) : PATHS[sized]
  if (path === undefined) return undefined
  const rows = await readWhole(session.upstream, { path, query: { limit: 1, page: 1 }, signal }, async (answer) => {
    await answer.json(Rows)
    return numberOf(answer.headers['x-pagination-item-count'])
  })
  noteRows(session, sized, rows)
  return rows
}

/** Free rows; undefined when uncertain. */
export async function freeRows(session: Session, feature: Sized): Promise<number | undefined> {
  const size = session.sizes.get(feature)
  const limit = hasKnownLimit(feature) ? limitIn(await session.facts.get(), feature) : reportedLimit(session, feature)
  if (limit === undefined || size === undefined || session.now() - size.atMs > CERTAIN_MS) return undefined
  return Math.max(0, limit - size.rows)
}

/** Updates the size after a write; undefined when the change is unknown. */
export function resized(session: Session, feature: Sized, change: number | undefined): void {
  const size = session.sizes.get(feature)
  if (size === undefined) return
  if (change === undefined) session.sizes.delete(feature)
  else session.sizes.set(feature, { ...size, rows: size.rows + change })
}

function isList(feature: Sized): feature is `list/${string}` {
  return feature.startsWith(LIST)
}

function hasKnownLimit(feature: Sized): boolean {
  return feature === 'watchlist' || isList(feature)
}

function limitIn({ watchlistLimit, listLimit }: Facts, feature: Sized): number | undefined {
  return feature === 'watchlist' ? watchlistLimit : listLimit
}

/** Expires, because the plan may change. */
function reportedLimit({ limits, now }: Session, feature: Sized): number | undefined {
  const reported = limits.get(feature)
  return reported === undefined || now() - reported.atMs > LIMIT_MAX_AGE_MS ? undefined : reported.rows
}

/**
 * Rows that still fit after a refusal; undefined if the request may have been stored in part. If there are free rows, or the size is
 * unchanged, it was rejected as a whole.
 */
export async function freeRowsAfterRefusal(
  session: Session,
  feature: Sized,
  error: PlayheadError,
  sent: number,
  signal: AbortSignal,
): Promise<number | undefined> {
  const before = session.sizes.get(feature)
  const reported = error.details?.['limit']
  session.sizes.delete(feature)
  await noteLimit(session, feature)
  session.account.log.warn(
    { account: session.account.name, feature, limit: reported ?? null },
    'the account at Trakt is full',
  )
  // Reads the limit again, because the cached one may be outdated.
  const fresh = hasKnownLimit(feature) ? limitIn(await session.facts.fresh(), feature) : undefined
  const limit = typeof reported === 'number' ? reported : fresh
  if (limit === undefined) return undefined
  session.limits.set(feature, { rows: limit, atMs: session.now() })
  const rows = await countRows(session, feature, signal)
  if (rows === undefined) return undefined
  const free = Math.max(0, limit - rows)
  return sent === 1 || free > 0 || before?.rows === rows ? free : undefined
}
