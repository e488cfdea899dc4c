// Whether the account works, and what plan it has.
import type { Session } from '../session.ts'
import { type AccountHealth, isPlayheadError } from '@playhead/sdk'

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

/** The application that only the PIN brought along leaves with its token; one that the person entered stays. */
export async function signOut({ account }: Session): Promise<void> {
  const { auth_method: method, client_id: id, pin_client_id: ours } = account.current()
  if (method === 'pin' && id !== '' && id === ours) await account.save({ client_id: undefined })
}
