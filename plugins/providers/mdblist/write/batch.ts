// A write of many items: named in one body, sent in chunks, and answered with counts from which each item gets its
// outcome.
import {
  isPlayheadError,
  type ItemOutcome,
  NOT_SENT,
  type WireIds,
  type WriteItem,
  writeResult,
  type WriteResult,
} from '@playhead/sdk'
import { type Counting, DOUBT, outcomeOfFailure, outcomesOf } from './outcomes.ts'
import { askWrite } from '../requests.ts'
import type { Session } from '../session.ts'
import { bodyOf, type Extra, nameOf, type Target } from './targets.ts'
import { chunksOf, WriteAnswer } from '../wire.ts'

export interface Batch {
  readonly path: string
  readonly counting: Counting
  /** Doing it twice is doing it once. Otherwise it is never sent again, whatever became of the first time. */
  readonly idempotent: boolean
  readonly chunk: number
  /** How ids stand in an entry: in `ids`, or beside the rest. */
  readonly place: (ids: WireIds) => object
  /** What is sent beside the name, or why the item is not sent. */
  readonly extraOf: (item: WriteItem) => { readonly extra: Extra } | { readonly refused: ItemOutcome }
}

/** Requests are counted by the day; what is still in doubt after so many more, reading the account shows. */
const MOST_REPEATS = 20
/** The service found something wrong with the request, and did none of it. */
const REFUSED_WHOLE = [400, 422]

export async function writeBatch(
  session: Session,
  batch: Batch,
  items: readonly WriteItem[],
  signal: AbortSignal,
): Promise<WriteResult> {
  const outcomes = new Map<string, ItemOutcome>()
  let stopped: { readonly outcome: ItemOutcome; readonly retryAfterMs?: number } | undefined
  let repeatsLeft = MOST_REPEATS
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
    // What was not sent has not happened, whatever became of the request before it.
    if (stopped !== undefined) return settle(chunk, stopped.outcome.outcome === 'unknown' ? NOT_SENT : stopped.outcome)
    try {
      const answer = await askWrite(session.upstream, {
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
      const told = outcomesOf(chunk, await answer.json(WriteAnswer), batch.counting)
      for (const [key, outcome] of told) outcomes.set(key, outcome)
      await sendApart(chunk.filter(({ key }) => told.get(key) === DOUBT))
    } catch (error) {
      const outcome = outcomeOfFailure(error, batch.idempotent)
      // Something may have been written before, and must be told.
      if (outcome === undefined)
        session.account.log.error({ account: session.account.name, err: error }, 'a write failed unexpectedly')
      const verdict = outcome ?? { outcome: 'unknown', reason: 'internal' }
      settle(chunk, verdict)
      const waitMs = isPlayheadError(error) ? error.retryAfterMs : undefined
      stopped = { outcome: verdict, ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }) }
    }
  }

  /**
   * Some items are not known, and the service only says how many. Adding twice what is kept once shows which, in a few
   * more requests.
   */
  async function sendApart(doubtful: readonly Target[]): Promise<void> {
    const mayRepeat = batch.idempotent && batch.counting === 'adds' && doubtful.length > 1
    if (!mayRepeat || repeatsLeft < 2) return
    repeatsLeft -= 2
    for (const half of chunksOf(doubtful, Math.ceil(doubtful.length / 2))) await send(half)
  }

  /** One item is wrong, and the service does not say which. */
  async function afterRefusal(chunk: readonly Target[]): Promise<void> {
    if (chunk.length === 1) return settle(chunk, { outcome: 'rejected', reason: 'refused_by_service' })
    for (const half of chunksOf(chunk, Math.ceil(chunk.length / 2))) await send(half)
  }
}
