// Discovery routes for the setup: servers, libraries and people.
import { clientSignal, isPlayheadError, type PluginApp, Type } from '@playhead/sdk'
import { identify } from './binding.ts'
import type { LibraryCache } from './library-cache.ts'
import { PickRow, pickRows, UserRow, userRows } from './people.ts'
import { ProbeAnswer, probeServer } from './probe-server.ts'
import {
  addressOf,
  counted,
  elsewhere,
  hasToken,
  instance,
  DISCOVERY,
  ELSEWHERE_ERRORS,
  NO_TOKEN,
  SHOWN_ERRORS,
  orReason,
  schema,
  serverFor,
  serverOrNone,
  Text,
  TextOrNull,
} from './route-parts.ts'
import { bestUrl, serverAt } from './servers.ts'
import type { Session } from '../session.ts'
import type { PlexKit } from './sign-in.ts'
import type { Resource } from '../wire.ts'

export function registerDiscoveryRoutes(app: PluginApp, kit: PlexKit, libraries: LibraryCache): void {
  app.get(
    '/api/mediaA/libraries',
    schema(
      'Libraries of the media server',
      elsewhere,
      Type.Object({ libraries: Type.Array(Type.Object({ key: Text, title: Text, type: Text })), ...DISCOVERY }),
      ELSEWHERE_ERRORS,
    ),
    async (request) => {
      const id = kit.instanceOf(request)
      if (!hasToken(kit, id)) return { libraries: [], instance: id, ...NO_TOKEN }
      const seen = await orReason(
        async () => ({ libraries: await libraries.at(id, addressOf(request), () => serverFor(kit, id, request)) }),
        { libraries: [] },
      )
      return { ...seen, instance: id }
    },
  )

  app.get(
    '/api/mediaA/pms/probe',
    schema(
      'Whether the media server can be reached',
      { timeout: Type.Optional(Type.Number({ default: 5, description: 'Seconds, 0.5 to 30.' })), ...elsewhere },
      ProbeAnswer,
    ),
    async (request) => {
      const id = kit.instanceOf(request)
      const { timeout = 5 } = request.query as { timeout?: number }
      return {
        ...(await probeServer(kit.account(id), {
          ...addressOf(request),
          timeoutMs: Math.min(30, Math.max(0.5, timeout)) * 1_000,
          signal: clientSignal(request),
        })),
        instance: id,
      }
    },
  )

  app.get(
    '/api/mediaA/pickusers',
    schema(
      'People whose watch state the profile can be',
      elsewhere,
      Type.Object({ users: Type.Array(PickRow), count: Type.Integer(), ...DISCOVERY }),
      ELSEWHERE_ERRORS,
    ),
    async (request) => {
      const id = kit.instanceOf(request)
      if (!hasToken(kit, id)) return { users: [], count: 0, instance: id, ...NO_TOKEN }
      return counted(
        'users',
        id,
        await orReason(
          async () => ({
            users: await pickRows(
              kit.session(id),
              await serverOrNone(() => serverFor(kit, id, request)),
              clientSignal(request),
            ),
          }),
          { users: [] },
        ),
      )
    },
  )

  app.get(
    '/api/mediaA/users',
    schema(
      'Users of the account and of its server',
      {
        instance,
        only_with_server_access: Type.Optional(Type.Boolean({ default: false })),
        only_home_or_owner: Type.Optional(Type.Boolean({ default: false })),
      },
      Type.Object({ users: Type.Array(UserRow), count: Type.Integer(), ...DISCOVERY }),
      SHOWN_ERRORS,
    ),
    async (request) => {
      const id = kit.instanceOf(request)
      if (!hasToken(kit, id)) return { users: [], count: 0, instance: id, ...NO_TOKEN }
      const { only_with_server_access: withAccess = false, only_home_or_owner: homeOrOwner = false } =
        request.query as Record<string, boolean | undefined>
      return counted(
        'users',
        id,
        await orReason(
          async () => ({
            users: await userRows(
              kit.session(id),
              await serverOrNone(() => kit.session(id).server(clientSignal(request))),
              { withAccess, homeOrOwner },
              clientSignal(request),
            ),
          }),
          { users: [] },
        ),
      )
    },
  )

  app.get(
    '/api/mediaA/server_uuid',
    schema(
      'Id of the media server',
      { instance },
      Type.Object({ server_uuid: TextOrNull, ...DISCOVERY }),
      SHOWN_ERRORS,
    ),
    async (request) => {
      const id = kit.instanceOf(request)
      const { machine_id: known } = kit.profile(id)
      if (known !== '') return { server_uuid: known, instance: id, ok: true }
      if (!hasToken(kit, id)) return { server_uuid: null, instance: id, ...NO_TOKEN }
      return {
        instance: id,
        ...(await orReason(async () => ({ server_uuid: await machineOf(kit.session(id), clientSignal(request)) }), {
          server_uuid: null,
        })),
      }
    },
  )

  app.get(
    '/api/mediaA/pms',
    schema(
      'Media servers of the account',
      { instance },
      Type.Object({
        servers: Type.Array(
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
        ),
        count: Type.Integer(),
        ...DISCOVERY,
      }),
      SHOWN_ERRORS,
    ),
    async (request) => {
      const id = kit.instanceOf(request)
      if (!hasToken(kit, id)) return { servers: [], count: 0, instance: id, ...NO_TOKEN }
      return counted(
        'servers',
        id,
        await orReason(
          async () => {
            const { cloud } = await kit.session(id).person(clientSignal(request))
            return {
              servers: (await cloud.servers(clientSignal(request))).map((server) =>
                toRow(server, kit.profile(id).server_url),
              ),
            }
          },
          { servers: [] },
        ),
      )
    },
  )
}

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
