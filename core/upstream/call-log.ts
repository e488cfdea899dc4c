// What was asked of services last: one line for each exchange, in a ring, so that nothing is moved when an old one
// makes room.
import type { UpstreamCall } from '@playhead/sdk'

export interface CallLog {
  /** What comes of it is filled in by whoever adds it. */
  add(call: UpstreamCall): void
  /** Oldest first. */
  all(): readonly UpstreamCall[]
}

const MOST = 2_000

export function createCallLog(most = MOST): CallLog {
  const ring: UpstreamCall[] = []
  let next = 0
  return {
    add(call) {
      ring[next] = call
      next = (next + 1) % most
    },
    all: () => [...ring.slice(next), ...ring.slice(0, next)],
  }
}
