// CSRF protection: a request with effects must come from our own pages, because browsers attach cookies to requests of
// any page. Clients without these headers are not browsers and pass.
import type { IncomingHttpHeaders } from 'node:http'
import type { Client } from './client-address.ts'

interface OriginRules {
  /** Refuse requests without origin headers. */
  readonly strict: boolean
  /** Names of this service, for example `playhead.example.org` or `*.home.example`. */
  readonly allowedHosts: readonly string[]
}

export function isSameOrigin(
  headers: IncomingHttpHeaders,
  client: Client,
  rules: Pick<OriginRules, 'strict'>,
): boolean {
  // Pages cannot forge this header, and it is correct behind proxies that rewrite Host. `same-site` is refused: another
  // subdomain may be foreign. `none` is the address bar or a bookmark.
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin' || site === 'none'
  const from = headers.origin ?? headers.referer
  return from === undefined ? !rules.strict : pointsAtUs(from, client)
}

/**
 * For a GET with effects. On plain http a browser sends neither Sec-Fetch-Site nor Origin with a link, and the linking
 * page can suppress the referrer, so a browser without these headers is refused.
 */
export function isSameOriginNavigation(
  headers: IncomingHttpHeaders,
  client: Client,
  rules: Pick<OriginRules, 'strict'>,
): boolean {
  const silent =
    headers['sec-fetch-site'] === undefined && headers.origin === undefined && headers.referer === undefined
  if (silent && headers['user-agent']?.startsWith('Mozilla/') === true) return false
  return isSameOrigin(headers, client, rules)
}

function pointsAtUs(from: string, client: Client): boolean {
  const origin = parseUrl(from)
  if (origin === undefined || client.host === '') return false
  const scheme = client.secure ? 'https:' : 'http:'
  // Behind a trusted proxy that does not forward the scheme, https pages arrive as http.
  if (origin.protocol !== scheme && !(client.proxied && origin.protocol === 'https:')) return false
  return origin.host === parseUrl(`${origin.protocol}//${client.host}`)?.host
}

function parseUrl(text: string): URL | undefined {
  const url = URL.parse(text)
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:') ? url : undefined
}
