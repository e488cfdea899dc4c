// Limits expensive work: maximum concurrency, queue length and waiting time.
import { PlayheadError } from '@playhead/sdk'

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
  const waiting = new Set<() => void>()
  let running = 0

  return async (work) => {
    if (running >= concurrency) await turn()
    else running += 1
    try {
      return await work()
    } finally {
      handOver()
    }
  }

  function turn(): Promise<void> {
    if (waiting.size >= maxWaiting) throw busy(busyText)
    return new Promise((resolve, reject) => {
      const start = (): void => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(() => {
        waiting.delete(start)
        reject(busy(busyText))
      }, maxWaitMs)
      waiting.add(start)
    })
  }

  // Pass the slot on directly, so that a newcomer cannot take it.
  function handOver(): void {
    const next = waiting.values().next().value
    if (next === undefined) {
      running -= 1
      return
    }
    waiting.delete(next)
    next()
  }
}

const BUSY_RETRY_MS = 5_000

function busy(text: string): PlayheadError {
  return new PlayheadError('PLH_TOO_MANY', text, { wire: 'busy', retryAfterMs: BUSY_RETRY_MS })
}
