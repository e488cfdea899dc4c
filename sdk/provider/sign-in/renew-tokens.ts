// Refreshes tokens with a refresh token, which may work once.
import { isPlayheadError, PlayheadError } from '../../errors.ts'
import type { AccountContext } from '../define-contract.ts'
import type { Lineage } from './lineage.ts'

export interface Renewal<Profile> {
  /** The lineage of the account's tokens. */
  readonly lineage: Lineage
  /** Display name of the service. */
  readonly label: string
  /** Exchanges the refresh token of these settings and returns the new settings. */
  readonly exchange: (used: Readonly<Profile>) => Promise<Readonly<Partial<Profile>>>
  /** Statuses with which the service rejects the refresh token; other failures are temporary. */
  readonly refusedBy: readonly number[]
}

/**
 * Exchanges the refresh token and stores the new pair before first use. A lost response may have consumed the old
 * token; the next attempt shows it. Stops if the person signed in again meanwhile.
 *
 * Throws `PLH_AUTH_FAILED` (wire `refresh_failed`; details with the reason `missing_refresh` or `refresh_failed`, and
 * the status) if the person must sign in again, and what `exchange` throws.
 */
export async function renewTokens<Profile extends { readonly access_token: string; readonly refresh_token: string }>(
  account: AccountContext<Profile>,
  { lineage, label, exchange, refusedBy }: Renewal<Profile>,
): Promise<void> {
  const used = account.current()
  if (used.refresh_token === '') throw signInAgain(account.name, label, { reason: 'missing_refresh' })
  const first = await lineage.current()
  try {
    await account.save(await exchange(used), { renews: true })
    await lineage.passOn(first)
  } catch (error) {
    // Another sign-in or refresh finished first. Not every service gives a new refresh token with each access token.
    const { access_token: access, refresh_token: refresh } = account.current()
    if (refresh !== used.refresh_token || access !== used.access_token) return
    const status = statusOf(error)
    throw status !== undefined && refusedBy.includes(status)
      ? signInAgain(account.name, label, { reason: 'refresh_failed', status })
      : error
  }
}

function statusOf(error: unknown): number | undefined {
  const status = isPlayheadError(error) ? error.details?.['status'] : undefined
  return typeof status === 'number' ? status : undefined
}

function signInAgain(account: string, label: string, details: Readonly<Record<string, unknown>>): PlayheadError {
  return new PlayheadError('PLH_AUTH_FAILED', `${account}: ${label} does not renew the sign-in. Sign in again.`, {
    wire: 'refresh_failed',
    details: { account, ...details },
  })
}
