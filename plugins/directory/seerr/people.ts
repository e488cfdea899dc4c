// Users of the installation: with the API key a profile acts as each of them. A sign-in with a password is for its person alone.
import { PlayheadError, type ServerUser, type UsersDefinition } from '@playhead/sdk'
import { openApi } from './api.ts'
import { usersOf } from './lists.ts'
import { accountOf, createdOf, nameOf, type Session } from './session.ts'
import type { Profile } from './settings.ts'
import type { User } from './wire.ts'

export const users: UsersDefinition<Profile, Session> = {
  shares: ['server', 'api_key', 'verify_ssl'],

  async list(session, signal) {
    const own = await session.me(signal)
    const found = await everybody(session, signal)
    return Promise.all(
      found.map(
        async (user): Promise<ServerUser> => ({ ...(await known(session, user, signal)), isSelf: user.id === own.id }),
      ),
    )
  },

  settings: ({ id, name, mark }) => ({ user_id: Number(id), user: name, user_created: mark ?? '' }),

  async confirm(session, signal) {
    const { user_id: id } = session.account.profile
    const listed = (await everybody(session, signal)).find((user) => user.id === id)
    if (listed === undefined) return undefined
    await session.me(signal)
    return known(session, listed, signal)
  },
}

async function everybody({ account }: Session, signal: AbortSignal): Promise<readonly User[]> {
  if (account.profile.api_key === '')
    throw new PlayheadError('PLH_FORBIDDEN', 'Only the API key of Seerr can act for other users.')
  return usersOf(openApi(account, 'admin'), signal)
}

async function known({ account, server }: Session, user: User, signal: AbortSignal) {
  const mark = createdOf(user)
  return {
    id: String(user.id),
    name: nameOf(user),
    account: accountOf(await server.get(signal), account.profile.server, user.id),
    ...(mark === '' ? {} : { mark }),
  }
}
