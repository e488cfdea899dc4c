// Writes ratings: the score of an entry. A title without an entry is refused, because it would need a status.
import type { WriteRequest, WriteResult } from '@playhead/sdk'
import { holdsRating, isRating, type Item, RATING_SCALES, ratingTo } from '@playhead/sdk/items'
import { CHANGED_SINCE_READ } from '@playhead/sdk/provider'
import { MAX_LOOKUP } from './lookup.ts'
import type { Session } from '../session.ts'
import type { Found } from '../wire.ts'
import { type Decision, writeEntries } from './write.ts'

const SCALE = RATING_SCALES.hundredPoints
const NO_SCORE = 0

export function writeRatings(session: Session, { op, items }: WriteRequest, signal: AbortSignal): Promise<WriteResult> {
  const decide = op === 'remove' ? decideRemoval : decideRating
  return writeEntries(session, items, { decide, together: MAX_LOOKUP, repeatable: true }, signal)
}

function decideRating(
  { id: mediaId, mediaListEntry: entry }: Found,
  { rating }: Item,
  current: Item | undefined,
): Decision {
  if (!isRating(rating)) return { outcome: { outcome: 'rejected', reason: 'missing_rating' } }
  if (entry === null) return { outcome: { outcome: 'rejected', reason: 'not_on_list' } }
  // 75 represents 8, so writing 80 would lose precision.
  if (holdsRating(entry.score, rating, SCALE))
    return { outcome: { outcome: 'already', native: { item_id: String(entry.id) } } }
  if (isOther(entry.score, current)) return { outcome: CHANGED_SINCE_READ }
  return { change: { save: { mediaId, scoreRaw: ratingTo(rating, SCALE) } } }
}

function decideRemoval({ id: mediaId, mediaListEntry: entry }: Found, item: Item): Decision {
  if (entry === null || entry.score === null || entry.score === NO_SCORE) return { outcome: { outcome: 'already' } }
  if (isOther(entry.score, item)) return { outcome: CHANGED_SINCE_READ }
  return { change: { save: { mediaId, scoreRaw: NO_SCORE } } }
}

/** The person has rated the title since it was read. */
function isOther(score: number | null, read: Item | undefined): boolean {
  return read?.rating !== undefined && !holdsRating(score, read.rating, SCALE)
}
