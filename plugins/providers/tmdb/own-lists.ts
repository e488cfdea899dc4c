// The account's own lists; only films can be written.
import { PlayheadError } from '@playhead/sdk'
import { idText, type List, type ListDefinition, type ListFacts, type NewList } from '@playhead/sdk/provider'
import { readEntries } from './read/own-list.ts'
import type { Session } from './session.ts'
import { ListPage, NewListAnswer, type Row } from './wire.ts'
import { writeOwnList } from './write/own-list.ts'

const LAST_PAGE = 500

export const LISTS: ListDefinition<Session> = {
  support: {
    list: {
      can: ['add', 'remove', 'create', 'delete', 'clear'],
      // Shows can only be read.
      kinds: ['movie'],
      needsAnyId: ['tmdb', 'imdb'],
      ordered: false,
      duplicates: false,
      byEntry: false,
      maxBatch: 100,
      losses: { delete: ['list', 'entries'], clear: ['entries'] },
    },
  },
  all: readAll,
  read: (session, { list, kinds }, signal) => readEntries(session, list.id, kinds, signal),
  write: writeOwnList,
  create,
  delete: remove,
}

/** All lists, or an error: a list that moved between pages would seem to be deleted. */
async function readAll(session: Session, signal: AbortSignal): Promise<readonly ListFacts[]> {
  const account = await session.accountId()
  const lists = new Map<string, ListFacts>()
  for (let page = 1; page <= LAST_PAGE; page += 1) {
    const answer = await session.api.json({ path: `/account/${account}/lists`, query: { page }, signal }, ListPage)
    for (const row of answer.results) lists.set(idText(row['id']) ?? '', factsOf(row))
    if (page < answer.total_pages) continue
    if (lists.size === answer.total_results) return [...lists.values()]
    break
  }
  throw new PlayheadError('PLH_UPSTREAM_INVALID', 'TMDB did not return all its lists.', {
    details: { reason: 'total_mismatch' },
  })
}

function factsOf({ id, name, item_count: count }: Row): ListFacts {
  return {
    id: idText(id) ?? '',
    kind: 'list',
    title: typeof name === 'string' ? name : '',
    ...(typeof count === 'number' ? { count } : {}),
  }
}

async function create({ api }: Session, { title }: NewList, signal: AbortSignal): Promise<ListFacts> {
  const json = { name: title, description: '', language: 'en' }
  const { list_id: id } = await api.json({ method: 'POST', path: '/list', json, signal }, NewListAnswer)
  return { id: String(id), kind: 'list', title, count: 0 }
}

/** The list existed a moment ago, so a 404 counts as deleted. */
async function remove({ api }: Session, { id }: List, signal: AbortSignal): Promise<void> {
  const answer = await api.request({
    method: 'DELETE',
    path: `/list/${encodeURIComponent(id)}`,
    accept: [404],
    idempotent: true,
    signal,
  })
  await answer.text()
}
