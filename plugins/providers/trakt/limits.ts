// The rate limits of an account.
import type { AccountLimits } from '@playhead/sdk'
import type { Profile } from './settings.ts'

const CONCURRENCY = 6
/** Reads are counted over five minutes: a tenth may be sent as a burst, and the others are spread out. */
const WINDOW_S = 300
/** 500 reads per window and user since October 2026. Settings may still contain the former 1,000. */
const MOST_READS_PER_SECOND = 500 / WINDOW_S
const BURST_SHARE = 0.1

/** All users of an account must declare the same limits. */
export function limitsOf({ get_per_sec: wanted, post_per_sec: writes }: Profile['rate_limit']): AccountLimits {
  const reads = Math.min(wanted, MOST_READS_PER_SECOND)
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
