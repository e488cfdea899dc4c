// A clock that a test sets. Waits that go through it take no time: they move it on.
import { setImmediate as nextTurn } from 'node:timers/promises'

export interface TestClock {
  now(): number
  /** Moves the clock on. */
  advance(ms: number): void
  /** Moves the clock on and resolves in the next turn of the event loop. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** @param startMs epoch milliseconds; a day in 2026 when absent */
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
