// Users of a server: all of them for an administrator, else only the current one. Acts as one of them.
import { isPlayheadError, PlayheadError, type ServerUser, type UsersDefinition } from '@playhead/sdk'
import { Type } from '@sinclair/typebox'
import { withQuery } from '../dialect.ts'
import { Page, User } from '../wire.ts'
import { isById, plain, type Session } from '../session.ts'
import type { MediaBrowserProfile } from '../settings.ts'

const PAGE = 500
const Users = Type.Union([
  Type.Array(User),
  Type.Object({ Items: Type.Array(User), TotalRecordCount: Type.Integer({ minimum: 0 }) }),
])

interface People {
  readonly users: readonly User[]
  /** Only the current user is visible. */
  readonly onlyOwn: boolean
}

export async function listPeople(session: Session): Promise<People> {
  const { dialect, upstream, profile } = session
  try {
    return { users: await allUsers(session), onlyOwn: false }
  } catch (error) {
    if (!isRefusal(error)) throw error
    return { users: [await upstream.json(dialect.user(profile.user_id, isById(session)), User)], onlyOwn: true }
  }
}

export const users: UsersDefinition<MediaBrowserProfile, Session> = {
  // The token works only with the device id that it was made for.
  shares: ['server', 'access_token', 'api_key', 'auth_method', 'device_id', 'verify_ssl'],

  async list(session, signal) {
    // Throws for an ended sign-in, which is another matter than missing rights.
    const own = await session.identity(true, signal)
    const found = await asAdministrator(session, () => allUsers(session, signal))
    return found.map((user): ServerUser => {
      const isSelf = plain(user.Id) === plain(own.userId)
      const refusal = user.Policy?.IsDisabled === true && !isSelf ? { refusal: 'disabled' as const } : {}
      return { id: user.Id, ...nameOf(user), account: accountOf(own.serverId, user), isSelf, ...refusal }
    })
  },

  settings: ({ id, name }) => ({ user_id: id, user: name, username: name }),

  async confirm(session, signal) {
    const { dialect, upstream, profile } = session
    return asAdministrator(session, async () => {
      const listed = (await allUsers(session, signal)).find(({ Id }) => plain(Id) === plain(profile.user_id))
      if (listed === undefined) return undefined
      const user = await upstream.json({ ...dialect.user(listed.Id, true), signal }, User)
      const aTitle = withQuery(dialect, dialect.items(listed.Id), { recursive: true, limit: 1, enableUserData: true })
      await upstream.json({ ...aTitle, signal }, Page)
      return { ...nameOf(user), account: accountOf(user.ServerId ?? '', user) }
    })
  },
}

async function allUsers({ dialect, upstream }: Session, signal?: AbortSignal): Promise<readonly User[]> {
  const users: User[] = []
  for (;;) {
    const answer = await upstream.json({ ...dialect.users(users.length, PAGE), signal }, Users)
    if (Array.isArray(answer)) return answer
    users.push(...answer.Items)
    if (users.length >= answer.TotalRecordCount) return users
    // A list that ends early proves nothing about the users that it lacks.
    if (answer.Items.length === 0)
      throw new PlayheadError('PLH_UPSTREAM_INVALID', `${dialect.product}: the list of users is not complete.`)
  }
}

async function asAdministrator<Result>({ dialect }: Session, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!isRefusal(error) || error.details?.['status'] !== 403) throw error
    throw new PlayheadError('PLH_FORBIDDEN', `${dialect.product} lets only an administrator see and act for users.`, {
      cause: error,
      details: { status: 403 },
    })
  }
}

function nameOf({ Id, Name, DateCreated }: User): Pick<ServerUser, 'name' | 'mark'> {
  return { name: Name || Id, ...(DateCreated ? { mark: DateCreated } : {}) }
}

function accountOf(serverId: string, { Id }: User): string {
  return `${serverId}/${Id}`
}

function isRefusal(error: unknown): error is PlayheadError {
  return isPlayheadError(error) && [401, 403].includes(error.details?.['status'] as number)
}
