// Waiting as a dependency, so that schedules are tested without it.
export interface Timers {
  set(work: () => unknown, delayMs: number): unknown
  clear(handle: unknown): void
}

// The longest delay that timers take; a longer one would fire at once.
export const MAX_DELAY_MS = 2 ** 31 - 1

export const systemTimers: Timers = {
  set: (work, delayMs) => setTimeout(work, Math.min(delayMs, MAX_DELAY_MS)),
  clear: (handle) => clearTimeout(handle as NodeJS.Timeout),
}

/** Does something every so often, until the answer is called. A failure is logged and changes nothing. */
export function repeat(everyMs: number, work: () => Promise<unknown>, onFailure: (error: unknown) => void): () => void {
  const timer = setInterval(() => void work().catch(onFailure), everyMs).unref()
  return () => clearInterval(timer)
}
