// Sessions: anonymous ones, the sign-in of a television, and tokens that can be refreshed once.
import { randomBytes } from 'node:crypto'
import type { UpstreamReply, UpstreamRequest } from '../base/index.ts'
import { ok, raise, Refusal, refuseToken, VOID } from './replies.ts'
import type { Account, Login, State, Token } from './state.ts'

export const LOGIN = { lifetimeMs: 300_000, mostPolls: 240 } as const

type Body = Readonly<Record<string, unknown>>

export interface TokenAnswer {
  readonly access_token: string
  readonly refresh_token: string
  readonly token_type: 'bearer'
  readonly expires_in: number
  readonly user: { readonly id: string }
}

export function checkKey(state: State, { headers }: UpstreamRequest): void {
  if (headers['apikey'] !== state.clientKey) throw new Refusal(401, 'key', 'Invalid API key')
}

/** The token of the caller, or undefined for the client key alone. */
export function callerOf(state: State, { headers }: UpstreamRequest): Token | undefined {
  const bearer = String(headers.authorization ?? '').replace(/^Bearer /, '')
  if (bearer === state.clientKey) return undefined
  const token = state.access.get(bearer)
  return token === undefined || token.expiresAtMs <= state.nowMs() ? refuseToken() : token
}

export function accountOf(caller: Token | undefined): Account {
  if (caller?.account === undefined) throw new Refusal(403, '42501', 'Authentication required')
  return caller.account
}

export function issue(
  state: State,
  account: Account | undefined,
  family = randomBytes(8).toString('hex'),
): TokenAnswer {
  const access = randomBytes(24).toString('hex')
  const refresh = randomBytes(24).toString('hex')
  state.access.set(access, { account, family, expiresAtMs: state.nowMs() + state.tokenLifetimeS * 1_000 })
  if (account !== undefined) state.refresh.set(refresh, { account, family, used: false })
  return {
    access_token: access,
    refresh_token: refresh,
    token_type: 'bearer',
    expires_in: state.tokenLifetimeS,
    user: { id: account?.id ?? 'nameless' },
  }
}

export function renew(state: State, { refresh_token: given }: Body): UpstreamReply {
  const known = state.refresh.get(String(given))
  if (known === undefined) throw new Refusal(400, 'refresh_token_not_found', 'Invalid Refresh Token')
  if (known.used) {
    // A reused token was stolen: end the whole sign-in.
    endFamily(state, known.family)
    throw new Refusal(400, 'refresh_token_already_used', 'Invalid Refresh Token: Already Used')
  }
  known.used = true
  return ok(issue(state, known.account, known.family))
}

export function logOut(state: State, caller: Token | undefined, scope: string | null): UpstreamReply {
  if (caller !== undefined && scope === 'local') endFamily(state, caller.family)
  // Signs out every device of the person.
  else if (caller !== undefined) {
    const families = [...state.access.values()]
      .filter(({ account }) => account === caller.account)
      .map(({ family }) => family)
    for (const family of families) endFamily(state, family)
  }
  return VOID
}

export function startLogin(state: State, body: Body): UpstreamReply {
  const { p_device_nonce: nonce, p_redirect_base_url: page } = body
  if (typeof nonce !== 'string' || nonce.length < 12) raise('Invalid device nonce')
  if (typeof page !== 'string' || !page.includes('/tv-login')) raise('Invalid redirect base url')
  const code = randomBytes(16).toString('hex')
  const expiresAtMs = state.nowMs() + LOGIN.lifetimeMs
  state.logins.set(code, { nonce, expiresAtMs, polls: 0, status: 'pending', account: undefined })
  return ok([
    {
      code,
      web_url: `${page}?code=${code}`,
      expires_at: new Date(expiresAtMs).toISOString(),
      poll_interval_seconds: state.loginIntervalS,
    },
  ])
}

export function pollLogin(state: State, { p_code: code, p_device_nonce: nonce }: Body): UpstreamReply {
  const login = loginOf(state, code, nonce)
  login.polls += 1
  const isOver = state.nowMs() >= login.expiresAtMs || login.polls > LOGIN.mostPolls
  const status = isOver && login.status === 'pending' ? 'expired' : login.status
  return ok([
    { status, expires_at: new Date(login.expiresAtMs).toISOString(), poll_interval_seconds: state.loginIntervalS },
  ])
}

export function exchange(state: State, { code, device_nonce: nonce }: Body): UpstreamReply {
  const login = loginOf(state, code, nonce)
  if (login.status !== 'approved' || login.account === undefined) raise('Invalid TV login session')
  login.status = 'used'
  return ok(issue(state, login.account))
}

function loginOf(state: State, code: unknown, nonce: unknown): Login {
  const login = state.logins.get(String(code))
  return login === undefined || login.nonce !== nonce ? raise('Invalid TV login session') : login
}

function endFamily(state: State, family: string): void {
  for (const [token, one] of state.access) if (one.family === family) state.access.delete(token)
  for (const [token, one] of state.refresh) if (one.family === family) state.refresh.delete(token)
}
