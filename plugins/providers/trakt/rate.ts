// The speed that Trakt allows.
import type { AccountLimits } from '@playhead/sdk'
import type { Profile } from './settings.ts'

const CONCURRENCY = 6
/** Reads are counted over five minutes: a tenth of them may go at once, if the others are slower by as much. */
const WINDOW_S = 300
const AT_ONCE = 0.1

/** All who use the account have to name the same limits. */
export function limitsOf({ get_per_sec: reads, post_per_sec: writes }: Profile['rate_limit']): AccountLimits {
  return {
    concurrency: CONCURRENCY,
    ...(reads > 0
      ? { readsPerSecond: reads * (1 - AT_ONCE), readBurst: Math.max(1, Math.floor(reads * WINDOW_S * AT_ONCE)) }
      : {}),
    // Without a number of its own the rate of reads would apply.
    writesPerSecond: writes > 0 ? writes : 1_000,
  }
}
