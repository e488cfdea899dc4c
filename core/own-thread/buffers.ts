// What a thread holds in buffers: they are outside of the heap, which the worker limits, and would end the process.
import type { Worker } from 'node:worker_threads'

const MEGABYTE = 1024 * 1024

interface BufferLimit {
  /** The thread holds so many megabytes. */
  found(heldMb: number): void
  /** Asks the thread, also one that is in a loop. */
  ask(): Promise<void>
}

/**
 * @param onTooMuch found above the limit twice in a row, as once may be garbage that is about to be collected; or once
 *   above twice the limit
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
