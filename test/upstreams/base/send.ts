// Sends a whole response, a part of one, or the response of a broken intermediary.
import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Fault } from './faults.ts'
import type { UpstreamReply } from './messages.ts'

export function sendReply(response: ServerResponse, reply: UpstreamReply): void {
  if (response.headersSent) return
  const body = start(response, reply)
  response.end(body)
}

/** Announces the whole body, sends the first part and cuts the connection. */
export function cut(response: ServerResponse, reply: UpstreamReply, afterBytes: number | undefined): void {
  const body = start(response, reply)
  const kept = body.subarray(0, Math.min(afterBytes ?? Math.floor(body.length / 2), Math.max(0, body.length - 1)))
  response.write(kept, () => response.destroy())
}

/** Sends the response of a fault and returns its status. */
export function sendFault(response: ServerResponse, fault: Fault): number {
  if (fault.kind === 'empty') {
    sendReply(response, { status: fault.status ?? 200, headers: fault.headers })
    return fault.status ?? 200
  }
  const status = fault.status ?? (fault.kind === 'html' ? 502 : 500)
  const html = { 'content-type': 'text/html; charset=utf-8', ...fault.headers }
  if (fault.kind === 'html')
    sendReply(response, { status, headers: html, text: '<html><body><h1>Bad gateway</h1></body></html>' })
  else sendReply(response, { status, headers: fault.headers })
  return status
}

/** Refuses an upgrade. */
export function sendUpgradeReply(stream: Duplex, { status, headers = {} }: UpstreamReply): void {
  const lines = Object.entries({ ...headers, 'content-length': '0', connection: 'close' })
  stream.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
  )
}

function start(response: ServerResponse, { status, headers = {}, json, text, bytes }: UpstreamReply): Buffer {
  const body =
    bytes === undefined ? Buffer.from(json === undefined ? (text ?? '') : JSON.stringify(json)) : Buffer.from(bytes)
  response.statusCode = status
  if (json !== undefined) response.setHeader('content-type', 'application/json; charset=utf-8')
  else if (text !== undefined) response.setHeader('content-type', 'text/plain; charset=utf-8')
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  if (status !== 204 && status !== 304) response.setHeader('content-length', body.length)
  return body
}
