// An account setting of TMDB removes works from the watchlist when they are rated. A pair would sync that as a removal,
// so such works are added again, and until that is visible their absence proves nothing.
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
  // Stored first, so that it survives a crash.
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
    // The rating was written, so its outcome is reported.
    session.account.log.warn(
      { account: session.account.name, work, err: error },
      'could not determine whether a rated work is still on the watchlist',
    )
  }
  return outcome
}

/** According to the last read, and still now. Without a read, no removal can be synced. */
async function wasListed(session: Session, target: Target, signal: AbortSignal): Promise<boolean> {
  if (target.season !== undefined) return false
  const seen = await session.memory.seen(target.namespace === 'movie' ? 'watchlist/movies' : 'watchlist/tv')
  return seen?.has(target.id) === true && isListed(session, target, signal)
}

async function isListed({ api }: Session, target: Target, signal: AbortSignal): Promise<boolean> {
  return (await api.json({ path: `${pathOf(target)}/account_states`, signal }, States)).watchlist
}
