// What fits into an account: asked before something is sent where it is known, and after the service said that it is full.
import { type Feature, isPlayheadError } from '@playhead/sdk'
import { countRows } from './facts.ts'
import { noteLimit, type Session } from './session.ts'

/** How long the size of a list is taken for certain. The person may add something at any time. */
const CERTAIN_MS = 300_000
const LIMIT_KEPT_MS = 3_600_000
const PATHS: { readonly [feature in Feature]?: string } = {
  watchlist: '/sync/watchlist/all/added/asc',
  history: '/sync/history',
  ratings: '/sync/ratings/all',
}

/** Rows that still fit; undefined when it is not certain. */
export async function roomOf(session: Session, feature: Feature): Promise<number | undefined> {
  const size = session.sizes.get(feature)
  const limit = feature === 'watchlist' ? (await session.facts.get()).watchlistLimit : toldLimit(session, feature)
  if (limit === undefined || size === undefined || session.now() - size.atMs > CERTAIN_MS) return undefined
  return Math.max(0, limit - size.rows)
}

/** Notes what a write changed; undefined when nobody knows. */
export function resized(session: Session, feature: Feature, change: number | undefined): void {
  const size = session.sizes.get(feature)
  if (size === undefined) return
  if (change === undefined) session.sizes.delete(feature)
  else session.sizes.set(feature, { ...size, rows: size.rows + change })
}

/** People may buy a better plan. */
function toldLimit({ limits, now }: Session, feature: Feature): number | undefined {
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
 * After a refusal: services refuse a batch that is too large as a whole, or store what fits and refuse the rest. Where there still is
 * room, or as many rows as before, it was the former.
 */
export async function afterRefusal(session: Session, feature: Feature, error: unknown, sent: number, signal: AbortSignal): Promise<Full> {
  const before = session.sizes.get(feature)
  const told = isPlayheadError(error) ? error.details?.['limit'] : undefined
  session.sizes.delete(feature)
  await noteLimit(session, feature)
  session.account.log.warn({ account: session.account.name, feature, limit: told ?? null }, 'the account at Trakt is full')
  const path = PATHS[feature]
  // Of the watchlist the settings tell the limit, and they may be newer than what is kept of them.
  const fresh = feature === 'watchlist' ? (await session.facts.fresh()).watchlistLimit : undefined
  const limit = typeof told === 'number' ? told : fresh
  if (limit === undefined || path === undefined) return { room: 0, nothingStored: false }
  session.limits.set(feature, { rows: limit, atMs: session.now() })
  const rows = await countRows(session.upstream, path, signal)
  if (rows === undefined) return { room: 0, nothingStored: false }
  session.sizes.set(feature, { rows, atMs: session.now() })
  const room = Math.max(0, limit - rows)
  return { room, nothingStored: sent === 1 || room > 0 || before?.rows === rows }
}
