// A request as a handler receives it, and its response.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'

export function readRequest(incoming: IncomingMessage): UpstreamRequest {
  const url = new URL(`http://upstream${incoming.url ?? '/'}`)
  let read: Promise<Buffer> | undefined
  const body = (): Promise<Buffer> =>
    (read ??= Array.fromAsync(incoming as AsyncIterable<Buffer>).then((chunks) => Buffer.concat(chunks)))
  return {
    method: incoming.method ?? 'GET',
    path: url.pathname,
    query: url.searchParams,
    headers: incoming.headers,
    body,
    async json() {
      const text = (await body()).toString('utf8')
      try {
        return JSON.parse(text) as unknown
      } catch {
        throw new InvalidBody('the body is no JSON')
      }
    },
  }
}

export interface UpstreamRequest {
  readonly method: string
  /** Without the query. */
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  body(): Promise<Buffer>
  /** Throws `InvalidBody` if the body is not JSON; the service then answers 400. */
  json(): Promise<unknown>
}

export interface UpstreamReply {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
  readonly text?: string
  /** A binary body, such as an image. Its type is in `headers`. */
  readonly bytes?: Uint8Array
}

export class InvalidBody extends Error {}
