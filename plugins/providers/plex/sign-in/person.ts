// Whose watch state a profile is. A profile stands for the account that signed in, or for a user of its home: then
// everything is done with that user's own token. When it cannot be got nothing is done: the account's token would read
// and write somebody else's state.
import { PlayheadError, isPlayheadError } from '@playhead/sdk'
import { type Cloud, createCloud } from '../cloud.ts'
import type { PlexAccount } from '../upstream.ts'
import type { User } from '../wire.ts'

export interface Person {
  /** Of the account that signed in. */
  readonly account: User
  /** Id in the cloud of the user that the profile stands for. */
  readonly id: string
  readonly name: string
  readonly isSelf: boolean
  /** The cloud as this user. */
  readonly cloud: Cloud
  /** This user's token for the cloud. */
  readonly token: () => string
  /** Gets the token anew; only for home users, whose tokens are never stored. */
  readonly renew?: (signal?: AbortSignal) => Promise<void>
}

/** What the reason is called wherever somebody's own token cannot be got. */
export const NOT_APPLIED = 'home_scope_not_applied'

/**
 * Throws `PLH_FORBIDDEN` (`home_scope_not_applied`) when the user's own token cannot be got, and what the cloud's
 * answers throw.
 */
export async function findPerson(account: PlexAccount, cloud: Cloud, signal?: AbortSignal): Promise<Person> {
  const user = await cloud.user(signal)
  const wanted = String(account.profile.account_id)
  if (isSelf(user, wanted)) {
    return {
      account: user,
      id: String(user.id),
      name: nameOf(user),
      isSelf: true,
      cloud,
      token: () => account.current().account_token,
    }
  }
  const member = (await cloud.homeUsers(signal)).find(({ id }) => String(id) === wanted)
  if (member === undefined) throw notApplied('is no user of this home')
  const { uuid } = member
  let token = await enter(signal)

  async function enter(signal_?: AbortSignal): Promise<string> {
    try {
      const entered = await cloud.enterHome(uuid, account.current().home_pin, signal_)
      if (String(entered.id) === wanted) return entered.authToken
    } catch (error) {
      if (!isPlayheadError(error, 'PLH_UPSTREAM') || ![400, 403].includes(error.details?.['status'] as number))
        throw error
      throw notApplied('cannot be entered: the PIN is missing or wrong', error)
    }
    throw notApplied('was asked for, and Plex answered with another user')
  }
  const renew = async (signal_?: AbortSignal) => {
    token = await enter(signal_)
  }

  const own = createCloud(account, { token: () => token, user: `/${wanted}`, refresh: renew })
  return {
    account: user,
    id: wanted,
    name: member.title ?? member.username ?? wanted,
    isSelf: false,
    cloud: own,
    token: () => token,
    renew,
  }

  function notApplied(why: string, cause?: unknown): PlayheadError {
    return new PlayheadError(
      'PLH_FORBIDDEN',
      `${account.name}: the user ${wanted} ${why}. Choose the user again and enter the PIN.`,
      {
        wire: NOT_APPLIED,
        details: { reason: NOT_APPLIED, account_id: wanted },
        ...(cause === undefined ? {} : { cause }),
      },
    )
  }
}

export function nameOf({ username, title, id }: Pick<User, 'username' | 'title' | 'id'>): string {
  return username || title || String(id)
}

// The server calls its owner 1, whatever the id in the cloud is.
function isSelf(user: User, wanted: string): boolean {
  return wanted === '' || wanted === '0' || wanted === '1' || wanted === String(user.id)
}
