// Limits the number of concurrent tasks.

/** Runs at most `limit` tasks at once; the others wait in order. A task whose signal aborts while it waits is skipped. */
export function createLimiter(
  limit: number,
): <Result>(work: () => Promise<Result>, signal: AbortSignal) => Promise<Result> {
  let running = 0
  const waiting: (() => void)[] = []

  const leave = () => {
    running -= 1
    waiting.shift()?.()
  }

  function enter(signal: AbortSignal): Promise<void> {
    if (running < limit) {
      running += 1
      return Promise.resolve()
    }
    return new Promise((resolve, reject) => {
      const start = () => {
        signal.removeEventListener('abort', onAbort)
        running += 1
        resolve()
      }
      const onAbort = () => {
        waiting.splice(waiting.indexOf(start), 1)
        reject(signal.reason as Error)
      }
      waiting.push(start)
      signal.addEventListener('abort', onAbort, { once: true })
    })
  }

  return async (work, signal) => {
    signal.throwIfAborted()
    await enter(signal)
    try {
      return await work()
    } finally {
      leave()
    }
  }
}
