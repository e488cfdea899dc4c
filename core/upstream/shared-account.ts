// The state of an account across generations: limiter, refresher, counters. References nothing of a generation.
import type { AccountStats, Sleep, UpstreamCall } from '@playhead/sdk'
import { type Limiter, createLimiter } from './limiter.ts'
import type { Quota } from './rate-headers.ts'
import { type Refresher, createRefresher } from './refresher.ts'
import { defined } from '@playhead/sdk/host'

export interface SharedAccount {
  readonly limiter: Limiter
  readonly refresher: Refresher
  countRequest(isRetry: boolean): void
  /** Returns a callback for the length of the body. */
  noteCall(outcome: CallOutcome): (bytesIn: number) => void
  stats(): AccountStats
  /** Cached data only: dropping it loses nothing. */
  isIdle(): boolean
}

/** Noted for each try when the response headers, or the failure, arrived. */
interface CallOutcome extends Pick<UpstreamCall, 'method' | 'path' | 'status' | 'ok' | 'bytesOut'> {
  readonly startedAtMs: number
  readonly quota?: Quota | undefined
}

interface SharedAccountDependencies {
  readonly now: () => number
  readonly sleep: Sleep
  readonly log: CallLog
  readonly onRefreshed: (account: string, error: Error | null) => void
}

export function createSharedAccount(
  account: string,
  { now, sleep, log, onRefreshed }: SharedAccountDependencies,
): SharedAccount {
  const limiter = createLimiter({ account, now, sleep })
  let requests = 0
  let retries = 0
  let refreshes = 0
  let isRefreshing = false
  let quota: Quota = {}
  const calls = { count: 0, failed: 0, bytesIn: 0, bytesOut: 0, ms: 0 }
  let lastCall: UpstreamCall | undefined

  const refresher = createRefresher({
    account,
    now,
    hold: () => {
      isRefreshing = true
      return limiter.hold()
    },
    onEnd: (error) => {
      isRefreshing = false
      refreshes += 1
      onRefreshed(account, error)
    },
  })

  return {
    limiter,
    refresher,
    countRequest(isRetry) {
      if (isRetry) retries += 1
      else requests += 1
    },
    noteCall({ method, path, status, ok, bytesOut, startedAtMs, quota: seen }) {
      const atMs = now()
      const call = { atMs, account, method, path, status, ok, ms: atMs - startedAtMs, bytesIn: 0, bytesOut }
      if (seen !== undefined) {
        quota = seen
        Object.assign(call, defined({ remaining: seen.remaining, resetAtMs: seen.resetAtMs }))
      }
      calls.count += 1
      if (!ok) calls.failed += 1
      calls.bytesOut += bytesOut
      calls.ms += call.ms
      lastCall = call
      log.add(call)
      return (bytesIn) => {
        call.bytesIn = bytesIn
        calls.bytesIn += bytesIn
      }
    },
    stats: () => ({
      account,
      requests,
      retries,
      refreshes,
      inFlight: limiter.inFlight(),
      pausedUntilMs: limiter.pausedUntilMs(),
      quota,
      calls: { ...calls },
      ...defined({ lastCall }),
    }),
    isIdle: () => !isRefreshing && limiter.inFlight() === 0 && limiter.waiting() === 0 && limiter.pausedUntilMs() === 0,
  }
}

interface CallLog {
  /** The caller fills in the outcome later. */
  add(call: UpstreamCall): void
  /** Oldest first. */
  all(): readonly UpstreamCall[]
}

const MAX_CALLS = 2_000

export function createCallLog(max = MAX_CALLS): CallLog {
  const ring: UpstreamCall[] = []
  let next = 0
  return {
    add(call) {
      ring[next] = call
      next = (next + 1) % max
    },
    all: () => [...ring.slice(next), ...ring.slice(0, next)],
  }
}
