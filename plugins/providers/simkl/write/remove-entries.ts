// Removes library entries, which also removes plays and ratings. Each entry is looked up right before and only removed
// if it contains nothing else.
import { PlayheadError } from '@playhead/sdk'
import { type ItemOutcome, outcomeOfError, type WriteItem, writeInTurn, type WriteResult } from '@playhead/sdk/provider'
import { isSettled, stampsOf } from '../read/activities.ts'
import { GROUP_OF, type Part, PARTS, type Status } from '../read/entries.ts'
import { readRatings } from '../read/library-wire.ts'
import { lookUp } from '../read/lookup.ts'
import type { Session } from '../session.ts'
import { bodyOf, ownTargetOf, type Target } from './targets.ts'
import { notFoundIn } from './batch.ts'
import { WriteAnswer } from '../wire.ts'

/** Required status of the entry. */
type Expected = Status

export async function removeEntries(
  session: Session,
  expected: Expected,
  items: readonly WriteItem[],
  signal: AbortSignal,
): Promise<WriteResult> {
  const ratings = createRatings(session, signal)
  try {
    return await writeInTurn(
      items,
      async (item) => {
        const target = ownTargetOf(item)
        if (target === undefined || target.kind === 'episodes') return { outcome: 'rejected', reason: 'row_unknown' }
        return (await whyNot(session, ratings, expected, target, signal)) ?? remove(session, target, signal)
      },
      { log: session.account.log, atOnce: 1 },
    )
  } finally {
    session.activities.drop()
  }
}

async function whyNot(
  session: Session,
  ratings: Ratings,
  expected: Expected,
  target: Target,
  signal: AbortSignal,
): Promise<ItemOutcome | undefined> {
  try {
    if (await ratings.has(target)) return { outcome: 'rejected', reason: 'would_remove_rating' }
    const [found] = await lookUp(session, [target], signal)
    if (found === undefined || found.result === 'not_found' || found.list == null || found.list === '') {
      return { outcome: 'not_found', reason: 'not_in_library' }
    }
    if (found.list !== expected) return { outcome: 'not_found', reason: 'status_changed' }
    const isWatched = found.result === true || found.last_watched_at != null || (found.episodes_watched ?? 0) > 0
    return expected === 'plantowatch' && isWatched ? { outcome: 'rejected', reason: 'would_remove_history' } : undefined
  } catch (error) {
    // The lookup failed, so no entry was removed.
    const outcome = outcomeOfError(error)?.outcome
    if (outcome !== 'unknown' && outcome !== 'not_found') throw error
    return { outcome: 'failed', reason: 'not_checked' }
  }
}

async function remove({ upstream }: Session, target: Target, signal: AbortSignal): Promise<ItemOutcome> {
  // Never retried, because the entry may have changed.
  const answer = await upstream.json(
    { method: 'POST', path: '/sync/history/remove', json: bodyOf([target]), signal },
    WriteAnswer,
  )
  if (notFoundIn([target], answer).size > 0) return { outcome: 'not_found', reason: 'not_found' }
  const { movies, shows } = answer.deleted ?? {}
  const isReported = [movies, shows].some((count) => (Array.isArray(count) ? count.length : (count ?? 0)) > 0)
  return isReported ? { outcome: 'applied' } : { outcome: 'unknown', reason: 'count_mismatch' }
}

interface Ratings {
  has(target: Target): Promise<boolean>
}

/** All current ratings, read again whenever the activities change. */
function createRatings({ upstream, activities }: Session, signal: AbortSignal): Ratings {
  const read = new Map<Part, { readonly stamp: string; readonly ids: ReadonlySet<string> }>()
  return {
    async has({ group, ids: { simkl } }) {
      const stamps = stampsOf(await activities.fresh(), (_group, name) => name === 'rated_at')
      for (const part of PARTS.filter((part) => (part === 'movies') === (group === 'movies'))) {
        const stamp = stamps[`${GROUP_OF[part]}.rated_at`]
        if (stamp === undefined)
          throw new PlayheadError('PLH_UPSTREAM_INVALID', 'SIMKL: it is not known when ratings changed.')
        let known = read.get(part)
        if (known === undefined || known.stamp !== stamp || !isSettled(stamp)) {
          known = { stamp, ids: new Set((await readRatings(upstream, part, signal)).keys()) }
          read.set(part, known)
        }
        if (known.ids.has(String(simkl))) return true
      }
      return false
    },
  }
}
