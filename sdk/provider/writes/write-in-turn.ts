// Writes items one by one, or in batches that fail as a whole, and maps errors to outcomes.
import type { Logger } from '../../logger.ts'
import type { WriteItem, WriteOutcome, WriteResult } from './contract.ts'
import { outcomeOfError } from '../failures.ts'
import { isPlayheadError } from '../../errors.ts'
import { defined } from '../../defined.ts'
import type { Limiter } from '../../limiter.ts'

export type ItemOutcome = Omit<WriteOutcome, 'key'>

/** The account's row is not `current` any more, so nothing was sent. The next run decides. */
export const CHANGED_SINCE_READ: ItemOutcome = { outcome: 'failed', reason: 'changed_since_read' }

const DEFAULT_AT_ONCE = 4

/**
 * Runs `write` for each item, several concurrently, and returns one outcome per item, in order. Errors become outcomes:
 * rate limits `rate_limited`, and all items not yet started too (reason `deferred`); lost responses `unknown`; 404
 * `not_found`; other 4xx `rejected`; 500, 503 and missing connections `failed`. A refused credential fails the
 * remaining items. Anything that is not a PlayheadError is a bug: thrown, or logged if items were already written.
 * @param options.limited of calls that overlap (`FeatureSupport.overlaps`): each item of one call is started before those of the next
 */
export async function writeInTurn(
  items: readonly WriteItem[],
  write: (item: WriteItem) => Promise<ItemOutcome>,
  {
    log,
    atOnce = DEFAULT_AT_ONCE,
    limited = (work) => work(),
  }: { readonly log: Logger; readonly atOnce?: number; readonly limited?: Limiter },
): Promise<WriteResult> {
  const outcomes: (WriteOutcome | undefined)[] = []
  let retryAfterMs: number | undefined
  let remaining: ItemOutcome | undefined
  let fault: { readonly error: unknown } | undefined
  let next = 0

  const worker = async () => {
    while (next < items.length && fault === undefined) {
      const at = next++
      const item = items[at]!
      if (remaining !== undefined) {
        outcomes[at] = { key: item.key, ...remaining }
        continue
      }
      try {
        outcomes[at] = { key: item.key, ...(await write(item)) }
      } catch (error) {
        const outcome = outcomeOfError(error)
        if (outcome === undefined) {
          fault ??= { error }
          return
        }
        outcomes[at] = { key: item.key, ...outcome }
        if (isPlayheadError(error)) retryAfterMs = Math.max(retryAfterMs ?? 0, error.retryAfterMs ?? 0) || retryAfterMs
        if (outcome.outcome === 'rate_limited') remaining = { outcome: 'rate_limited', reason: 'deferred' }
        else if (isPlayheadError(error, 'PLH_AUTH_FAILED')) remaining = outcome
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(Math.max(1, atOnce), items.length) }, () => limited(worker)))
  // Outcomes of written items must be returned; a bug is thrown only before the first write.
  if (fault !== undefined) {
    if (outcomes.every((outcome) => outcome === undefined)) throw fault.error
    log.error({ err: fault.error }, 'a write failed unexpectedly; the outcome of its item is unknown')
  }
  return {
    outcomes: items.map(({ key }, at) => outcomes[at] ?? { key, outcome: 'unknown', reason: 'internal' }),
    ...defined({ retryAfterMs }),
  }
}

/** Sends one request for several items. An error becomes the outcome of each, as in `writeInTurn`; a bug is thrown. */
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
    return { outcomes: items.map(({ key }) => ({ key, ...outcome })), ...defined({ retryAfterMs }) }
  }
}
