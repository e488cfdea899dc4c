// A request on its way into a plugin: it holds the generation that it began with until its response is closed.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { alwaysAs } from './attribution.ts'
import type { Generation, HeldResponse } from './generation.ts'

const HOLD = Symbol('what keeps the generation that answers this request')

interface HoldingResponse extends ServerResponse {
  [HOLD]?: { readonly generation: Generation; readonly held: HeldResponse } | undefined
}

export type Routing = (request: IncomingMessage, response: ServerResponse) => void

/** The function that takes requests into one generation. */
export function requestEntry(generation: Generation, routing: Routing): Routing {
  const enter = alwaysAs({ ...generation.owner, work: 'request' }, routing)
  return (request, response) => {
    ;(response as HoldingResponse)[HOLD] = { generation, held: generation.hold(response) }
    // Not `once`: it happens only once anyway, and the wrapper costs more than all the rest here.
    response.on('close', letGo)
    enter(request, response)
  }
}

/** A stream was handed to the core: the plugin that opened it is not needed any more and may be replaced meanwhile. */
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
