// The sign-in: a consent page, and a code that is exchanged once for a token that lasts a year; or a page that shows the token
// itself.
import { randomBytes } from 'node:crypto'
import type { UpstreamReply, UpstreamRequest } from '../base/index.ts'
import type { Account, State } from './state.ts'

const CODE_LIFE_MS = 600_000
const PIN = '/oauth/pin'

/** The page shows the fragment of the address, which the service itself never receives. */
export const PIN_PAGE: UpstreamReply = {
  status: 200,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  text: `<title>Token</title><textarea readonly></textarea><script>
document.querySelector('textarea').value = new URLSearchParams(location.hash.slice(1)).get('access_token')
</script>`,
}

/** Returns the address that the browser is redirected to after consent. Throws for an address that the service would refuse. */
export function authorize(state: State, address: string, account: Account): string {
  const { searchParams: query } = new URL(address)
  if (query.get('client_id') !== state.clientId || !['code', 'token'].includes(query.get('response_type') ?? ''))
    throw new RangeError('AniList does not know the application')
  // The implicit grant redirects to the registered address: here the page that shows the token.
  if (query.get('response_type') === 'token') {
    const token = issueToken(state, account)
    const pin = new URL(address.slice(0, address.indexOf('/oauth/authorize')) + PIN)
    pin.hash = new URLSearchParams({
      access_token: token,
      token_type: 'Bearer',
      expires_in: String(state.tokenLifetimeS),
    }).toString()
    return pin.href
  }
  const redirectUri = query.get('redirect_uri') ?? ''
  const code = randomBytes(24).toString('hex')
  state.codes.set(code, { account, redirectUri, expiresAtMs: state.nowMs() + CODE_LIFE_MS })
  const back = new URL(redirectUri)
  back.searchParams.set('code', code)
  const echoed = query.get('state')
  if (echoed !== null) back.searchParams.set('state', echoed)
  return back.href
}

export async function exchange(state: State, request: UpstreamRequest): Promise<UpstreamReply> {
  if (request.method !== 'POST') return { status: 405 }
  const isForm = String(request.headers['content-type'] ?? '').startsWith('application/x-www-form-urlencoded')
  const body = isForm
    ? Object.fromEntries(new URLSearchParams((await request.body()).toString('utf8')))
    : ((await request.json()) as Record<string, unknown>)
  const refuse = (status: number, error: string): UpstreamReply => ({
    status,
    json: { error, error_description: 'see the documentation', message: error },
  })
  if (body['grant_type'] !== 'authorization_code') return refuse(400, 'unsupported_grant_type')
  if (String(body['client_id']) !== state.clientId || body['client_secret'] !== state.clientSecret)
    return refuse(401, 'invalid_client')
  const name = String(body['code'])
  const code = state.codes.get(name)
  state.codes.delete(name)
  if (code === undefined || code.redirectUri !== body['redirect_uri'] || code.expiresAtMs <= state.nowMs())
    return refuse(400, 'invalid_grant')
  const token = issueToken(state, code.account)
  return {
    status: 200,
    json: {
      token_type: 'Bearer',
      expires_in: state.tokenLifetimeS,
      access_token: token,
      refresh_token: randomBytes(24).toString('hex'),
    },
  }
}

/** Three parts, as in real tokens; the middle one identifies the account. */
export function issueToken(state: State, account: Account): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const expiresAtMs = state.nowMs() + state.tokenLifetimeS * 1_000
  const parts = [
    part({ typ: 'JWT', alg: 'RS256' }),
    part({ sub: String(account.id), exp: Math.floor(expiresAtMs / 1_000) }),
    randomBytes(48).toString('base64url'),
  ]
  const token = state.opaqueTokens ? parts.slice(-1).join('') : parts.join('.')
  state.tokens.set(token, { account, expiresAtMs })
  return token
}
