// Quick Connect: the person enters a code in another session, and the secret of the server is exchanged for a token.
// The secret is as sensitive as a credential and never leaves the process.
import { isPlayheadError, PlayheadError, type SignInFlow, Type, type UpstreamAccount } from '@playhead/sdk'
import { findServer, granted, type Kit, openAnonymously, type Server, SignedIn } from '@playhead/media-browser'
import dialect from './dialect.ts'

/** Lifetime of a code at the server. */
const LIFE_MS = 600_000
const INTERVAL_MS = 2_000

const Initiated = Type.Object({ Secret: Type.String({ minLength: 1 }), Code: Type.String({ minLength: 1 }) })
const Connected = Type.Object({ Authenticated: Type.Boolean() })

interface Secret {
  readonly secret: string
  readonly server: string
  readonly version: string
  readonly deviceId: string
  readonly verifySsl: boolean
}

export async function isEnabled({ upstream }: Server): Promise<boolean> {
  return upstream.json({ path: 'QuickConnect/Enabled' }, Type.Boolean())
}

export function quickConnect(kit: Kit, instance: string, server: Server, verifySsl: boolean): SignInFlow {
  return {
    ...storedQuickConnect(kit, instance),
    async start(signal) {
      const { Secret, Code } = await server.upstream.json(
        { method: 'POST', path: 'QuickConnect/Initiate', signal },
        Initiated,
      )
      const secret: Secret = {
        secret: Secret,
        server: server.address,
        version: server.version,
        deviceId: server.deviceId,
        verifySsl,
      }
      return { shown: { code: Code }, secret, expiresAtMs: Date.now() + LIFE_MS, intervalMs: INTERVAL_MS }
    },
  }
}

/** The flow at the server of the settings, also one that is in progress after a reload of the plugin. */
export function storedQuickConnect(kit: Kit, instance: string): SignInFlow {
  // A flow has one secret, and so one server.
  let upstream: UpstreamAccount | undefined
  return {
    method: 'quick_connect',
    background: true,
    async start(signal) {
      const { server: address, verify_ssl: verifySsl } = kit.profile(instance)
      const server = await findServer(kit.trial(instance, { verify_ssl: verifySsl, server: address }), dialect, address)
      if (!(await isEnabled(server)))
        throw new PlayheadError('PLH_UNSUPPORTED', 'Quick Connect is turned off on the server.', { wire: 'disabled' })
      await kit.account(instance).save({ server: server.address, device_id: server.deviceId })
      return quickConnect(kit, instance, server, verifySsl).start(signal)
    },
    async poll(kept, signal) {
      const { secret, server: address, version, deviceId, verifySsl } = kept as Secret
      const trial = kit.trial(instance, { server: address, verify_ssl: verifySsl, device_id: deviceId })
      upstream ??= openAnonymously(trial, dialect, address, deviceId)
      try {
        const { Authenticated } = await upstream.json(
          { path: 'QuickConnect/Connect', query: { secret }, signal },
          Connected,
        )
        if (!Authenticated) return { state: 'pending' }
      } catch (error) {
        // The server no longer knows the code: it expired or was replaced.
        if (isPlayheadError(error, 'PLH_NOT_FOUND')) return { state: 'expired', reason: 'expired' }
        throw error
      }
      try {
        const request = {
          method: 'POST',
          path: 'Users/AuthenticateWithQuickConnect',
          json: { Secret: secret },
          signal,
        } as const
        const grant = granted(
          { address, version, deviceId },
          await upstream.json(request, SignedIn),
          'quick_connect',
          verifySsl,
        )
        await kit.account(instance).save({ ...grant, api_key: '', password: '' })
        await kit.forget(instance)
        return {
          state: 'authorized',
          result: { user_id: grant.user_id, username: grant.user, server: address, server_version: version },
        }
      } catch (error) {
        if (isPlayheadError(error, 'PLH_NOT_FOUND')) return { state: 'expired', reason: 'expired' }
        if (isPlayheadError(error, 'PLH_AUTH_FAILED')) return { state: 'denied', reason: 'unauthorized' }
        if (isPlayheadError(error) && error.details?.['status'] === 403)
          return { state: 'denied', reason: 'not_authorized' }
        throw error
      }
    },
  }
}
