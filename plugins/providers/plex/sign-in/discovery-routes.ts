// Discovery routes for the setup: servers, libraries and people.
import { clientSignal, isPlayheadError, Type } from '@playhead/sdk'
import { routeRow } from '@playhead/sdk/provider'
import { identify } from './binding.ts'
import type { LibraryCache } from './library-cache.ts'
import { PickRow, pickRows, UserRow, userRows } from './people.ts'
import { ProbeAnswer, probeServer } from './probe-server.ts'
import {
  addressOf,
  DISCOVERY,
  elsewhere,
  ELSEWHERE_ERRORS,
  hasToken,
  instance,
  listed,
  NO_TOKEN,
  orReason,
  type PlexTable,
  serverFor,
  serverOrNone,
  SHOWN_ERRORS,
  Text,
  TextOrNull,
} from './route-parts.ts'
import { bestUrl, serverAt } from './servers.ts'
import type { Session } from '../session.ts'
import type { Resource } from '../wire.ts'

const Servers = Type.Array(
  Type.Object({
    id: Text,
    name: Text,
    owned: Type.Boolean(),
    platform: Text,
    product: Text,
    device: Text,
    version: Text,
    best_url: Text,
    connections: Type.Array(
      Type.Object({
        uri: Text,
        address: Text,
        port: Type.Integer(),
        protocol: Text,
        local: Type.Boolean(),
        relay: Type.Boolean(),
      }),
    ),
  }),
)

export const discoveryRows = (libraries: LibraryCache): PlexTable => ({
  'GET libraries': routeRow({
    summary: 'Libraries of the media server',
    query: elsewhere,
    response: {
      200: Type.Object({ libraries: Type.Array(Type.Object({ key: Text, title: Text, type: Text })), ...DISCOVERY }),
    },
    errors: ELSEWHERE_ERRORS,
    run: (call) =>
      listed('libraries', call, () => libraries.at(call.instance, addressOf(call.query), () => serverFor(call))),
  }),

  'GET pms/probe': routeRow({
    summary: 'Whether the media server can be reached',
    query: { timeout: Type.Optional(Type.Number({ default: 5, description: 'Seconds, 0.5 to 30.' })), ...elsewhere },
    response: { 200: ProbeAnswer },
    run: ({ kit, instance: id, query, request }) =>
      probeServer(kit.account(id), {
        ...addressOf(query),
        timeoutMs: Math.min(30, Math.max(0.5, query.timeout ?? 5)) * 1_000,
        signal: clientSignal(request),
      }),
  }),

  'GET pickusers': routeRow({
    summary: 'People whose watch state the profile can be',
    query: elsewhere,
    response: { 200: Type.Object({ users: Type.Array(PickRow), count: Type.Integer(), ...DISCOVERY }) },
    errors: ELSEWHERE_ERRORS,
    run: (call) =>
      listed('users', call, async () =>
        pickRows(
          call.kit.session(call.instance),
          await serverOrNone(() => serverFor(call)),
          clientSignal(call.request),
        ),
      ),
  }),

  'GET users': routeRow({
    summary: 'Users of the account and of its server',
    query: {
      instance,
      only_with_server_access: Type.Optional(Type.Boolean({ default: false })),
      only_home_or_owner: Type.Optional(Type.Boolean({ default: false })),
    },
    response: { 200: Type.Object({ users: Type.Array(UserRow), count: Type.Integer(), ...DISCOVERY }) },
    errors: SHOWN_ERRORS,
    run: (call) =>
      listed('users', call, async () => {
        const { kit, query, request } = call
        const { only_with_server_access: withAccess = false, only_home_or_owner: homeOrOwner = false } = query
        const session = kit.session(call.instance)
        const server = await serverOrNone(() => session.server(clientSignal(request)))
        return userRows(session, server, { withAccess, homeOrOwner }, clientSignal(request))
      }),
  }),

  'GET server_uuid': routeRow({
    summary: 'Id of the media server',
    query: { instance },
    response: { 200: Type.Object({ server_uuid: TextOrNull, ...DISCOVERY }) },
    errors: SHOWN_ERRORS,
    async run({ kit, instance: id, profile: { machine_id: known }, request }) {
      if (known !== '') return { server_uuid: known }
      if (!hasToken(kit, id)) return { server_uuid: null, ...NO_TOKEN }
      return orReason(async () => ({ server_uuid: await machineOf(kit.session(id), clientSignal(request)) }), {
        server_uuid: null,
      })
    },
  }),

  'GET pms': routeRow({
    summary: 'Media servers of the account',
    query: { instance },
    response: { 200: Type.Object({ servers: Servers, count: Type.Integer(), ...DISCOVERY }) },
    errors: SHOWN_ERRORS,
    run: (call) =>
      listed('servers', call, async () => {
        const signal = clientSignal(call.request)
        const { cloud } = await call.kit.session(call.instance).person(signal)
        const { server_url: inUse } = call.profile
        return (await cloud.servers(signal)).map((server) => toRow(server, inUse))
      }),
  }),
})

async function machineOf(session: Session, signal: AbortSignal): Promise<string | null> {
  const { server_url: url } = session.account.profile
  if (url !== '') {
    try {
      return (await identify(session.account, url, { signal })).machineId
    } catch (error) {
      if (!isPlayheadError(error) || signal.aborted) throw error
    }
  }
  const servers = await (await session.person(signal)).cloud.servers(signal)
  return (serverAt(servers, url) ?? servers.find(({ owned }) => owned) ?? servers[0])?.clientIdentifier ?? null
}

function toRow(server: Resource, inUse: string) {
  const { clientIdentifier, name, owned, platform, product, device, productVersion, connections } = server
  return {
    id: clientIdentifier,
    name,
    owned,
    platform: platform ?? '',
    product: product ?? '',
    device: device ?? '',
    version: productVersion ?? '',
    connections: connections.map(({ uri, address, port, protocol, local, relay }) => ({
      uri,
      address,
      port,
      protocol,
      local,
      relay,
    })),
    best_url: bestUrl(server, inUse),
  }
}
