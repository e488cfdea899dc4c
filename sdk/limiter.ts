// Limits how much work runs at once.

export type Limiter = <Result>(work: () => Promise<Result>, signal?: AbortSignal) => Promise<Result>

/**
 * Runs at most `max` pieces of work at once. The others wait in order; one whose signal aborts while it waits is never
 * begun, and rejects with the signal's reason.
 * @example const limited = createLimiter(4)
 * await limited(() => upstream.json(request, Page), signal)
 */
export function createLimiter(max: number): Limiter {
  const waiting = new Set<() => void>()
  let running = 0

  function turn(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        waiting.delete(enter)
        reject(signal?.reason)
      }
      const enter = () => {
        signal?.removeEventListener('abort', leave)
        resolve()
      }
      signal?.addEventListener('abort', leave, { once: true })
      waiting.add(enter)
    })
  }

  return async (work, signal) => {
    signal?.throwIfAborted()
    // The finished work passes its slot on.
    if (running >= max) await turn(signal)
    else running += 1
    try {
      return await work()
    } finally {
      const [next] = waiting
      if (next === undefined) running -= 1
      else {
        waiting.delete(next)
        next()
      }
    }
  }
}
