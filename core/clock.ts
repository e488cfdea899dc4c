// Injectable time, so that tests of limits and schedules need no real time.
export interface Clock {
  /** Epoch milliseconds. */
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }
