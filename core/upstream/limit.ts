// Combines the reasons to abort a request: caller, plugin, timeout. Unlike AbortSignal.any and AbortSignal.timeout it
// retains nothing after release. The timeout counts only time that the process could use: a response that has arrived
// while the process waited for the processor is not late.
import { afterUsable } from '@playhead/sdk/host'

/** The wall-clock limit is three times the timeout. */
const LEAST_SHARE = 1 / 3

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

export function createLimit(sources: readonly (AbortSignal | undefined)[], onAbort: () => Error): Limit {
  const signals = sources.filter((signal) => signal !== undefined)
  const listeners = new Set<(error: Error) => void>()
  let controller: AbortController | undefined
  let over: Error | undefined
  let cancel = () => {}

  function end(error: Error): void {
    if (over !== undefined) return
    over = error
    controller?.abort(error)
    for (const listener of listeners) listener(error)
    listeners.clear()
  }

  const abort = () => end(onAbort())
  for (const signal of signals) {
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
  }

  return {
    get error() {
      return over
    },
    get signal() {
      controller ??= new AbortController()
      if (over !== undefined) controller.abort(over)
      return controller.signal
    },
    onEnd(listener) {
      if (over !== undefined) listener(over)
      else listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    start(ms, onLimit) {
      cancel()
      cancel = afterUsable(Math.max(0, ms), () => end(onLimit()), { leastShare: LEAST_SHARE })
    },
    release() {
      cancel()
      for (const signal of signals) signal.removeEventListener('abort', abort)
    },
  }
}
