// Waiting: for a time, for others, for work that may take too long.

/** As a dependency, so that limits and back-off can be tested without waiting. */

export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>

/** Rejects with the signal's reason when it aborts. */
export const sleep: Sleep = (ms, signal) =>
  new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason as Error)
    const onAbort = () => {
      clearTimeout(timer)
      reject(signal.reason as Error)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort)
      resolve()
    }, ms)
    signal.addEventListener('abort', onAbort, { once: true })
  })

/** The promise's outcome, or the signal's reason if that comes first. The work itself goes on. */
export function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason as Error)
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
    work.finally(() => signal.removeEventListener('abort', onAbort)).then(resolve, reject)
  })
}

/** Resolves after everything else that waits had its turn: between the pages of long work on the main thread. */
export function yieldToLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/**
 * A machine that stands still for a while takes one slice, however long that was: only time that the work could use
 * counts.
 */
const SLICES = 20

/** The promise's outcome, or the error of `onLimit` once the limit is over. The work itself goes on. */
export async function withTimeLimit<Result>(
  work: Promise<Result>,
  limitMs: number,
  onLimit: () => Error,
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<never>((_resolve, reject) => {
    let left = SLICES
    const next = () => {
      timer = setTimeout(() => {
        left -= 1
        if (left === 0) reject(onLimit())
        else next()
      }, limitMs / SLICES)
    }
    next()
  })
  try {
    return await Promise.race([work, limit])
  } finally {
    clearTimeout(timer)
  }
}

/** Resolves after so many milliseconds, or at once when the signal aborts. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return sleep(ms, signal ?? new AbortController().signal).catch(() => {})
}

/** Runs what it is given one after the other, in the order in which it is asked. Each has its own outcome. */
export function createTurns(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const mine = last.then(work, work)
    last = mine
    return mine
  }
}
