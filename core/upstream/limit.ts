// Everything that may end a request early, as one: its caller, its plugin, its time limit. AbortSignal.any and
// AbortSignal.timeout would hold on to the request for as long as the plugin lives or the timer runs; here nothing is
// left once the limit is released.
export interface Limit {
  /** What the request fails with; undefined while it may go on. */
  readonly error: Error | undefined
  /** The same as a signal, made for those who ask: most requests are over without one. */
  readonly signal: AbortSignal
  /** Calls once when the request has to end, at once if it has. The result takes that back. */
  whenOver(listener: (error: Error) => void): () => void
  /** Starts or restarts the time limit. */
  start(ms: number, onLimit: () => Error): void
  release(): void
}

export function createLimit(sources: readonly (AbortSignal | undefined)[], onAbort: () => Error): Limit {
  const signals = sources.filter((signal) => signal !== undefined)
  const listeners = new Set<(error: Error) => void>()
  let controller: AbortController | undefined
  let over: Error | undefined
  let timer: NodeJS.Timeout | undefined

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
    whenOver(listener) {
      if (over !== undefined) listener(over)
      else listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    start(ms, onLimit) {
      clearTimeout(timer)
      timer = setTimeout(() => end(onLimit()), Math.max(0, ms))
    },
    release() {
      clearTimeout(timer)
      for (const signal of signals) signal.removeEventListener('abort', abort)
    },
  }
}
