// Long loops yield to the event loop.
import { yieldToLoop } from '@playhead/sdk'

const SLICE_MS = 8

/** To be awaited in each turn of a long loop: yields when its slice of time is used up. */
export type Pace = () => Promise<void> | undefined

export function createPace(): Pace {
  let sinceMs = performance.now()
  return () =>
    performance.now() - sinceMs < SLICE_MS
      ? undefined
      : yieldToLoop().then(() => {
          sinceMs = performance.now()
        })
}
