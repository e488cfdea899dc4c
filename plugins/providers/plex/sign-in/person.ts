// The user of a profile: the signed-in account, or a user of its home. A home user always needs their own token: the account's token
// would read and write another person's state.
import { defined, isPlayheadError, PlayheadError } from '@playhead/sdk'
import { type Cloud, createCloud } from '../cloud.ts'
import type { PlexAccount } from '../upstream.ts'
import type { User } from '../wire.ts'

export interface Person {
  /** The account that signed in. */
  readonly account: User
  /** Cloud id of the profile's user. */
  readonly id: string
  /** In lower case. */
  readonly uuid: string
  readonly name: string
  readonly isSelf: boolean
  /** The cloud as this user. */
  readonly cloud: Cloud
  /** This user's cloud token. */
  readonly token: () => string
  /** Renews the token; only for home users, whose tokens are never stored. */
  readonly renew?: (signal?: AbortSignal) => Promise<void>
}

/** Reason code when the home user's token is unavailable. */
export const NOT_APPLIED = 'home_scope_not_applied'

/** Throws `PLH_FORBIDDEN` (`home_scope_not_applied`) without the user's own token, and errors of the cloud. */
export async function findPerson(account: PlexAccount, cloud: Cloud, signal?: AbortSignal): Promise<Person> {
  const user = await cloud.user(signal)
  const wanted = String(account.profile.account_id)
  if (isSelf(user, wanted)) {
    return {
      account: user,
      id: String(user.id),
      uuid: user.uuid.toLowerCase(),
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
    uuid: uuid.toLowerCase(),
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
      { wire: NOT_APPLIED, details: { reason: NOT_APPLIED, account_id: wanted }, ...defined({ cause }) },
    )
  }
}

export function nameOf({ username, title, id }: Pick<User, 'username' | 'title' | 'id'>): string {
  return username || title || String(id)
}

// The owner is user 1 on every server.
function isSelf(user: User, wanted: string): boolean {
  return wanted === '' || wanted === '0' || wanted === '1' || wanted === String(user.id)
}
