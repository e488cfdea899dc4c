// Checks whether the account works, with its plan and limits.
import { type AccountHealth, isPlayheadError, isRecent } from '@playhead/sdk'
import { countRows } from '../capacity.ts'
import type { Facts } from './facts.ts'
import { lastLimit, type Session } from '../session.ts'

const COUNTED_MS = 600_000
const LIMIT_SHOWN_MS = 24 * 3_600_000

export async function probe(session: Session, signal: AbortSignal): Promise<AccountHealth> {
  // A run starts with a probe and needs fresh data.
  session.activities.drop()
  try {
    return await describe(session, await session.facts.fresh(signal), signal)
  } catch (error) {
    if (isPlayheadError(error) && error.details?.['status'] === 423) {
      return { status: 'auth_failed', reasonCode: 'forbidden', reason: 'Trakt: the account is locked or deactivated' }
    }
    throw error
  }
}

async function describe(session: Session, facts: Facts, signal: AbortSignal): Promise<AccountHealth> {
  const { account, name, vip, vipType, watchOnlyOnce, limits } = facts
  const limited = await lastLimit(session)
  const { quota } = session.upstream.stats()
  return {
    status: 'ok',
    account,
    user: { id: account, name },
    plays: !watchOnlyOnce,
    ...(Object.keys(quota).length === 0 ? {} : { quota }),
    extras: {
      vip,
      vip_type: vipType,
      limits: {
        ...limits,
        watchlist: { item_count: facts.watchlistLimit ?? null, used: await usedRows(session, signal) },
      },
      last_limit_error: limited !== undefined && session.now() - limited.ts * 1_000 < LIMIT_SHOWN_MS ? limited : null,
    },
  }
}

/** Rows of the watchlist; null when unknown, which is not a failure. */
async function usedRows(session: Session, signal: AbortSignal): Promise<number | null> {
  const known = session.sizes.get('watchlist')
  if (known !== undefined && isRecent(known.atMs, session.now(), COUNTED_MS)) return known.rows
  try {
    return (await countRows(session, 'watchlist', signal)) ?? null
  } catch (error) {
    const { name, log } = session.account
    log.debug(
      { account: name, code: isPlayheadError(error) ? error.code : 'unexpected' },
      'the watchlist could not be counted',
    )
    return null
  }
}
