// Batch writes of watchlist, ratings, and history by item or by play.
import type { Item } from '@playhead/sdk'
import {
  playTime,
  ratingFields,
  removePlays,
  type WriteItem,
  type WriteRequest,
  type WriteResult,
} from '@playhead/sdk/provider'
import { resized } from './capacity.ts'
import { verdictOfError } from './outcomes.ts'
import type { Session } from '../session.ts'
import { WriteAnswer } from '../wire.ts'
import { type Batch, writeBatch } from './batch.ts'

const NOTHING = { extra: {} }

export function writeWatchlist(
  session: Session,
  { op, items }: WriteRequest,
  signal: AbortSignal,
): Promise<WriteResult> {
  const isAdd = op !== 'remove'
  return writeBatch(
    session,
    {
      feature: 'watchlist',
      path: isAdd ? '/sync/watchlist' : '/sync/watchlist/remove',
      counting: isAdd ? 'adds' : 'removes',
      idempotent: true,
      chunk: session.account.profile.watchlist_batch_size,
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
      feature: 'ratings',
      path: isAdd ? '/sync/ratings' : '/sync/ratings/remove',
      counting: isAdd ? 'adds' : 'removes',
      idempotent: true,
      chunk: session.account.profile.ratings_chunk_size,
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
  const batch: Batch = { ...addedPlays(session), chunk: 1 }
  return writeBatch(session, batch, [{ key: 'play', item }], signal)
}

const REMOVED_HISTORY: Omit<Batch, 'chunk'> = {
  feature: 'history',
  path: '/sync/history/remove',
  counting: 'removes',
  idempotent: true,
  extraOf: () => NOTHING,
}

const addedPlays = (session: Session): Omit<Batch, 'chunk'> => ({
  feature: 'history',
  path: '/sync/history',
  counting: 'adds',
  // Trakt stores repeated plays twice.
  idempotent: false,
  extraOf: (item) => playOf(item, session.now()),
})

/** Removes single plays by id, so that other plays of the item stay. */
async function removeById(session: Session, items: readonly WriteItem[], signal: AbortSignal): Promise<WriteResult> {
  try {
    return await removePlays(items, {
      chunk: session.account.profile.history_chunk_size,
      log: session.account.log,
      outcomeOf: verdictOfError,
      async remove(ids) {
        resized(session, 'history', undefined)
        const answer = await session.upstream.request({
          method: 'POST',
          path: '/sync/history/remove',
          json: { ids },
          idempotent: true,
          signal,
        })
        const { not_found: notFound } = await answer.json(WriteAnswer)
        const missing = new Set((notFound?.ids ?? []).map(Number))
        return (id) => ({ outcome: missing.has(id) ? 'already' : 'applied' })
      },
    })
  } finally {
    session.activities.drop()
  }
}

function playOf({ item }: WriteItem, nowMs: number): ReturnType<Batch['extraOf']> {
  const time = playTime(item, nowMs)
  return 'refused' in time ? time : { extra: { watched_at: new Date(time.atMs).toISOString() } }
}

function ratingOf({ item }: WriteItem): ReturnType<Batch['extraOf']> {
  const rated = ratingFields(item)
  return 'refused' in rated ? rated : { extra: rated }
}
