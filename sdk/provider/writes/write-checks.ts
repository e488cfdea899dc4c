// Checks of writes: items that the provider cannot accept are refused without a request, and every item gets exactly
// one outcome.
import type { Logger } from '../../logger.ts'
import { PlayheadError } from '../../errors.ts'
import type { IdScheme } from '../../items/id-schemes.ts'
import type { Item } from '../../items/item.ts'
import { kindOf } from '../../items/kind.ts'
import { ownIds, partOf } from '../../items/key-of.ts'
import { parseTime } from '../../items/time.ts'
import type { FeatureSupport, Support } from '../contract.ts'
import type { WriteItem, WriteOutcome, WriteRequest, WriteResult } from './contract.ts'
import { defined } from '../../defined.ts'

export const DEFAULT_MAX_BATCH = 100

/** Throws `PLH_UNSUPPORTED` for an unsupported write, `PLH_INVALID` for a malformed request. */
export function checkWriteRequest(providerId: string, support: Support, request: WriteRequest): FeatureSupport {
  const { feature, op, plays = false, items } = request
  const can = support[feature]
  if (can?.[op] !== true)
    throw new PlayheadError('PLH_UNSUPPORTED', `${providerId} cannot ${op} ${feature}.`, { details: { feature, op } })
  if (plays && (can.plays?.write !== true || (op === 'remove' && !can.plays.removeOne))) {
    throw new PlayheadError('PLH_UNSUPPORTED', `${providerId} cannot ${op} single plays.`, { details: { feature, op } })
  }
  checkBatch(providerId, items, can.maxBatch)
  return can
}

/** Throws `PLH_INVALID` for too many items or duplicate keys. */
export function checkBatch(providerId: string, items: readonly WriteItem[], limit = DEFAULT_MAX_BATCH): void {
  if (items.length > limit) {
    throw new PlayheadError(
      'PLH_INVALID',
      `${items.length} items are more than ${providerId} takes at once (${limit}).`,
      { wire: 'batch_too_large', details: { limit } },
    )
  }
  if (new Set(items.map(({ key }) => key)).size < items.length)
    throw new PlayheadError('PLH_INVALID', 'Two items of a write have the same key.')
}

interface Writing {
  readonly op: string
  readonly items: readonly WriteItem[]
}
type Writable = Pick<FeatureSupport, 'kinds' | 'needsAnyId'>

/**
 * Sends the acceptable items and returns one outcome per item, in request order.
 * @param refuse a further reason not to send an item
 */
export async function writeChecked<Request extends Writing>(
  can: Writable,
  request: Request,
  log: Logger,
  send: (request: Request) => Promise<WriteResult>,
  refuse?: (item: Request['items'][number]) => string | undefined,
): Promise<WriteResult> {
  const refused = new Map<string, WriteOutcome>()
  for (const one of request.items) {
    const { key, item } = one
    const reason = refuse?.(one) ?? writeRefusal(can, request.op, item)
    if (reason !== undefined) refused.set(key, { key, outcome: 'unsupported', reason })
  }
  const items = request.items.filter(({ key }) => !refused.has(key))
  if (items.length === 0) return { outcomes: [...refused.values()] }
  const { outcomes, retryAfterMs } = await send({ ...request, items })
  const told = completed(items, outcomes, log)
  return {
    outcomes: request.items.map(
      ({ key }): WriteOutcome => refused.get(key) ?? told.get(key) ?? { key, outcome: 'unknown', reason: 'no_outcome' },
    ),
    ...defined({ retryAfterMs }),
  }
}

function completed(
  items: readonly WriteItem[],
  outcomes: readonly WriteOutcome[],
  log: Logger,
): ReadonlyMap<string, WriteOutcome | undefined> {
  const byKey = new Map<string, WriteOutcome | undefined>()
  for (const { key } of items) byKey.set(key, undefined)
  for (const outcome of outcomes) {
    const { key } = outcome
    const before = byKey.get(key)
    if (!byKey.has(key)) log.error({ key }, 'an outcome was given for an item that was not written')
    else if (before === undefined) byKey.set(key, outcome)
    else if (before.outcome !== outcome.outcome) {
      log.error({ key, outcomes: [before.outcome, outcome.outcome] }, 'two different outcomes were given for one item')
      byKey.set(key, { key, outcome: 'unknown', reason: 'contradicting_outcomes' })
    }
  }
  return byKey
}

/** A play with only a day, for a provider that accepts none. */
export function dayRefusal(
  { days }: Pick<FeatureSupport, 'days'>,
  { feature, op }: Pick<WriteRequest, 'feature' | 'op'>,
  { watched_at: text }: Item,
): 'day_unsupported' | undefined {
  if (days !== 'none' || feature !== 'history' || op === 'remove') return undefined
  return parseTime(text)?.precision === 'date' ? 'day_unsupported' : undefined
}

/** Why an item is not sent: `unsupported_type`, `missing_ids`. */
export function writeRefusal(can: Writable, op: string, item: Item): string | undefined {
  if (!can.kinds.includes(kindOf(item))) return 'unsupported_type'
  // The account's own row is identified by its native id.
  if (op !== 'add' && item.native !== undefined) return undefined
  return can.needsAnyId === undefined || hasAnyId(item, can.needsAnyId) ? undefined : 'missing_ids'
}

function hasAnyId(item: Item, schemes: readonly IdScheme[]): boolean {
  const own = ownIds(item)
  return schemes.some(
    (scheme) => own[scheme] !== undefined || (partOf(item) !== undefined && item.show_ids?.[scheme] !== undefined),
  )
}
