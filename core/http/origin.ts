// May this request have effects? A browser carries its cookies to us from any page it shows, so a request that changes
// something must come from our own pages. Programs that are not browsers send none of these headers and pass.
import type { IncomingHttpHeaders } from 'node:http'
import ipaddr from 'ipaddr.js'
import type { Client } from './client-address.ts'

export interface OriginRules {
  /** Refuse requests that do not say where they come from. */
  readonly strict: boolean
  /** Names under which this service is reached, for example `playhead.example.org` or `*.home.example`. */
  readonly allowedHosts: readonly string[]
}

export function isSameOrigin(
  headers: IncomingHttpHeaders,
  client: Client,
  rules: Pick<OriginRules, 'strict'>,
): boolean {
  // Pages cannot forge this header, and it stays right behind proxies that rewrite Host. `same-site` is refused: a
  // neighbouring subdomain is somebody else. `none` is the address bar or a bookmark.
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin' || site === 'none'
  const from = headers.origin ?? headers.referer
  return from === undefined ? !rules.strict : pointsAtUs(from, client)
}

/**
 * The same question about a GET with effects. On plain http a browser sends neither Sec-Fetch-Site nor Origin with a
 * link, and the linking page can suppress the referrer; our own pages never do. A browser that says nothing is
 * therefore refused.
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

/**
 * Is this a name that a stranger cannot point at us? A page of attacker.example may let its own name resolve to this
 * machine and then talk to us as if it were ours. Addresses, names without a dot and reserved domains cannot be used
 * for that.
 */
export function isOwnHost(host: string, allowedHosts: readonly string[]): boolean {
  if (host === '') return true
  const name = /^(\[[0-9a-f:.]+\]|[\w.-]+)(?::\d+)?$/i.exec(host)?.[1]?.toLowerCase().replace(/\.$/, '')
  if (name === undefined) return false
  if (
    name.startsWith('[') ||
    ipaddr.IPv4.isValidFourPartDecimal(name) ||
    !name.includes('.') ||
    RESERVED_DOMAIN.test(name)
  )
    return true
  return allowedHosts.some((allowed) => (allowed.startsWith('*.') ? name.endsWith(allowed.slice(1)) : name === allowed))
}

// Domains that nobody can register, so that no public name server answers for them.
const RESERVED_DOMAIN = /\.(localhost|local|internal|home\.arpa)$/

function pointsAtUs(from: string, client: Client): boolean {
  const origin = parseUrl(from)
  if (origin === undefined || client.host === '') return false
  const scheme = client.secure ? 'https:' : 'http:'
  // Behind a trusted proxy that does not tell the scheme, https pages reach us as http.
  if (origin.protocol !== scheme && !(client.proxied && origin.protocol === 'https:')) return false
  return origin.host === parseUrl(`${origin.protocol}//${client.host}`)?.host
}

function parseUrl(text: string): URL | undefined {
  const url = URL.parse(text)
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:') ? url : undefined
}
