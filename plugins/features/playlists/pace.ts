// Lets long loops yield to the event loop.
import { yieldToLoop } from '@playhead/sdk'

const SLICE_MS = 8

/** Await it in each iteration of a long loop: it yields when the time slice is used up. */
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
