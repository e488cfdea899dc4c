// Restricts the responses of plugins: they cannot touch the session cookie of a person, or loosen the headers that
// protect all pages and routes of this origin. They may tighten them. Checked when the head is written, which covers
// handlers, streams, files, errors, redirects, and plugins on threads of their own.
import type { OutgoingHttpHeader, ServerResponse } from 'node:http'
import type { HeaderSet } from './security-headers.ts'

const GUARD = Symbol('what the answer of a plugin must keep')

interface Guard {
  readonly base: HeaderSet
  readonly signsIn: boolean
  readonly write: (status: number, reason?: string) => ServerResponse
}

interface GuardedResponse extends Omit<ServerResponse, 'writeHead'> {
  [GUARD]?: Guard
  writeHead: (status: number, ...rest: readonly unknown[]) => ServerResponse
}

/** Headers that affect the whole origin, or admit others. */
const NEVER = new Set([
  'access-control-allow-credentials',
  'access-control-allow-private-network',
  'service-worker-allowed',
  'strict-transport-security',
  'public-key-pins',
  'alt-svc',
  'nel',
  'report-to',
  'reporting-endpoints',
])

/**
 * @param base the security headers of the path, which the response keeps
 * @param signsIn the plugin signs people in (`needs.signIn`): it may end their sessions
 */
export function guardAnswer(response: ServerResponse, base: HeaderSet, signsIn: boolean): void {
  const guarded = response as unknown as GuardedResponse
  guarded[GUARD] = { base, signsIn, write: response.writeHead.bind(response) as Guard['write'] }
  guarded.writeHead = writeGuarded
}

function writeGuarded(this: GuardedResponse, status: number, ...rest: readonly unknown[]): ServerResponse {
  const response = this as unknown as ServerResponse
  const { base, signsIn, write } = this[GUARD] as Guard
  const reason = typeof rest[0] === 'string' ? rest[0] : undefined
  if (!response.headersSent) {
    setAll(response, rest.find((one) => typeof one === 'object' && one !== null) as object | undefined)
    tighten(response, base, signsIn)
  }
  return reason === undefined ? write(status) : write(status, reason)
}

/** Headers that are given with the status: an object, pairs, or alternating names and values. */
function setAll(response: ServerResponse, headers: object | undefined): void {
  if (headers === undefined) return
  if (!Array.isArray(headers)) {
    for (const [name, value] of Object.entries(headers)) if (value !== undefined) response.setHeader(name, value)
    return
  }
  const flat = (Array.isArray(headers[0]) ? headers.flat() : headers) as readonly string[]
  for (let at = 0; at + 1 < flat.length; at += 2) response.removeHeader(flat[at] as string)
  for (let at = 0; at + 1 < flat.length; at += 2) response.appendHeader(flat[at] as string, flat[at + 1] as string)
}

function tighten(response: ServerResponse, base: HeaderSet, signsIn: boolean): void {
  for (const name of response.getHeaderNames()) {
    if (name in base) continue
    if (NEVER.has(name) || (name === 'clear-site-data' && !signsIn)) response.removeHeader(name)
    else if (name === 'set-cookie' && !signsIn) keepSession(response)
  }
  for (const name in base) {
    const kept = RULES[name]
    if (kept === undefined) continue
    const [own, given] = [base[name] as string, response.getHeader(name)]
    if (given !== own) response.setHeader(name, given === undefined ? own : kept(own, given))
  }
}

const always = (own: string) => own

/** How a response may change the host's header. Headers without a rule, such as those of caching, are free. */
const RULES: Readonly<Record<string, (own: string, given: OutgoingHttpHeader) => string | string[]>> = {
  'x-content-type-options': always,
  'x-frame-options': always,
  'strict-transport-security': always,
  'referrer-policy': (own, given) => (given === 'no-referrer' ? given : own),
  // Browsers enforce all policies of a response.
  'content-security-policy': (own, given) => [
    own,
    ...[given]
      .flat()
      .map(String)
      .filter((policy) => policy !== own),
  ],
  // For each feature the last entry counts. A list that cannot be parsed would disable the whole header.
  'permissions-policy': (own, given) => {
    const policy = [given].flat().join(', ')
    return /^[a-z-]+=\(\)(?:\s*,\s*[a-z-]+=\(\))*$/.test(policy) ? `${policy}, ${own}` : own
  },
}

function keepSession(response: ServerResponse): void {
  const cookies = [response.getHeader('set-cookie')].flat().map(String)
  // A cookie without a name is sent as its value alone.
  const kept = cookies.filter((cookie) => !/^[\s=]*cw_auth\s*(?:=|;|$)/i.test(cookie))
  if (kept.length === cookies.length) return
  if (kept.length === 0) response.removeHeader('set-cookie')
  else response.setHeader('set-cookie', kept)
}
