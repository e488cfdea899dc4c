// Writes own lists: entries in batches like the watchlist, and the lists themselves.
import { PlayheadError } from '@playhead/sdk'
import {
  idText,
  type List,
  type ListFacts,
  type ListWriteRequest,
  type NewList,
  type WriteResult,
} from '@playhead/sdk/provider'
import { listBatch } from '@playhead/trakt-dialect'
import type { Session } from '../session.ts'
import { Fields } from '../wire.ts'
import { writeBatch } from './batch.ts'

export const LIST_IDS = ['imdb', 'tmdb', 'tvdb', 'tracka'] as const

export function writeList(
  session: Session,
  { list, op, items }: ListWriteRequest,
  signal: AbortSignal,
): Promise<WriteResult> {
  const paths = [`${pathOf(list)}/items/add`, `${pathOf(list)}/items/remove`] as const
  return writeBatch(session, listBatch(session, `list/${list.id}`, op, paths), items, signal)
}

/** Throws `PLH_CONFLICT` (`provider_limit`) when the plan allows no more lists. */
export async function createList(
  { writes }: Session,
  { title, shared = false }: NewList,
  signal: AbortSignal,
): Promise<ListFacts> {
  const answer = await writes.request({
    method: 'POST',
    path: '/lists/user/add',
    json: { name: title, private: !shared },
    signal,
  })
  const { id: given, name } = await answer.json(Fields)
  const id = idText(given)
  if (id === undefined)
    throw new PlayheadError('PLH_UPSTREAM_INVALID', 'MDBList did not return the id of the new list.')
  return { id, kind: 'list', title: typeof name === 'string' ? name : title, count: 0, shared }
}

export async function renameList({ writes }: Session, list: List, title: string, signal: AbortSignal): Promise<void> {
  const answer = await writes.request({
    method: 'POST',
    path: `${pathOf(list)}/update`,
    json: { name: title, ...(list.shared === undefined ? {} : { private: !list.shared }) },
    idempotent: true,
    signal,
  })
  await answer.text()
}

function pathOf({ id }: List): string {
  return `/lists/${encodeURIComponent(id)}`
}
