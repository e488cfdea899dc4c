// Writes items in batches, with one outcome per item.
import { isPlayheadError } from '@playhead/sdk'
import {
  type ItemOutcome,
  NOT_SENT,
  outcomeOfError,
  type WriteItem,
  writeResult,
  type WriteResult,
} from '@playhead/sdk/provider'
import { isNamedBy, isWithin, notFoundAmong } from '@playhead/trakt-dialect'
import type { Session } from '../session.ts'
import { bodyOf, type Target } from './targets.ts'
import { WriteAnswer } from '../wire.ts'

export interface Batch {
  readonly path: string
  readonly counting: 'added' | 'deleted'
  readonly chunk: number
  /** The caller retries failures. */
  readonly once?: true
  /** The target of an item, or why it is not sent. */
  readonly targetOf: (item: WriteItem) => Target | ItemOutcome
  /** Checks a batch before it is sent; returned outcomes exclude items. */
  readonly before?: (targets: readonly Target[], signal: AbortSignal) => Promise<ReadonlyMap<Target, ItemOutcome>>
  /** Overrides the outcome of an item counted as done. */
  readonly doubt?: (target: Target, answer: WriteAnswer) => ItemOutcome | undefined
}

/** Maximum batch size. */
const MAX_BATCH = 100

export async function writeBatch(
  session: Session,
  batch: Batch,
  items: readonly WriteItem[],
  signal: AbortSignal,
): Promise<WriteResult> {
  const outcomes = new Map<string, ItemOutcome>()
  const targets: Target[] = []
  for (const item of items) {
    const found = batch.targetOf(item)
    if ('outcome' in found) outcomes.set(item.key, found)
    else targets.push(found)
  }
  let retryAfterMs: number | undefined
  const size = Math.min(batch.chunk, MAX_BATCH)
  for (let from = 0; from < targets.length; from += size) {
    const chunk = targets.slice(from, from + size)
    let isSent = false
    try {
      const decided = (await batch.before?.(chunk, signal)) ?? new Map<Target, ItemOutcome>()
      for (const [{ key }, outcome] of decided) outcomes.set(key, outcome)
      const open = chunk.filter((target) => !decided.has(target))
      if (open.length === 0) continue
      isSent = true
      for (const [{ key }, outcome] of await send(session, batch, open, signal)) outcomes.set(key, outcome)
    } catch (error) {
      const verdict = outcomeOfError(error)
      if (verdict === undefined && outcomes.size === 0 && !isSent) throw error
      if (verdict === undefined)
        session.account.log.error({ account: session.account.name, err: error }, 'a write failed unexpectedly')
      const failure = verdict ?? { outcome: 'unknown', reason: 'internal' }
      // The lookup failed, so no item was sent.
      const rest: ItemOutcome = failure.outcome === 'rate_limited' || failure.outcome === 'failed' ? failure : NOT_SENT
      for (const { key } of chunk) if (!outcomes.has(key)) outcomes.set(key, isSent ? failure : rest)
      for (const { key } of targets.slice(from + size)) outcomes.set(key, rest)
      retryAfterMs = isPlayheadError(error) ? error.retryAfterMs : undefined
      break
    } finally {
      session.activities.drop()
    }
  }
  return writeResult(items, outcomes, retryAfterMs)
}

async function send(
  session: Session,
  batch: Batch,
  targets: readonly Target[],
  signal: AbortSignal,
): Promise<Map<Target, ItemOutcome>> {
  const { path, counting, doubt, once } = batch
  const request = { method: 'POST', path, json: bodyOf(targets), signal } as const
  const answer =
    once === true
      ? await (await session.upstream.request(request)).json(WriteAnswer)
      : await session.upstream.json({ ...request, idempotent: true }, WriteAnswer)
  const missing = notFoundIn(targets, answer)
  const found = targets.filter((target) => !missing.has(target))
  const counts = answer[counting]
  const hasEpisodes = found.some(({ kind }) => kind === 'episodes')
  const counted = numberOf(counts?.movies) + numberOf(hasEpisodes ? counts?.episodes : counts?.shows)
  // Anime films may be counted as either kind, so only the sum is reliable.
  const otherwise: ItemOutcome =
    counted >= found.length ? { outcome: 'applied' } : { outcome: 'unknown', reason: 'count_mismatch' }
  return new Map(
    targets.map((target) => [
      target,
      missing.has(target) ? { outcome: 'not_found', reason: 'not_found' } : (doubt?.(target, answer) ?? otherwise),
    ]),
  )
}

/** Targets that the service does not know, as echoed. An unknown show includes all its sent episodes. */
export function notFoundIn(targets: readonly Target[], { not_found: echoes }: WriteAnswer): ReadonlySet<Target> {
  return notFoundAmong(
    targets,
    echoes,
    (target, group, echo) =>
      (target.group === group || group === 'episodes') && isNamedBy(target, echo['ids']) && isWithin(target, echo),
  )
}

/** Some responses have a count, others a list. */
function numberOf(counted: number | readonly unknown[] | null | undefined): number {
  return Array.isArray(counted) ? counted.length : typeof counted === 'number' ? counted : 0
}
