// Waiting: sleeping, time limits, abort signals, serialized work.
import { waitedForProcessor } from './own-time.ts'

/** Injectable, so tests of limits and backoff need no real time. */

export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>

/** Rejects with the signal's reason when it aborts. */
export const sleep: Sleep = (ms, signal) =>
  new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason as Error)
    const onAbort = () => {
      clearTimeout(timer)
      reject(signal.reason as Error)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort)
      resolve()
    }, ms)
    signal.addEventListener('abort', onAbort, { once: true })
  })

/** The promise's outcome, or the signal's reason if it aborts first. The work continues. */
export function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason as Error)
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
    work.finally(() => signal.removeEventListener('abort', onAbort)).then(resolve, reject)
  })
}

/**
 * The promise's outcome, or `otherwise` if the signal aborts first: for parts of an answer that are left out when they are
 * late. The work continues.
 *
 * @example using limit = usableLimit(2_000)
 *   const usages = await orWhenAborted(readUsages(), limit.signal, [])
 */
export function orWhenAborted<Result, Otherwise>(
  work: Promise<Result>,
  signal: AbortSignal,
  otherwise: Otherwise,
): Promise<Result | Otherwise> {
  return untilAborted(work, signal).catch((error: unknown) => {
    if (signal.aborted && error === signal.reason) return otherwise
    throw error
  })
}

/** Resolves after pending I/O callbacks ran. Call it between chunks of long synchronous work. */
export function yieldToLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** A suspended machine uses up at most one slice, regardless of the duration. */
const SLICES = 20
/** Minimum share of a slice that counts, even on a busy machine: endless work must reach its limit. */
const LEAST_SHARE = 0.02

/**
 * The promise's outcome, or the error of `onLimit` after the limit. The work continues. Only time that the process could
 * use counts: not the time in which it was stopped or its threads waited for a processor.
 * @param isHeld the time in which this returns true does not count
 */
export async function withTimeLimit<Result>(
  work: Promise<Result>,
  limitMs: number,
  onLimit: () => Error,
  isHeld: () => boolean = () => false,
): Promise<Result> {
  let cancel = () => {}
  const limit = new Promise<never>((_resolve, reject) => {
    cancel = afterUsable(limitMs, () => reject(onLimit()), { isHeld })
  })
  try {
    return await Promise.race([work, limit])
  } finally {
    cancel()
  }
}

/**
 * Calls back once the process could use this much time; the returned function cancels.
 * @param options.isHeld as in `withTimeLimit`
 * @param options.leastShare minimum share of the passed time that counts, even on a busy machine
 */
export function afterUsable(
  limitMs: number,
  onEnd: () => void,
  { isHeld = () => false, leastShare }: { readonly isHeld?: () => boolean; readonly leastShare?: number } = {},
): () => void {
  const sliceMs = limitMs / SLICES
  const countsMs = countUsable(leastShare)
  let [leftMs, timer] = [limitMs, setTimeout(next, sliceMs)]
  function next(): void {
    const ms = countsMs(sliceMs)
    if (!isHeld()) leftMs -= ms
    // Slices add up to the limit, except for rounding.
    if (leftMs < 1e-3) onEnd()
    else timer = setTimeout(next, sliceMs)
  }
  return () => clearTimeout(timer)
}

/** A service that does not answer is abandoned after three times the limit at the latest. */
const LEAST_SHARE_OF_ANSWERS = 1 / 3

export interface UsableLimit extends Disposable {
  readonly signal: AbortSignal
}

/**
 * For requests that must end in time: a signal that aborts with the first of these, or with a `TimeoutError` once the
 * process could use this much time. An answer that arrived while the process was stopped or waited for a processor is not
 * late, as it would be with `AbortSignal.timeout`. Dispose of it when the work has ended.
 *
 * @example using limit = usableLimit(2_000, signal)
 *   return await readStatus(limit.signal)
 */
export function usableLimit(limitMs: number, ...signals: readonly AbortSignal[]): UsableLimit {
  const end = new AbortController()
  const late = () => end.abort(new DOMException('The time limit was reached.', 'TimeoutError'))
  const stop = afterUsable(limitMs, late, { leastShare: LEAST_SHARE_OF_ANSWERS })
  return { signal: AbortSignal.any([end.signal, ...signals]), [Symbol.dispose]: stop }
}

/** Says how much of a slice that has just passed counts towards a limit. */
export function countUsable(leastShare = LEAST_SHARE): (sliceMs: number) => number {
  let [atMs, waitedMs] = [performance.now(), Number.NaN]
  return (sliceMs) => {
    const [nowMs, nowWaitedMs] = [performance.now(), waitedForProcessor(Math.min(sliceMs / 2, 100))]
    // The first slice only starts the measurement.
    const share = Number.isNaN(waitedMs) ? 0 : (nowWaitedMs - waitedMs) / Math.max(nowMs - atMs, 1)
    ;[atMs, waitedMs] = [nowMs, nowWaitedMs]
    return sliceMs * Math.max(leastShare, 1 - share)
  }
}

/** As `withTimeLimit`, with a value after the limit. */
export function orAfter<Result, Otherwise>(
  work: Promise<Result>,
  limitMs: number,
  otherwise: Otherwise,
): Promise<Result | Otherwise> {
  const late = new Error('the limit was reached')
  return withTimeLimit(work, limitMs, () => late).catch((error: unknown) => {
    if (error === late) return otherwise
    throw error
  })
}

/** Resolves after this many milliseconds, or at once when the signal aborts. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return sleep(ms, signal ?? new AbortController().signal).catch(() => {})
}

/** The result of work that the first call starts. After a failure, the next call starts it again. */
export function createOnce<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let result: Promise<Result> | undefined
  return () =>
    (result ??= work().catch((error: unknown) => {
      result = undefined
      throw error
    }))
}

/** Runs tasks one after another, in order. Each has its own outcome. */
export function createTurns(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const mine = last.then(work, work)
    last = mine
    return mine
  }
}
