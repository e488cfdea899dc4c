// One deadline for all parts of a response: parts that are late are left out.
export interface Deadline {
  /** The result if it is in time, else `otherwise`. Rethrows its errors. */
  within<Value>(result: Promise<Value>, otherwise: Value): Promise<Value>
  isOver(): boolean
  /** Clears the timer. */
  end(): void
}

/** @param signal ends it early */
export function startDeadline(limitMs: number, signal?: AbortSignal): Deadline {
  const { promise, resolve } = Promise.withResolvers<void>()
  let isOver = false
  const stop = () => {
    isOver = true
    resolve()
  }
  const timer = setTimeout(stop, Math.max(0, limitMs))
  if (signal?.aborted === true) stop()
  else signal?.addEventListener('abort', stop, { once: true })
  return {
    within(result, otherwise) {
      // A late rejection must not become unhandled.
      result.catch(() => {})
      return Promise.race([result, promise.then(() => otherwise)])
    },
    isOver: () => isOver,
    end() {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
    },
  }
}
