// Why a profile that acts as a user is held back: it neither reads nor writes until a person decides.
import { isPlayheadError, PlayheadError } from '../../errors.ts'
import type { AccountHealth, ReasonCode } from '../contract.ts'
import { defined } from '../../defined.ts'
import type { ActsAs, AnsweringUser } from './contract.ts'

export type HeldReason = Extract<ReasonCode, 'user_gone' | 'user_changed' | 'user_refused'>

const HELD: ReadonlySet<unknown> = new Set<HeldReason>(['user_gone', 'user_changed', 'user_refused'])

/** The health of a profile that this error holds back; undefined for other errors. `user`: as the server names them now. */
export function healthOfHeld(error: unknown): AccountHealth | undefined {
  if (!isPlayheadError(error) || !HELD.has(error.details?.['reason'])) return undefined
  const { reason, user } = error.details as { readonly reason: HeldReason; readonly user?: AccountHealth['user'] }
  // The sentence names the user.
  return { status: 'auth_failed', reasonCode: reason, reason: error.message, ...defined({ user }) }
}

/** The error of a profile whose user is not, or may not be, the one that it was made for; undefined if it is. */
export function doubtOf(label: string, actsAs: ActsAs, found: AnsweringUser | undefined): PlayheadError | undefined {
  const { id, name, account, mark, gone = false } = actsAs
  if (found === undefined)
    return held('user_gone', `${label}: ${name} is not a user of the server any more. Nothing is read or written.`)
  if (found.account !== account)
    return held(
      'user_changed',
      `${label}: the server answered as another user than ${name}. Nothing is read or written. ${name} can sign in instead.`,
    )
  if (gone)
    return held(
      'user_gone',
      `${label}: ${name} was deleted on the server and is there again. Nothing is read or written until you confirm that it is the same person.`,
    )
  if (found.mark !== mark || found.name !== name)
    return held(
      'user_changed',
      `${label}: the user ${name} is called ${found.name} on the server now, or the server gave the id to another user. Nothing is read or written until you confirm that it is the same person.`,
      { user: { id, name: found.name } },
    )
  return undefined
}

export function userRefused(label: string, name: string, cause: unknown): PlayheadError {
  return held(
    'user_refused',
    `${label}: this sign-in cannot act for ${name}. It lacks the rights of an administrator, or a PIN is missing or wrong. ${name} can sign in instead.`,
    {},
    cause,
  )
}

function held(
  reason: HeldReason,
  message: string,
  more: { readonly user?: AccountHealth['user'] } = {},
  cause?: unknown,
): PlayheadError {
  return new PlayheadError('PLH_AUTH_FAILED', message, {
    wire: reason,
    // Not 401: the caller's own session is fine.
    status: 409,
    details: { reason, ...more },
    ...defined({ cause }),
  })
}
