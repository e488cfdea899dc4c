// The path below which a reverse proxy publishes the service (`PLAYHEAD_BASE_PATH`). Inner code never sees it: it is
// removed when a request arrives, and added to redirects and cookie paths when a response leaves.
import type { IncomingMessage, OutgoingHttpHeader, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { RequestHandler } from './server.ts'

/**
 * A request without the base path is accepted as well: some proxies remove it themselves, and the health check of a
 * container does not know it.
 *
 * @param base '/playhead', or '' for none
 */
export function belowBase(base: string, handle: RequestHandler): RequestHandler {
  if (base === '') return handle
  return (request, response) => {
    request.url = withoutBase(request, base)
    addBase(response, base)
    handle(request, response)
  }
}

function withoutBase({ url = '/' }: IncomingMessage, base: string): string {
  if (!url.startsWith(base)) return url
  const rest = url.slice(base.length)
  if (rest === '' || rest.startsWith('?')) return `/${rest}`
  return rest.startsWith('/') ? rest : url
}

// Also called for responses that set their headers one by one.
function addBase(response: ServerResponse, base: string): void {
  const write = response.writeHead.bind(response) as (...args: unknown[]) => ServerResponse
  response.writeHead = (status: number, ...rest: readonly unknown[]) => {
    for (const name of ['location', 'set-cookie']) {
      const value = response.getHeader(name)
      if (value !== undefined) response.setHeader(name, outside(name, value, base))
    }
    return write(status, ...rest.map((one) => (isHeaders(one) ? headersOutside(one, base) : one)))
  }
}

function isHeaders(value: unknown): value is OutgoingHttpHeaders {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function headersOutside(headers: OutgoingHttpHeaders, base: string): OutgoingHttpHeaders {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      value === undefined ? value : outside(name.toLowerCase(), value, base),
    ]),
  )
}

function outside(name: string, value: OutgoingHttpHeader, base: string): OutgoingHttpHeader {
  if (name === 'location') return /^\/(?!\/)/.test(String(value)) ? `${base}${value}` : value
  if (name !== 'set-cookie') return value
  const below = (cookie: string) =>
    cookie.replace(
      /(;\s*path=)\/([^;]*)/i,
      (_, name: string, rest: string) => `${name}${base}${rest === '' ? '' : `/${rest}`}`,
    )
  return Array.isArray(value) ? value.map(below) : below(String(value))
}
