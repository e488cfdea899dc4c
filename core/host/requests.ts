// A request on its way into a plugin: it holds the generation that it began with until its response is closed.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { alwaysAs } from './attribution.ts'
import type { Generation } from './generation.ts'

const HOLDER = Symbol('the generation that answers this request')

interface HeldResponse extends ServerResponse {
  [HOLDER]?: Generation | undefined
}

export type Routing = (request: IncomingMessage, response: ServerResponse) => void

/** The function that takes requests into one generation. */
export function requestEntry(generation: Generation, routing: Routing): Routing {
  const enter = alwaysAs({ ...generation.owner, work: 'request' }, routing)
  return (request, response) => {
    generation.hold(response)
    ;(response as HeldResponse)[HOLDER] = generation
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
  const held = this as HeldResponse
  held[HOLDER]?.letGo(this)
  held[HOLDER] = undefined
}
