// Writes that a service takes one by one, or in batches that fail as a whole: from what a request throws to one outcome
// per item.
import type { Logger } from '../../context.ts'
import type { WriteItem, WriteOutcome, WriteResult } from '../contract.ts'
import { outcomeOfError } from '../failures.ts'
import { isPlayheadError } from '../../errors.ts'

export type ItemOutcome = Omit<WriteOutcome, 'key'>

const DEFAULT_AT_ONCE = 4

/**
 * Runs `write` for each item, a few at the same time, and gives one outcome per item in their order. What it throws
 * becomes an outcome: a rate limit `rate_limited`, and the items that were not begun are `rate_limited` as well,
 * without a request (reason `deferred`); lost answers `unknown`; 404 `not_found`; other 4xx `rejected`; 500, 503 and
 * missing connections `failed`. A credential that is refused ends the rest as `failed`. Anything that is no
 * PlayheadError is a fault of the code: it is thrown, or logged where items were written before.
 */
export async function writeInTurn(
  items: readonly WriteItem[],
  write: (item: WriteItem) => Promise<ItemOutcome>,
  { log, atOnce = DEFAULT_AT_ONCE }: { readonly log: Logger; readonly atOnce?: number },
): Promise<WriteResult> {
  const outcomes = new Map<string, WriteOutcome>()
  let retryAfterMs: number | undefined
  let rest: ItemOutcome | undefined
  let fault: { readonly error: unknown } | undefined
  const waiting = items[Symbol.iterator]()

  const worker = async () => {
    for (const item of { [Symbol.iterator]: () => ({ next: () => waiting.next() }) }) {
      if (fault !== undefined) return
      if (rest !== undefined) {
        outcomes.set(item.key, { key: item.key, ...rest })
        continue
      }
      try {
        outcomes.set(item.key, { key: item.key, ...(await write(item)) })
      } catch (error) {
        const outcome = outcomeOfError(error)
        if (outcome === undefined) {
          fault ??= { error }
          return
        }
        outcomes.set(item.key, { key: item.key, ...outcome })
        if (isPlayheadError(error)) retryAfterMs = Math.max(retryAfterMs ?? 0, error.retryAfterMs ?? 0) || retryAfterMs
        if (outcome.outcome === 'rate_limited') rest = { outcome: 'rate_limited', reason: 'deferred' }
        else if (isPlayheadError(error, 'PLH_AUTH_FAILED')) rest = outcome
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(Math.max(1, atOnce), items.length) }, worker))
  // What was written must be told; only a fault before anything happened may be thrown.
  if (fault !== undefined) {
    if (outcomes.size === 0) throw fault.error
    log.error({ err: fault.error }, 'a write failed unexpectedly; what became of its item is not known')
  }
  for (const { key } of items)
    if (!outcomes.has(key)) outcomes.set(key, { key, outcome: 'unknown', reason: 'internal' })
  return {
    outcomes: items.map(({ key }) => outcomes.get(key) as WriteOutcome),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  }
}

/**
 * Sends one request for several items. What it throws is the outcome of each of them, as in `writeInTurn`; a fault of
 * the code is thrown.
 */
export async function batchOutcomes(
  items: readonly WriteItem[],
  send: () => Promise<readonly WriteOutcome[]>,
): Promise<WriteResult> {
  try {
    return { outcomes: await send() }
  } catch (error) {
    const outcome = outcomeOfError(error)
    if (outcome === undefined) throw error
    const retryAfterMs = isPlayheadError(error) ? error.retryAfterMs : undefined
    return {
      outcomes: items.map(({ key }) => ({ key, ...outcome })),
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    }
  }
}
