// Limits expensive work: maximum concurrency, queue length and waiting time.
import { createLimiter, PlayheadError } from '@playhead/sdk'

interface QueueLimits {
  readonly concurrency: number
  readonly maxWaiting: number
  readonly maxWaitMs: number
  /** The error message when the queue is full. */
  readonly busyText: string
}

type BoundedQueue = <T>(work: () => Promise<T>) => Promise<T>

/** Runs work in order of arrival. Fails with `PLH_TOO_MANY` if the queue is full or the wait too long. */
export function createBoundedQueue({ concurrency, maxWaiting, maxWaitMs, busyText }: QueueLimits): BoundedQueue {
  const limited = createLimiter(concurrency)
  let present = 0

  return async (work) => {
    if (present >= concurrency + maxWaiting) throw busy(busyText)
    const wait = new AbortController()
    const timer = setTimeout(() => wait.abort(busy(busyText)), maxWaitMs)
    present += 1
    try {
      return await limited(() => {
        clearTimeout(timer)
        return work()
      }, wait.signal)
    } finally {
      clearTimeout(timer)
      present -= 1
    }
  }
}

const BUSY_RETRY_MS = 5_000

function busy(text: string): PlayheadError {
  return new PlayheadError('PLH_TOO_MANY', text, { wire: 'busy', retryAfterMs: BUSY_RETRY_MS })
}
