// Tokens that are renewed with a refresh token that works once.
import { isPlayheadError, PlayheadError } from '../../errors.ts'
import type { AccountContext } from '../define-contract.ts'
import type { Lineage } from './lineage.ts'

export interface Renewal<Profile> {
  /** As the account's tokens are told apart. */
  readonly lineage: Lineage
  /** Of the service, for people. */
  readonly label: string
  /** Asks the service with the refresh token of these settings, and gives the settings that its answer stands for. */
  readonly exchange: (used: Readonly<Profile>) => Promise<Readonly<Partial<Profile>>>
  /** Statuses by which the service says that it does not take this refresh token; what else goes wrong passes. */
  readonly refusedBy: readonly number[]
}

/**
 * Exchanges the refresh token and stores the new pair before anybody uses it. An answer that was lost may have burnt
 * the old one: the next try shows it. Does nothing more when somebody signed in anew meanwhile.
 *
 * Throws `PLH_AUTH_FAILED` (wire `refresh_failed`; reason `missing_refresh` or `refresh_failed`, with the status, in
 * the details) when the person has to sign in again, and what `exchange` throws.
 */
export async function renewTokens<Profile extends { readonly refresh_token: string }>(
  account: AccountContext<Profile>,
  { lineage, label, exchange, refusedBy }: Renewal<Profile>,
): Promise<void> {
  const used = account.current()
  if (used.refresh_token === '') throw signInAgain(account.name, label, { reason: 'missing_refresh' })
  const first = await lineage.current()
  try {
    await account.save(await exchange(used))
    await lineage.passOn(first)
  } catch (error) {
    // Signed in anew, or renewed by somebody else, while this one was under way.
    if (account.current().refresh_token !== used.refresh_token) return
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
