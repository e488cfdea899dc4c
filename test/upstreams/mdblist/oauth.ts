// Device code sign-in, tokens that can be refreshed once, and the account of a request.
import { randomBytes } from 'node:crypto'
import type { UpstreamReply, UpstreamRequest } from '../base/index.ts'
import { json } from './rows.ts'
import type { Account, State, Token } from './state.ts'

export const DEVICE = { lifetimeS: 300, intervalS: 5 } as const
const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'
const POLL_SLACK_MS = 250
const DAY_MS = 86_400_000

export async function oauth(state: State, request: UpstreamRequest): Promise<UpstreamReply | undefined> {
  if (request.method !== 'POST' || !request.path.startsWith('/oauth/')) return undefined
  const form = new URLSearchParams((await request.body()).toString('utf8'))
  if (form.get('client_id') !== state.clientId) return refused('invalid_client', 401)
  if (request.path === '/oauth/device-authorization/')
    return form.get('scope') === 'write' ? startDevice(state) : refused('invalid_scope')
  if (request.path !== '/oauth/token/') return { status: 404 }
  if (form.get('grant_type') === 'refresh_token') return refresh(state, form.get('refresh_token'))
  return form.get('grant_type') === DEVICE_GRANT
    ? pollDevice(state, form.get('device_code'))
    : refused('unsupported_grant_type')
}

function startDevice(state: State): UpstreamReply {
  const code = randomBytes(24).toString('hex')
  const letters = randomBytes(8).toString('hex').toUpperCase()
  const userCode = `${letters.slice(0, 4)}-${letters.slice(4, 8)}`
  state.devices.set(code, {
    userCode,
    expiresAtMs: state.nowMs() + DEVICE.lifetimeS * 1_000,
    lastPollAtMs: -Infinity,
    outcome: 'pending',
  })
  const uri = 'https://mdblist.com/oauth/device/'
  return json({
    device_code: code,
    user_code: userCode,
    verification_uri: uri,
    verification_uri_complete: `${uri}?user_code=${userCode}`,
    expires_in: DEVICE.lifetimeS,
    interval: DEVICE.intervalS,
  })
}

function pollDevice(state: State, code: string | null): UpstreamReply {
  const device = state.devices.get(code ?? '')
  if (device === undefined || device.outcome === 'used') return refused('invalid_grant')
  const isTooFast = state.nowMs() - device.lastPollAtMs < DEVICE.intervalS * 1_000 - POLL_SLACK_MS
  device.lastPollAtMs = state.nowMs()
  if (state.nowMs() >= device.expiresAtMs) return refused('expired_token')
  if (device.outcome === 'denied') return refused('access_denied', 403)
  if (isTooFast) return refused('slow_down')
  if (device.outcome === 'pending') return refused('authorization_pending')
  const token = issueToken(state, device.outcome)
  device.outcome = 'used'
  return json(wire(state, token))
}

function refresh(state: State, sent: string | null): UpstreamReply {
  const old = [...state.tokens.values()].find((token) => token.refresh === sent)
  if (old === undefined) return refused('invalid_grant')
  // The exchange invalidates the old pair.
  state.tokens.delete(old.access)
  return json(wire(state, issueToken(state, old.account)))
}

export function issueToken(state: State, account: Account): Token {
  const token = {
    access: randomBytes(24).toString('hex'),
    refresh: randomBytes(24).toString('hex'),
    account,
    expiresAtMs: state.nowMs() + state.quirks.tokenLifetimeS * 1_000,
  }
  state.tokens.set(token.access, token)
  return token
}

export function wire(state: State, { access, refresh: refreshToken }: Token) {
  const { tokenLifetimeS } = state.quirks
  return {
    access_token: access,
    refresh_token: refreshToken,
    token_type: 'Bearer',
    expires_in: tokenLifetimeS,
    scope: 'write',
  }
}

/** The account of a request, or the refusal. A request counts against the quota once its account is known. */
export function authenticate(state: State, request: UpstreamRequest): Account | UpstreamReply {
  const key = request.query.get('apikey')
  const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1]
  if (key !== null && bearer !== undefined) return json({ error: 'Use one kind of authentication' }, 400)
  const token = bearer === undefined ? undefined : state.tokens.get(bearer)
  const account =
    token !== undefined && token.expiresAtMs > state.nowMs()
      ? token.account
      : key === null
        ? undefined
        : [...state.accounts.values()].find(({ apiKey }) => apiKey === key)
  if (account === undefined) return json({ error: 'Invalid API key!' }, 401)
  if (state.nowMs() >= account.dayEndsAtMs) {
    account.used = 0
    account.dayEndsAtMs = (Math.floor(state.nowMs() / DAY_MS) + 1) * DAY_MS
  }
  if (account.used >= account.plan.requests) {
    const seconds = Math.ceil((account.dayEndsAtMs - state.nowMs()) / 1_000)
    return json({ error: 'API request limit reached' }, 429, { 'retry-after': String(seconds) })
  }
  account.used += 1
  return account
}

function refused(error: string, status = 400): UpstreamReply {
  return json({ error }, status)
}
