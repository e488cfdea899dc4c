// Information about the server and its users.
import type { UpstreamReply } from '../base/index.ts'
import { type Call, Refusal } from './call.ts'
import { findUser, type User, type World } from './world.ts'

export function publicInfo({ world, dialect }: Call): UpstreamReply {
  const shared = {
    LocalAddress: 'http://127.0.0.1:8096',
    ServerName: world.serverName,
    Version: world.version,
    Id: world.serverId,
  }
  const product = { ProductName: 'Jellyfin Server', OperatingSystem: '', StartupWizardCompleted: true }
  const own = dialect.product === 'jellyfin' ? product : { WanAddress: 'http://203.0.113.7:8096' }
  return { status: 200, json: { ...shared, ...own } }
}

export function privateInfo(call: Call): UpstreamReply {
  const info = publicInfo(call).json as Record<string, unknown>
  return {
    status: 200,
    json: { ...info, HasPendingRestart: false, IsShuttingDown: false, SupportsLibraryMonitor: true },
  }
}

export const ping = ({ dialect }: Call): UpstreamReply => {
  return dialect.product === 'jellyfin'
    ? { status: 200, json: 'Jellyfin Server' }
    : { status: 200, text: 'Emby Server' }
}

export function ownUser(call: Call): UpstreamReply {
  const user = call.token?.user
  if (user === undefined) throw new Refusal(400, 'Token is not owned by a user.')
  return { status: 200, json: userDto(call.world, user) }
}

export function readUser(call: Call): UpstreamReply {
  const user = findUser(call.world, call.param('userId'))
  if (user === undefined) throw new Refusal(404, 'User not found')
  return { status: 200, json: userDto(call.world, user) }
}

export const listUsers = ({ world }: Call): UpstreamReply => ({
  status: 200,
  json: world.users.map((user) => userDto(world, user)),
})

export function listPublicUsers({ world }: Call): UpstreamReply {
  return { status: 200, json: world.users.filter(({ disabled }) => !disabled).map((user) => userDto(world, user)) }
}

export function queryUsers(call: Call): UpstreamReply {
  const from = Number(call.query('StartIndex') ?? 0)
  const limit = call.query('Limit')
  const users = call.world.users.slice(from, limit === undefined ? undefined : from + Number(limit))
  return {
    status: 200,
    json: { Items: users.map((user) => userDto(call.world, user)), TotalRecordCount: call.world.users.length },
  }
}

export function userDto(world: World, user: User): Record<string, unknown> {
  return {
    Name: user.name,
    ServerId: world.serverId,
    Id: user.id,
    HasPassword: user.password !== '',
    HasConfiguredPassword: user.password !== '',
    Policy: {
      IsAdministrator: user.administrator,
      IsHidden: false,
      IsDisabled: user.disabled,
      EnableAllFolders: user.libraries === undefined,
      EnabledFolders: world.libraries.filter(({ name }) => user.libraries?.includes(name) === true).map(({ id }) => id),
      EnableCollectionManagement: user.managesCollections,
      AuthenticationProviderId: 'default',
      PasswordResetProviderId: 'default',
    },
  }
}
