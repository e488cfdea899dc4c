// Reads a request to store: its body within limits, and the headers that the plugin may need later.
import type { IncomingMessage } from 'node:http'
import { createByteList, RECEIVED_AT_HEADER } from '@playhead/sdk/host'
import type { KeptRequest } from './seal.ts'

const MAX_BODY_BYTES = 5 * 1024 * 1024
const LIMIT_MS = 10_000

// Headers of the connection, and credentials for other routes.
const OMITTED = new Set([
  'connection',
  'content-length',
  'transfer-encoding',
  'expect',
  'keep-alive',
  'upgrade',
  'te',
  'trailer',
  'cookie',
  'authorization',
  'proxy-authorization',
  RECEIVED_AT_HEADER,
])

type Received = { readonly request: KeptRequest } | { readonly refused: 'too_large' | 'timeout' | 'lost' }

export function receiveRequest(incoming: IncomingMessage, atMs: number, limitMs = LIMIT_MS): Promise<Received> {
  return new Promise((resolve) => {
    const bytes = createByteList(MAX_BODY_BYTES)
    const timer = setTimeout(() => finish('timeout'), limitMs)
    const onData = (chunk: Buffer) => {
      if (!bytes.add(chunk)) finish('too_large')
    }
    const onEnd = () => finish(null)
    const onClose = () => finish('lost')
    function finish(refused: 'too_large' | 'timeout' | 'lost' | null): void {
      clearTimeout(timer)
      incoming.off('data', onData).off('end', onEnd).off('close', onClose)
      if (refused !== null) {
        incoming.resume()
        return resolve({ refused })
      }
      resolve({
        request: {
          method: incoming.method ?? 'POST',
          url: incoming.url ?? '/',
          headers: keptHeaders(incoming),
          remoteAddress: incoming.socket.remoteAddress ?? '',
          atMs,
          body: bytes.all(),
        },
      })
    }
    incoming.on('data', onData).on('end', onEnd).on('close', onClose)
    incoming.on('error', () => {})
    if (incoming.destroyed) finish('lost')
  })
}

function keptHeaders({ headers }: IncomingMessage): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !OMITTED.has(name)) kept[name] = Array.isArray(value) ? value.join(', ') : value
  }
  return kept
}
