import type { AccountLimits } from '@playhead/sdk'
import { rateLimits } from '@playhead/sdk/provider'
import type { Profile } from './settings.ts'

const CONCURRENCY = 6
/** Reads are counted over five minutes: a tenth may be sent as a burst, and the others are spread out. */
const WINDOW_S = 300
/** 500 reads per window and user since October 2026. Settings may still contain the former 1,000. */
export const READS_PER_WINDOW = 500
const MOST_READS_PER_SECOND = READS_PER_WINDOW / WINDOW_S
const BURST_SHARE = 0.1

/** All users of an account must declare the same limits. */
export function limitsOf(rate: Profile['rate_limit']): AccountLimits {
  const reads = Math.min(rate.get_per_sec, MOST_READS_PER_SECOND)
  return {
    concurrency: CONCURRENCY,
    ...rateLimits({ ...rate, get_per_sec: reads * (1 - BURST_SHARE) }),
    ...(reads > 0 ? { readBurst: Math.max(1, Math.floor(reads * WINDOW_S * BURST_SHARE)) } : {}),
  }
}
