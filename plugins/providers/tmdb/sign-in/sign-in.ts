// Sign-in: a request token that the person approves at TMDB is exchanged for a session.
import {
  type AccountContext,
  type FlowAnswer,
  type ProviderKit,
  type SignInFlow,
  type UpstreamAccount,
  isPlayheadError,
} from '@playhead/sdk'
import { parseTime } from '@playhead/sdk/items'
import { refused } from './failures.ts'
import { type Session, readAccount } from '../session.ts'
import type { Profile } from '../settings.ts'
import { openAccount, openApi } from '../upstream.ts'
import { Accepted, Account, NewSession, RequestToken } from '../wire.ts'

const PAGE = 'https://www.themoviedb.org/authenticate/'
const LIFETIME_MS = 3_600_000
const TIMEOUT_MS = 15_000

export const METHOD = 'request_token'

type Kit = ProviderKit<Profile, Session>

interface Secret {
  readonly token: string
  readonly key: string
}

/** `key` is undefined when a flow resumes: its secret contains it. */
export function tokenFlow(kit: Kit, instance: string, key = kit.profile(instance).api_key): SignInFlow {
  return {
    method: METHOD,
    // Polled when the person returns or checks.
    background: false,

    async start(signal) {
      const api = openApi(kit.trial(instance, { api_key: key }))
      const answer = await refused(
        await api.request({ path: '/authentication/token/new', accept: [401], timeoutMs: TIMEOUT_MS, signal }),
      )
      const { request_token: token, expires_at: expires } = await answer.json(RequestToken)
      const expiresAtMs = parseTime(expires)?.atMs ?? Date.now() + LIFETIME_MS
      return {
        shown: {
          request_token: token,
          auth_url: PAGE + encodeURIComponent(token),
          expires_at: expires ?? new Date(expiresAtMs).toISOString(),
        },
        secret: { token, key } satisfies Secret,
        expiresAtMs,
        intervalMs: 0,
      }
    },

    async poll(secret, signal): Promise<FlowAnswer> {
      try {
        return { state: 'authorized', result: await finishWith(kit, instance, secret as Secret, signal) }
      } catch (error) {
        if (!isPlayheadError(error, 'PLH_AUTH_FAILED')) throw error
        if (error.wire === 'not_approved') return { state: 'pending' }
        // The token was valid before, so it has expired.
        if (error.wire === 'invalid_request_token') return { state: 'expired' }
        return { state: 'failed', reason: error.wire }
      }
    },
  }
}

/**
 * Creates the session and stores it. Throws `PLH_AUTH_FAILED` (`not_approved`, `invalid_request_token`,
 * `invalid_api_key`).
 */
export async function finishWith(kit: Kit, instance: string, { token, key }: Secret, signal: AbortSignal) {
  const trial = kit.trial(instance, { api_key: key })
  const answer = await refused(
    await openApi(trial).request({
      method: 'POST',
      path: '/authentication/session/new',
      json: { request_token: token },
      accept: [401],
      timeoutMs: TIMEOUT_MS,
      signal,
    }),
  )
  const { session_id: session } = await answer.json(NewSession)
  const owner = await ownerOf(openAccount(trial, session), kit, instance, signal)
  await kit.account(instance).save({ api_key: key, session_id: session, ...owner })
  await kit.forget(instance)
  return owner
}

/** A token can be exchanged once, so the session is stored even if its owner is unknown. */
async function ownerOf(api: UpstreamAccount, kit: Kit, instance: string, signal: AbortSignal) {
  try {
    const { id, username } = await readAccount(api, signal)
    return { account_id: String(id), username: username ?? '' }
  } catch (error) {
    if (!isPlayheadError(error) || error.code === 'PLH_AUTH_FAILED') throw error
    kit.ctx.log.warn(
      { instance, code: error.code },
      'TMDB did not return the owner of the session; this is retried later',
    )
    return { account_id: '', username: '' }
  }
}

/** Returns the account of the session. Throws `PLH_AUTH_FAILED` (`invalid_session`, `invalid_api_key`). */
export async function checkSession(api: UpstreamAccount) {
  const { id, username } = await (
    await refused(await api.request({ path: '/account', accept: [401], timeoutMs: TIMEOUT_MS }))
  ).json(Account)
  return { account_id: String(id), username: username ?? '' }
}

/** Throws `PLH_AUTH_FAILED` (`invalid_api_key`). */
export async function checkKey(api: UpstreamAccount): Promise<void> {
  const answer = await refused(await api.request({ path: '/authentication', accept: [401], timeoutMs: TIMEOUT_MS }))
  await answer.json(Accepted)
}

export async function endSession(account: AccountContext<Profile>, signal: AbortSignal): Promise<void> {
  const { session_id } = account.profile
  const answer = await openApi(account).request({
    method: 'DELETE',
    path: '/authentication/session',
    json: { session_id },
    accept: [401, 404],
    idempotent: true,
    signal,
  })
  await answer.text()
}

/** Undefined for a well-formed key. */
export function keyProblem(key: string): string | undefined {
  if (key === '') return 'api_key_required'
  if (/^bearer\s/i.test(key)) return 'bearer_prefix'
  if (/^eyJ[\w-]+\.[\w-]+\.[\w-]*$/.test(key)) return 'v4_token_given'
  return /^[0-9a-f]{32}$/i.test(key) ? undefined : 'invalid_format'
}
