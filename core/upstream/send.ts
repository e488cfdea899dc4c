// One try: sends the request, follows same-origin redirects, and returns the response with an unread body.
import type { Dispatcher } from 'undici'
import { PlayheadError } from '@playhead/sdk'
import type { Sender } from './agents.ts'
import { exchange, type ResponseBody } from './exchange.ts'
import { flatten, type HttpHeaders } from './headers.ts'
import type { Limit } from './limit.ts'
import { exhaustedMs, parseQuota, parseRetryAfter, type Quota } from './rate-headers.ts'
import type { Placed } from './credential.ts'
import { type Address, redirectTarget } from './target.ts'

const MAX_REDIRECTS = 5
const REDIRECTS = new Set([301, 302, 303, 307, 308])
// 303 explicitly requests a read.
const KEEP_WRITES = new Set([303, 307, 308])
// Unwanted bodies up to this size are read, to reuse the connection; longer ones are aborted.
const DRAIN_BYTES = 64 * 1024

interface Outgoing {
  readonly account: string
  readonly method: Dispatcher.HttpMethod
  readonly address: Address
  readonly headers: HttpHeaders
  readonly body: string | Uint8Array | null
  /** May be sent twice. */
  readonly idempotent: boolean
  readonly limit: Limit
  readonly placed: Placed | null
  /** Redirect statuses to return instead of following. */
  readonly accept: readonly number[]
}

export interface RateHints {
  readonly retryAfterMs: number | undefined
  /** Time until an exhausted quota resets. */
  readonly exhaustedMs: number | undefined
  readonly quota: Quota | undefined
}

export interface Incoming {
  readonly status: number
  readonly headers: HttpHeaders
  readonly hints: RateHints
  readonly body: ResponseBody
  /** The method of the last request of a redirect chain. */
  readonly method: string
}

export async function send(sender: Sender, request: Outgoing, nowMs: () => number): Promise<Incoming> {
  let { address, method, body } = request
  for (let redirects = 0; ; redirects += 1) {
    const { origin, path, query } = address
    const { placed } = request
    const own = body === null ? withoutType(request.headers) : request.headers
    const headers = placed === null ? own : placed.headers(own)
    const sentQuery = placed === null ? query : placed.query(query)
    const answer = await exchange(
      sender,
      { origin, path: path + sentQuery, method, headers, body, idempotent: request.idempotent || method === 'GET' },
      request.limit,
    )
    const answerHeaders = flatten(answer.headers)
    const location = answerHeaders['location']
    if (location === undefined || request.accept.includes(answer.status) || !isFollowed(answer.status, method)) {
      return {
        status: answer.status,
        headers: answerHeaders,
        hints: hintsOf(answerHeaders, nowMs()),
        body: answer.body,
        method,
      }
    }

    await drain(answer.body)
    if (redirects === MAX_REDIRECTS) {
      throw new PlayheadError(
        'PLH_UPSTREAM',
        `${request.account}: ${origin} redirects more than ${MAX_REDIRECTS} times.`,
        { details: { account: request.account, reason: 'redirect' } },
      )
    }
    address = redirectTarget(request.account, address, location)
    if (answer.status === 303 && method !== 'HEAD') [method, body] = ['GET', null]
  }
}

function withoutType(headers: HttpHeaders): HttpHeaders {
  if (!('content-type' in headers)) return headers
  const { 'content-type': _type, ...rest } = headers
  return rest
}

/** Reads a small unwanted body, so that its connection can be reused. */
export function drain(body: ResponseBody): Promise<void> {
  return new Promise((resolve) => {
    let bytes = 0
    body.read({
      data(chunk) {
        bytes += chunk.length
        if (bytes > DRAIN_BYTES) body.abort()
        return true
      },
      end: resolve,
      // Only the connection is lost.
      fail: () => resolve(),
    })
  })
}

// Unlike browsers, 301 and 302 do not turn a write into a read, whose response would look like success.
function isFollowed(status: number, method: string): boolean {
  return REDIRECTS.has(status) && (method === 'GET' || method === 'HEAD' || KEEP_WRITES.has(status))
}

export function hintsOf(headers: HttpHeaders, nowMs: number): RateHints {
  const quota = parseQuota(headers, nowMs)
  return { retryAfterMs: parseRetryAfter(headers['retry-after'], nowMs), exhaustedMs: exhaustedMs(quota, nowMs), quota }
}
