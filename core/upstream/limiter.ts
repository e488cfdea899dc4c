// The limiter of an account: concurrency, rate, and pauses requested by the service. Shared by all generations of a
// plugin, so a reload neither drops a pause nor doubles a rate.
//
// Waiting requests are admitted by priority, then in order. Reads and writes have separate rates: a waiting write does
// not block reads behind it.
import { type AccountLimits, PlayheadError, type Sleep, msUntil } from '@playhead/sdk'
import type { Limit } from './limit.ts'
import { createTokenBucket } from './token-bucket.ts'

const DEFAULT_CONCURRENCY = 4
const MAX_WAITING = 10_000

/** `repeat`: a retry, which has waited before. `refresh`: part of a credential refresh; others wait for it. */
type Priority = 'normal' | 'repeat' | 'refresh'
const RANK: Readonly<Record<Priority, number>> = { normal: 0, repeat: 1, refresh: 2 }

type RateClass = 'read' | 'write'

interface Admission {
  readonly rateClass: RateClass
  readonly priority: Priority
  /** Longer pauses are refused instead of waited for. */
  readonly maxPauseMs: number
  readonly limit: Pick<Limit, 'error' | 'onEnd'>
}

export interface Limiter {
  configure(limits: AccountLimits | undefined): void
  /** Waits for a slot, if none is free; the result releases it. Fails with `PLH_RATE_LIMITED` or the limit's error. */
  acquire(admission: Admission): (() => void) | Promise<() => void>
  /** Admits no request before this time. Pauses are only extended. */
  pause(untilMs: number): void
  /** Admits only refresh requests until the result is called. */
  hold(): () => void
  inFlight(): number
  waiting(): number
  pausedUntilMs(): number
}

interface LimiterDependencies {
  readonly account: string
  readonly now: () => number
  readonly sleep: Sleep
}

interface Waiter extends Admission {
  admit(leave: () => void): void
  refuse(error: unknown): void
}

export function createLimiter({ account, now, sleep }: LimiterDependencies): Limiter {
  const buckets = { read: createTokenBucket(), write: createTokenBucket() }
  const queue: Waiter[] = []
  let concurrency = DEFAULT_CONCURRENCY
  let inFlight = 0
  let pausedUntilMs = 0
  /** Length of the pause when it began. */
  let pausedForMs = 0
  let holds = 0
  let alarm: AbortController | null = null

  function admit(): void {
    alarm?.abort()
    alarm = null
    const nowMs = now()
    const pauseMs = msUntil(pausedUntilMs, nowMs, pausedForMs)
    if (pauseMs > 0) {
      for (const waiter of queue.filter(({ maxPauseMs }) => maxPauseMs < pauseMs)) {
        take(waiter)
        waiter.refuse(paused(account, pauseMs))
      }
      if (queue.length > 0) wakeIn(pauseMs)
      return
    }

    const dry = new Set<RateClass>()
    for (let index = 0; index < queue.length && inFlight < concurrency && dry.size < 2; ) {
      const waiter = queue[index] as Waiter
      if (dry.has(waiter.rateClass) || (holds > 0 && waiter.priority !== 'refresh')) index += 1
      else if (!buckets[waiter.rateClass].take(nowMs)) dry.add(waiter.rateClass)
      else {
        queue.splice(index, 1)
        waiter.admit(occupy())
      }
    }
    if (inFlight < concurrency && dry.size > 0)
      wakeIn(Math.min(...[...dry].map((rateClass) => buckets[rateClass].waitMs(nowMs))))
  }

  /** Without waiting, and without overtaking a request that waits. Takes a token if so. */
  function canEnter({ limit, priority, rateClass }: Admission): boolean {
    if (limit.error !== undefined || queue.length > 0 || inFlight >= concurrency) return false
    if (holds > 0 && priority !== 'refresh') return false
    const nowMs = now()
    return msUntil(pausedUntilMs, nowMs, pausedForMs) <= 0 && buckets[rateClass].take(nowMs)
  }

  function occupy(): () => void {
    let left = false
    inFlight += 1
    return () => {
      if (left) return
      left = true
      inFlight -= 1
      if (queue.length > 0) admit()
    }
  }

  function take(waiter: Waiter): boolean {
    const index = queue.indexOf(waiter)
    if (index !== -1) queue.splice(index, 1)
    return index !== -1
  }

  function wakeIn(ms: number): void {
    const mine = new AbortController()
    alarm = mine
    sleep(Math.max(1, ms), mine.signal).then(
      () => {
        if (alarm === mine) admit()
      },
      () => {
        // Cancelled: the queue was processed meanwhile and the timer was reset if needed.
      },
    )
  }

  return {
    configure(limits = {}) {
      concurrency = Math.max(1, limits.concurrency ?? DEFAULT_CONCURRENCY)
      const burst = limits.burst ?? 1
      buckets.read.configure(limits.readsPerSecond, limits.readBurst ?? burst)
      buckets.write.configure(limits.writesPerSecond ?? limits.readsPerSecond, burst)
      admit()
    },

    acquire(admission) {
      if (canEnter(admission)) return occupy()
      return new Promise((resolve, reject) => {
        if (admission.limit.error !== undefined) return reject(admission.limit.error)
        if (queue.length >= MAX_WAITING) {
          return reject(
            new PlayheadError(
              'PLH_RATE_LIMITED',
              `${account}: ${MAX_WAITING} requests are waiting already; this one was not queued.`,
            ),
          )
        }
        const forgetLimit = admission.limit.onEnd((error) => {
          if (!take(waiter)) return
          reject(error)
          // The timer may have been for this request only.
          admit()
        })
        const settle =
          <Value>(act: (value: Value) => void) =>
          (value: Value) => {
            forgetLimit()
            act(value)
          }
        const waiter: Waiter = { ...admission, admit: settle(resolve), refuse: settle(reject) }
        const before = queue.findIndex(({ priority }) => RANK[priority] < RANK[admission.priority])
        queue.splice(before === -1 ? queue.length : before, 0, waiter)
        admit()
      })
    },

    pause(untilMs) {
      const nowMs = now()
      if (untilMs - nowMs <= msUntil(pausedUntilMs, nowMs, pausedForMs)) return
      pausedUntilMs = untilMs
      pausedForMs = untilMs - nowMs
      admit()
    },

    hold() {
      let held = true
      holds += 1
      return () => {
        if (!held) return
        held = false
        holds -= 1
        admit()
      }
    },

    inFlight: () => inFlight,
    waiting: () => queue.length,
    pausedUntilMs: () => (msUntil(pausedUntilMs, now(), pausedForMs) > 0 ? pausedUntilMs : 0),
  }
}

function paused(account: string, pauseMs: number): PlayheadError {
  return new PlayheadError(
    'PLH_RATE_LIMITED',
    `${account}: the service asked to wait another ${Math.ceil(pauseMs / 1_000)} s.`,
    { retryAfterMs: pauseMs, details: { account } },
  )
}
