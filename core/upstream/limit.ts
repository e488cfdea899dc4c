// Combines the reasons to abort a request: caller, plugin, timeout. Unlike AbortSignal.any and AbortSignal.timeout it
// retains nothing after release. The timeout counts only time that the process could use: a response that has arrived
// while the process waited for the processor is not late.
import { type Deadline, startDeadline, stopDeadline } from './deadlines.ts'

export interface Limit {
  /** The error of the request; undefined while it may continue. */
  readonly error: Error | undefined
  /** The same as a signal, created on demand. */
  readonly signal: AbortSignal
  /** Calls back once when the request must end, at once if it already did. The result unsubscribes. */
  onEnd(listener: (error: Error) => void): () => void
  /** Starts or restarts the timeout. */
  start(ms: number, onLimit: () => Error): void
  release(): void
}

/**
 * Reports the end of a generation to the requests that it has in progress. With one listener of the signal, because a
 * signal with many listeners is slow.
 */
export interface Ending {
  readonly isOver: boolean
  readonly listeners: Set<() => void>
}

export function endingOf(signal: AbortSignal): Ending {
  const listeners = new Set<() => void>()
  signal.addEventListener(
    'abort',
    () => {
      for (const listener of listeners) listener()
    },
    { once: true },
  )
  return {
    get isOver() {
      return signal.aborted
    },
    listeners,
  }
}

/** @param run enters the async context in which the end is reported, when the timeout is reached */
export function createLimit(
  sources: readonly (AbortSignal | Ending | undefined)[],
  onAbort: () => Error,
  run: (work: () => void) => void = (work) => work(),
): Limit {
  return new CombinedLimit(sources, onAbort, run)
}

class CombinedLimit implements Limit, Deadline {
  atMs = 0
  partMs = 0
  error: Error | undefined
  readonly #sources: readonly (AbortSignal | Ending | undefined)[]
  readonly #listeners: ((error: Error) => void)[] = []
  readonly #run: (work: () => void) => void
  readonly #abort: () => void
  #controller: AbortController | undefined
  #onLimit: (() => Error) | undefined

  constructor(
    sources: readonly (AbortSignal | Ending | undefined)[],
    onAbort: () => Error,
    run: (work: () => void) => void,
  ) {
    this.#sources = sources
    this.#run = run
    this.#abort = () => this.#end(onAbort())
    for (const source of sources) {
      if (source === undefined) continue
      if (source instanceof AbortSignal) {
        if (source.aborted) this.#abort()
        else source.addEventListener('abort', this.#abort, { once: true })
      } else if (source.isOver) this.#abort()
      else source.listeners.add(this.#abort)
    }
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.error !== undefined) this.#controller.abort(this.error)
    return this.#controller.signal
  }

  onEnd(listener: (error: Error) => void): () => void {
    if (this.error !== undefined) listener(this.error)
    else this.#listeners.push(listener)
    return () => {
      const place = this.#listeners.indexOf(listener)
      if (place !== -1) this.#listeners.splice(place, 1)
    }
  }

  start(ms: number, onLimit: () => Error): void {
    this.#onLimit = onLimit
    startDeadline(this, Math.max(0, ms))
  }

  onReached(): void {
    this.#run(() => this.#end(this.#onLimit!()))
  }

  release(): void {
    stopDeadline(this)
    for (const source of this.#sources) {
      if (source === undefined) continue
      if (source instanceof AbortSignal) source.removeEventListener('abort', this.#abort)
      else source.listeners.delete(this.#abort)
    }
  }

  #end(error: Error): void {
    if (this.error !== undefined) return
    this.error = error
    this.#controller?.abort(error)
    for (const listener of this.#listeners.splice(0)) listener(error)
  }
}
