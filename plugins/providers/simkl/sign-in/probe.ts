// Whether the account works, and what plan it has.
import { type AccountHealth, isPlayheadError } from '@playhead/sdk'
import type { Session } from '../session.ts'

export async function probe(session: Session, signal: AbortSignal): Promise<AccountHealth> {
  // Whoever looks whether the account works is about to read it.
  session.activities.drop()
  try {
    const { account, name, plan } = await session.facts.fresh(signal)
    const isPaid = plan !== 'free'
    return {
      status: 'ok',
      account,
      user: { id: account, name },
      extras: { vip: isPaid, vip_type: plan, account_type: plan, plan_type: plan, account_id: account, username: name },
    }
  } catch (error) {
    if (isPlayheadError(error) && error.details?.['reason'] === 'quota') {
      return {
        status: 'degraded',
        reasonCode: 'quota',
        ...(error.retryAfterMs === undefined ? {} : { retryAfterMs: error.retryAfterMs }),
      }
    }
    throw error
  }
}
