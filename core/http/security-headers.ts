// Headers of every response: constant sets, selected by the kind of path and the transport.
import type { IncomingHttpHeaders } from 'node:http'
import type { ConfigService } from '../config/contract.ts'
import { createProxyTrust, describeClient } from './access/client-address.ts'

export type HeaderSet = Readonly<Record<string, string>>

/** For files with a content hash in their name. */
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

/** Pages load only from this origin, without inline scripts. Components need inline styles. */
const PAGE_HEADERS: HeaderSet = {
  ...BASE,
  'content-security-policy': policy({ ...POLICY, 'style-src': "'self' 'unsafe-inline'" }),
}

/** API responses must not load or run anything. Short, because every response has it. */
const API_HEADERS: HeaderSet = {
  ...BASE,
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
  pragma: 'no-cache',
  expires: '0',
}

const HSTS: HeaderSet = { 'strict-transport-security': 'max-age=31536000' }

// Preallocated for both transports.
const both = (set: HeaderSet) => ({ plain: set, strict: { ...set, ...HSTS } })
const [API, PAGE] = [both(API_HEADERS), both(PAGE_HEADERS)]

export interface HeaderRequest {
  readonly headers: IncomingHttpHeaders
  readonly socket: { readonly remoteAddress?: string | undefined; readonly encrypted?: boolean }
}

/** @param deps.selfSigned whether browsers warn about our certificate: HSTS would then remove the option to continue */
export function createSecurityHeaders(deps: {
  readonly config: Pick<ConfigService, 'current'>
  readonly selfSigned: () => boolean
}): (path: string, request: HeaderRequest) => HeaderSet {
  const trust = createProxyTrust(deps.config)

  return (path, request) => {
    const set = path.startsWith('/api/') ? API : PAGE
    return isStrict(request) ? set.strict : set.plain
  }

  function isStrict({ headers, socket }: HeaderRequest): boolean {
    if (socket.encrypted === true) return !deps.selfSigned()
    if (headers['x-forwarded-proto'] === undefined) return false
    try {
      const remoteAddress = socket.remoteAddress ?? ''
      return describeClient({ method: '', path: '', url: '', headers, remoteAddress, encrypted: false }, trust()).secure
    } catch {
      // Proxies are not trusted without a readable configuration; the gate refuses the request.
      return false
    }
  }
}

function policy(directives: Readonly<Record<string, string>>): string {
  return Object.entries(directives)
    .map(([name, value]) => `${name} ${value}`)
    .join('; ')
}
