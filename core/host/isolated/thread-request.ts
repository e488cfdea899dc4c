// Answers HTTP requests on an isolated plugin's thread with the plugin's own Fastify instance.
import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { Caller, OpenStreamOptions, Remote, Streams } from '@playhead/sdk'
import type { Gate } from '../../http/access/access.ts'
import type { HostSide, WireRequest, WireResponse } from './wire.ts'

const CALLER_HEADER = 'x-playhead-caller'
const STREAM_HEADER = 'x-playhead-stream'
/** Larger bodies, and those of unknown size, are sent in pieces. */
const WHOLE_BYTES = 256 * 1024

/** The host's gate has decided; it sends the caller with the request. */
export const THREAD_GATE: Gate = {
  decide({ headers }) {
    const caller = JSON.parse(String(headers[CALLER_HEADER])) as Caller
    delete headers[CALLER_HEADER]
    return { pass: true, caller }
  },
}

/** The host opens the stream, because it has the connection. */
export const openInHost: Streams['open'] = (_request, reply, options) =>
  reply.header(STREAM_HEADER, JSON.stringify(options)).send('')

export interface RequestAnswerer {
  answer(request: WireRequest, signal: AbortSignal): Promise<WireResponse>
  body(id: number): AsyncIterable<Uint8Array>
}

export function createRequestAnswerer(child: FastifyInstance, host: Remote<HostSide>): RequestAnswerer {
  const bodies = new Map<number, Readable>()
  let lastId = 0

  return {
    async answer({ method, url, headers, caller, address, body }, signal) {
      const response = await child.inject({
        method: method as 'GET',
        url,
        headers: { ...(headers as Record<string, string | string[]>), [CALLER_HEADER]: JSON.stringify(caller) },
        remoteAddress: address,
        payloadAsStream: true,
        signal,
        ...(body === null ? {} : { payload: Readable.from(host.requestBody(body), { objectMode: false }) }),
      })
      const { [STREAM_HEADER]: stream, ...rest } = response.headers as Record<string, string | string[]>
      const source = response.stream()
      const parts = { status: response.statusCode, headers: rest }
      if (stream !== undefined) {
        source.resume()
        return { ...parts, body: new Uint8Array(), stream: JSON.parse(String(stream)) as OpenStreamOptions }
      }
      if (Number(rest['content-length'] ?? Number.POSITIVE_INFINITY) <= WHOLE_BYTES) {
        return { ...parts, body: Buffer.concat(await Array.fromAsync<Buffer>(source)), stream: null }
      }
      const id = ++lastId
      bodies.set(id, source)
      source.once('close', () => bodies.delete(id))
      return { ...parts, body: id, stream: null }
    },
    async *body(id) {
      const source = bodies.get(id)
      if (source !== undefined) yield* source as AsyncIterable<Uint8Array>
    },
  }
}
