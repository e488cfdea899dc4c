// Everything that may end a request early, as one signal: its caller, its plugin, its time limit.
// AbortSignal.any and AbortSignal.timeout would hold on to the request for as long as the plugin lives or the timer runs;
// here nothing is left once the limit is released.
export interface Limit {
  /** Aborts with the error that the request fails with. */
  readonly signal: AbortSignal
  /** Starts or restarts the time limit. */
  start(ms: number, onLimit: () => Error): void
  release(): void
}

export function createLimit(sources: readonly (AbortSignal | undefined)[], onAbort: () => Error): Limit {
  const controller = new AbortController()
  const signals = sources.filter((signal) => signal !== undefined)
  let timer: NodeJS.Timeout | undefined

  const abort = () => controller.abort(onAbort())
  for (const signal of signals) {
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
  }

  return {
    signal: controller.signal,
    start(ms, onLimit) {
      clearTimeout(timer)
      timer = setTimeout(() => controller.abort(onLimit()), Math.max(0, ms))
    },
    release() {
      clearTimeout(timer)
      for (const signal of signals) signal.removeEventListener('abort', abort)
    },
  }
}
