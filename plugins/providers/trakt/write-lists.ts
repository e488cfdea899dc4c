// What is written in batches: watchlist, ratings, and history by item or by single plays.
import {
  formatTime, isPlayheadError, isRating, parseTime, type WriteItem, type WriteOutcome, type WriteRequest, type WriteResult,
} from '@playhead/sdk'
import { resized } from './capacity.ts'
import { type Verdict, verdictOfError } from './outcomes.ts'
import { ask } from './requests.ts'
import type { Session } from './session.ts'
import { WriteAnswer } from './wire.ts'
import { type Batch, NOT_SENT, writeBatch } from './write-batch.ts'

/** A clock may be a little fast; a play of tomorrow is a mistake. */
const AHEAD_AT_MOST_MS = 3_600_000
const NOTHING = { extra: {} }

export function writeWatchlist(session: Session, { op, items }: WriteRequest, signal: AbortSignal): Promise<WriteResult> {
  const isAdd = op !== 'remove'
  return writeBatch(session, {
    feature: 'watchlist',
    path: isAdd ? '/sync/watchlist' : '/sync/watchlist/remove',
    counting: isAdd ? 'adds' : 'removes',
    idempotent: true,
    chunk: session.account.profile.watchlist_batch_size,
    extraOf: () => NOTHING,
  }, items, signal)
}

export function writeRatings(session: Session, { op, items }: WriteRequest, signal: AbortSignal): Promise<WriteResult> {
  const isAdd = op !== 'remove'
  return writeBatch(session, {
    feature: 'ratings',
    path: isAdd ? '/sync/ratings' : '/sync/ratings/remove',
    counting: isAdd ? 'adds' : 'removes',
    idempotent: true,
    chunk: session.account.profile.ratings_chunk_size,
    extraOf: isAdd ? ratingOf : () => NOTHING,
  }, items, signal)
}

export function writeHistory(session: Session, { op, plays, items }: WriteRequest, signal: AbortSignal): Promise<WriteResult> {
  if (op === 'remove' && plays === true) return removePlays(session, items, signal)
  const isAdd = op !== 'remove'
  const batch: Batch = {
    feature: 'history',
    path: isAdd ? '/sync/history' : '/sync/history/remove',
    counting: isAdd ? 'adds' : 'removes',
    // Trakt keeps every play that it is sent, the same one twice as well.
    idempotent: !isAdd,
    chunk: session.account.profile.history_chunk_size,
    extraOf: isAdd ? (item) => playOf(item, session.now()) : () => NOTHING,
  }
  return writeBatch(session, batch, items, signal)
}

/** Plays leave by their own ids, so that the others of the item stay. */
async function removePlays(session: Session, items: readonly WriteItem[], signal: AbortSignal): Promise<WriteResult> {
  const outcomes = new Map<string, Verdict>()
  const byId = new Map<number, string[]>()
  for (const { key, item, current } of items) {
    const id = Number(item.native?.event_id ?? current?.native?.event_id)
    if (Number.isSafeInteger(id) && id > 0) byId.set(id, [...byId.get(id) ?? [], key])
    else outcomes.set(key, { outcome: 'rejected', reason: 'exact_play_unknown' })
  }
  const settle = (ids: readonly number[], verdictOf: (id: number) => Verdict) => {
    for (const id of ids) for (const key of byId.get(id) ?? []) outcomes.set(key, verdictOf(id))
  }
  const ids = [...byId.keys()]
  const chunk = session.account.profile.history_chunk_size
  let retryAfterMs: number | undefined
  for (let from = 0; from < ids.length; from += chunk) {
    const sent = ids.slice(from, from + chunk)
    try {
      const missing = await removeByIds(session, sent, signal)
      settle(sent, (id) => ({ outcome: missing.has(id) ? 'already' : 'applied' }))
    } catch (error) {
      const verdict = verdictOfError(error)
      if (verdict === undefined) throw error
      settle(sent, () => verdict)
      retryAfterMs = isPlayheadError(error) ? error.retryAfterMs : undefined
      break
    } finally {
      session.activities.drop()
    }
  }
  return {
    outcomes: items.map(({ key }): WriteOutcome => ({ key, ...outcomes.get(key) ?? NOT_SENT })),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  }
}

async function removeByIds(session: Session, ids: readonly number[], signal: AbortSignal): Promise<ReadonlySet<number>> {
  resized(session, 'history', undefined)
  const answer = await ask(session.upstream, { method: 'POST', path: '/sync/history/remove', json: { ids }, idempotent: true, signal })
  const { not_found: notFound } = await answer.json(WriteAnswer)
  return new Set((notFound?.ids ?? []).map(Number))
}

function playOf({ item }: WriteItem, nowMs: number): ReturnType<Batch['extraOf']> {
  const time = parseTime(item.watched_at)
  // Trakt would take the present moment, or the first of the day: neither is when it was watched.
  if (time === undefined || time.precision === 'date') return { refused: { outcome: 'rejected', reason: 'missing_watched_at' } }
  if (time.atMs > nowMs + AHEAD_AT_MOST_MS) return { refused: { outcome: 'rejected', reason: 'watched_in_future' } }
  return { extra: { watched_at: new Date(time.atMs).toISOString() } }
}

function ratingOf({ item }: WriteItem): ReturnType<Batch['extraOf']> {
  if (!isRating(item.rating)) return { refused: { outcome: 'rejected', reason: 'missing_rating' } }
  const time = parseTime(item.rated_at)
  const isExact = time !== undefined && time.precision !== 'date'
  return { extra: { rating: item.rating, ...(isExact ? { rated_at: formatTime(time) } : {}) } }
}
