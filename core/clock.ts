// Injectable time, so that tests of limits and schedules need no real time.

export interface Clock {
  /** Epoch milliseconds. */
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }

export interface Timers {
  set(work: () => unknown, delayMs: number): unknown
  clear(handle: unknown): void
}

// Longer delays would fire at once.
export const MAX_DELAY_MS = 2 ** 31 - 1

export const systemTimers: Timers = {
  set: (work, delayMs) => setTimeout(work, Math.min(delayMs, MAX_DELAY_MS)),
  clear: (handle) => clearTimeout(handle as NodeJS.Timeout),
}

/** Repeats the work until the returned function is called. Failures are reported and ignored. */
export function repeat(everyMs: number, work: () => Promise<unknown>, onFailure: (error: unknown) => void): () => void {
  const timer = setInterval(() => void work().catch(onFailure), everyMs).unref()
  return () => clearInterval(timer)
}
