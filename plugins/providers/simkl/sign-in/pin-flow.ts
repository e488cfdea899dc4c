// PIN sign-in: the person enters a code at SIMKL.
import { type FlowAnswer, isPlayheadError, type PlayheadError, type ProviderKit, type SignInFlow } from '@playhead/sdk'
import { openApi } from '../requests.ts'
import type { Session } from '../session.ts'
import type { Profile } from '../settings.ts'
import { PinAnswer, PinCode } from '../wire.ts'

export const METHOD = 'device_pin'
const MIN_INTERVAL_S = 5
const MAX_CODE_LENGTH = 64

interface Secret {
  readonly userCode: string
  readonly clientId: string
}

/** The client id of the person's own application, or the default one. */
export function pinClientOf({ client_id: own, pin_client_id: ours }: Readonly<Profile>): string {
  return own || ours
}

/** @param onProblem called after each poll with its error code, or undefined */
export function pinFlow(
  kit: ProviderKit<Profile, Session>,
  instance: string,
  onProblem: (problem?: string) => void = () => {},
): SignInFlow {
  const account = kit.account(instance)
  return {
    method: METHOD,
    background: false,

    async start(signal) {
      const clientId = pinClientOf(account.current())
      const code = await openApi(account).json(
        { path: '/oauth/pin', query: { client_id: clientId }, anonymous: true, signal },
        PinCode,
      )
      return {
        shown: { user_code: code.user_code.slice(0, MAX_CODE_LENGTH), verification_url: code.verification_url },
        secret: { userCode: code.user_code, clientId } satisfies Secret,
        expiresAtMs: Date.now() + code.expires_in * 1_000,
        intervalMs: Math.max(MIN_INTERVAL_S, code.interval ?? 0) * 1_000,
      }
    },

    async poll(secret, signal) {
      const { userCode, clientId } = secret as Secret
      try {
        const answer = await askOnce(userCode, clientId, signal)
        onProblem()
        return answer
      } catch (error) {
        if (isPlayheadError(error)) onProblem(problemOf(error))
        throw error
      }
    },
  }

  async function askOnce(userCode: string, clientId: string, signal: AbortSignal): Promise<FlowAnswer> {
    const answer = await openApi(account).ask({
      path: `/oauth/pin/${encodeURIComponent(userCode)}`,
      query: { client_id: clientId },
      accept: [404],
      anonymous: true,
      signal,
    })
    if (answer.status === 404) {
      await answer.text()
      return { state: 'expired' }
    }
    const { result, access_token: token, message } = await answer.json(PinAnswer)
    // Other messages leave the code valid.
    if (result !== 'OK' || !token) return { state: message === 'Slow down' ? 'slow_down' : 'pending' }
    await account.save({ access_token: token, auth_method: 'pin', client_id: clientId })
    await kit.forget(instance)
    return { state: 'authorized', result: { auth_method: 'pin' } }
  }
}

/** Error code of a failed request. */
export function problemOf(error: PlayheadError): string {
  const status = error.details?.['status']
  if (error.code === 'PLH_UPSTREAM_INVALID') return 'bad_json'
  return typeof status === 'number' ? `http:${status}` : 'network_error'
}
