// A virtual clock: sleeping advances it without real time.
import { setImmediate as nextTurn } from 'node:timers/promises'

export interface TestClock {
  now(): number
  /** Advances the clock. */
  advance(ms: number): void
  /** Advances the clock and resolves in the next turn of the event loop. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** @param startMs epoch milliseconds; default a day in 2026 */
export function createTestClock(startMs = Date.UTC(2026, 0, 15, 12)): TestClock {
  let nowMs = startMs
  return {
    now: () => nowMs,
    advance(ms) {
      nowMs += ms
    },
    async sleep(ms, signal) {
      signal?.throwIfAborted()
      await nextTurn(undefined, signal === undefined ? {} : { signal }).catch(() => signal?.throwIfAborted())
      nowMs += ms
    },
  }
}
