// OAuth device flow: the person enters a code at Trakt while the token endpoint is polled. An application without a
// secret proves itself with PKCE instead.
import { isPlayheadError, type UpstreamAnswer } from '@playhead/sdk'
import {
  type Application,
  applicationFor,
  challengeOf,
  clientFields,
  codeTimes,
  createVerifier,
  deviceAnswer,
  type FlowAnswer,
  type ProviderKit,
  shippedClientId,
  type SignInFlow,
} from '@playhead/sdk/provider'
import type { Session } from '../session.ts'
import type { Profile } from '../settings.ts'
import { credentialOf, openOauth } from './tokens.ts'
import { DeviceCode, Token } from '../wire.ts'

const START_TIMEOUT_MS = 20_000

interface Applicant extends Application {
  /** Newly entered fields, stored with the tokens. */
  readonly entered: Readonly<Partial<Pick<Profile, 'client_id' | 'client_secret'>>>
}

interface Secret extends Applicant {
  readonly deviceCode: string
  /** Empty where the application has a secret. */
  readonly verifier: string
}

const ENDINGS: Readonly<Record<number, FlowAnswer>> = {
  404: { state: 'failed', reason: 'invalid_code' },
  409: { state: 'failed', reason: 'already_used' },
  410: { state: 'expired' },
  418: { state: 'denied' },
  429: { state: 'slow_down' },
}
const REFUSED = [400, ...Object.keys(ENDINGS).map(Number)]

/** @param applicant undefined when a flow resumes: its code contains it */
export function deviceFlow(kit: ProviderKit<Profile, Session>, instance: string, applicant?: Applicant): SignInFlow {
  const account = kit.account(instance)
  return {
    method: 'device_code',
    background: true,

    async start(signal) {
      const { clientId, clientSecret, entered } = applicant ?? applicantOf(kit, instance)
      const verifier = clientSecret === '' ? createVerifier() : ''
      const answer = await openOauth(account).request({
        method: 'POST',
        path: '/oauth/device/code',
        json: {
          client_id: clientId,
          ...(verifier === '' ? {} : { code_challenge: challengeOf(verifier), code_challenge_method: 'S256' }),
        },
        anonymous: true,
        timeoutMs: START_TIMEOUT_MS,
        signal,
      })
      const code = await answer.json(DeviceCode)
      return {
        shown: { user_code: code.user_code, verification_url: code.verification_url },
        secret: { deviceCode: code.device_code, verifier, clientId, clientSecret, entered } satisfies Secret,
        ...codeTimes(code),
      }
    },

    async poll(secret, signal) {
      const { deviceCode, verifier = '', entered, ...application } = secret as Secret
      let answer: UpstreamAnswer
      try {
        answer = await openOauth(account).request({
          method: 'POST',
          path: '/oauth/device/token',
          json: {
            code: deviceCode,
            ...clientFields(application),
            ...(verifier === '' ? {} : { code_verifier: verifier }),
          },
          accept: REFUSED,
          anonymous: true,
          signal,
        })
      } catch (error) {
        // A wrong secret is final; other errors may be temporary.
        const isRefused = isPlayheadError(error, 'PLH_AUTH_FAILED') || isPlayheadError(error, 'PLH_FORBIDDEN')
        if (isRefused) return { state: 'failed', reason: 'invalid_client' }
        throw error
      }
      if (REFUSED.includes(answer.status)) {
        const text = await answer.text()
        // 400 is pending, unless its body says otherwise.
        return ENDINGS[answer.status] ?? deviceAnswer(text) ?? { state: 'pending' }
      }
      await account.save({ ...entered, ...credentialOf(await answer.json(Token), application.clientId, Date.now()) })
      await kit.forget(instance)
      return { state: 'authorized' }
    },
  }
}

/** @param entered fields of the form, not stored yet */
export function applicantOf(
  { ctx, profile }: ProviderKit<Profile, Session>,
  instance: string,
  entered: Applicant['entered'] = {},
): Applicant {
  return applicationFor(profile(instance), entered, shippedClientId(ctx))
}
