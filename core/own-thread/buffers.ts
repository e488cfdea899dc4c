// Limits the buffers of a thread: they are outside of the heap, which the worker limits, and could exhaust the process.
import type { Worker } from 'node:worker_threads'

const MEGABYTE = 1024 * 1024

interface BufferLimit {
  /** Reports the thread's buffers, in megabytes. */
  found(heldMb: number): void
  /** Asks the thread, also while it is in an endless loop. */
  ask(): Promise<void>
}

/**
 * @param onTooMuch called above the limit twice in a row, because one measurement may include garbage; or once above
 *   twice the limit
 */
export function limitBuffers(
  worker: Pick<Worker, 'getHeapStatistics'>,
  limitMb: number,
  onTooMuch: () => void,
): BufferLimit {
  let timesOver = 0
  let isAsking = false

  function found(heldMb: number): void {
    timesOver = heldMb > limitMb ? timesOver + 1 : 0
    if (timesOver >= 2 || heldMb > limitMb * 2) onTooMuch()
  }

  return {
    found,
    async ask() {
      if (isAsking) return
      isAsking = true
      const statistics = await worker.getHeapStatistics().catch(() => undefined)
      isAsking = false
      if (statistics !== undefined) found(statistics.external_memory / MEGABYTE)
    },
  }
}
