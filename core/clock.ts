// Time as a dependency, so that limits and schedules can be tested without waiting.
export interface Clock {
  /** Epoch milliseconds. */
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }
