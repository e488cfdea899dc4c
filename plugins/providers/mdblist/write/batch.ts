// Writes many items in chunks. Responses only have counts, from which each item gets its outcome.
import { defined, isPlayheadError } from '@playhead/sdk'
import {
  type ItemOutcome,
  NOT_SENT,
  type WireIds,
  type WriteItem,
  writeResult,
  type WriteResult,
} from '@playhead/sdk/provider'
import { type Counting, DOUBT, outcomeOfFailure, outcomesOf } from './outcomes.ts'
import type { Session } from '../session.ts'
import { bodyOf, type Extra, nameOf, type Target } from './targets.ts'
import { chunksOf, WriteAnswer } from '../wire.ts'

export interface Batch {
  readonly path: string
  readonly counting: Counting
  /** Safe to repeat; otherwise it is never sent again, regardless of the first result. */
  readonly idempotent: boolean
  readonly chunk: number
  /** Places the ids in an entry: in `ids`, or at the top level. */
  readonly place: (ids: WireIds) => object
  /** Fields beside the ids, or why the item is not sent. */
  readonly extraOf: (item: WriteItem) => { readonly extra: Extra } | { readonly refused: ItemOutcome }
}

/** Requests count towards a daily quota; remaining doubts are resolved by reading. */
const MAX_REPEATS = 20
/** Validation errors: no part of the request was applied. */
const REFUSED_WHOLE = [400, 422]

export async function writeBatch(
  session: Session,
  batch: Batch,
  items: readonly WriteItem[],
  signal: AbortSignal,
): Promise<WriteResult> {
  const outcomes = new Map<string, ItemOutcome>()
  let stopped: { readonly outcome: ItemOutcome; readonly retryAfterMs?: number } | undefined
  let repeatsLeft = MAX_REPEATS
  const targets = items.flatMap((item): Target[] => {
    const name = nameOf(item.item)
    const checked = batch.extraOf(item)
    if ('refused' in checked) outcomes.set(item.key, checked.refused)
    else if (name === undefined) outcomes.set(item.key, { outcome: 'unsupported', reason: 'missing_ids' })
    else return [{ ...name, key: item.key, extra: checked.extra }]
    return []
  })
  try {
    for (const chunk of chunksOf(targets, batch.chunk)) await send(chunk)
  } finally {
    session.activities.drop()
  }
  return writeResult(items, outcomes, stopped?.retryAfterMs)

  function settle(all: readonly Target[], outcome: ItemOutcome): void {
    for (const { key } of all) outcomes.set(key, outcome)
  }

  async function send(chunk: readonly Target[]): Promise<void> {
    // Unsent items are certain, regardless of the previous request.
    if (stopped !== undefined) return settle(chunk, stopped.outcome.outcome === 'unknown' ? NOT_SENT : stopped.outcome)
    try {
      const answer = await session.writes.request({
        method: 'POST',
        path: batch.path,
        json: bodyOf(chunk, batch.place),
        accept: REFUSED_WHOLE,
        idempotent: batch.idempotent,
        signal,
      })
      if (REFUSED_WHOLE.includes(answer.status)) {
        await answer.text()
        return await afterRefusal(chunk)
      }
      const results = outcomesOf(chunk, await answer.json(WriteAnswer), batch.counting)
      for (const [key, outcome] of results) outcomes.set(key, outcome)
      await splitDoubtful(chunk.filter(({ key }) => results.get(key) === DOUBT))
    } catch (error) {
      const outcome = outcomeOfFailure(error, batch.idempotent)
      // Earlier chunks may have been written and must be reported.
      if (outcome === undefined)
        session.account.log.error({ account: session.account.name, err: error }, 'a write failed unexpectedly')
      const verdict = outcome ?? { outcome: 'unknown', reason: 'internal' }
      settle(chunk, verdict)
      const waitMs = isPlayheadError(error) ? error.retryAfterMs : undefined
      stopped = { outcome: verdict, ...defined({ retryAfterMs: waitMs }) }
    }
  }

  /**
   * Some items are unknown, and the response only has their number. Adding is idempotent here, so smaller requests find
   * them.
   */
  async function splitDoubtful(doubtful: readonly Target[]): Promise<void> {
    const mayRepeat = batch.idempotent && batch.counting === 'adds' && doubtful.length > 1
    if (!mayRepeat || repeatsLeft < 2) return
    repeatsLeft -= 2
    for (const half of chunksOf(doubtful, Math.ceil(doubtful.length / 2))) await send(half)
  }

  /** One item is invalid, and the service does not say which. */
  async function afterRefusal(chunk: readonly Target[]): Promise<void> {
    if (chunk.length === 1) return settle(chunk, { outcome: 'rejected', reason: 'refused_by_service' })
    for (const half of chunksOf(chunk, Math.ceil(chunk.length / 2))) await send(half)
  }
}
