// Rate limits password attempts. Attempts are serialized, so that concurrent ones cannot outrun the counters; a locked
// client is refused without a password check. Counters are in memory and end with a restart.
import { clientGroup, isRecent, msUntil } from '@playhead/sdk'
import type { Clock } from '../clock.ts'
import { createBoundedQueue } from './bounded-queue.ts'

export type Verdict<T> =
  | { readonly kind: 'accepted'; readonly value: T }
  | { readonly kind: 'failed'; readonly attempts: number; readonly retryAfterS: number }
  /** `reported` is false for the first refusal of a lock, so that a flood leaves one audit event. */
  | { readonly kind: 'blocked'; readonly attempts: number; readonly retryAfterS: number; readonly reported: boolean }

export interface LoginLimiter {
  /** @param check returns undefined for wrong credentials; only that counts as a failure */
  attempt<T>(
    who: {
      readonly address: string
      /** Normalized as for comparing names. */
      readonly username: string
      /** Set for a signed-in caller: it has counters of its own, so that failures of others cannot lock it out. */
      readonly session?: string | undefined
    },
    check: () => Promise<T | undefined>,
  ): Promise<Verdict<T>>
}

/** Lock duration in seconds, by number of consecutive failures. */
type LockTable = readonly (readonly [failures: number, lockS: number])[]

const CLIENT_LOCKS: LockTable = [
  [10, 600],
  [6, 300],
  [3, 60],
]
// Against many clients guessing one name. Higher than the limits per client, because it also locks out the owner.
const USERNAME_LOCKS: LockTable = [
  [40, 600],
  [20, 300],
  [10, 60],
]
const FAILURES_PER_MINUTE = 30
const FORGET_AFTER_MS = 3_600_000
const MAX_RECORDS = 10_000
const MINUTE_MS = 60_000
const LONGEST_LOCK_MS = Math.max(...[...CLIENT_LOCKS, ...USERNAME_LOCKS].map(([, lockS]) => lockS)) * 1_000

interface Counter {
  failures: number
  lockedUntilMs: number
  touchedAtMs: number
  reported: boolean
}

interface LoginLimiterOptions {
  readonly clock: Clock
  /** Maximum number of tracked clients and names. */
  readonly maxRecords?: number
}

export function createLoginLimiter({ clock, maxRecords = MAX_RECORDS }: LoginLimiterOptions): LoginLimiter {
  const oneByOne = createBoundedQueue({
    concurrency: 1,
    maxWaiting: 256,
    maxWaitMs: 30_000,
    busyText: 'Too many sign-in attempts are waiting; try again in a few seconds.',
  })
  // Oldest first: a touched record moves to the end.
  const counters = new Map<string, Counter>()
  let recentFailures: number[] = []
  let ceilingReported = false

  return {
    async attempt(who, check) {
      const isSession = who.session !== undefined
      const client = isSession ? `session ${who.session}` : `client ${clientGroup(who.address)}`
      const username = isSession ? `name of session ${who.session}` : `username ${who.username.slice(0, 64)}`
      // Checked before queueing too, so that a locked client cannot fill the queue.
      return refused() ?? (await oneByOne(async () => refused() ?? judge(await check())))

      function refused(): Verdict<never> | undefined {
        return refusal(client, username, isSession)
      }

      function judge<T>(value: T | undefined): Verdict<T> {
        if (value === undefined) return fail(client, username)
        counters.delete(client)
        counters.delete(username)
        return { kind: 'accepted', value }
      }
    },
  }

  function refusal(client: string, username: string, isSession: boolean): Verdict<never> | undefined {
    const now = clock.now()
    const locked = [counters.get(client), counters.get(username)].filter(
      (counter) => counter !== undefined && msUntil(counter.lockedUntilMs, now, LONGEST_LOCK_MS) > 0,
    )
    const ceilingUntilMs = isSession ? 0 : ceilingEnd(now)
    const untilMs = Math.max(ceilingUntilMs, ...locked.map((counter) => counter?.lockedUntilMs ?? 0))
    if (untilMs <= now) return undefined

    const reported = locked.length > 0 ? locked.every((counter) => counter?.reported) : ceilingReported
    for (const counter of locked) if (counter !== undefined) counter.reported = true
    if (ceilingUntilMs > now) ceilingReported = true
    return {
      kind: 'blocked',
      attempts: counters.get(client)?.failures ?? 0,
      retryAfterS: Math.ceil((untilMs - now) / 1000),
      reported,
    }
  }

  function fail(client: string, username: string): Verdict<never> {
    const now = clock.now()
    recentFailures.push(now)
    forget(now)
    const attempts = count(client, CLIENT_LOCKS, now)
    const sameName = count(username, USERNAME_LOCKS, now)
    return {
      kind: 'failed',
      attempts,
      retryAfterS: Math.max(lockSeconds(attempts, CLIENT_LOCKS), lockSeconds(sameName, USERNAME_LOCKS)),
    }
  }

  function count(key: string, locks: LockTable, now: number): number {
    const counter = counters.get(key) ?? { failures: 0, lockedUntilMs: 0, touchedAtMs: 0, reported: false }
    counter.failures += 1
    counter.touchedAtMs = now
    counter.lockedUntilMs = now + lockSeconds(counter.failures, locks) * 1000
    counter.reported = false
    counters.delete(key)
    counters.set(key, counter)
    return counter.failures
  }

  function forget(now: number): void {
    for (const [key, counter] of counters) {
      // Room for the two counters added below.
      if (counters.size + 2 <= maxRecords && isRecent(counter.touchedAtMs, now, FORGET_AFTER_MS)) break
      counters.delete(key)
    }
  }

  function ceilingEnd(now: number): number {
    recentFailures = recentFailures.filter((atMs) => isRecent(atMs, now, MINUTE_MS))
    if (recentFailures.length < FAILURES_PER_MINUTE) {
      ceilingReported = false
      return 0
    }
    return (recentFailures.at(-FAILURES_PER_MINUTE) ?? now) + MINUTE_MS
  }
}

function lockSeconds(failures: number, locks: LockTable): number {
  return locks.find(([from]) => failures >= from)?.[1] ?? 0
}
