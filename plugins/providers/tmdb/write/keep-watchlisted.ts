// An account may be set to take a work off the watchlist when it is rated. The person did not take it off, and a pair
// would carry the loss to the other side. So what was on the watchlist before is put back, and until that is seen its
// absence proves nothing.
import type { ItemOutcome } from '@playhead/sdk'
import { setWatchlist } from './send.ts'
import type { Session } from '../session.ts'
import { pathOf, type Target } from './targets.ts'
import { States } from '../wire.ts'

export async function keepingWatchlist(
  session: Session,
  target: Target,
  signal: AbortSignal,
  rate: () => Promise<ItemOutcome>,
): Promise<ItemOutcome> {
  if (!(await wasListed(session, target, signal))) return rate()
  const work = `${target.namespace}/${target.id}`
  // Written first: whatever happens next, it is known.
  await session.memory.owe(work)
  const outcome = await rate()
  try {
    if (!(await isListed(session, target, signal))) {
      await setWatchlist(session, target, true, signal)
      session.account.log.info(
        { account: session.account.name, work },
        'rating a work removed it from the watchlist; it was added again',
      )
    }
  } catch (error) {
    // The rating is written, and its outcome must be told.
    session.account.log.warn(
      { account: session.account.name, work, err: error },
      'whether a rated work is still on the watchlist is unknown',
    )
  }
  return outcome
}

/**
 * As the last read of the watchlist saw it, and still now. Where nobody reads the watchlist, nobody would carry a loss
 * on.
 */
async function wasListed(session: Session, target: Target, signal: AbortSignal): Promise<boolean> {
  if (target.season !== undefined) return false
  const seen = await session.memory.seen(target.namespace === 'movie' ? 'watchlist/movies' : 'watchlist/tv')
  return seen?.has(target.id) === true && isListed(session, target, signal)
}

async function isListed({ api }: Session, target: Target, signal: AbortSignal): Promise<boolean> {
  return (await api.json({ path: `${pathOf(target)}/account_states`, signal }, States)).watchlist
}
