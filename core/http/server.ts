// The listener: dispatches requests to the plugin with the route, otherwise to the core.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { createServer as createHttpsServer, type Server as HttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { SecureContextOptions } from 'node:tls'
import { createServer as createHttpServer } from './node-http.ts'
import type { NodeRefusals } from './node-refusals.ts'

export interface WebLimits {
  /** From the first byte of a request to the last byte of its body; then 408. */
  readonly requestMs: number
  readonly headersMs: number
  /** Check interval; a request may take this much longer. */
  readonly checkEveryMs: number
}

const LIMITS: WebLimits = { requestMs: 28_000, headersMs: 20_000, checkEveryMs: 2_000 }
// Longer than the usual keep-alive of a proxy, which must not reuse a connection that was just closed.
const KEEP_ALIVE_MS = 75_000

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void

export interface WebServer {
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
    requestTimeout: limits.requestMs,
    headersTimeout: limits.headersMs,
    connectionsCheckingInterval: limits.checkEveryMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    requireHostHeader: false,
  }
  const server: Server =
    tls === null
      ? createHttpServer(options, refusals.needsHost(handle))
      : createHttpsServer({ ...options, ...tls }, refusals.needsHost(handle))
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
