// Writes ratings from 1 to 10 to every copy of a work, and verifies them.
import type { WriteRequest, WriteResult } from '@playhead/sdk'
import { holdsRating, RATING_SCALES, ratingTo } from '@playhead/sdk/items'
import { secondsOf } from '../items.ts'
import type { Server, Session } from '../session.ts'
import { change, type ItemOutcome, nowSeconds, type Target } from '../library/targets.ts'
import { writeStates } from './states.ts'

/** Removes a rating. */
const CLEARED = -1
const SCALE = RATING_SCALES.tenPointsHalves

export function writeRatings(session: Session, request: WriteRequest, signal: AbortSignal): Promise<WriteResult> {
  const isRemoval = request.op === 'remove'

  async function send(server: Server, { write: { item }, copies }: Target): Promise<ItemOutcome> {
    if (!isRemoval && item.rating === undefined) return { outcome: 'rejected', reason: 'invalid_rating' }
    const at = secondsOf(item.rated_at)
    const query = isRemoval
      ? { rating: CLEARED }
      : {
          rating: ratingTo(item.rating as number, SCALE),
          // The server rejects future times.
          ...(at === undefined || at > nowSeconds() ? {} : { ratedAt: at }),
        }
    for (const { rating_key: ratingKey } of copies) await change(server, 'PUT', '/:/rate', ratingKey, query, signal)
    return { outcome: 'applied' }
  }

  return writeStates(
    session,
    request,
    {
      send,
      isSo: (state, _key, { write: { item } }) =>
        isRemoval ? !state?.userRating : holdsRating(state?.userRating, item.rating as number, SCALE),
      isAsRead: ({ userRating, lastRatedAt = 0 }, { rating, rated_at: at }) =>
        rating === undefined ||
        (holdsRating(userRating, rating, SCALE) && lastRatedAt <= (secondsOf(at) ?? lastRatedAt)),
      unseen: 'write_not_visible',
      atOnce: session.account.profile.rating_workers,
    },
    signal,
  )
}
