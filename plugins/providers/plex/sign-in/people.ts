// People of a profile: the account, its home users, and friends with access to its server.
import { defined, isPlayheadError, type ServerUser, Type, type UsersDefinition } from '@playhead/sdk'
import type { Friend } from '../cloud.ts'
import { nameOf } from './person.ts'
import { serverOrNone } from './route-parts.ts'
import type { Server, Session } from '../session.ts'
import type { PlexProfile } from '../settings.ts'
import { type HomeUser, ServerAccounts } from '../wire.ts'

/** Smaller ids are local to the server, larger ones are cloud ids. */
const FIRST_CLOUD_ID = 100_000
const OWNER = 1
const RANKS = { self: 0, owner: 1, managed: 2, friend: 3 } as const
const LABELS = { self: 'You', owner: 'Owner', managed: 'Home', friend: 'Friend' } as const

type Role = keyof typeof RANKS

export const PickRow = Type.Object({
  username: Type.String(),
  account_id: Type.Integer(),
  id: Type.Integer(),
  pms_account_id: Type.Optional(Type.Integer()),
  cloud_account_id: Type.Optional(Type.Integer()),
  type: Type.String({ description: 'self, owner, managed or friend.' }),
  label: Type.String(),
  source: Type.String({ description: 'cloud or pms.' }),
  can_choose: Type.Boolean({ description: 'The profile can use this person; friends sign in themselves.' }),
  protected: Type.Boolean({ description: 'Only with a PIN.' }),
})

export const UserRow = Type.Object({
  id: Type.String(),
  username: Type.String(),
  title: Type.String(),
  type: Type.String({ description: 'owner, managed or friend.' }),
  cloud_account_id: Type.Optional(Type.Integer()),
  has_access: Type.Boolean({ description: 'Has access to the media server of the profile.' }),
})

interface Human {
  readonly role: Role
  readonly name: string
  readonly username: string
  readonly cloudId: number
  /** Id on the media server. */
  readonly localId: number | undefined
  readonly hasAccess: boolean
  /** Requires a PIN. */
  readonly isProtected: boolean
}

/** Rows for choosing the user of a profile. */
export async function pickRows(session: Session, server: Server | undefined, signal: AbortSignal) {
  const rows = (await humans(session, server, signal)).map(({ role, name, cloudId, localId, isProtected }) => {
    const id = localId ?? cloudId
    return {
      username: name,
      account_id: id,
      id,
      ...defined({ pms_account_id: localId }),
      cloud_account_id: cloudId,
      type: role,
      label: LABELS[role],
      source: localId !== undefined && localId < FIRST_CLOUD_ID ? 'pms' : 'cloud',
      can_choose: role !== 'friend',
      protected: isProtected,
    }
  })
  const unique = [...new Map(rows.map((row) => [`${row.username} ${row.account_id}`, row])).values()]
  return unique.sort(
    (a, b) => RANKS[a.type] - RANKS[b.type] || (a.username < b.username ? -1 : Number(a.username > b.username)),
  )
}

export async function userRows(
  session: Session,
  server: Server | undefined,
  only: { readonly withAccess: boolean; readonly homeOrOwner: boolean },
  signal: AbortSignal,
) {
  const isOwner = server?.isOwner ?? true
  const found = await humans(session, server, signal)
  return found
    .map((human) => ({
      ...human,
      role: human.role === 'self' ? (isOwner ? ('owner' as const) : ('friend' as const)) : human.role,
    }))
    .filter(({ role, hasAccess }) => (hasAccess || !only.withAccess) && (role !== 'friend' || !only.homeOrOwner))
    .sort((a, b) => RANKS[a.role] - RANKS[b.role] || (a.name < b.name ? -1 : Number(a.name > b.name)))
    .map(({ role, name, username, cloudId, localId, hasAccess }) => ({
      id: String(localId ?? (role === 'owner' ? OWNER : cloudId)),
      username,
      title: name,
      type: role,
      cloud_account_id: cloudId,
      has_access: hasAccess,
    }))
}

