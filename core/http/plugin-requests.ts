// Hides credentials from the handlers of plugins: the session cookie and API tokens of a request. Handlers get the
// caller's identity (`request.caller`), never its credentials, also on routes without access control and while
// authentication is off.
import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { withoutSessionCookie } from '../auth/cookie.ts'
import { API_TOKEN } from '../auth/token-table.ts'

const PREFIX = 'plh_'
const HIDDEN = 'hidden'

/** @param hidesCookie hides the session cookie as well */
export function hideSignIn(request: FastifyRequest, hidesCookie: boolean): void {
  const { raw } = request
  const { headers } = raw
  const cookies = headers.cookie
  const others = cookies === undefined ? undefined : otherCookies(cookies, hidesCookie)
  let isChanged = cookies !== others
  if (isChanged) {
    if (others === undefined) delete headers.cookie
    else headers.cookie = others
  }
  for (const name in headers) {
    if (name === 'cookie' || !holdsToken(headers[name])) continue
    delete headers[name]
    isChanged = true
  }
  // Node also keeps and counts the raw header lines.
  if (isChanged) {
    const { rawHeaders } = raw
    for (let at = 0; at < rawHeaders.length; at += 2) {
      const value = rawHeaders[at + 1] ?? ''
      if (rawHeaders[at]?.toLowerCase() === 'cookie') rawHeaders[at + 1] = otherCookies(value, hidesCookie) ?? ''
      else if (holdsToken(value)) rawHeaders[at + 1] = ''
    }
  }
  if (mayHoldToken(raw.url ?? '')) hideInAddress(request, raw)
}

function otherCookies(header: string, hidesCookie: boolean): string | undefined {
  const others = hidesCookie ? withoutSessionCookie(header) : header
  if (others === undefined || !mayHoldToken(others)) return others
  const kept = others.split(/;\s*/).filter((cookie) => !API_TOKEN.test(decoded(cookie)))
  return kept.length === 0 ? undefined : kept.join('; ')
}

function holdsToken(value: string | readonly string[] | undefined): boolean {
  if (value === undefined) return false
  if (typeof value !== 'string') return value.some(holdsToken)
  if (mayHoldToken(value) && API_TOKEN.test(decoded(value))) return true
  // As the name or the password of Basic authentication.
  const basic = /^Basic\s+(\S+)/i.exec(value)?.[1]
  return basic !== undefined && API_TOKEN.test(Buffer.from(basic, 'base64').toString())
}

function hideInAddress(request: FastifyRequest, raw: IncomingMessage): void {
  const [path = '/', query] = (raw.url ?? '/').split(/\?(.*)/s, 2)
  const shownPath = path
    .split('/')
    .map((segment) => (API_TOKEN.test(decoded(segment)) ? HIDDEN : segment))
    .join('/')
  const shownQuery = query?.split('&').filter((pair) => !API_TOKEN.test(decoded(pair.replaceAll('+', ' '))))
  raw.url = shownPath + (shownQuery === undefined ? '' : `?${shownQuery.join('&')}`)
  if (typeof request.query === 'object' && request.query !== null)
    request.query = Object.fromEntries(
      Object.entries(request.query).filter(
        ([name, value]) => !API_TOKEN.test(name) && ![value].flat().some((one) => API_TOKEN.test(String(one))),
      ),
    )
  const params = request.params as Record<string, string> | null
  for (const name in params) if (API_TOKEN.test(String(params[name]))) params[name] = HIDDEN
}

/** Fast path for the many requests without a token. */
function mayHoldToken(text: string): boolean {
  return text.includes(PREFIX) || text.includes('%')
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
