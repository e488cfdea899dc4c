// TV sign-in: the person opens a link and approves, then the code is exchanged for tokens. The exchange secret and the
// anonymous session stay in the flow.
import { randomBytes } from 'node:crypto'
import {
  type FlowAnswer,
  isPlayheadError,
  PlayheadError,
  type ProviderKit,
  type SignInFlow,
  Type,
  type UpstreamAccount,
} from '@playhead/sdk'
import { lastingMs, linkOf } from './login-answers.ts'
import { listPeople, type Person } from './people.ts'
import { ask } from '../rpc.ts'
import type { Session } from '../session.ts'
import type { Profile } from '../settings.ts'
import { credentialOf } from './tokens.ts'
import { openUpstream } from '../as-person.ts'
import { openCaller, openPublic } from '../upstream.ts'
import { Login, LoginState, type Tokens, tokensOf } from '../wire.ts'

type Kit = ProviderKit<Profile, Session>

const DEFAULT_INTERVAL_S = 3
const MIN_INTERVAL_S = 1

interface Secret {
  readonly code: string
  readonly nonce: string
  readonly callerToken: string
}

/** Meaning of each status; others mean waiting. */
const ENDINGS: Readonly<Record<string, FlowAnswer>> = {
  expired: { state: 'expired', reason: 'expired' },
  used: { state: 'failed', reason: 'used' },
  cancelled: { state: 'denied', reason: 'cancelled' },
}

/** @param page where the person approves */
export function tvLogin(kit: Kit, instance: string, page = kit.profile(instance).web_url): SignInFlow {
  const account = kit.account(instance)
  return {
    method: 'tv_login',
    background: false,

    async start(signal) {
      const caller = await gain(openPublic(account), 'auth/v1/signup', { data: { tv_client: 'playhead' } }, signal)
      const nonce = randomBytes(24).toString('hex')
      const [login] = await ask(
        openCaller(account, caller.accessToken),
        'start_tv_login_session',
        { p_device_nonce: nonce, p_redirect_base_url: page, p_device_name: 'Playhead' },
        Login,
        signal,
      )
      const link = login === undefined ? undefined : linkOf(login, page)
      if (login === undefined || link === undefined)
        throw new PlayheadError('PLH_UPSTREAM_INVALID', 'Nuvio sent no sign-in link.')
      const nowMs = Date.now()
      return {
        shown: { code: login.code, login_url: link },
        secret: { code: login.code, nonce, callerToken: caller.accessToken } satisfies Secret,
        expiresAtMs: nowMs + lastingMs(login, nowMs),
        intervalMs: Math.max(MIN_INTERVAL_S, login.poll_interval_seconds ?? DEFAULT_INTERVAL_S) * 1_000,
      }
    },

    async poll(secret, signal) {
      const { code, nonce, callerToken } = secret as Secret
      try {
        const caller = openCaller(account, callerToken)
        const [state] = await ask(
          caller,
          'poll_tv_login_session',
          { p_code: code, p_device_nonce: nonce },
          LoginState,
          signal,
        )
        if (state?.status !== 'approved') return ENDINGS[state?.status ?? ''] ?? { state: 'pending' }
        const tokens = await gain(
          openPublic(account),
          'functions/v1/tv-logins-exchange',
          { code, device_nonce: nonce },
          signal,
        )
        // Another person may have signed in, so the chosen profile is reset.
        await account.save({ ...credentialOf(tokens), profile_id: '', profile_name: '' })
        await kit.forget(instance)
        return { state: 'authorized' }
      } catch (error) {
        if (isPlayheadError(error, 'PLH_EXPIRED')) return { state: 'expired', reason: 'expired' }
        throw error
      }
    },
  }
}

/** The profiles of the account. A single profile is selected unless it is locked. */
export async function peopleAfterSignIn(kit: Kit, instance: string): Promise<readonly Person[]> {
  const account = kit.account(instance)
  const people = await listPeople(openUpstream(account))
  const [only] = people
  if (people.length === 1 && only !== undefined && !only.isLocked && account.current().profile_id === '')
    await choose(kit, instance, only)
  return people
}

export async function choose(kit: Kit, instance: string, { index, name }: Person): Promise<void> {
  await kit.account(instance).save({ profile_id: index, profile_name: name.slice(0, 200) })
  await kit.forget(instance)
}

/** Exchanges a one-time code or token; cannot be repeated. */
async function gain(upstream: UpstreamAccount, path: string, json: object, signal: AbortSignal): Promise<Tokens> {
  const answer = await upstream.request({ method: 'POST', path, json, signal })
  const tokens = tokensOf(await answer.json(Type.Unknown()), Date.now())
  if (tokens === undefined) throw new PlayheadError('PLH_UPSTREAM_INVALID', 'Nuvio sent no tokens.')
  return tokens
}
