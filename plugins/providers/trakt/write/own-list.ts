// Writes to one list: entries in batches like the watchlist, and its order in one request.
import { PlayheadError } from '@playhead/sdk'
import {
  batchOutcomes,
  collectRead,
  type ItemOutcome,
  type ListWriteRequest,
  moveEntries,
  type MoveResult,
  type WriteResult,
} from '@playhead/sdk/provider'
import { listBatch } from '@playhead/trakt-dialect'
import { countRows } from '../capacity.ts'
import { readOwnList } from '../read/own-list.ts'
import type { Session } from '../session.ts'
import { Reordered } from '../wire.ts'
import { writeBatch } from './batch.ts'

const MOVES: Readonly<Record<MoveResult, ItemOutcome>> = {
  moved: { outcome: 'applied' },
  same: { outcome: 'already' },
  entry_unknown: { outcome: 'not_found', reason: 'entry_unknown' },
  place_unknown: { outcome: 'rejected', reason: 'place_unknown' },
}

export async function writeOwnList(
  session: Session,
  request: ListWriteRequest,
  signal: AbortSignal,
): Promise<WriteResult> {
  const {
    list: { id },
    op,
    items,
  } = request
  if (op === 'move') return reorder(session, request, signal)
  // A rejection does not report which entries were stored, so the size is read before sending; lists are small.
  if (op === 'add') await countRows(session, `list/${id}`, signal)
  return writeBatch(session, listBatch(session, `list/${id}`, op, [pathOf(id), `${pathOf(id)}/remove`]), items, signal)
}

/** The service takes the complete order and appends rows added meanwhile. */
async function reorder(session: Session, { list, items }: ListWriteRequest, signal: AbortSignal): Promise<WriteResult> {
  const { rows, end } = await collectRead(readOwnList(session, { list }, signal))
  const before = rows.flatMap(({ native }) => native?.list_item_id ?? [])
  if (!end.complete || before.length !== rows.length || end.unreadable !== undefined) {
    throw new PlayheadError('PLH_CONFLICT', 'The list could not be read completely, so its order was not changed.', {
      wire: 'incomplete_read',
      details: { reason: end.reason ?? null },
    })
  }
  const moves = items.map(({ item, after = null }) => ({ entry: item.native?.list_item_id ?? '', after }))
  const { order, results } = moveEntries(before, moves)
  const outcomes = items.map(({ key }, index) => ({ key, ...MOVES[results[index] as MoveResult] }))
  const sent = items.filter((_, index) => results[index] === 'moved')
  if (sent.length === 0) return { outcomes }
  try {
    const result = await batchOutcomes(sent, async () => {
      const answer = await session.upstream.request({
        method: 'POST',
        path: `${pathOf(list.id)}/reorder`,
        json: { rank: order.map(Number) },
        idempotent: true,
        signal,
      })
      const skipped = new Set((await answer.json(Reordered)).skipped_ids?.map(String))
      return sent.map(({ key, item }) => ({
        key,
        ...MOVES[skipped.has(item.native?.list_item_id ?? '') ? 'entry_unknown' : 'moved'],
      }))
    })
    const byKey = new Map(result.outcomes.map((outcome) => [outcome.key, outcome]))
    return { ...result, outcomes: outcomes.map((outcome) => byKey.get(outcome.key) ?? outcome) }
  } finally {
    session.activities.drop()
  }
}

function pathOf(id: string): string {
  return `/users/me/lists/${encodeURIComponent(id)}/items`
}
