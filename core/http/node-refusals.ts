// Requests that Node itself rejects (malformed, too long, too slow) get our body and headers.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { STATUS_CODES } from './node-http.ts'
import type { HeaderRequest } from './security-headers.ts'

type Handler = (request: IncomingMessage, response: ServerResponse) => void
type Refusal = readonly [status: number, error: string, detail: string]

const UNREADABLE: Refusal = [400, 'bad_request', 'The request cannot be read.']
const NO_HOST: Refusal = [400, 'bad_request', 'The request has no Host header.']
const MANY_HOSTS: Refusal = [400, 'bad_request', 'The request has several Host headers.']
const EXPECTATION: Refusal = [417, 'expectation_failed', 'The only expectation that is met is "100-continue".']
const BY_CODE: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: [431, 'headers_too_large', 'The address and the headers of the request are too long.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'payload_too_large', 'The chunk extensions of the request are too long.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'request_timeout', 'The request did not arrive in time.'],
}

/** The response in progress on a socket, as in Node's own handler. */
type AnsweringSocket = Socket & { readonly _httpMessage?: { readonly headersSent: boolean } | null }

export interface NodeRefusals {
  /** Replaces Node's check; the server needs `requireHostHeader: false`. */
  needsHost(handle: Handler): Handler
  attach(server: Server): void
}

/** @param headersFor headers of every response */
export function createNodeRefusals(
  headersFor: (path: string, request: HeaderRequest) => Readonly<Record<string, string>>,
): NodeRefusals {
  const headers = (socket: Socket, body: Buffer): Record<string, string> => ({
    ...headersFor('/api/', { headers: {}, socket }),
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(body.length),
    connection: 'close',
  })

  function refuse({ socket }: IncomingMessage, response: ServerResponse, refusal: Refusal): void {
    const body = bodyOf(refusal)
    response.writeHead(refusal[0], headers(socket, body)).end(body)
  }

  return {
    needsHost: (handle) => (request, response) => {
      if (request.headers.host === undefined && request.httpVersion === '1.1') refuse(request, response, NO_HOST)
      // A proxy may have routed by another Host header than Node uses.
      else if (hasManyHosts(request)) refuse(request, response, MANY_HOSTS)
      else handle(request, response)
    },
    attach(server) {
      server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) =>
        refuse(request, response, EXPECTATION),
      )
      server.on('clientError', (error: NodeJS.ErrnoException, socket: AnsweringSocket) => {
        if (!socket.writable || socket._httpMessage?.headersSent === true) return socket.destroy(error)
        const refusal = BY_CODE[error.code ?? ''] ?? UNREADABLE
        const body = bodyOf(refusal)
        const lines = Object.entries(headers(socket, body)).map(([name, value]) => `${name}: ${value}\r\n`)
        socket.write(`HTTP/1.1 ${refusal[0]} ${STATUS_CODES[refusal[0]]}\r\n${lines.join('')}\r\n`)
        socket.write(body)
        socket.destroySoon()
      })
    },
  }
}

function hasManyHosts({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) if (/^host$/i.test(rawHeaders[at] as string)) hosts += 1
  return hosts > 1
}

function bodyOf([, error, detail]: Refusal): Buffer {
  return Buffer.from(JSON.stringify({ ok: false, error, detail }))
}
