// Timers that wait for the test, and not for the time.
import { systemTimers, type Timers } from '../../core/clock.ts'

export interface TestTimers extends Timers {
  /** Does what waits, and waits for that. */
  run(): Promise<void>
  /** Does what waits for nothing. False when there is nothing of that. */
  runDue(): Promise<boolean>
  /** From here on it is the time that they wait for. */
  release(): void
}

export function createTestTimers(): TestTimers {
  const waiting = new Map<unknown, { readonly work: () => unknown; readonly delayMs: number }>()
  let isReleased = false
  async function runThose(which: (delayMs: number) => boolean): Promise<boolean> {
    const those = [...waiting].filter(([, { delayMs }]) => which(delayMs))
    for (const [handle, { work }] of those) if (waiting.delete(handle)) await work()
    return those.length > 0
  }

  return {
    set(work, delayMs) {
      if (isReleased) return systemTimers.set(work, delayMs)
      const handle = {}
      waiting.set(handle, { work, delayMs })
      return handle
    },
    clear(handle) {
      if (!waiting.delete(handle)) systemTimers.clear(handle)
    },
    run: async () => void (await runThose(() => true)),
    runDue: () => runThose((delayMs) => delayMs <= 0),
    release() {
      isReleased = true
      waiting.clear()
    },
  }
}