/** Users of the home, whom the account that signed in can enter. Friends sign in themselves. */
export const users: UsersDefinition<PlexProfile, Session> = {
  shares: ['server_url', 'verify_ssl', 'account_token', 'client_id', 'machine_id', 'cloud_url'],

  async list(session, signal) {
    const [place, own] = placeOf(await session.identity(signal))
    const server = await serverOrNone(() => session.server(signal))
    return (await humans(session, server, signal)).map(
      ({ cloudId, name, role, isProtected }): ServerUser => ({
        id: String(cloudId),
        name,
        account: `${place}/${cloudId}`,
        isSelf: String(cloudId) === own,
        // Another profile of the home acts for the account that signed in by signing in itself.
        ...(role === 'friend' || role === 'self' ? { refusal: 'own_sign_in' as const } : {}),
        ...(isProtected ? { secret: 'PIN' } : {}),
      }),
    )
  },

  settings: ({ id, name }, pin) => ({ account_id: id, username: name, home_pin: pin }),

  async confirm(session, signal) {
    const wanted = String(session.account.profile.account_id)
    const member = (await session.cloud.homeUsers(signal)).find(({ id }) => String(id) === wanted)
    if (member === undefined) return undefined
    const { cloud } = await session.person(signal)
    const { id } = await cloud.user(signal)
    const [place] = placeOf(await session.identity(signal))
    return { account: `${place}/${id}`, name: member.title || nameOf(toNamed(member)) }
  },
}

/** `<machine>/<user>` */
function placeOf(account: string): readonly [place: string, user: string] {
  const at = account.lastIndexOf('/')
  return [account.slice(0, at), account.slice(at + 1)]
}

/** Merges people known in several ways; the highest rank wins. */
async function humans(session: Session, server: Server | undefined, signal: AbortSignal): Promise<readonly Human[]> {
  const self = await session.cloud.user(signal)
  const [home, friends, local] = await Promise.all([
    session.cloud.homeUsers(signal).catch(ifRefused<readonly HomeUser[]>([])),
    session.cloud.friends(signal).catch(ifRefused<readonly Friend[]>([])),
    server?.isOwner === true ? accountsOf(server, signal) : [],
  ])
  const isOwner = server?.isOwner ?? false
  const machine = server?.binding.machineId ?? ''
  const shared = new Map(friends.map((friend) => [friend.id, friend.machines.includes(machine)]))
  const localIdOf = (cloudId: number, name: string) =>
    local.find(({ id }) => id === cloudId)?.id ??
    // Old servers number users themselves, so only a unique name identifies them.
    only(local.filter((account) => account.id > OWNER && account.id < FIRST_CLOUD_ID && account.name === name))?.id
  const rows: Human[] = [
    {
      role: 'self',
      name: nameOf(self),
      username: self.username ?? '',
      cloudId: self.id,
      localId: isOwner ? OWNER : undefined,
      hasAccess: server !== undefined,
      isProtected: false,
    },
    ...home
      .filter(({ id }) => id !== self.id)
      .map(
        (user): Human => ({
          role: user.admin === true ? 'owner' : 'managed',
          name: user.title || nameOf(toNamed(user)),
          username: user.username ?? '',
          cloudId: user.id,
          localId: localIdOf(user.id, user.title ?? ''),
          hasAccess: shared.get(user.id) ?? user.admin === true,
          isProtected: user.protected === true,
        }),
      ),
    ...friends.map(
      (friend): Human => ({
        role: friend.isHome ? 'managed' : 'friend',
        name: friend.name,
        username: friend.username,
        cloudId: friend.id,
        localId: localIdOf(friend.id, friend.name),
        hasAccess: shared.get(friend.id) === true,
        isProtected: false,
      }),
    ),
  ]
  const known = new Map<number, Human>()
  for (const row of rows.sort((a, b) => RANKS[a.role] - RANKS[b.role]))
    if (!known.has(row.cloudId)) known.set(row.cloudId, row)
  return [...known.values()]
}

async function accountsOf(
  { http }: Server,
  signal: AbortSignal,
): Promise<readonly { readonly id: number; readonly name: string }[]> {
  const {
    MediaContainer: { Account = [] },
  } = await http.json({ path: '/accounts', signal }, ServerAccounts)
  return Account.filter(({ id, name }) => id > 0 && name !== '')
}

// Users without a home, or who do not own one, get a 403; a removed route responds with 404 or 410.
function ifRefused<T>(instead: T): (error: unknown) => T {
  return (error) => {
    const isRefusal =
      isPlayheadError(error) &&
      (error.code === 'PLH_NOT_FOUND' || [403, 410].includes(error.details?.['status'] as number))
    if (isRefusal) return instead
    throw error
  }
}

function toNamed({ id, title, username }: HomeUser) {
  return { id, title, username }
}

function only<T>(list: readonly T[]): T | undefined {
  return list.length === 1 ? list[0] : undefined
}
