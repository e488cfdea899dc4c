// Timers controlled by the test.
import { systemTimers, type Timers } from '../clock.ts'

export interface TestTimers extends Timers {
  /** Runs delayed work and waits for it. */
  run(): Promise<void>
  /** Runs work without a delay. False if there is none. */
  runDue(): Promise<boolean>
  /** Start of the delays. */
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
