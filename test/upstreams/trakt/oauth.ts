// Sign-in: device codes, browser codes with PKCE, tokens that can be refreshed once, and their end. New applications have no
// secret. Older ones have one, and need it for everything except a browser code with PKCE.
import { createHash, randomBytes } from 'node:crypto'
import { refuse, type Reply } from './replies.ts'
import type { Device, State, Token } from './state.ts'

export const DEVICE = { lifetimeS: 600, intervalS: 5 } as const
/** Timers fire a little early, and network latency varies. */
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
  const challenge = body['code_challenge'] ?? null
  if (challenge !== null && body['code_challenge_method'] !== 'S256')
    refuse(400, undefined, { error: 'invalid_request' })
  const code = randomBytes(32).toString('hex')
  const userCode = randomBytes(4).toString('hex').toUpperCase()
  const expiresAtMs = state.nowMs() + DEVICE.lifetimeS * 1_000
  state.devices.set(code, {
    userCode,
    clientId: state.clientId,
    challenge: challenge === null ? null : String(challenge),
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
  if (!isProven(device.challenge, body)) refuseGrant()
  const { username } = device.outcome
  device.outcome = 'used'
  return { status: 200, json: wire(state, issueToken(state, username, state.clientSecret === '')) }
}

function refusalOf({ outcome, expiresAtMs, lastPollAtMs }: Device, nowMs: number): Reply | undefined {
  if (outcome === 'used') return { status: 409 }
  if (nowMs >= expiresAtMs) return { status: 410 }
  if (outcome === 'denied') return { status: 418 }
  const isTooFast = nowMs - lastPollAtMs < DEVICE.intervalS * 1_000 - POLL_SLACK_MS
  return isTooFast ? { status: 429, headers: { 'retry-after': String(DEVICE.intervalS) } } : undefined
}

function exchange(state: State, body: Body): Reply {
  if (body['grant_type'] === 'refresh_token') {
    const found = [...state.tokens.values()].find(({ refresh }) => refresh === body['refresh_token'])
    checkClient(state, body, found?.isPublic)
    const old = found ?? refuseGrant()
    // The exchange invalidates the old pair: a second refresh with it fails.
    state.tokens.delete(old.access)
    return { status: 200, json: wire(state, issueToken(state, old.username, old.isPublic)) }
  }
  if (body['grant_type'] !== 'authorization_code') refuse(400, undefined, { error: 'unsupported_grant_type' })
  const code = state.codes.get(String(body['code']))
  const isPublic = code?.challenge != null
  checkClient(state, body, isPublic)
  state.codes.delete(String(body['code']))
  if (code === undefined || code.redirectUri !== body['redirect_uri'] || !isProven(code.challenge, body)) refuseGrant()
  return { status: 200, json: wire(state, issueToken(state, code.username, isPublic)) }
}

function isProven(challenge: string | null, body: Body): boolean {
  if (challenge === null) return true
  const verifier = body['code_verifier']
  return typeof verifier === 'string' && createHash('sha256').update(verifier).digest('base64url') === challenge
}

function revoke(state: State, body: Body): Reply {
  checkClient(
    state,
    body,
    [...state.tokens.values()].some(({ access, isPublic }) => isPublic && access === body['token']),
  )
  for (const { access, refresh } of [...state.tokens.values()]) {
    if (access === body['token'] || refresh === body['token']) state.tokens.delete(access)
  }
  return { status: 200, json: {} }
}

export function issueToken(state: State, username: string, isPublic = state.clientSecret === ''): Token {
  // The response has whole seconds, so the token lives from the start of the second.
  const createdAtMs = Math.floor(state.nowMs() / 1_000) * 1_000
  const token = {
    access: randomBytes(32).toString('hex'),
    refresh: randomBytes(32).toString('hex'),
    username,
    isPublic,
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

/** @param isPublic PKCE replaces the secret */
function checkClient(state: State, body: Body, isPublic = false): void {
  const secret = body['client_secret']
  const isSecretRight = secret === undefined ? isPublic || state.clientSecret === '' : secret === state.clientSecret
  if (body['client_id'] === state.clientId && isSecretRight && secret !== '') return
  refuse(401, undefined, { error: 'invalid_client', error_description: 'Client authentication failed.' })
}

function refuseGrant(): never {
  refuse(400, undefined, {
    error: 'invalid_grant',
    error_description:
      'The provided authorization grant is invalid, expired, revoked, or was issued to another client.',
  })
}
