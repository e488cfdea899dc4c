// Plex account requests: the user, their servers, and their home.
import { defined, PlayheadError, type UpstreamAccount } from '@playhead/sdk'
import { cloudHosts } from './settings.ts'
import { openConnection, type PlexAccount } from './upstream.ts'
import { Home, type HomeUser, type Resource, Resources, Switched, User } from './wire.ts'
import { type Element, parseXml } from './xml.ts'

export interface Friend {
  readonly id: number
  readonly name: string
  readonly username: string
  readonly isHome: boolean
  /** Machine ids of the servers shared with this user. */
  readonly machines: readonly string[]
}

export interface Cloud {
  user(signal?: AbortSignal): Promise<User>
  servers(signal?: AbortSignal): Promise<readonly Resource[]>
  homeUsers(signal?: AbortSignal): Promise<readonly HomeUser[]>
  /** The token of a home user. A wrong PIN throws `PLH_UPSTREAM` with status 403. */
  enterHome(
    uuid: string,
    pin: string,
    signal?: AbortSignal,
  ): Promise<{ readonly id: number; readonly authToken: string }>
  friends(signal?: AbortSignal): Promise<readonly Friend[]>
  signOut(signal?: AbortSignal): Promise<void>
  readonly discover: UpstreamAccount
  readonly metadata: UpstreamAccount
}

interface CloudOptions {
  readonly token: () => string | undefined
  /** Separates the connections of several users of one account. Default: the account itself. */
  readonly user?: string
  readonly refresh?: (signal: AbortSignal) => Promise<void>
}

export function createCloud(account: PlexAccount, { token, user = '', refresh }: CloudOptions): Cloud {
  const hosts = cloudHosts(account.profile)
  const open = (name: keyof typeof hosts) =>
    openConnection(account, {
      name: `${name}${user}`,
      baseUrl: hosts[name],
      token,
      ...defined({ refresh }),
      ...(name === 'tv' ? {} : { concurrency: 5 }),
    })
  const tv = open('tv')
  const [discover, metadata] = [open('discover'), open('metadata')]
  const with_ = (signal: AbortSignal | undefined) => (signal === undefined ? {} : { signal })

  return {
    discover,
    metadata,
    user: (signal) => tv.json({ path: '/api/v2/user', ...with_(signal) }, User),
    async servers(signal) {
      const query = { includeHttps: 1, includeRelay: 1, includeIPv6: 1 }
      const all = await tv.json({ path: '/api/v2/resources', query, ...with_(signal) }, Resources)
      return all.filter(({ provides }) => provides.split(',').includes('server'))
    },
    async homeUsers(signal) {
      return (await tv.json({ path: '/api/v2/home/users', ...with_(signal) }, Home)).users
    },
    enterHome: (uuid, pin, signal) =>
      tv.json(
        {
          method: 'POST',
          path: `/api/v2/home/users/${encodeURIComponent(uuid)}/switch`,
          query: pin === '' ? {} : { pin },
          ...with_(signal),
        },
        Switched,
      ),
    async friends(signal) {
      const answer = await tv.request({ path: '/api/users', headers: { accept: 'application/xml' }, ...with_(signal) })
      const root = parseXml(await answer.text())
      if (root?.name !== 'MediaContainer')
        throw new PlayheadError('PLH_UPSTREAM_INVALID', 'The list of friends is not valid.')
      return root.children.flatMap((element) => toFriend(element) ?? [])
    },
    async signOut(signal) {
      const answer = await tv.request({
        method: 'DELETE',
        path: '/api/v2/users/signout',
        timeoutMs: 5_000,
        ...with_(signal),
      })
      await answer.text()
    },
  }
}

function toFriend({ name, attributes, children }: Element): Friend | undefined {
  const id = Number(attributes['id'])
  if (name !== 'User' || !Number.isSafeInteger(id) || id <= 0) return undefined
  const username = attributes['username'] ?? ''
  return {
    id,
    username,
    name: attributes['title'] || username,
    isHome: attributes['home'] === '1',
    machines: children
      .filter((child) => child.name === 'Server')
      .flatMap((child) => child.attributes['machineIdentifier'] ?? []),
  }
}
