// The rate limits of an account.
import type { AccountLimits } from '@playhead/sdk'
import type { Profile } from './settings.ts'

const CONCURRENCY = 6
/** Reads are counted over five minutes: a tenth may be a burst, and the others are slowed down accordingly. */
const WINDOW_S = 300
const BURST_SHARE = 0.1

/** All users of an account must declare the same limits. */
export function limitsOf({ get_per_sec: reads, post_per_sec: writes }: Profile['rate_limit']): AccountLimits {
  return {
    concurrency: CONCURRENCY,
    ...(reads > 0
      ? {
          readsPerSecond: reads * (1 - BURST_SHARE),
          readBurst: Math.max(1, Math.floor(reads * WINDOW_S * BURST_SHARE)),
        }
      : {}),
    // Unset, the rate of reads would apply.
    writesPerSecond: writes > 0 ? writes : 1_000,
  }
}
