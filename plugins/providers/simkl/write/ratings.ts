// Writes ratings of films and shows. SIMKL adds rated works to the library, as watched or watching.
import {
  type ItemOutcome,
  ratingFields,
  type WriteItem,
  type WriteRequest,
  type WriteResult,
} from '@playhead/sdk/provider'
import { PARTS } from '../read/entries.ts'
import type { Session } from '../session.ts'
import { ownTargetOf, type Target, targetOf } from './targets.ts'
import { writeBatch } from './batch.ts'
import type { WriteAnswer } from '../wire.ts'

export async function writeRatings(
  session: Session,
  { op, items }: WriteRequest,
  signal: AbortSignal,
): Promise<WriteResult> {
  const isRemoval = op === 'remove'
  const result = await writeBatch(
    session,
    {
      path: isRemoval ? '/sync/ratings/remove' : '/sync/ratings',
      counting: isRemoval ? 'deleted' : 'added',
      chunk: session.account.profile.ratings_chunk_size,
      targetOf: isRemoval ? unratedOf : ratingOf,
      // A known item whose rating was not removed had no rating.
      ...(isRemoval
        ? { doubt: (_target, { deleted }) => (isNothing(deleted) ? { outcome: 'already' } : undefined) }
        : {}),
    },
    items,
    signal,
  )
  // The rating may have added entries.
  session.library.expect(PARTS, undefined)
  return result
}

function isNothing(counts: WriteAnswer['deleted']): boolean {
  const counted = [counts?.movies, counts?.shows].filter((count) => count != null)
  return counted.length > 0 && counted.every((count) => (Array.isArray(count) ? count.length === 0 : count === 0))
}

/** Removing a rating removes nothing else, so shared ids are sufficient. */
function unratedOf(written: WriteItem): Target | ItemOutcome {
  return ownTargetOf(written) ?? targetOf(written, {}) ?? { outcome: 'unsupported', reason: 'missing_ids' }
}

function ratingOf(written: WriteItem): Target | ItemOutcome {
  const rated = ratingFields(written.item)
  if ('refused' in rated) return rated.refused
  return targetOf(written, rated) ?? { outcome: 'unsupported', reason: 'missing_ids' }
}
