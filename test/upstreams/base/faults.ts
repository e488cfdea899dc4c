// Faults that a test lays in the way of requests: each is used up after `times` requests, the oldest that matches goes
// first.
import type { ServerResponse } from 'node:http'
import type { UpstreamReply } from './messages.ts'

export type FaultKind = 'status' | 'hang' | 'reset' | 'truncate' | 'empty' | 'html' | 'slow' | 'lag' | 'spoil'

interface Matchable {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  /** Of requests that a fault may befall. */
  readonly body?: string
}

/** Path (exact text or pattern), or a test of the whole request. */
export type RequestMatch = string | RegExp | ((request: Matchable) => boolean)

export interface Fault {
  /** Default: every request. */
  readonly match?: RequestMatch
  /** Default: until `clear()`. */
  readonly times?: number
  /**
   * - `status`: answers `status` (500) with `headers`; the handler does not run
   * - `hang`: never answers
   * - `reset`: does the work, then cuts the connection without an answer: the client cannot know that it was done
   * - `truncate`: cuts the connection after `afterBytes` of the body (default: half)
   * - `empty`: 200 without a body
   * - `html`: a proxy's page with `status` (default 502)
   * - `slow`: waits `delayMs` before the work
   * - `lag`: does the work at once, answers after `delayMs`; a read so held back shows the state before later writes
   * - `spoil`: `send` answers with what it makes of the answer; with `instead` the handler does not run
   */
  readonly kind: FaultKind
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly afterBytes?: number
  readonly delayMs?: number
  readonly send?: (response: ServerResponse, reply: UpstreamReply) => void
  readonly instead?: boolean
}

export interface Faults {
  add(fault: Fault): void
  clear(): void
}

export interface FaultQueue extends Faults {
  /** The fault that befalls this request, if any; counts it as used. */
  take(request: Matchable): Fault | undefined
}

export function createFaults(): FaultQueue {
  let laid: { readonly fault: Fault; left: number }[] = []
  return {
    add(fault) {
      laid.push({ fault, left: fault.times ?? Infinity })
    },
    clear() {
      laid = []
    },
    take(request) {
      const found = laid.find(({ fault }) => matches(fault.match, request))
      if (found === undefined) return undefined
      found.left -= 1
      if (found.left <= 0) laid = laid.filter((other) => other !== found)
      return found.fault
    },
  }
}

/** True when there is no match to fulfil, or the request fulfils it. */
export function matches(match: RequestMatch | undefined, request: Matchable): boolean {
  if (match === undefined) return true
  if (typeof match === 'string') return request.path === match
  // A global pattern remembers where it stopped; `search` does not look at that.
  return match instanceof RegExp ? request.path.search(match) >= 0 : match(request)
}
