// Writes positions one by one, like a player that pauses; removes them by row id.
import type { UpstreamAnswer, UpstreamRequest } from '@playhead/sdk'
import { type Item, progressOf } from '@playhead/sdk/items'
import {
  type ItemOutcome,
  readConfirmation,
  type WriteItem,
  writeInTurn,
  type WriteRequest,
  type WriteResult,
} from '@playhead/sdk/provider'
import type { TrackerSession } from '../session.ts'

type WriteSession = Pick<TrackerSession, 'account' | 'writes' | 'activities'>
type Write = (item: WriteItem) => Promise<ItemOutcome>

export async function writePositions(
  { account, activities }: WriteSession,
  { op, items }: Pick<WriteRequest, 'op' | 'items'>,
  { pause, remove }: { readonly pause: Write; readonly remove: Write },
): Promise<WriteResult> {
  try {
    return await writeInTurn(items, op === 'remove' ? remove : pause, { log: account.log, atOnce: 1 })
  } finally {
    activities.drop()
  }
}

interface Pause {
  /** Members of the body that identify the item, most reliable first. */
  readonly works: readonly object[]
  /** The service rejects positions below this. */
  readonly minPercent?: number
  /** Meanings of statuses. After `not_found` the next identification is tried. */
  readonly outcomes: Readonly<Record<number, ItemOutcome>>
  /** Throws if a success response does not come from the service. */
  readonly confirm: (answer: UpstreamAnswer) => Promise<unknown>
}

export async function pauseAt(
  { writes }: WriteSession,
  item: Item,
  { works, minPercent = 0, outcomes, confirm }: Pause,
  signal: AbortSignal,
): Promise<ItemOutcome> {
  const { percent } = progressOf(item)
  if (percent === undefined) return { outcome: 'rejected', reason: 'duration_missing' }
  if (percent < minPercent) return { outcome: 'rejected', reason: 'position_too_small' }
  let outcome: ItemOutcome = { outcome: 'unsupported', reason: 'missing_ids' }
  for (const work of works) {
    const answer = await writes.request({
      method: 'POST',
      path: '/scrobble/pause',
      json: { ...work, progress: percent },
      accept: Object.keys(outcomes).map(Number),
      idempotent: true,
      signal,
    })
    const refused = outcomes[answer.status]
    await (refused === undefined ? confirm(answer) : answer.text())
    outcome = refused ?? { outcome: 'applied' }
    if (outcome.outcome !== 'not_found') break
  }
  return outcome
}

/** @param requestOf the request that removes a row; undefined for an invalid id */
export async function removePosition(
  { writes }: WriteSession,
  { item, current }: WriteItem,
  signal: AbortSignal,
  requestOf: (id: string) => UpstreamRequest | undefined = (id) => ({ method: 'DELETE', path: `/sync/playback/${id}` }),
): Promise<ItemOutcome> {
  const id = item.native?.item_id ?? current?.native?.item_id ?? ''
  const request = /^\d+$/.test(id) ? requestOf(id) : undefined
  if (request === undefined) return { outcome: 'rejected', reason: 'row_unknown' }
  const answer = await writes.request({ ...request, accept: [404], idempotent: true, signal })
  await (answer.status === 404 ? answer.text() : readConfirmation(answer))
  return { outcome: answer.status === 404 ? 'already' : 'applied' }
}
