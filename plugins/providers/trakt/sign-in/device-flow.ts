// OAuth device flow: the person enters a code at Trakt while the token endpoint is polled.
import { type FlowAnswer, isPlayheadError, type ProviderKit, type SignInFlow, type UpstreamAnswer } from '@playhead/sdk'
import { ask } from '../requests.ts'
import type { Session } from '../session.ts'
import type { Profile } from '../settings.ts'
import { credentialOf, openOauth } from './tokens.ts'
import { DeviceCode, Token } from '../wire.ts'

const START_TIMEOUT_MS = 20_000
const MIN_INTERVAL_S = 5

/** The person's own application at Trakt. */
export interface Application {
  readonly clientId: string
  readonly clientSecret: string
  /** Newly entered fields, stored with the tokens. */
  readonly entered: Readonly<Partial<Pick<Profile, 'client_id' | 'client_secret'>>>
}

type Secret = Application & { readonly deviceCode: string }

const ENDINGS: Readonly<Record<number, FlowAnswer>> = {
  400: { state: 'pending' },
  404: { state: 'failed', reason: 'invalid_code' },
  409: { state: 'failed', reason: 'already_used' },
  410: { state: 'expired' },
  418: { state: 'denied' },
  429: { state: 'slow_down' },
}

/** @param application undefined when a flow resumes: its code contains it */
export function deviceFlow(
  kit: ProviderKit<Profile, Session>,
  instance: string,
  application?: Application,
): SignInFlow {
  const account = kit.account(instance)
  return {
    method: 'device_code',
    background: true,

    async start(signal) {
      const { clientId, clientSecret, entered } = application ?? applicationOf(account.current())
      const answer = await ask(openOauth(account), {
        method: 'POST',
        path: '/oauth/device/code',
        json: { client_id: clientId },
        anonymous: true,
        timeoutMs: START_TIMEOUT_MS,
        signal,
      })
      const code = await answer.json(DeviceCode)
      return {
        shown: { user_code: code.user_code, verification_url: code.verification_url },
        secret: { deviceCode: code.device_code, clientId, clientSecret, entered } satisfies Secret,
        expiresAtMs: Date.now() + code.expires_in * 1_000,
        intervalMs: Math.max(MIN_INTERVAL_S, code.interval ?? 0) * 1_000,
      }
    },

    async poll(secret, signal) {
      const { deviceCode, clientId, clientSecret, entered } = secret as Secret
      let answer: UpstreamAnswer
      try {
        answer = await ask(openOauth(account), {
          method: 'POST',
          path: '/oauth/device/token',
          json: { code: deviceCode, client_id: clientId, client_secret: clientSecret },
          accept: Object.keys(ENDINGS).map(Number),
          anonymous: true,
          signal,
        })
      } catch (error) {
        // A wrong secret is final; other errors may be temporary.
        const isRefused = isPlayheadError(error, 'PLH_AUTH_FAILED') || isPlayheadError(error, 'PLH_FORBIDDEN')
        if (isRefused) return { state: 'failed', reason: 'invalid_client' }
        throw error
      }
      const ending = ENDINGS[answer.status]
      if (ending !== undefined) {
        await answer.text()
        return ending
      }
      await account.save({ ...entered, ...credentialOf(await answer.json(Token), Date.now()) })
      await kit.forget(instance)
      return { state: 'authorized' }
    },
  }
}

export function applicationOf({ client_id: clientId, client_secret: clientSecret }: Readonly<Profile>): Application {
  return { clientId, clientSecret, entered: {} }
}
