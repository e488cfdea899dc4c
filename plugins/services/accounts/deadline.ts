// One end for everything that an answer waits for: what is not there by then is left out, and the answer is given
// without it.
export interface Deadline {
  /** The result if it comes in time. What it throws is thrown. */
  within<Value>(result: Promise<Value>, otherwise: Value): Promise<Value>
  isOver(): boolean
  /** To be called when the answer is made, so that no timer is left. */
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
      // Once it is over nobody may be left who sees how the result fails.
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
