// One exchange with a service, from the request to the last byte of its answer. What comes before somebody reads it is
// kept, up to a limit; then the service waits. So a small body that nobody asks for still ends and frees its
// connection.
//
// The client's own streams cost more than most answers, which come in one piece and are read at once; here a stream is
// made only for those who ask for one.
import type { Dispatcher } from 'undici'
import type { Limit } from './limit.ts'

const READ_AHEAD_BYTES = 256 * 1024

type Headers = Readonly<Record<string, string | string[] | undefined>>

export interface Head {
  readonly status: number
  readonly headers: Headers
  readonly body: Inflow
}

/** Takes a body. After `end` or `fail` nothing comes any more. */
export interface Reader {
  /** False: enough for now, until `goOn` is called. */
  data(chunk: Buffer): boolean
  end(): void
  fail(error: Error): void
}

/** A body on its way. */
export interface Inflow {
  /** Gives the reader what is there and what comes; once. */
  read(reader: Reader): void
  goOn(): void
  /** Nobody wants the rest: the connection is cut. */
  giveUp(): void
  /**
   * Calls when everything has come or nothing more will, with the bytes that came over the wire; at once if that is so.
   */
  whenOver(listener: (bytes: number) => void): void
}

/** Sends the request and waits for the head of the answer. Fails with the limit's error or what the connection says. */
export function exchange(dispatcher: Dispatcher, request: Dispatcher.DispatchOptions, limit: Limit): Promise<Head> {
  if (limit.error !== undefined) return Promise.reject(limit.error)
  return new Promise((resolve, reject) => {
    dispatcher.dispatch(request, new Exchange(limit, resolve, reject))
  })
}

class Exchange implements Dispatcher.DispatchHandler, Inflow {
  readonly #resolve: (head: Head) => void
  readonly #reject: (error: Error) => void
  readonly #forgetLimit: () => void
  #controller: Dispatcher.DispatchController | undefined
  #reader: Reader | undefined
  #kept: Buffer[] = []
  #bytes = 0
  #isOver = false
  #error: Error | undefined
  #onOver: ((bytes: number) => void) | undefined

  constructor(limit: Limit, resolve: (head: Head) => void, reject: (error: Error) => void) {
    this.#resolve = resolve
    this.#reject = reject
    this.#forgetLimit = limit.whenOver((error) => this.#cut(error))
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // Called off while it waited for its connection.
    if (this.#error !== undefined) controller.abort(this.#error)
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: Headers): void {
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
    this.#end(error)
  }

  read(reader: Reader): void {
    this.#reader = reader
    const kept = this.#kept
    this.#kept = []
    if (this.#error !== undefined) return reader.fail(this.#error)
    let wantsMore = true
    for (const chunk of kept) wantsMore = reader.data(chunk)
    // A reader may have given up meanwhile.
    if (this.#error !== undefined) return
    if (this.#isOver) reader.end()
    else if (wantsMore) this.goOn()
  }

  goOn(): void {
    if (!this.#isOver) this.#controller?.resume()
  }

  giveUp(): void {
    this.#cut(new Error('The rest of the answer was given up.'))
  }

  whenOver(listener: (bytes: number) => void): void {
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
    // Does nothing where the head has come.
    if (error !== undefined) this.#reject(error)
    if (error === undefined) this.#reader?.end()
    else this.#reader?.fail(error)
    this.#onOver?.(this.#bytes)
  }
}
