// Writes to one list, one request per film, named by number only. A show may have the same number, so the list is read
// first.
import { PlayheadError } from '@playhead/sdk'
import {
  collectRead,
  type ItemOutcome,
  type ListWriteRequest,
  type WriteItem,
  writeInTurn,
  type WriteResult,
} from '@playhead/sdk/provider'
import { workKey } from '../items.ts'
import { readEntries } from '../read/own-list.ts'
import { send } from './send.ts'
import type { Session } from '../session.ts'
import { targetOf } from './targets.ts'

export async function writeOwnList(
  session: Session,
  { list, op, items }: ListWriteRequest,
  signal: AbortSignal,
): Promise<WriteResult> {
  const isAdd = op === 'add'
  const present = await presentIn(session, list.id, signal)
  return writeInTurn(
    items,
    async ({ item }: WriteItem): Promise<ItemOutcome> => {
      const named = await targetOf(session, item, !isAdd, signal)
      if ('refused' in named) return named.refused
      const { id } = named.target
      const row = workKey('movie', id)
      if (present.has(row) === isAdd) return { outcome: 'already' }
      if (present.has(workKey('show', id))) return { outcome: 'rejected', reason: 'ambiguous' }
      const path = `/list/${encodeURIComponent(list.id)}/${isAdd ? 'add_item' : 'remove_item'}`
      const { reason, ...outcome } = await send(
        session,
        { method: 'POST', path, json: { media_id: Number(id) } },
        isAdd,
        signal,
      )
      if (outcome.outcome === 'applied') await session.memory.wrote(`list/${list.id}`, row, isAdd)
      return reason === undefined || reason === 'updated' ? outcome : { ...outcome, reason }
    },
    { log: session.account.log },
  )
}

/** List entries as `movie/900001`, including recent writes that the read may not show yet. */
async function presentIn(session: Session, id: string, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const { rows, end } = await collectRead(readEntries(session, id, undefined, signal))
  if (!end.complete && end.reason !== 'not_settled') {
    throw new PlayheadError('PLH_CONFLICT', 'The list could not be read completely, so nothing was written to it.', {
      wire: 'incomplete_read',
      details: { reason: end.reason ?? null },
    })
  }
  const present = new Set(rows.map(({ type, ids }) => workKey(type === 'movie' ? 'movie' : 'show', ids.tmdb ?? '')))
  for (const [row, wanted] of await session.memory.recent(`list/${id}`)) {
    if (wanted === false) present.delete(row)
    else present.add(row)
  }
  return present
}
