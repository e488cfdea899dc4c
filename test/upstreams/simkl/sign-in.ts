// Sign-in, old and new. AUTH V1: a PIN, or a page and a secret, and a token that does not expire; it refuses applications of
// AUTH V2. AUTH V2: a device code (RFC 8628), or a page with PKCE; access tokens expire, and a refresh token stays the same. A
// token that is sent with the id of another application is revoked.
import { createHash, randomBytes } from 'node:crypto'
import type { UpstreamReply } from '../base/index.ts'
import type { Account, State, Token } from './state.ts'

export const PIN = { lifetimeS: 900, intervalS: 5 } as const
const WEEK_MS = 7 * 86_400_000
const REFRESH_MS = 180 * 86_400_000
/** Timers fire a little early. */
const SLACK_MS = 250
const SCOPES = ['media:read', 'media:write']
const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

type Form = Readonly<Record<string, unknown>>

const refused = (status: number, error: string): UpstreamReply => ({ status, json: { error } })

export function startPin(state: State): UpstreamReply {
  const code = newPin(state, state.v1ClientId, SCOPES)
  return {
    status: 200,
    json: {
      result: 'OK',
      device_code: 'DEVICE_CODE',
      user_code: code,
      verification_url: 'https://simkl.com/pin/',
      expires_in: PIN.lifetimeS,
      interval: PIN.intervalS,
    },
  }
}

export function askPin(state: State, code: string): UpstreamReply {
  const pin = state.pins.get(code)
  const nowMs = state.nowMs()
  if (pin === undefined || nowMs >= pin.expiresAtMs) return { status: 404, json: { error: 'not_found' } }
  const isTooFast = nowMs - pin.lastAskedAtMs < PIN.intervalS * 1_000 - SLACK_MS
  pin.lastAskedAtMs = nowMs
  if (isTooFast) return { status: 200, json: { result: 'KO', message: 'Slow down' } }
  if (pin.approvedBy === undefined) return { status: 200, json: { result: 'KO', message: 'Authorization pending' } }
  state.pins.delete(code)
  return { status: 200, json: { result: 'OK', access_token: issueV1(state, pin.approvedBy) } }
}

export function exchangeV1(state: State, body: Form): UpstreamReply {
  const known = state.codes.get(String(body['code']))
  state.codes.delete(String(body['code']))
  if (
    known === undefined ||
    known.clientId !== state.v1ClientId ||
    body['client_secret'] !== state.v1ClientSecret ||
    body['redirect_uri'] !== known.redirectUri ||
    body['grant_type'] !== 'authorization_code'
  ) {
    return refused(401, 'grant_error')
  }
  return { status: 200, json: { access_token: issueV1(state, known.account), token_type: 'bearer', scope: 'public' } }
}

export function startDevice(state: State, form: Form): UpstreamReply {
  const refusal = refusedClient(state, form)
  if (refusal !== undefined) return refusal
  const code = newPin(state, state.clientId, scopesOf(form['scope']))
  return {
    status: 200,
    json: {
      device_code: state.pins.get(code)?.deviceCode,
      user_code: code,
      verification_uri: 'https://simkl.com/pin/',
      verification_uri_complete: `https://simkl.com/pin/${code}`,
      expires_in: PIN.lifetimeS,
      interval: PIN.intervalS,
    },
  }
}

export function token(state: State, form: Form): UpstreamReply {
  const refusal = refusedClient(state, form)
  if (refusal !== undefined) return refusal
  switch (form['grant_type']) {
    case DEVICE_GRANT:
      return pollDevice(state, form)
    case 'authorization_code':
      return exchange(state, form)
    case 'refresh_token':
      return refresh(state, form)
    default:
      return refused(400, 'unsupported_grant_type')
  }
}

/** Either token revokes the whole grant. The response is always a success. */
export function revoke(state: State, form: Form): UpstreamReply {
  const found = [...state.tokens.values()].find(
    ({ access, refresh: other }) => access === form['token'] || other === form['token'],
  )
  if (found !== undefined) state.tokens.delete(found.access)
  return { status: 200, json: {} }
}

