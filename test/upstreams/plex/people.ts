// The resources of an account: its servers with their connections, the users of its home (switching may require a PIN), and
// friends. The old routes always answer XML.
import type { UpstreamReply } from '../base/index.ts'
import type { Route } from './router.ts'
import { type Account, issueToken, type PlexState, serverToken } from './state.ts'
import { type AccountCall, answer, cloudError, type Row, xml } from './wire.ts'

export const SERVER_VERSION = '1.42.2.10156'

export const peopleRoutes: readonly Route[] = [
  ['account', 'GET', '/api/v2/resources', (call: AccountCall) => answer(call, 'resources', resources(call))],
  ['account', 'GET', '/api/resources', legacyResources],
  ['account', 'GET', '/api/v2/home/users', homeUsers],
  ['account', 'GET', '/api/home/users', legacyHomeUsers],
  ['account', 'POST', '/api/v2/home/users/:id/switch', switchUser],
  ['account', 'POST', '/api/home/users/:id/switch', legacySwitchUser],
  ['owner', 'GET', '/api/users', friends],
  ['owner', 'GET', '/api/servers/:machine/shared_servers', sharedServers],
]

function resources({ state, account, query }: AccountCall): Row[] {
  const https = query.get('includeHttps') === '1'
  const relay = query.get('includeRelay') === '1'
  const owned = account.role === 'owner'
  const own = server(state, 'Attic', state.machineIdentifier, serverToken(state, account).value, owned)
  const rows = [{ ...own, connections: connections(state.serverUrl, https, relay) }]
  if (owned) {
    // A server that a friend shares and that does not answer.
    const neighbours = server(
      state,
      'Next door',
      state.machineIdentifier.split('').reverse().join(''),
      'shared-token',
      false,
    )
    rows.push({ ...neighbours, presence: false, connections: connections('http://127.0.0.1:1', false, false) })
  }
  return rows
}

function server(state: PlexState, name: string, machine: string, accessToken: string, owned: boolean) {
  return {
    name,
    product: 'Plex Media Server',
    productVersion: SERVER_VERSION,
    platform: 'Linux',
    platformVersion: '6.12',
    device: 'PC',
    clientIdentifier: machine,
    createdAt: new Date(state.now()).toISOString(),
    lastSeenAt: new Date(state.now()).toISOString(),
    provides: 'server',
    ownerId: owned ? null : 900_001,
    sourceTitle: owned ? null : 'sample_user',
    publicAddress: '203.0.113.5',
    accessToken,
    owned,
    home: true,
    synced: false,
    relay: true,
    presence: true,
    httpsRequired: false,
    publicAddressMatches: true,
    natLoopbackSupported: false,
    dnsRebindingProtection: false,
  }
}

function connections(url: string, https: boolean, relay: boolean): Row[] {
  const { hostname, port } = new URL(url)
  const local = {
    protocol: 'http',
    address: hostname,
    port: Number(port),
    uri: url,
    local: true,
    relay: false,
    IPv6: false,
  }
  const secure = {
    ...local,
    protocol: 'https',
    uri: `https://${hostname.replaceAll('.', '-')}.0123456789abcdef.plex.direct:${port}`,
  }
  const uri = 'https://127-0-0-1.0123456789abcdef.plex.direct:1'
  const relayed = { ...secure, address: '127.0.0.1', port: 1, uri, local: false, relay: true }
  return [...(https ? [secure] : []), local, ...(relay ? [relayed] : [])]
}

function legacyResources(call: AccountCall): UpstreamReply {
  const rows = resources(call)
  const Device = rows.map(({ connections: Connection, ...device }) => ({ ...device, Connection }))
  return xml('MediaContainer', { size: rows.length, Device })
}

function homeUsers(call: AccountCall): UpstreamReply {
  return answer(call, 'home', { id: 1, name: 'Home', users: home(call.state).map(homeRow) })
}

function legacyHomeUsers({ state }: AccountCall): UpstreamReply {
  return xml('MediaContainer', { size: home(state).length, User: home(state).map(homeRow) })
}

function home({ accounts }: PlexState): Account[] {
  return accounts.filter(({ role }) => role !== 'friend')
}

function homeRow(account: Account): Row {
  return {
    id: account.id,
    uuid: account.uuid,
    title: account.title,
    username: account.username,
    email: account.email,
    admin: account.role === 'owner',
    restricted: account.role === 'managed',
    protected: account.pin !== undefined,
    guest: false,
    thumb: `https://plex.tv/users/${account.uuid}/avatar`,
  }
}

function switchUser(call: AccountCall): UpstreamReply {
  const target = home(call.state).find(({ uuid }) => uuid === call.params['id'])
  const refused = refusal(call, target)
  if (target === undefined || refused !== undefined) return refused as UpstreamReply
  return answer(call, 'user', { ...homeRow(target), authToken: issueToken(call.state, target, 'cloud').value }, 201)
}

function legacySwitchUser(call: AccountCall): UpstreamReply {
  const target = home(call.state).find(({ id }) => String(id) === call.params['id'])
  const refused = refusal(call, target)
  if (target === undefined || refused !== undefined) return refused as UpstreamReply
  return xml('user', { ...homeRow(target), authenticationToken: issueToken(call.state, target, 'cloud').value }, 201)
}

function refusal(call: AccountCall, target: Account | undefined): UpstreamReply | undefined {
  if (call.account.role === 'friend' || target === undefined) return cloudError(call, 404, 1017, 'User not found')
  const wrongPin = target.pin !== undefined && target.pin !== call.query.get('pin')
  return wrongPin ? cloudError(call, 403, 1041, 'The PIN is not valid') : undefined
}

function friends({ state }: AccountCall): UpstreamReply {
  const shared = { name: 'Attic', machineIdentifier: state.machineIdentifier, owned: true }
  const rows = others(state).map(({ id, title, username, email, role }) => ({
    id,
    title,
    username,
    email,
    home: role === 'managed',
    restricted: role === 'managed',
    Server: [shared],
  }))
  return xml('MediaContainer', {
    friendlyName: 'myPlex',
    machineIdentifier: state.machineIdentifier,
    size: rows.length,
    User: rows,
  })
}

function sharedServers(call: AccountCall): UpstreamReply {
  const { state, params } = call
  if (params['machine'] !== state.machineIdentifier) return cloudError(call, 404, 1002, 'Server not found')
  const rows = others(state).map((account) => ({
    id: account.id,
    userID: account.id,
    username: account.username ?? account.title,
    accessToken: serverToken(state, account).value,
  }))
  return xml('MediaContainer', { machineIdentifier: state.machineIdentifier, size: rows.length, SharedServer: rows })
}

function others({ accounts }: PlexState): Account[] {
  return accounts.filter(({ role }) => role !== 'owner')
}
