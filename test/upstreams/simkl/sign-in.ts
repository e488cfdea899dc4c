// Signing in: with a PIN that is typed in on the website, or over the page that asks whether an application may.
import { createHash, randomBytes } from 'node:crypto'
import type { UpstreamReply } from '../base/index.ts'
import type { Account, State } from './state.ts'

export const PIN = { lifetimeS: 900, intervalS: 5 } as const
/** Timers fire a little early. */
const SLACK_MS = 250

export function startPin(state: State): UpstreamReply {
  const code = randomBytes(4).toString('hex').toUpperCase()
  state.pins.set(code, {
    expiresAtMs: state.nowMs() + PIN.lifetimeS * 1_000,
    lastAskedAtMs: -Infinity,
    approvedBy: undefined,
  })
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
  return { status: 200, json: { result: 'OK', access_token: issueToken(state, pin.approvedBy) } }
}

export function exchange(state: State, body: Readonly<Record<string, unknown>>): UpstreamReply {
  const {
    code,
    client_id: id,
    client_secret: secret,
    redirect_uri: uri,
    grant_type: grant,
    code_verifier: verifier,
  } = body
  const known = state.codes.get(String(code))
  state.codes.delete(String(code))
  const isProven =
    known?.challenge == null ||
    (typeof verifier === 'string' && createHash('sha256').update(verifier).digest('base64url') === known.challenge)
  if (
    known === undefined ||
    id !== state.clientId ||
    secret !== state.clientSecret ||
    uri !== known.redirectUri ||
    grant !== 'authorization_code' ||
    !isProven
  ) {
    return { status: 401, json: { error: 'grant_error' } }
  }
  return {
    status: 200,
    json: { access_token: issueToken(state, known.account), token_type: 'bearer', scope: 'public' },
  }
}

export function issueToken(state: State, account: Account): string {
  const token = randomBytes(32).toString('hex')
  state.tokens.set(token, account)
  return token
}
