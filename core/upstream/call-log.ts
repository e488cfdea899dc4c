// A ring buffer of the latest calls.
import type { UpstreamCall } from '@playhead/sdk'

export interface CallLog {
  /** The caller fills in the outcome later. */
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
