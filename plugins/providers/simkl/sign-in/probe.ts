// Checks whether the account works, with its plan.
import { type AccountHealth, defined, isPlayheadError } from '@playhead/sdk'
import type { Session } from '../session.ts'
import { isV1 } from '../settings.ts'
import { mayWrite, revokeTokens } from './tokens.ts'

export async function probe(session: Session, signal: AbortSignal): Promise<AccountHealth> {
  // A run starts with a probe and needs fresh data.
  session.activities.drop()
  const profile = session.account.current()
  // A renewal may grant less than the sign-in did. Settings from elsewhere do not say what was granted.
  if (!isV1(profile) && profile.scope !== '' && !mayWrite(profile.scope))
    return { status: 'auth_failed', reasonCode: 'read_only' }
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
      return { status: 'degraded', reasonCode: 'quota', ...defined({ retryAfterMs: error.retryAfterMs }) }
    }
    throw error
  }
}

/** A default application that an earlier version stored is removed with its token; an entered one stays. */
export async function signOut({ account, upstream }: Session, signal: AbortSignal): Promise<void> {
  const profile = account.current()
  const { auth_method: method, client_id: id, pin_client_id: ours } = profile
  if (method === 'pin' && id !== '' && id === ours) await account.save({ client_id: undefined })
  if (!isV1(profile)) await revokeTokens(upstream, profile, signal)
}
