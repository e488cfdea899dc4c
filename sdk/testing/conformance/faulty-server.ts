// A test server with injectable faults, for plugins without a simulator.
import type { ServerResponse } from 'node:http'
import { type ReceivedRequest, type Reply, startServer } from '../server.ts'
import type { SeenRequest, ServiceFault, StandIn } from './contract.ts'

export interface FaultyServer extends StandIn, AsyncDisposable {
  readonly requests: readonly ReceivedRequest[]
  close(): Promise<void>
}

/**
 * @example
 * await using server = await startFaultyServer(({ path }) =>
 *   path === '/me' ? { json: { name: 'Ann' } } : { status: 404 })
 * server.faults.add({ kind: 'status', status: 429, headers: { 'retry-after': '7' }, times: 1 })
 */
export async function startFaultyServer(
  handler: (request: ReceivedRequest) => Reply | Promise<Reply>,
): Promise<FaultyServer> {
  let laid: { readonly fault: ServiceFault; left: number }[] = []

  function take(request: SeenRequest): ServiceFault | undefined {
    const found = laid.find(({ fault }) => fault.match?.(request) ?? true)
    if (found === undefined) return undefined
    found.left -= 1
    if (found.left <= 0) laid = laid.filter((other) => other !== found)
    return found.fault
  }

  const server = await startServer(async (request, response) => {
    const fault = take(request)
    if (fault === undefined) return handler(request)
    if (fault.kind === 'hang') return
    if (fault.kind === 'empty') return { status: 200 }
    if (fault.kind === 'html')
      return {
        status: fault.status ?? 502,
        headers: { 'content-type': 'text/html' },
        body: '<html><body>Bad gateway</body></html>',
      }
    if (fault.kind === 'status') return { status: fault.status ?? 500, headers: fault.headers ?? {} }
    const reply = await handler(request)
    // Breaks within the first line: without a byte it would look like an idle connection that was closed, and a client
    // would send the request again.
    if (fault.kind === 'reset') response.socket?.write('HTTP/1.1 ', () => response.destroy())
    else cut(response, reply)
  })

  return {
    ...server,
    faults: {
      add: (fault) => void laid.push({ fault, left: fault.times ?? Infinity }),
      clear: () => {
        laid = []
      },
    },
  }
}

function cut(response: ServerResponse, { status = 200, headers = {}, json, body }: Reply): void {
  const whole = Buffer.from(json === undefined ? (body ?? '') : JSON.stringify(json))
  response.writeHead(status, {
    'content-type': 'application/json',
    ...(headers as Record<string, string>),
    'content-length': Math.max(1, whole.length),
  })
  response.write(whole.subarray(0, Math.floor(whole.length / 2)), () => response.destroy())
}
