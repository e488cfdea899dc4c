// A local HTTP server that simulates a third party: records requests and responds through a handler.
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'

export interface ReceivedRequest {
  readonly method: string
  /** Without the query. */
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  /** The whole body as text. */
  readonly body: string
  /** The body as JSON; throws if invalid. */
  json(): unknown
  /** Index of the request at this server, from 0. */
  readonly index: number
}

export interface Reply {
  /** Default 200. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  /** Sent as `application/json`. */
  readonly json?: unknown
  readonly body?: string | Uint8Array
}

/** Returns a reply, or writes to the response itself. */
export type Handler = (request: ReceivedRequest, response: ServerResponse) => Reply | void | Promise<Reply | void>

export interface TestServer extends AsyncDisposable {
  /** `http://127.0.0.1:<port>` */
  readonly url: string
  /** All requests, in order of arrival. */
  readonly requests: readonly ReceivedRequest[]
  /** Connections that are open now. */
  connections(): number
  /** Maximum number of concurrent requests. */
  mostAtOnce(): number
  /** Closes all connections and stops. Throws errors of a handler. */
  close(): Promise<void>
}

export interface TestServerOptions {
  /** Serves HTTPS with this key and certificate (PEM). */
  readonly tls?: { readonly key: string; readonly cert: string }
  /** Takes over connections that ask for a WebSocket; see `acceptSocket`. Without it they are answered like others. */
  readonly socket?: (request: ReceivedRequest, connection: Duplex) => void
}

/**
 * @example
 * await using server = await startServer(({ path }) => path === '/me' ? { json: { name: 'Ann' } } : { status: 404 })
 */
export async function startServer(
  handler: Handler,
  { tls, socket: onSocket }: TestServerOptions = {},
): Promise<TestServer> {
  const requests: ReceivedRequest[] = []
  const sockets = new Set<Socket>()
  const failures: unknown[] = []
  let atOnce = 0
  let mostAtOnce = 0

  const listener: RequestListener = (incoming, response) => {
    atOnce += 1
    mostAtOnce = Math.max(mostAtOnce, atOnce)
    response.once('close', () => {
      atOnce -= 1
    })
    answer(incoming, response).catch((error: unknown) => {
      // The client disconnected.
      if (incoming.errored !== null || response.destroyed) return
      failures.push(error)
      response.statusCode = 500
      response.end()
    })
  }

  function receive(incoming: IncomingMessage) {
    const index = requests.length
    const url = new URL(incoming.url ?? '/', 'http://test')
    const request = {
      method: incoming.method ?? 'GET',
      path: url.pathname,
      query: url.searchParams,
      headers: incoming.headers,
      body: '',
      index,
    }
    const received = { ...request, json: () => JSON.parse(received.body) as unknown }
    requests.push(received)
    return received
  }

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const received = receive(incoming)
    incoming.setEncoding('utf8')
    for await (const chunk of incoming) received.body += chunk as string
    const reply = await handler(received, response)
    if (reply !== undefined) send(response, reply)
  }

  // Clients close idle connections first, so that a busy machine breaks no request off.
  const options = { keepAliveTimeout: 0 }
  const server: Server =
    tls === undefined ? createServer(options, listener) : createTlsServer({ ...options, ...tls }, listener)
  server.on(tls === undefined ? 'connection' : 'secureConnection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  if (onSocket !== undefined) {
    server.on('upgrade', (incoming: IncomingMessage, connection: Duplex) => {
      connection.on('error', () => {})
      // Upgraded connections would stay half open otherwise.
      connection.on('end', () => connection.end()).resume()
      onSocket(receive(incoming), connection)
    })
  }
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })

  async function close(): Promise<void> {
    if (server.listening) {
      const stopped = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      for (const socket of sockets) socket.destroy()
      await stopped
    }
    if (failures.length > 0) throw new AggregateError(failures.splice(0), 'a handler of the test server failed')
  }

  return {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    connections: () => sockets.size,
    mostAtOnce: () => mostAtOnce,
    close,
    [Symbol.asyncDispose]: close,
  }
}

function send(response: ServerResponse, { status = 200, headers = {}, json, body }: Reply): void {
  response.statusCode = status
  if (json !== undefined) response.setHeader('content-type', 'application/json')
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value as string | string[])
  response.end(json === undefined ? body : JSON.stringify(json))
}
