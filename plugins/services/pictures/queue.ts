// Runs a limited number of tasks; waiting tasks start newest first, and beyond a limit the oldest is rejected.
import { PlayheadError } from '@playhead/sdk'

export interface Queue {
  /** Throws `PLH_ABORTED` if the signal aborts, or if the queue is full, before the task started. */
  run<Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result>
}

interface Waiting {
  readonly start: () => void
  readonly giveUp: () => void
}

export function createQueue(concurrency: number, maxWaiting: number): Queue {
  const waiting: Waiting[] = []
  let running = 0

  function turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        const place = waiting.indexOf(own)
        if (place >= 0) waiting.splice(place, 1)
        signal.removeEventListener('abort', giveUp)
        reject(new PlayheadError('PLH_ABORTED', 'The picture is no longer needed.'))
      }
      const own: Waiting = {
        giveUp,
        start() {
          signal.removeEventListener('abort', giveUp)
          resolve()
        },
      }
      if (signal.aborted) return giveUp()
      signal.addEventListener('abort', giveUp, { once: true })
      waiting.push(own)
      if (waiting.length > maxWaiting) waiting[0]?.giveUp()
    })
  }

  return {
    async run(work, signal) {
      if (running >= concurrency) await turn(signal)
      else running += 1
      try {
        return await work()
      } finally {
        // The free slot goes to the newest task.
        const next = waiting.pop()
        if (next === undefined) running -= 1
        else next.start()
      }
    },
  }
}
