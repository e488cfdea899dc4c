// One exchange: from the request to the last byte of the response. Unread data is buffered up to a limit, then
// backpressure applies, so a small unread body still completes and frees its connection.
//
// undici's streams are expensive for small responses, so a stream is only created on demand.
import type { Dispatcher } from 'undici'
import type { Sender } from './agents.ts'
import type { RawHeaders } from './headers.ts'
import type { Limit } from './limit.ts'

const READ_AHEAD_BYTES = 256 * 1024

interface Head {
  readonly status: number
  readonly headers: RawHeaders
  readonly body: ResponseBody
}

/** Receives a body. Nothing follows `end` or `fail`. */
interface Reader {
  /** False pauses the body until `resume` is called. */
  data(chunk: Buffer): boolean
  end(): void
  fail(error: Error): void
}

/** A response body in transfer. */
export interface ResponseBody {
  /** Delivers buffered and further data; once. */
  read(reader: Reader): void
  resume(): void
  /** Aborts: closes the connection. */
  abort(): void
  /** Calls back when the body is complete or aborted, with the bytes on the wire; at once if it already is. */
  onClose(listener: (bytes: number) => void): void
}

/**
 * Sends the request and waits for the response headers. Fails with the limit's error or the connection's. An idempotent
 * request is sent again at once if the service closed an idle connection just then (RFC 9112, 9.3.1).
 */
export function exchange(sender: Sender, request: Dispatcher.DispatchOptions, limit: Limit): Promise<Head> {
  if (limit.error !== undefined) return Promise.reject(limit.error)
  return new Promise((resolve, reject) => {
    const send = () => sender.dispatch(request, handler)
    const handler = new Exchange(limit, resolve, reject, request.idempotent === true ? send : undefined)
    send()
  })
}

const CLOSED = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])

// A connection that delivered an earlier response. Each failure closes one of these, so repeating ends.
function wasReusedAndClosed(error: Error): boolean {
  const { code, socket } = error as { code?: string; socket?: { readonly bytesRead?: number } }
  return CLOSED.has(code ?? '') && (socket?.bytesRead ?? 0) > 0
}

class Exchange implements Dispatcher.DispatchHandler, ResponseBody {
  readonly #resolve: (head: Head) => void
  readonly #reject: (error: Error) => void
  readonly #sendAgain: (() => void) | undefined
  readonly #forgetLimit: () => void
  #controller: Dispatcher.DispatchController | undefined
  #reader: Reader | undefined
  #kept: Buffer[] = []
  #bytes = 0
  #isAnswered = false
  #isOver = false
  #error: Error | undefined
  #onOver: ((bytes: number) => void) | undefined

  constructor(
    limit: Limit,
    resolve: (head: Head) => void,
    reject: (error: Error) => void,
    sendAgain: (() => void) | undefined,
  ) {
    this.#resolve = resolve
    this.#reject = reject
    this.#sendAgain = sendAgain
    this.#forgetLimit = limit.onEnd((error) => this.#cut(error))
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // Aborted while waiting for a connection.
    if (this.#error !== undefined) controller.abort(this.#error)
  }

  onResponseStarted(): void {
    this.#isAnswered = true
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: RawHeaders): void {
    if (status >= 200) this.#resolve({ status, headers, body: this })
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length
    if (this.#reader === undefined) {
      this.#kept.push(chunk)
      if (this.#bytes > READ_AHEAD_BYTES) controller.pause()
    } else if (!this.#reader.data(chunk)) controller.pause()
  }

  onResponseEnd(): void {
    this.#end(undefined)
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    const repeats = this.#sendAgain !== undefined && !this.#isAnswered && !this.#isOver && wasReusedAndClosed(error)
    if (repeats) this.#sendAgain()
    else this.#end(error)
  }

  read(reader: Reader): void {
    this.#reader = reader
    const kept = this.#kept
    this.#kept = []
    if (this.#error !== undefined) return reader.fail(this.#error)
    let wantsMore = true
    for (const chunk of kept) wantsMore = reader.data(chunk)
    // The reader may have aborted meanwhile.
    if (this.#error !== undefined) return
    if (this.#isOver) reader.end()
    else if (wantsMore) this.resume()
  }

  resume(): void {
    if (!this.#isOver) this.#controller?.resume()
  }

  abort(): void {
    this.#cut(new Error('The rest of the answer was given up.'))
  }

  onClose(listener: (bytes: number) => void): void {
    if (this.#isOver) listener(this.#bytes)
    else this.#onOver = listener
  }

  #cut(error: Error): void {
    if (this.#isOver) return
    this.#end(error)
    this.#controller?.abort(error)
  }

  #end(error: Error | undefined): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#error = error
    this.#forgetLimit()
    // No effect after the headers arrived.
    if (error !== undefined) this.#reject(error)
    if (error === undefined) this.#reader?.end()
    else this.#reader?.fail(error)
    this.#onOver?.(this.#bytes)
  }
}
