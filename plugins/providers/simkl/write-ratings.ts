// Ratings of films and shows. SIMKL takes what it rates into the library, as watched or being watched.
import { formatTime, isRating, type ItemOutcome, parseTime, type WriteItem, type WriteRequest, type WriteResult } from '@playhead/sdk'
import { PARTS } from './entries.ts'
import type { Session } from './session.ts'
import { ownTargetOf, type Target, targetOf } from './targets.ts'
import { writeBatch } from './write-batch.ts'

export async function writeRatings(session: Session, { op, items }: WriteRequest, signal: AbortSignal): Promise<WriteResult> {
  const isRemoval = op === 'remove'
  const result = await writeBatch(session, {
    path: isRemoval ? '/sync/ratings/remove' : '/sync/ratings',
    counting: isRemoval ? 'deleted' : 'added',
    chunk: session.account.profile.ratings_chunk_size,
    targetOf: isRemoval ? (item) => ownTargetOf(item) ?? { outcome: 'rejected', reason: 'row_unknown' } : ratingOf,
  }, items, signal)
  // What was not in the library before is now.
  session.library.expect(PARTS, undefined)
  return result
}

function ratingOf(written: WriteItem): Target | ItemOutcome {
  const { item } = written
  if (!isRating(item.rating)) return { outcome: 'rejected', reason: 'missing_rating' }
  const time = parseTime(item.rated_at)
  const isExact = time !== undefined && time.precision !== 'date'
  return targetOf(written, { rating: item.rating, ...(isExact ? { rated_at: formatTime(time) } : {}) })
    ?? { outcome: 'unsupported', reason: 'missing_ids' }
}
