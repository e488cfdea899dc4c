// Writes items in batches, within the limits of the account's plan.
import type { WriteItem, WriteResult } from '@playhead/sdk/provider'
import { type Batch, bodyOf, NOT_FOUND, writeBatch as writeBatchOf } from '@playhead/trakt-dialect'
import { freeRows, freeRowsAfterRefusal, resized } from '../capacity.ts'
import { notFoundIn, verdictOfError, verdictsOf } from './outcomes.ts'
import type { Session } from '../session.ts'
import { namesOf } from './targets.ts'
import { WriteAnswer } from '../wire.ts'

export async function writeBatch(
  session: Session,
  batch: Batch,
  items: readonly WriteItem[],
  signal: AbortSignal,
): Promise<WriteResult> {
  const { feature, op, idempotent } = batch
  try {
    return await writeBatchOf(
      session,
      batch,
      {
        namesOf: (item) => namesOf(item, session.account.profile.history_number_fallback),
        bodyOf,
        refusals: [400, 409, 422],
        refused(targets, status) {
          if (status !== 409) return undefined
          if (targets.length === 1) return { outcome: 'already' }
          // A conflict may be partial, and repeated plays would be stored twice.
          return idempotent ? undefined : { outcome: 'unknown', reason: 'conflict' }
        },
        async judge(targets, response) {
          const answer = await response.json(WriteAnswer)
          const missing = notFoundIn(targets, answer)
          const found = targets.filter((target) => !missing.has(target))
          const verdicts = verdictsOf(found, answer, op)
          const isCertain = found.every(({ kind }) => verdicts[kind].outcome !== 'unknown')
          resized(session, feature, isCertain ? sum(answer.added) - sum(answer.deleted) : undefined)
          return new Map(targets.map((target) => [target, missing.has(target) ? NOT_FOUND : verdicts[target.kind]]))
        },
        outcomeOf(error) {
          const outcome = verdictOfError(error)
          // The request may have been applied.
          if (outcome === undefined || outcome.outcome === 'unknown') resized(session, feature, undefined)
          return outcome
        },
        room: {
          free: () => freeRows(session, feature).catch(() => undefined),
          freeAfterRefusal: (error, sent) =>
            freeRowsAfterRefusal(session, feature, error, sent, signal).catch(() => undefined),
        },
      },
      items,
      signal,
    )
  } finally {
    // Watched items leave the watchlist.
    if (feature === 'history') session.sizes.delete('watchlist')
  }
}

function sum(counts: Readonly<Record<string, number>> = {}): number {
  return Object.values(counts).reduce((all, count) => all + count, 0)
}
