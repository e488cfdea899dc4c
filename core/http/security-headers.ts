// The headers of every answer. The sets are constant; only the kind of path and the transport decide between them.
import type { IncomingHttpHeaders } from 'node:http'
import type { ConfigService } from '../config/contract.ts'
import { createProxyTrust, describeClient } from './client-address.ts'

export type HeaderSet = Readonly<Record<string, string>>

/** For files whose address changes with their content. */
export const IMMUTABLE_CACHE_CONTROL = 'public, max-age=31536000, immutable'

const BASE: HeaderSet = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
}

const POLICY = {
  'default-src': "'self'",
  'img-src': "'self' data:",
  'object-src': "'none'",
  'base-uri': "'self'",
  'form-action': "'self'",
  'frame-ancestors': "'none'",
}

/** Pages and their files: everything comes from here, and no script is inline. The components write style elements. */
export const PAGE_HEADERS: HeaderSet = {
  ...BASE,
  'content-security-policy': policy({ ...POLICY, 'style-src': "'self' 'unsafe-inline'" }),
}

/** The viewers of the interface description set style attributes and start a worker from a blob. */
export const DOCUMENTATION_HEADERS: HeaderSet = {
  ...BASE,
  'content-security-policy': policy({ ...POLICY, 'style-src': "'self' 'unsafe-inline'", 'worker-src': "'self' blob:" }),
}

/** Data is not a page: nothing in it may load or run anything. The policy is short because every answer carries it. */
export const API_HEADERS: HeaderSet = {
  ...BASE,
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
  pragma: 'no-cache',
  expires: '0',
}

const HSTS: HeaderSet = { 'strict-transport-security': 'max-age=31536000' }

// Fixed objects for both transports, so that answering costs no allocation.
const SETS = [API_HEADERS, DOCUMENTATION_HEADERS, PAGE_HEADERS].map((set) => ({
  plain: set,
  strict: { ...set, ...HSTS },
}))

export interface HeaderRequest {
  readonly headers: IncomingHttpHeaders
  readonly socket: { readonly remoteAddress?: string | undefined; readonly encrypted?: boolean }
}

/**
 * @param deps.selfSigned whether our own certificate is one that browsers warn about: telling them to insist on https
 * would take away the button that lets the operator in
 */
export function createSecurityHeaders(deps: {
  readonly config: Pick<ConfigService, 'current'>
  readonly selfSigned: () => boolean
}): (path: string, request: HeaderRequest) => HeaderSet {
  const trust = createProxyTrust(deps.config)

  return (path, request) => {
    const set = SETS[kindOf(path)] as (typeof SETS)[number]
    return isStrict(request) ? set.strict : set.plain
  }

  function isStrict({ headers, socket }: HeaderRequest): boolean {
    if (socket.encrypted === true) return !deps.selfSigned()
    if (headers['x-forwarded-proto'] === undefined) return false
    try {
      const remoteAddress = socket.remoteAddress ?? ''
      return describeClient({ method: '', path: '', url: '', headers, remoteAddress, encrypted: false }, trust()).secure
    } catch {
      // Without a readable configuration nobody is trusted; the gate refuses the request and says why.
      return false
    }
  }
}

function kindOf(path: string): 0 | 1 | 2 {
  if (path.startsWith('/api/')) return 0
  return /^\/(docs|redoc)(\/|$)/.test(path) ? 1 : 2
}

function policy(directives: Readonly<Record<string, string>>): string {
  return Object.entries(directives)
    .map(([name, value]) => `${name} ${value}`)
    .join('; ')
}
