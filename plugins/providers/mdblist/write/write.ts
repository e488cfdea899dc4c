// Batch writes of watchlist, ratings, and history by item or by play.
import { formatTime, type Item } from '@playhead/sdk/items'
import {
  type ItemOutcome,
  playTime,
  ratingFields,
  removePlays,
  type WriteItem,
  type WriteRequest,
  type WriteResult,
} from '@playhead/sdk/provider'
import { outcomeOfFailure } from './outcomes.ts'
import type { Session } from '../session.ts'
import { Removed } from '../wire.ts'
import { type Batch, writeBatch } from './batch.ts'

const NOTHING = { extra: {} }
const IN_IDS: Batch['place'] = (ids) => ({ ids })

export function writeWatchlist(
  session: Session,
  { op, items }: WriteRequest,
  signal: AbortSignal,
): Promise<WriteResult> {
  const isAdd = op !== 'remove'
  return writeBatch(
    session,
    {
      path: isAdd ? '/watchlist/items/add' : '/watchlist/items/remove',
      counting: isAdd ? 'adds' : 'removes',
      idempotent: true,
      chunk: session.account.profile.watchlist_batch_size,
      place: (ids) => ids,
      extraOf: () => NOTHING,
    },
    items,
    signal,
  )
}

export function writeRatings(session: Session, { op, items }: WriteRequest, signal: AbortSignal): Promise<WriteResult> {
  const isAdd = op !== 'remove'
  return writeBatch(
    session,
    {
      path: isAdd ? '/sync/ratings' : '/sync/ratings/remove',
      counting: isAdd ? 'adds' : 'removes',
      idempotent: true,
      chunk: session.account.profile.ratings_chunk_size,
      place: IN_IDS,
      extraOf: isAdd ? ratingOf : () => NOTHING,
    },
    items,
    signal,
  )
}

export function writeHistory(
  session: Session,
  { op, plays, items }: WriteRequest,
  signal: AbortSignal,
): Promise<WriteResult> {
  if (op === 'remove' && plays === true) return removeById(session, items, signal)
  const batch = op === 'remove' ? REMOVED_HISTORY : addedPlays(session)
  return writeBatch(session, { ...batch, chunk: session.account.profile.history_chunk_size }, items, signal)
}

/** Adds one completed play. */
export function addPlay(session: Session, item: Item, signal: AbortSignal): Promise<WriteResult> {
  return writeBatch(session, { ...addedPlays(session), chunk: 1 }, [{ key: 'play', item }], signal)
}

const REMOVED_HISTORY: Omit<Batch, 'chunk'> = {
  path: '/sync/watched/remove',
  counting: 'removes',
  idempotent: true,
  place: IN_IDS,
  extraOf: () => NOTHING,
}

const addedPlays = (session: Session): Omit<Batch, 'chunk'> => ({
  path: '/sync/watched',
  counting: 'adds',
  // Repeated plays may be stored twice.
  idempotent: false,
  place: IN_IDS,
  extraOf: (item) => playOf(item, session.now()),
})

/** Removes single plays by id, so that other plays of the item stay. */
async function removeById(session: Session, items: readonly WriteItem[], signal: AbortSignal): Promise<WriteResult> {
  try {
    return await removePlays(items, {
      chunk: session.account.profile.history_chunk_size,
      log: session.account.log,
      outcomeOf: (error) => outcomeOfFailure(error, true),
      async remove(ids) {
        const answer = await session.writes.request({
          method: 'POST',
          path: '/sync/watched/plays/remove',
          json: { play_ids: ids },
          idempotent: true,
          signal,
        })
        const { removed = 0, not_found: missingIds = [] } = await answer.json(Removed)
        const missing = new Set(Array.isArray(missingIds) ? missingIds.map(Number) : [])
        const otherwise: ItemOutcome =
          removed + missing.size >= ids.length
            ? { outcome: 'applied' }
            : { outcome: 'unknown', reason: 'count_mismatch' }
        return (id) => (missing.has(id) ? { outcome: 'already' } : otherwise)
      },
    })
  } finally {
    session.activities.drop()
  }
}

function playOf({ item }: WriteItem, nowMs: number): ReturnType<Batch['extraOf']> {
  const time = playTime(item, nowMs)
  return 'refused' in time ? time : { extra: { watched_at: formatTime(time) } }
}

function ratingOf({ item }: WriteItem): ReturnType<Batch['extraOf']> {
  const rated = ratingFields(item)
  return 'refused' in rated ? rated : { extra: rated }
}
