// OAuth device flow: the person enters a code at MDBList while the token endpoint is polled.
import { isPlayheadError } from '@playhead/sdk'
import {
  applicationFor,
  codeTimes,
  DEVICE_GRANT,
  deviceAnswer,
  DeviceCode,
  type FlowAnswer,
  type ProviderKit,
  shippedClientId,
  type SignInFlow,
} from '@playhead/sdk/provider'
import { readFacts } from './facts.ts'
import type { Session } from '../session.ts'
import type { Profile } from '../settings.ts'
import { credentialOf } from './tokens.ts'
import { openOauth, openUpstream } from '../upstream.ts'
import { Token } from '../wire.ts'

interface Secret {
  readonly deviceCode: string
  readonly clientId: string
}

/** The person's own application, or the shipped one. */
export function codeClientOf({ ctx, profile }: ProviderKit<Profile, Session>, instance: string): string {
  return applicationFor(profile(instance), {}, shippedClientId(ctx)).clientId
}

export function deviceFlow(kit: ProviderKit<Profile, Session>, instance: string): SignInFlow {
  const account = kit.account(instance)
  return {
    method: 'device_code',
    background: true,

    async start(signal) {
      const clientId = codeClientOf(kit, instance)
      const answer = await openOauth(account).request({
        method: 'POST',
        path: '/oauth/device-authorization/',
        form: { client_id: clientId, scope: 'write' },
        anonymous: true,
        signal,
      })
      const code = await answer.json(DeviceCode)
      return {
        // The real device code stays here; clients get a random flow id.
        shown: { device_code: crypto.randomUUID(), user_code: code.user_code, verification_uri: code.verification_uri },
        secret: { deviceCode: code.device_code, clientId } satisfies Secret,
        ...codeTimes(code),
      }
    },

    async poll(secret, signal) {
      const { deviceCode, clientId } = secret as Secret
      const answer = await openOauth(account).request({
        method: 'POST',
        path: '/oauth/token/',
        form: { grant_type: DEVICE_GRANT, device_code: deviceCode, client_id: clientId },
        accept: [400, 401, 403],
        anonymous: true,
        signal,
      })
      if (answer.status >= 400) {
        const { status } = answer
        return endingOf(await answer.text()) ?? { state: 'failed', reason: `http:${status}` }
      }
      const credential = credentialOf(await answer.json(Token), clientId, Date.now())
      const username = await nameOf(kit, instance, credential, signal)
      await account.save({ ...credential, username })
      await kit.forget(instance)
      return { state: 'authorized', result: { expires_at: credential.expires_at } }
    },
  }
}

/** A route reports other refusals with their status. */
function endingOf(text: string): FlowAnswer | undefined {
  const answer = deviceAnswer(text)
  return answer?.state === 'failed' ? undefined : answer
}

/** User name for display; the sign-in works without it. */
async function nameOf(
  kit: ProviderKit<Profile, Session>,
  instance: string,
  credential: Partial<Profile>,
  signal: AbortSignal,
): Promise<string> {
  try {
    return (await readFacts(openUpstream(kit.trial(instance, credential)), signal)).name
  } catch (error) {
    if (!isPlayheadError(error)) throw error
    kit.ctx.log.info({ instance, code: error.code }, 'the name of the account is not known yet')
    return ''
  }
}
