// Sign-in: device codes, tokens that can be refreshed once, and their end.
import { randomBytes } from 'node:crypto'
import { refuse, type Reply } from './replies.ts'
import type { Device, State, Token } from './state.ts'

export const DEVICE = { lifetimeS: 600, intervalS: 5 } as const
/** Timers fire a little early, and the way to the server is not always equally long. */
const POLL_SLACK_MS = 250

type Body = Readonly<Record<string, unknown>>

export const OAUTH_ROUTES: Readonly<Record<string, (state: State, body: Body) => Reply>> = {
  '/oauth/device/code': startDevice,
  '/oauth/device/token': pollDevice,
  '/oauth/token': exchange,
  '/oauth/revoke': revoke,
}

function startDevice(state: State, body: Body): Reply {
  if (body['client_id'] !== state.clientId) refuse(403)
  const code = randomBytes(32).toString('hex')
  const userCode = randomBytes(4).toString('hex').toUpperCase()
  const expiresAtMs = state.nowMs() + DEVICE.lifetimeS * 1_000
  state.devices.set(code, {
    userCode,
    clientId: state.clientId,
    expiresAtMs,
    lastPollAtMs: -Infinity,
    outcome: 'pending',
  })
  return {
    status: 200,
    json: {
      device_code: code,
      user_code: userCode,
      verification_url: 'https://auth.trakt.tv/activate',
      expires_in: DEVICE.lifetimeS,
      interval: DEVICE.intervalS,
    },
  }
}

function pollDevice(state: State, body: Body): Reply {
  checkClient(state, body)
  const device = state.devices.get(String(body['code'])) ?? refuse(404)
  const refusal = refusalOf(device, state.nowMs())
  device.lastPollAtMs = state.nowMs()
  if (refusal !== undefined) return refusal
  if (typeof device.outcome !== 'object') return { status: 400 }
  const { username } = device.outcome
  device.outcome = 'used'
  return { status: 200, json: wire(state, issueToken(state, username)) }
}

function refusalOf({ outcome, expiresAtMs, lastPollAtMs }: Device, nowMs: number): Reply | undefined {
  if (outcome === 'used') return { status: 409 }
  if (nowMs >= expiresAtMs) return { status: 410 }
  if (outcome === 'denied') return { status: 418 }
  const isTooFast = nowMs - lastPollAtMs < DEVICE.intervalS * 1_000 - POLL_SLACK_MS
  return isTooFast ? { status: 429, headers: { 'retry-after': String(DEVICE.intervalS) } } : undefined
}

function exchange(state: State, body: Body): Reply {
  checkClient(state, body)
  if (body['grant_type'] === 'refresh_token') {
    const old = [...state.tokens.values()].find(({ refresh }) => refresh === body['refresh_token']) ?? refuseGrant()
    // The old pair ends with the exchange: a second refresh with it finds nothing.
    state.tokens.delete(old.access)
    return { status: 200, json: wire(state, issueToken(state, old.username)) }
  }
  if (body['grant_type'] !== 'authorization_code') refuse(400, undefined, { error: 'unsupported_grant_type' })
  const code = state.codes.get(String(body['code']))
  state.codes.delete(String(body['code']))
  if (code === undefined || code.redirectUri !== body['redirect_uri']) refuseGrant()
  return { status: 200, json: wire(state, issueToken(state, code.username)) }
}

function revoke(state: State, body: Body): Reply {
  checkClient(state, body)
  for (const { access, refresh } of [...state.tokens.values()]) {
    if (access === body['token'] || refresh === body['token']) state.tokens.delete(access)
  }
  return { status: 200, json: {} }
}

export function issueToken(state: State, username: string): Token {
  // The answer gives whole seconds, so the token lives from the start of the second.
  const createdAtMs = Math.floor(state.nowMs() / 1_000) * 1_000
  const token = {
    access: randomBytes(32).toString('hex'),
    refresh: randomBytes(32).toString('hex'),
    username,
    createdAtMs,
    expiresAtMs: createdAtMs + state.tokenLifetimeS * 1_000,
  }
  state.tokens.set(token.access, token)
  return token
}

export interface TokenAnswer {
  readonly access_token: string
  readonly token_type: 'bearer'
  readonly expires_in: number
  readonly refresh_token: string
  readonly scope: 'public'
  readonly created_at: number
}

export function wire(state: State, { access, refresh, createdAtMs }: Token): TokenAnswer {
  return {
    access_token: access,
    token_type: 'bearer',
    expires_in: state.tokenLifetimeS,
    refresh_token: refresh,
    scope: 'public',
    created_at: createdAtMs / 1_000,
  }
}

function checkClient(state: State, body: Body): void {
  if (body['client_id'] === state.clientId && body['client_secret'] === state.clientSecret) return
  refuse(401, undefined, { error: 'invalid_client', error_description: 'Client authentication failed.' })
}

function refuseGrant(): never {
  refuse(400, undefined, {
    error: 'invalid_grant',
    error_description:
      'The provided authorization grant is invalid, expired, revoked, or was issued to another client.',
  })
}
