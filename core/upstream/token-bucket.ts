// A token bucket: refills at the sustained rate up to the burst.

/** Safety margin: evenly sent requests arrive unevenly, and the service counts arrivals. */
const SHARE = 0.95

interface TokenBucket {
  configure(perSecond: number | undefined, burst: number): void
  /** Takes a token if available. */
  take(nowMs: number): boolean
  /** Milliseconds until the next token. */
  waitMs(nowMs: number): number
}

export function createTokenBucket(): TokenBucket {
  let perSecond: number | undefined
  let burst = 1
  let tokens = 1
  let filledAtMs = -Infinity

  function fill(nowMs: number): void {
    if (perSecond === undefined) return
    // Handles a clock that was set back.
    const elapsedMs = Math.max(0, nowMs - filledAtMs)
    tokens = Math.min(burst, tokens + (elapsedMs * perSecond) / 1_000)
    filledAtMs = nowMs
  }

  return {
    configure(newRate, newBurst) {
      perSecond = newRate === undefined ? undefined : newRate * SHARE
      burst = Math.max(1, newBurst)
      tokens = Math.min(tokens, burst)
    },
    take(nowMs) {
      if (perSecond === undefined) return true
      fill(nowMs)
      // Tolerates rounding errors of added fractions.
      if (tokens < 1 - 1e-9) return false
      tokens -= 1
      return true
    },
    waitMs(nowMs) {
      if (perSecond === undefined) return 0
      fill(nowMs)
      return Math.ceil(Math.max(0, ((1 - tokens) * 1_000) / perSecond))
    },
  }
}
