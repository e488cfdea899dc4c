// Checks whether the account works, with its plan.
import type { Session } from '../session.ts'
import { type AccountHealth, isPlayheadError } from '@playhead/sdk'

export async function probe(session: Session, signal: AbortSignal): Promise<AccountHealth> {
  // A run starts with a probe and needs fresh data.
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

/** The default application is removed with its token; an entered one stays. */
export async function signOut({ account }: Session): Promise<void> {
  const { auth_method: method, client_id: id, pin_client_id: ours } = account.current()
  if (method === 'pin' && id !== '' && id === ours) await account.save({ client_id: undefined })
}
