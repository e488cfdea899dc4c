// A third-party service on loopback: a handler answers, faults interfere, and all requests are recorded.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { createFaults, type Faults, matches, type RequestMatch } from './faults.ts'
import { InvalidBody, readRequest, type UpstreamReply, type UpstreamRequest } from './messages.ts'
import { cut, sendFault, sendReply, sendUpgradeReply } from './send.ts'
import { acceptSocket, type UpstreamSocket } from './sockets.ts'

export interface RecordedRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  /** 0 until the request is answered, or if it never is. */
  readonly status: number
  readonly atMs: number
}

export interface Exchange {
  readonly request: UpstreamRequest
  readonly reply: UpstreamReply
}

export interface Upstream extends AsyncDisposable {
  readonly name: string
  /** `http://127.0.0.1:<port>` */
  readonly url: string
  readonly requests: readonly RecordedRequest[]
  /** The number of requests, all or matching ones. */
  count(match?: RequestMatch): number
  /** The maximum number of concurrent requests. */
  maxInFlight(): number
  readonly faults: Faults
  /** Calls the listener with every response of the handler, including its body, which `requests` does not keep. */
  onAnswer(listener: (exchange: Exchange) => void): void
  /** Cuts all connections and stops. Throws the error that a handler threw. */
  close(): Promise<void>
}

export interface UpstreamOptions {
  readonly name: string
  readonly handler: (request: UpstreamRequest) => UpstreamReply | Promise<UpstreamReply>
  /** For WebSocket requests: a reply refuses the upgrade. Default: 404 for all. Faults `status`, `hang`, `reset` apply. */
  readonly upgrade?: (request: UpstreamRequest) => UpstreamReply | ((socket: UpstreamSocket) => void)
  /** Minimum time of every response. Default 0. */
  readonly latencyMs?: number
  /** Default: any free one. */
  readonly port?: number
}

/**
 * @example
 * await using upstream = await startUpstream({ name: 'clock', handler: () => ({ status: 200, json: { now: 1 } }) })
 * upstream.faults.add({ kind: 'status', status: 429, headers: { 'retry-after': '1' }, times: 1 })
 */
export async function startUpstream({
  name,
  handler,
  upgrade = () => ({ status: 404 }),
  latencyMs = 0,
  port = 0,
}: UpstreamOptions): Promise<Upstream> {
  const requests: { method: string; path: string; query: URLSearchParams; status: number; atMs: number }[] = []
  const faults = createFaults()
  const failures: unknown[] = []
  const listeners: ((exchange: Exchange) => void)[] = []
  const stopping = new AbortController()
  const streams = new Set<Duplex>()
  let inFlight = 0
  let maxInFlight = 0

  // Clients close idle connections first, so that a busy machine breaks no request off.
  const server = createServer({ keepAliveTimeout: 0 }, (incoming, response) => {
    inFlight += 1
    maxInFlight = Math.max(maxInFlight, inFlight)
    response.once('close', () => {
      inFlight -= 1
    })
    answer(incoming, response).catch((error: unknown) => {
      // A disconnected client, and one that the stop disconnected, are not failures of the handler.
      if (stopping.signal.aborted || response.destroyed) return
      failures.push(error)
      sendReply(response, { status: 500, text: 'Error processing request.' })
    })
  })

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = readRequest(incoming)
    const record = { method: request.method, path: request.path, query: request.query, status: 0, atMs: Date.now() }
    requests.push(record)
    const fault = faults.take({
      ...request,
      body: request.method === 'GET' ? '' : (await request.body()).toString('utf8'),
    })
    if (fault?.kind === 'hang') return
    if (latencyMs > 0) await sleep(latencyMs, undefined, { signal: stopping.signal })
    if (fault?.kind === 'status' || fault?.kind === 'html' || fault?.kind === 'empty') {
      record.status = sendFault(response, fault)
      return
    }
    if (fault?.kind === 'spoil' && fault.instead === true) {
      fault.send?.(response, { status: 200 })
      record.status = response.statusCode
      return
    }
    if (fault?.kind === 'slow') await sleep(fault.delayMs ?? 0, undefined, { signal: stopping.signal })
    const reply = await handleOrRefuse(request)
    for (const listener of listeners) listener({ request, reply })
    if (fault?.kind === 'lag') await sleep(fault.delayMs ?? 0, undefined, { signal: stopping.signal })
    if (fault?.kind === 'reset') {
      // Within the first line: without a byte it would be an idle connection that was closed, and a client asks again.
      incoming.socket.write('HTTP/1.1 ', () => incoming.socket.destroy())
      return
    }
    record.status = reply.status
    if (fault?.kind === 'spoil') {
      fault.send?.(response, reply)
      record.status = response.statusCode
    } else if (fault?.kind === 'truncate') cut(response, reply, fault.afterBytes)
    else sendReply(response, reply)
  }

  async function handleOrRefuse(request: UpstreamRequest): Promise<UpstreamReply> {
    try {
      return await handler(request)
    } catch (error) {
      if (error instanceof InvalidBody) return { status: 400, text: error.message }
      throw error
    }
  }

  server.on('upgrade', (incoming, stream, head) => {
    streams.add(stream)
    stream.once('close', () => streams.delete(stream))
    stream.on('error', () => stream.destroy())
    const request = readRequest(incoming)
    const record = { method: request.method, path: request.path, query: request.query, status: 0, atMs: Date.now() }
    requests.push(record)
    const fault = faults.take({ ...request, body: '' })
    if (fault?.kind === 'hang') return
    if (fault?.kind === 'reset') {
      stream.destroy()
      return
    }
    const answer = fault?.kind === 'status' ? { status: fault.status ?? 500, headers: fault.headers } : upgrade(request)
    record.status = typeof answer === 'function' ? 101 : answer.status
    if (typeof answer !== 'function') {
      sendUpgradeReply(stream, answer)
      return
    }
    const socket = acceptSocket(incoming, stream, head)
    if (socket !== undefined) answer(socket)
  })

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })

  async function close(): Promise<void> {
    if (server.listening) {
      stopping.abort()
      const stopped = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      for (const stream of streams) stream.destroy()
      await stopped
    }
    if (failures.length > 0) throw new AggregateError(failures.splice(0), `the stand-in for ${name} failed`)
  }

  return {
    name,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    count: (match) => requests.filter((request) => matches(match, request)).length,
    maxInFlight: () => maxInFlight,
    faults,
    onAnswer: (listener) => void listeners.push(listener),
    close,
    [Symbol.asyncDispose]: close,
  }
}
