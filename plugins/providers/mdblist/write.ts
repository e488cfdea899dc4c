// What is written in batches: watchlist, ratings, and history by item or by single plays.
import {
  formatTime, isPlayheadError, isRating, type ItemOutcome, parseTime, type WriteItem, type WriteRequest, type WriteResult,
} from '@playhead/sdk'
import { outcomeOfFailure } from './outcomes.ts'
import { askWrite } from './requests.ts'
import type { Session } from './session.ts'
import { chunksOf, Removed } from './wire.ts'
import { type Batch, NOT_SENT, writeBatch } from './write-batch.ts'

/** A clock may be a little fast; a play of tomorrow is a mistake. */
const AHEAD_AT_MOST_MS = 3_600_000
const NOTHING = { extra: {} }
const IN_IDS: Batch['place'] = (ids) => ({ ids })

export function writeWatchlist(session: Session, { op, items }: WriteRequest, signal: AbortSignal): Promise<WriteResult> {
  const isAdd = op !== 'remove'
  return writeBatch(session, {
    path: isAdd ? '/watchlist/items/add' : '/watchlist/items/remove',
    counting: isAdd ? 'adds' : 'removes',
    idempotent: true,
    chunk: session.account.profile.watchlist_batch_size,
    place: (ids) => ids,
    extraOf: () => NOTHING,
  }, items, signal)
}

export function writeRatings(session: Session, { op, items }: WriteRequest, signal: AbortSignal): Promise<WriteResult> {
  const isAdd = op !== 'remove'
  return writeBatch(session, {
    path: isAdd ? '/sync/ratings' : '/sync/ratings/remove',
    counting: isAdd ? 'adds' : 'removes',
    idempotent: true,
    chunk: session.account.profile.ratings_chunk_size,
    place: IN_IDS,
    extraOf: isAdd ? ratingOf : () => NOTHING,
  }, items, signal)
}

export function writeHistory(session: Session, { op, plays, items }: WriteRequest, signal: AbortSignal): Promise<WriteResult> {
  if (op === 'remove' && plays === true) return removePlays(session, items, signal)
  const isAdd = op !== 'remove'
  return writeBatch(session, {
    path: isAdd ? '/sync/watched' : '/sync/watched/remove',
    counting: isAdd ? 'adds' : 'removes',
    // Nobody says that a play that is sent twice is kept once.
    idempotent: !isAdd,
    chunk: session.account.profile.history_chunk_size,
    place: IN_IDS,
    extraOf: isAdd ? (item) => playOf(item, session.now()) : () => NOTHING,
  }, items, signal)
}

/** Plays leave by their own ids, so that the others of the item stay. */
async function removePlays(session: Session, items: readonly WriteItem[], signal: AbortSignal): Promise<WriteResult> {
  const outcomes = new Map<string, ItemOutcome>()
  const byId = new Map<number, string[]>()
  for (const { key, item, current } of items) {
    const id = Number(item.native?.event_id ?? current?.native?.event_id)
    if (Number.isSafeInteger(id) && id > 0) byId.set(id, [...byId.get(id) ?? [], key])
    else outcomes.set(key, { outcome: 'rejected', reason: 'exact_play_unknown' })
  }
  let retryAfterMs: number | undefined
  for (const ids of chunksOf([...byId.keys()], session.account.profile.history_chunk_size)) {
    try {
      const answer = await askWrite(session.upstream, {
        method: 'POST', path: '/sync/watched/plays/remove', json: { play_ids: ids }, idempotent: true, signal,
      })
      const { removed = 0, not_found: told = [] } = await answer.json(Removed)
      const missing = new Set(Array.isArray(told) ? told.map(Number) : [])
      const isCertain = removed + missing.size >= ids.length
      for (const id of ids) {
        const outcome: ItemOutcome = missing.has(id) ? { outcome: 'already' }
          : isCertain ? { outcome: 'applied' } : { outcome: 'unknown', reason: 'count_mismatch' }
        for (const key of byId.get(id) ?? []) outcomes.set(key, outcome)
      }
    } catch (error) {
      const outcome = outcomeOfFailure(error, true)
      if (outcome === undefined) throw error
      for (const id of ids) for (const key of byId.get(id) ?? []) outcomes.set(key, outcome)
      retryAfterMs = isPlayheadError(error) ? error.retryAfterMs : undefined
      break
    } finally {
      session.activities.drop()
    }
  }
  return {
    outcomes: items.map(({ key }) => ({ key, ...outcomes.get(key) ?? NOT_SENT })),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  }
}

function playOf({ item }: WriteItem, nowMs: number): ReturnType<Batch['extraOf']> {
  const time = parseTime(item.watched_at)
  // The service would take the present moment, or the first of the day: neither is when it was watched.
  if (time === undefined || time.precision === 'date') return { refused: { outcome: 'rejected', reason: 'missing_watched_at' } }
  if (time.atMs > nowMs + AHEAD_AT_MOST_MS) return { refused: { outcome: 'rejected', reason: 'watched_in_future' } }
  return { extra: { watched_at: formatTime(time) } }
}

function ratingOf({ item }: WriteItem): ReturnType<Batch['extraOf']> {
  if (!isRating(item.rating)) return { refused: { outcome: 'rejected', reason: 'missing_rating' } }
  const time = parseTime(item.rated_at)
  const isExact = time !== undefined && time.precision !== 'date'
  return { extra: { rating: item.rating, ...(isExact ? { rated_at: formatTime(time) } : {}) } }
}
