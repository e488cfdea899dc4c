// Writes items in batches. Responses only have counts, from which each item gets its outcome.
import type { WriteItem, WriteResult } from '@playhead/sdk/provider'
import { type Batch, bodyOf, writeBatch as writeBatchOf } from '@playhead/trakt-dialect'
import { outcomeOfFailure, outcomesOf } from './outcomes.ts'
import type { Session } from '../session.ts'
import { nameOf } from './targets.ts'
import { WriteAnswer } from '../wire.ts'

/** Requests count towards a daily quota; remaining doubts are resolved by reading. */
const MAX_REPEATS = 20

export function writeBatch(
  session: Session,
  batch: Batch,
  items: readonly WriteItem[],
  signal: AbortSignal,
): Promise<WriteResult> {
  const { feature, op, idempotent } = batch
  const isList = feature === 'watchlist' || feature.startsWith('list/')
  return writeBatchOf(
    session,
    batch,
    {
      namesOf: (item) => [nameOf(item)].filter((name) => name !== undefined),
      // Entries of lists have their ids at the top level.
      bodyOf: (targets) => bodyOf(targets, ({ ids }) => (isList ? ids : { ids }), ['movies', 'shows']),
      refusals: [400, 422],
      judge: async (targets, answer) => outcomesOf(targets, await answer.json(WriteAnswer), op),
      outcomeOf: (error) => outcomeOfFailure(error, idempotent),
      maxRepeats: MAX_REPEATS,
    },
    items,
    signal,
  )
}
