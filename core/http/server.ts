// The listener: dispatches requests to the plugin with the route, otherwise to the core.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { createServer as createHttpsServer, type Server as HttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { SecureContextOptions } from 'node:tls'
import { IS_LONG } from '@playhead/sdk/host'
import { createServer as createHttpServer } from './node-http.ts'
import type { NodeRefusals } from './node-refusals.ts'

export interface WebLimits {
  /** From the headers of a request to the last byte of its body, unless its reader has a limit of its own; then 408. */
  readonly requestMs: number
  readonly headersMs: number
  /** Check interval; a request may take this much longer. */
  readonly checkEveryMs: number
}

const LIMITS: WebLimits = { requestMs: 28_000, headersMs: 20_000, checkEveryMs: 2_000 }
// Longer than the usual keep-alive of a proxy, which must not reuse a connection that was just closed.
const KEEP_ALIVE_MS = 75_000

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void

interface WebServer {
  listen(port: number, host: string): Promise<AddressInfo>
  /** Stops accepting connections, waits for current responses, then cuts the remaining ones. */
  close(graceMs: number): Promise<void>
  /** The TLS server, if any. */
  readonly secure: HttpsServer | null
}

export function createWebServer(
  handle: RequestHandler,
  tls: SecureContextOptions | null,
  refusals: NodeRefusals,
  limits: WebLimits = LIMITS,
): WebServer {
  const options = {
    // Node's own limit is the same for all requests.
    requestTimeout: 0,
    headersTimeout: limits.headersMs,
    connectionsCheckingInterval: limits.checkEveryMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    requireHostHeader: false,
  }
  const limited: RequestHandler = (request, response) => {
    if (!request.complete && hasBody(request)) limitBody(server, request, limits.requestMs)
    handle(request, response)
  }
  const server: Server =
    tls === null
      ? createHttpServer(options, refusals.needsHost(limited))
      : createHttpsServer({ ...options, ...tls }, refusals.needsHost(limited))
  refusals.attach(server)
  return {
    secure: tls === null ? null : (server as HttpsServer),
    listen: (port, host) =>
      new Promise((resolve, reject) => {
        server.once('error', reject)
        server.listen(port, host, () => {
          server.off('error', reject)
          resolve(server.address() as AddressInfo)
        })
      }),
    async close(graceMs) {
      if (!server.listening) return
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeIdleConnections()
      const timer = setTimeout(() => server.closeAllConnections(), graceMs)
      await closed
      clearTimeout(timer)
    },
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

function limitBody(server: Server, request: IncomingMessage, limitMs: number): void {
  // The timer must not keep the process alive: a request that was refused unread may never emit `close`.
  const timer = setTimeout(() => {
    if (request.complete || (request as { readonly [IS_LONG]?: boolean })[IS_LONG] === true) return
    const late = Object.assign(new Error('the body did not arrive in time'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
    server.emit('clientError', late, request.socket)
  }, limitMs).unref()
  request.once('close', () => clearTimeout(timer))
}
