// Checks whether the account works and still has the chosen profile.
import { type AccountHealth, isPlayheadError } from '@playhead/sdk'
import type { Session } from '../session.ts'

export async function probe(session: Session, signal: AbortSignal): Promise<AccountHealth> {
  const { profile_id, profile_name } = session.account.current()
  const extras = { profile_id, profile_name }
  try {
    const { account, person } = await session.facts.fresh(signal)
    const { name } = person
    return {
      status: 'ok',
      account,
      user: { id: account, name },
      extras: { ...extras, profile_name: name || profile_name },
    }
  } catch (error) {
    if (!isPlayheadError(error)) throw error
    const { reason, status } = error.details ?? {}
    if (reason === 'profile_unavailable') return { status: 'auth_failed', reasonCode: 'profile_unavailable', extras }
    if (reason === 'refresh_failed' || reason === 'missing_refresh')
      return { status: 'auth_failed', reasonCode: 'refresh_failed', extras }
    // An unreadable response says nothing about the sign-in.
    if (error.code === 'PLH_UPSTREAM_INVALID') return { status: 'degraded', reasonCode: 'invalid_response', extras }
    if (error.code === 'PLH_UPSTREAM' && typeof status === 'number' && status >= 500) {
      return { status: 'degraded', reasonCode: 'upstream_error', extras }
    }
    throw error
  }
}
