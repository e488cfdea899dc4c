// What fits into an account: asked before something is sent where it is known, and after the service said that it is
// full.
import { type Feature, isPlayheadError } from '@playhead/sdk'
import { countRows, type Facts } from '../sign-in/facts.ts'
import { noteLimit, type Session, type Sized } from '../session.ts'

/** How long the size of a list is taken for certain. The person may add something at any time. */
const CERTAIN_MS = 300_000
const LIMIT_KEPT_MS = 3_600_000
const LIST = 'list/'
const PATHS: { readonly [feature in Feature]?: string } = {
  watchlist: '/sync/watchlist/all/added/asc',
  history: '/sync/history',
  ratings: '/sync/ratings/all',
}

/** Where the entries of a list are read. */
export function entriesPath(id: string): string {
  return `/users/me/lists/${encodeURIComponent(id)}/items/movie,show,season,episode/rank/asc`
}

/** Rows that still fit; undefined when it is not certain. */
export async function roomOf(session: Session, feature: Sized): Promise<number | undefined> {
  const size = session.sizes.get(feature)
  const limit = hasKnownLimit(feature) ? limitIn(await session.facts.get(), feature) : toldLimit(session, feature)
  if (limit === undefined || size === undefined || session.now() - size.atMs > CERTAIN_MS) return undefined
  return Math.max(0, limit - size.rows)
}

/** Notes what a write changed; undefined when nobody knows. */
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

/** People may buy a better plan. */
function toldLimit({ limits, now }: Session, feature: Sized): number | undefined {
  const told = limits.get(feature)
  return told === undefined || now() - told.atMs > LIMIT_KEPT_MS ? undefined : told.rows
}

export interface Full {
  /** What can still be sent. */
  readonly room: number
  /** Nothing of the request that was refused was stored. */
  readonly nothingStored: boolean
}

/**
 * After a refusal: services refuse a batch that is too large as a whole, or store what fits and refuse the rest. Where
 * there still is room, or as many rows as before, it was the former.
 */
export async function afterRefusal(
  session: Session,
  feature: Sized,
  error: unknown,
  sent: number,
  signal: AbortSignal,
): Promise<Full> {
  const before = session.sizes.get(feature)
  const told = isPlayheadError(error) ? error.details?.['limit'] : undefined
  session.sizes.delete(feature)
  await noteLimit(session, feature)
  session.account.log.warn(
    { account: session.account.name, feature, limit: told ?? null },
    'the account at Trakt is full',
  )
  const path = isList(feature) ? entriesPath(feature.slice(LIST.length)) : PATHS[feature]
  // Of these the settings tell the limit, and they may be newer than what is kept of them.
  const fresh = hasKnownLimit(feature) ? limitIn(await session.facts.fresh(), feature) : undefined
  const limit = typeof told === 'number' ? told : fresh
  if (limit === undefined || path === undefined) return { room: 0, nothingStored: false }
  session.limits.set(feature, { rows: limit, atMs: session.now() })
  const rows = await countRows(session.upstream, path, signal)
  if (rows === undefined) return { room: 0, nothingStored: false }
  session.sizes.set(feature, { rows, atMs: session.now() })
  const room = Math.max(0, limit - rows)
  return { room, nothingStored: sent === 1 || room > 0 || before?.rows === rows }
}
