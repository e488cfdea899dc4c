// Requests into a plugin lease their generation until the response is closed.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { alwaysAs } from './attribution.ts'
import type { Generation, HeldResponse } from './generation.ts'

const HOLD = Symbol('what keeps the generation that answers this request')

interface HoldingResponse extends ServerResponse {
  [HOLD]?: { readonly generation: Generation; readonly held: HeldResponse } | undefined
}

export type Routing = (request: IncomingMessage, response: ServerResponse) => void

/** Returns the function that dispatches requests to a generation. */
export function requestEntry(generation: Generation, routing: Routing): Routing {
  const enter = alwaysAs({ ...generation.owner, work: 'request' }, routing)
  return (request, response) => {
    ;(response as HoldingResponse)[HOLD] = { generation, held: generation.hold(response) }
    // `on` instead of `once`: `close` fires only once, and the wrapper is expensive.
    response.on('close', letGo)
    enter(request, response)
  }
}

/** The core took over a stream: the plugin that opened it may be replaced. */
export function detachStream(response: ServerResponse): void {
  letGo.call(response)
}

function letGo(this: ServerResponse): void {
  const holding = this as HoldingResponse
  const hold = holding[HOLD]
  if (hold === undefined) return
  holding[HOLD] = undefined
  hold.generation.letGo(hold.held)
}
