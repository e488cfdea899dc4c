// The address of a request: the account's base address with path and query, checked against the allowed hosts.
import { type AccountOptions, PlayheadError, type UpstreamRequest } from '@playhead/sdk'
import { refusalOf } from './addresses.ts'
import { destinationOf, isHostAllowed } from './allowed-hosts.ts'

/** The base address without user, query and fragment, its path ending in one slash. Throws `PLH_INVALID`. */
export function parseBaseUrl(account: string, text: string): URL {
  if (!URL.canParse(text)) {
    throw new PlayheadError(
      'PLH_INVALID',
      `${account}: the server's address cannot be read. Write it like http://192.168.1.20:8096 or https://example.org.`,
      { details: { account } },
    )
  }
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new PlayheadError(
      'PLH_INVALID',
      `${account}: the server's address begins with ${url.protocol}; only http: and https: can be reached.`,
      { details: { account } },
    )
  }
  strip(url)
  url.search = ''
  url.pathname = url.pathname.replace(/\/*$/, '/')
  return url
}

/** The address of a request in its parts, because a URL is parsed again with each change. */
export interface Address {
  readonly origin: string
  readonly path: string
  /** Empty, or beginning with `?`. */
  readonly query: string
}

/** Characters that need no encoding, in a path and in a query. */
const PLAIN_PATH = /^[\w\-.~!$&'()*+,;=:@/%]*$/
const PLAIN_QUERY = /^[\w\-.*]*$/
/** Parts that would leave the base address: a query, a fragment, another host, or a parent folder. */
const LEAVING = /[?#\\]|^\/|(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i

/** The full address of a request. The path stays below the base address. */
export function addressOf(
  account: string,
  base: URL,
  { path, query }: Pick<UpstreamRequest, 'path' | 'query'>,
): Address {
  const relative = path.startsWith('/') ? path.slice(1) : path
  if (LEAVING.test(relative)) {
    throw new PlayheadError(
      'PLH_INVALID',
      `${account}: a request's path is relative to the base address and holds neither "?", "#" nor "..". ` +
        'Give the query in `query`, and encode ids with encodeURIComponent.',
    )
  }
  return {
    origin: base.origin,
    // The `?` preserves a trailing space of the path.
    path: PLAIN_PATH.test(relative) ? base.pathname + relative : new URL(`${base.href}${relative}?`).pathname,
    query: query === undefined ? '' : queryOf(query),
  }
}

function queryOf(query: NonNullable<UpstreamRequest['query']>): string {
  let text = ''
  for (const [name, value] of Object.entries(query)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== undefined) text += `${text === '' ? '?' : '&'}${encoded(name)}=${encoded(String(item))}`
    }
  }
  return text
}

function encoded(text: string): string {
  return PLAIN_QUERY.test(text) ? text : new URLSearchParams([[text, '']]).toString().slice(0, -1)
}

function partsOf(url: URL): Address {
  return { origin: url.origin, path: url.pathname, query: url.search }
}

/** Returns a check against the current allowed hosts. */
export function createHostCheck(
  plugin: string,
  base: URL,
  { publicOnly = false }: Pick<AccountOptions, 'publicOnly'>,
): (allowed: readonly string[]) => void {
  const refusal = refusalOf(base.hostname, base.hostname, publicOnly)
  const destination = destinationOf(base)
  // The host gives the same list until the settings change.
  let allowing: readonly string[] | undefined
  return (allowed) => {
    if (refusal !== undefined) throw refusal
    if (allowed === allowing) return
    if (isHostAllowed(allowed, destination)) {
      allowing = allowed
      return
    }
    throw new PlayheadError(
      'PLH_HOST_DENIED',
      `Plugin "${plugin}" may not reach ${base.host}. Add it to needs.hosts in plugin.json, or enter it in the settings.`,
      { details: { host: base.host } },
    )
  }
}

/** The target of a redirect, which must have the same origin. */
export function redirectTarget(account: string, { origin, path, query }: Address, location: string): Address {
  const from = new URL(origin + path + query)
  const to = URL.parse(location, from.href)
  if (to === null) {
    throw new PlayheadError('PLH_UPSTREAM', `${account}: ${from.host} redirects to an address that cannot be read.`, {
      details: { account, reason: 'redirect' },
    })
  }
  strip(to)
  if (to.origin === from.origin) return partsOf(to)
  throw new PlayheadError(
    'PLH_HOST_DENIED',
    `${account}: ${from.origin} redirects to ${to.origin}, which is not followed. If that is the right server, enter its address.`,
    { details: { account, redirect: to.origin } },
  )
}

function strip(url: URL): void {
  url.username = ''
  url.password = ''
  url.hash = ''
}
