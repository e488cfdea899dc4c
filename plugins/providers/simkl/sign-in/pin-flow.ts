// PIN sign-in: the device code flow of AUTH V2. The person enters a code at SIMKL.
import { PlayheadError } from '@playhead/sdk'
import {
  codeTimes,
  DEVICE_GRANT,
  deviceAnswer,
  DeviceCode,
  type FlowAnswer,
  oauthError,
  type ProviderKit,
  shippedClientId,
  type SignInFlow,
} from '@playhead/sdk/provider'
import { openUpstream } from '../upstream.ts'
import type { Session } from '../session.ts'
import type { Profile } from '../settings.ts'
import { Token } from '../wire.ts'
import { askOauth, credentialOf, mayWrite, REFUSED, SCOPE } from './tokens.ts'

export const METHOD = 'device_pin'

interface Secret {
  readonly deviceCode: string
  readonly clientId: string
}

/** The client id of the person's own application, or the default one, or the shipped one. */
export function pinClientOf({ ctx, profile }: ProviderKit<Profile, Session>, instance: string): string {
  const { client_id: own, pin_client_id: ours } = profile(instance)
  return own || ours || shippedClientId(ctx)
}

export function pinFlow(kit: ProviderKit<Profile, Session>, instance: string): SignInFlow {
  const account = kit.account(instance)
  return {
    method: METHOD,
    background: false,

    async start(signal) {
      const clientId = pinClientOf(kit, instance)
      const answer = await askOauth(openUpstream(account), 'device', { client_id: clientId, scope: SCOPE }, signal)
      if (REFUSED.includes(answer.status)) throw refused(answer.status, oauthError(await answer.text()))
      const code = await answer.json(DeviceCode)
      return {
        shown: { user_code: code.user_code, verification_url: code.verification_uri },
        secret: { deviceCode: code.device_code, clientId } satisfies Secret,
        ...codeTimes(code),
      }
    },

    async poll(secret, signal): Promise<FlowAnswer> {
      const { deviceCode, clientId } = secret as Secret
      const form = { grant_type: DEVICE_GRANT, device_code: deviceCode, client_id: clientId }
      const answer = await askOauth(openUpstream(account), 'token', form, signal)
      // An unknown error leaves the code valid until it expires.
      if (REFUSED.includes(answer.status)) return deviceAnswer(await answer.text()) ?? { state: 'pending' }
      const token = await answer.json(Token)
      if (!mayWrite(token.scope)) return { state: 'failed', reason: 'read_only' }
      await account.save(credentialOf(token, clientId, 'pin'))
      await kit.forget(instance)
      return { state: 'authorized', result: { auth_method: 'pin' } }
    },
  }
}

/** Before a code was issued, both errors concern the application: SIMKL does not know it, or it uses AUTH V1. */
function refused(status: number, code: string): PlayheadError {
  const isApplication = status === 401 || code === 'invalid_client' || code === 'unauthorized_client'
  return isApplication
    ? new PlayheadError('PLH_FORBIDDEN', 'SIMKL rejected this application. It may be an AUTH V1 application.', {
        wire: 'client_id_failed',
        details: { status, reason: 'client_id_failed' },
      })
    : new PlayheadError('PLH_UPSTREAM', 'SIMKL did not start the sign-in.', { details: { status } })
}

/** Error code of a failed request. */
export function problemOf(error: PlayheadError): string {
  const status = error.details?.['status']
  if (error.code === 'PLH_UPSTREAM_INVALID') return 'bad_json'
  return typeof status === 'number' ? `http:${status}` : 'network_error'
}
