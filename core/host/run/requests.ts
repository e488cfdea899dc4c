// Requests into a plugin lease their generation until the response is closed.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { RECEIVED_AT_HEADER } from '@playhead/sdk/host'
import { alwaysAs } from './attribution.ts'
import type { Generation, ResponseLease } from './generation.ts'

const LEASE = Symbol('what keeps the generation that answers this request')

interface LeasedResponse extends ServerResponse {
  [LEASE]?: { readonly generation: Generation; readonly lease: ResponseLease } | undefined
}

export type Routing = (request: IncomingMessage, response: ServerResponse) => void

/** Returns the function that dispatches requests to a generation. */
export function requestEntry(generation: Generation, routing: Routing): Routing {
  const enter = alwaysAs({ ...generation.owner, work: 'request' }, routing)
  return (request, response) => {
    if (RECEIVED_AT_HEADER in request.headers) delete request.headers[RECEIVED_AT_HEADER]
    ;(response as LeasedResponse)[LEASE] = { generation, lease: generation.leaseResponse(response) }
    // `on` instead of `once`: `close` fires only once, and the wrapper is expensive.
    response.on('close', release)
    enter(request, response)
  }
}

/** The core owns the stream now, so the plugin that opened it may be replaced. */
export function detachStream(response: ServerResponse): void {
  release.call(response)
}

function release(this: ServerResponse): void {
  const holding = this as LeasedResponse
  const held = holding[LEASE]
  if (held === undefined) return
  holding[LEASE] = undefined
  held.generation.releaseResponse(held.lease)
}
