// OAuth device flow: the person enters a code at MDBList while the token endpoint is polled.
import { type FlowAnswer, isPlayheadError, parseJson, type ProviderKit, type SignInFlow } from '@playhead/sdk'
import { readFacts } from './facts.ts'
import type { Session } from '../session.ts'
import type { Profile } from '../settings.ts'
import { credentialOf } from './tokens.ts'
import { openOauth, openUpstream } from '../upstream.ts'
import { DeviceCode, isFields, Token } from '../wire.ts'

const MIN_INTERVAL_S = 5
const GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

interface Secret {
  readonly deviceCode: string
  readonly clientId: string
}

const ENDINGS: Readonly<Record<string, FlowAnswer>> = {
  authorization_pending: { state: 'pending' },
  slow_down: { state: 'slow_down' },
  expired_token: { state: 'expired' },
  access_denied: { state: 'denied' },
}

export function deviceFlow(kit: ProviderKit<Profile, Session>, instance: string): SignInFlow {
  const account = kit.account(instance)
  return {
    method: 'device_code',
    background: true,

    async start(signal) {
      const clientId = account.current().client_id
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
        expiresAtMs: Date.now() + code.expires_in * 1_000,
        intervalMs: Math.max(MIN_INTERVAL_S, code.interval ?? 0) * 1_000,
      }
    },

    async poll(secret, signal) {
      const { deviceCode, clientId } = secret as Secret
      const answer = await openOauth(account).request({
        method: 'POST',
        path: '/oauth/token/',
        form: { grant_type: GRANT, device_code: deviceCode, client_id: clientId },
        accept: [400, 401, 403],
        anonymous: true,
        signal,
      })
      if (answer.status >= 400) return endingOf(answer.status, await answer.text())
      const credential = credentialOf(await answer.json(Token), Date.now())
      const username = await nameOf(kit, instance, credential, signal)
      await account.save({ ...credential, username })
      await kit.forget(instance)
      return { state: 'authorized', result: { expires_at: credential.expires_at } }
    },
  }
}

function endingOf(status: number, text: string): FlowAnswer {
  const ending = ENDINGS[errorIn(text)]
  return ending ?? { state: 'failed', reason: `http:${status}` }
}

function errorIn(text: string): string {
  try {
    const body: unknown = parseJson(text)
    return isFields(body) && typeof body['error'] === 'string' ? body['error'] : ''
  } catch {
    // An HTML page has no error code.
    return ''
  }
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
