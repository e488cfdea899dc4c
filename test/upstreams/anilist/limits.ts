// Rate limits per address: requests per minute, and a limit on bursts. A client that exceeds them is blocked for the rest of
// the minute.
export interface RateLimits {
  readonly perMinute: number
  readonly perSecond: number
}

/** The service enforced this limit for years while it documented 90. */
export const RATE_LIMITS: RateLimits = { perMinute: 30, perSecond: 20 }

const MINUTE_MS = 60_000
const SECOND_MS = 1_000

export interface Passed {
  readonly refused: boolean
  readonly headers: Readonly<Record<string, string>>
}

export function createLimits(limits: RateLimits | undefined): (nowMs: number) => Passed {
  let window = { startsAtMs: -Infinity, used: 0 }
  let moment = { startsAtMs: -Infinity, used: 0 }
  let outUntilMs = -Infinity
  return (nowMs) => {
    if (limits === undefined) return { refused: false, headers: {} }
    if (nowMs - window.startsAtMs >= MINUTE_MS) window = { startsAtMs: nowMs, used: 0 }
    if (nowMs - moment.startsAtMs >= SECOND_MS) moment = { startsAtMs: nowMs, used: 0 }
    window.used += 1
    moment.used += 1
    if (window.used > limits.perMinute) outUntilMs = Math.max(outUntilMs, window.startsAtMs + MINUTE_MS)
    else if (moment.used > limits.perSecond) outUntilMs = Math.max(outUntilMs, moment.startsAtMs + SECOND_MS)
    const shown = {
      'x-ratelimit-limit': String(limits.perMinute),
      'x-ratelimit-remaining': String(Math.max(0, limits.perMinute - window.used)),
    }
    if (nowMs >= outUntilMs) return { refused: false, headers: shown }
    const headers = {
      ...shown,
      'x-ratelimit-remaining': '0',
      'retry-after': String(Math.ceil((outUntilMs - nowMs) / 1_000)),
      'x-ratelimit-reset': String(Math.ceil(outUntilMs / 1_000)),
    }
    return { refused: true, headers }
  }
}
