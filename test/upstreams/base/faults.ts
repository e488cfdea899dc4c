// Faults that a test injects into requests. Each applies to `times` requests; the oldest matching fault applies first.
import type { ServerResponse } from 'node:http'
import type { UpstreamReply } from './messages.ts'

export type FaultKind = 'status' | 'hang' | 'reset' | 'truncate' | 'empty' | 'html' | 'slow' | 'lag' | 'spoil'

interface Matchable {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  /** The part of a request that a fault can match. */
  readonly body?: string
}

/** Path (exact text or pattern), or a predicate on the whole request. */
export type RequestMatch = string | RegExp | ((request: Matchable) => boolean)

export interface Fault {
  /** Default: every request. */
  readonly match?: RequestMatch
  /** Default: until `clear()`. */
  readonly times?: number
  /**
   * - `status`: answers `status` (500) with `headers`; the handler does not run
   * - `hang`: never answers
   * - `reset`: does the work, then cuts the connection within the first line of the answer: the client cannot know that it was done
   * - `truncate`: cuts the connection after `afterBytes` of the body (default: half)
   * - `empty`: 200 without a body
   * - `html`: a proxy's page with `status` (default 502)
   * - `slow`: waits `delayMs` before the work
   * - `lag`: does the work at once, answers after `delayMs`; a delayed read shows the state before later writes
   * - `spoil`: `send` replaces the answer; with `instead` the handler does not run
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
  /** Returns the fault for this request, if any, and counts it as used. */
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

/** True without a matcher, or if the request matches it. */
export function matches(match: RequestMatch | undefined, request: Matchable): boolean {
  if (match === undefined) return true
  if (typeof match === 'string') return request.path === match
  // `search` ignores the lastIndex of a global pattern.
  return match instanceof RegExp ? request.path.search(match) >= 0 : match(request)
}
