// The checks before every route: required headers, a valid token, and rate limits.
import type { RateLimit, RateLimits } from './plans.ts'
import { Refusal, refuse, type Request } from './replies.ts'
import type { Account, State } from './state.ts'
import { iso } from './summary.ts'

/** Writes must be JSON, and every request must name its client; otherwise the network in front of the service answers. */
export function checkForm({ method, headers }: Request): void {
  if ((headers['user-agent'] ?? '') === '') {
    throw new Refusal({
      status: 403,
      headers: { 'content-type': 'text/html' },
      text: '<html><body>error code: 1015</body></html>',
    })
  }
  const isWrite = method === 'POST' || method === 'PUT'
  if (isWrite && !String(headers['content-type'] ?? '').startsWith('application/json')) refuse(412)
}

export function checkApplication(state: State, { headers }: Request): void {
  if (headers['trakt-api-key'] !== state.clientId) refuse(403)
  if (headers['trakt-api-version'] !== '2') refuse(412)
}

/** The account of the token. */
export function authenticate(state: State, { headers }: Request): Account {
  const [scheme, access] = String(headers.authorization ?? '').split(' ')
  const token = scheme?.toLowerCase() === 'bearer' ? state.tokens.get(access ?? '') : undefined
  const account =
    token === undefined || token.expiresAtMs <= state.nowMs() ? undefined : state.accounts.get(token.username)
  if (account === undefined) refuse(401, { 'www-authenticate': 'Bearer realm="Trakt", error="invalid_token"' })
  if (account.state === 'locked') refuse(423, { 'x-account-locked': 'true' })
  if (account.state === 'deactivated') refuse(423, { 'x-account-deactivated': 'true' })
  return account
}

export function takeRequest(account: Account, method: string, limits: RateLimits, nowMs: number): void {
  const limit = method === 'GET' ? limits.read : limits.write
  const running = account.windows.get(limit.name)
  const window =
    running !== undefined && nowMs < running.endsAtMs ? running : { endsAtMs: nowMs + limit.periodS * 1_000, used: 0 }
  account.windows.set(limit.name, window)
  if (window.used >= limit.limit) refuseForNow(limit, window.endsAtMs, nowMs)
  window.used += 1
}

function refuseForNow({ name, periodS, limit }: RateLimit, endsAtMs: number, nowMs: number): never {
  refuse(429, {
    'retry-after': String(Math.ceil((endsAtMs - nowMs) / 1_000)),
    'x-ratelimit': JSON.stringify({ name, period: periodS, limit, remaining: 0, until: iso(endsAtMs) }),
  })
}
