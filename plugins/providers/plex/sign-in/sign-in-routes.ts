// Sign-in routes: start with a PIN, connection status, disconnect.
import { clientSignal, isPlayheadError, PlayheadError, type PluginApp, Type } from '@playhead/sdk'
import { providerRoutes, routeRow, SERVICE_ERRORS, SIGN_OUT_ERRORS } from '@playhead/sdk/provider'
import { type LibraryCache, createLibraryCache } from './library-cache.ts'
import { discoveryRows } from './discovery-routes.ts'
import { type PlexKit, pinFlow } from './sign-in.ts'
import {
  DISCOVERY,
  hasToken,
  instance,
  orReason,
  type PlexTable,
  SHOWN_ERRORS,
  Text,
  TextOrNull,
} from './route-parts.ts'
import { PlexProfile } from '../settings.ts'

const signInRows = (libraries: LibraryCache): PlexTable => ({
  'POST pin/new': routeRow({
    summary: 'Begin signing in with a PIN',
    query: { instance },
    response: {
      200: Type.Object({
        ok: Type.Boolean(),
        code: Text,
        pin_id: Type.Integer(),
        id: Type.Integer(),
        expiresIn: Type.Integer(),
        expires_epoch: Type.Integer(),
        instance: Text,
      }),
    },
    errors: {
      ...SERVICE_ERRORS,
      502: {
        upstream_unreachable: 'Plex failed, cannot be reached, or sent something that cannot be read.',
        host_not_allowed: 'The address is blocked.',
      },
      504: { upstream_unreachable: 'Plex did not answer in time.' },
    },
    async run({ kit, instance: id }) {
      try {
        return (await kit.flows.start(id, pinFlow(kit, id))).shown
      } catch (error) {
        if (
          !isPlayheadError(error) ||
          !['PLH_UPSTREAM', 'PLH_UPSTREAM_TIMEOUT', 'PLH_UPSTREAM_INVALID'].includes(error.code)
        )
          throw error
        throw new PlayheadError(error.code, 'Plex cannot be reached.', {
          cause: error,
          wire: 'upstream_unreachable',
          details: { instance: id },
        })
      }
    },
  }),

  'GET inspect': routeRow({
    summary: 'What the profile is connected to',
    query: { instance },
    response: {
      200: Type.Object({
        ...DISCOVERY,
        connected: Type.Boolean(),
        server_url: Text,
        username: Text,
        account_id: Type.Union([Type.Integer(), Type.String()]),
        machine_id: Text,
        pms_token: Type.Boolean(),
        pending: Type.Boolean(),
        expires_epoch: Type.Union([Type.Integer(), Type.Null()]),
        sign_in: TextOrNull,
        server: Type.Union([Type.Object({ name: Text, version: Text, machine_id: Text }), Type.Null()]),
        account: Type.Union([Type.Object({ id: Text, username: Text }), Type.Null()]),
      }),
    },
    errors: SHOWN_ERRORS,
    async run({ kit, instance: id, request }) {
      const unknown: {
        server: { name: string; version: string; machine_id: string } | null
        account: { id: string; username: string } | null
      } = { server: null, account: null }
      const seen = hasToken(kit, id)
        ? await orReason(async () => {
            const session = kit.session(id)
            const person = await session.person(clientSignal(request))
            const { binding } = await session.server(clientSignal(request))
            return {
              server: { name: binding.name, version: binding.version, machine_id: binding.machineId },
              account: { id: person.id, username: person.name },
            }
          }, unknown)
        : unknown
      const flow = kit.flows.state(id, 'device_pin')
      const { server_url, username, account_id, machine_id, pms_token: token } = kit.profile(id)
      return {
        ...seen,
        connected: hasToken(kit, id),
        server_url,
        username,
        account_id,
        machine_id,
        pms_token: token !== '',
        pending: flow?.state === 'pending',
        expires_epoch: flow?.state === 'pending' ? Math.floor(flow.expiresAtMs / 1_000) : null,
        sign_in: flow?.state ?? null,
      }
    },
  }),

  'POST token/delete': routeRow({
    summary: 'Disconnect the profile and reset its settings',
    query: { instance },
    response: { 200: Type.Object({ ok: Type.Boolean(), instance: Text }) },
    errors: SIGN_OUT_ERRORS,
    async run({ kit, instance: id }) {
      await kit.assertUnused(id)
      await kit.disconnect(id)
      // The cloud URL does not belong to the account.
      const keys = Object.keys(PlexProfile.properties).filter((key) => key !== 'cloud_url')
      await kit.account(id).save(Object.fromEntries(keys.map((key) => [key, undefined])))
      libraries.forget(id)
      return {}
    },
  }),
})

export function registerRoutes(app: PluginApp, kit: PlexKit): void {
  const libraries = createLibraryCache()
  providerRoutes({ ...signInRows(libraries), ...discoveryRows(libraries) })(app, kit)
}