function pollDevice(state: State, form: Form): UpstreamReply {
  const [code, pin] = [...state.pins].find(([, one]) => one.deviceCode === form['device_code']) ?? []
  if (code === undefined || pin === undefined) return refused(400, 'invalid_grant')
  const nowMs = state.nowMs()
  if (nowMs >= pin.expiresAtMs) return refused(400, 'expired_token')
  const isTooFast = nowMs - pin.lastAskedAtMs < PIN.intervalS * 1_000 - SLACK_MS
  pin.lastAskedAtMs = nowMs
  if (isTooFast) return refused(400, 'slow_down')
  if (pin.isDenied) return refused(400, 'access_denied')
  if (pin.approvedBy === undefined) return refused(400, 'authorization_pending')
  state.pins.delete(code)
  return granted(state, issueToken(state, pin.approvedBy, pin.scopes))
}

function exchange(state: State, form: Form): UpstreamReply {
  const known = state.codes.get(String(form['code']))
  state.codes.delete(String(form['code']))
  const verifier = form['code_verifier']
  const isProven =
    typeof verifier === 'string' && createHash('sha256').update(verifier).digest('base64url') === known?.challenge
  return known === undefined || known.redirectUri !== form['redirect_uri'] || !isProven
    ? refused(400, 'invalid_grant')
    : granted(state, issueToken(state, known.account, known.scopes))
}

function refresh(state: State, form: Form): UpstreamReply {
  const old = [...state.tokens.values()].find((one) => one.refresh !== '' && one.refresh === form['refresh_token'])
  if (old === undefined || state.nowMs() >= old.refreshEndsAtMs) return refused(400, 'invalid_grant')
  state.tokens.delete(old.access)
  return granted(state, issueToken(state, old.account, old.scopes, state.rotates ? undefined : old.refresh))
}

function refusedClient(state: State, form: Form): UpstreamReply | undefined {
  const isKnown = form['client_id'] === state.clientId && (form['client_secret'] ?? '') === state.clientSecret
  return isKnown ? undefined : refused(401, 'invalid_client')
}

/** Missing or unknown scopes are not granted, which is not an error. */
export function scopesOf(asked: unknown): readonly string[] {
  const found = typeof asked === 'string' ? asked.split(' ') : []
  return SCOPES.filter((scope) => scope === 'media:read' || found.includes(scope))
}

export function issueToken(
  state: State,
  account: Account,
  scopes: readonly string[] = SCOPES,
  kept = `simkl_rt_${randomBytes(24).toString('base64url')}`,
): Token {
  return keep(state, {
    access: `simkl_at_${randomBytes(24).toString('base64url')}`,
    refresh: kept,
    account,
    scopes,
    clientId: state.clientId,
    expiresAtMs: state.nowMs() + WEEK_MS,
    refreshEndsAtMs: state.nowMs() + REFRESH_MS,
  })
}

export function issueV1(state: State, account: Account): string {
  return keep(state, {
    access: randomBytes(32).toString('hex'),
    refresh: '',
    account,
    scopes: SCOPES,
    clientId: state.v1ClientId,
    expiresAtMs: Infinity,
    refreshEndsAtMs: Infinity,
  }).access
}

/** The token of a request; undefined if it is invalid or expired. */
export function authenticate(state: State, access: string, clientId: string): Token | undefined {
  const found = state.tokens.get(access)
  if (found === undefined || state.nowMs() >= found.expiresAtMs) return undefined
  if (found.clientId === clientId) return found
  state.tokens.delete(access)
  return undefined
}

function keep(state: State, issued: Token): Token {
  state.tokens.set(issued.access, issued)
  return issued
}

function newPin(state: State, clientId: string, scopes: readonly string[]): string {
  const code = randomBytes(4).toString('hex').toUpperCase()
  state.pins.set(code, {
    deviceCode: randomBytes(24).toString('hex'),
    clientId,
    scopes,
    expiresAtMs: state.nowMs() + PIN.lifetimeS * 1_000,
    lastAskedAtMs: -Infinity,
    approvedBy: undefined,
    isDenied: false,
  })
  return code
}

function granted(state: State, { access, refresh: refreshToken, scopes, expiresAtMs }: Token): UpstreamReply {
  return {
    status: 200,
    json: {
      access_token: access,
      refresh_token: refreshToken,
      token_type: 'Bearer',
      expires_in: Math.round((expiresAtMs - state.nowMs()) / 1_000),
      ...state.scopeAs(scopes),
    },
  }
}
