// The account's lists. Entries are rows with ids of their own, without a defined order.
import { defined, PlayheadError } from '@playhead/sdk'
import { idText, type List, type ListDefinition, type ListFacts, type NewList } from '@playhead/sdk/provider'
import { watchlistItem } from './items.ts'
import { readAll, readPaged } from './pages.ts'
import type { Session } from './session.ts'
import { watchlistTest } from './watchlist-list.ts'
import { Written } from './wire.ts'
import { writeEntries } from './write.ts'

export const LISTS: ListDefinition<Session> = {
  support: {
    list: {
      can: ['add', 'remove', 'create', 'delete', 'clear'],
      kinds: ['movie', 'show'],
      needsAnyId: ['tmdb'],
      ordered: false,
      duplicates: false,
      byEntry: true,
      maxBatch: 50,
      losses: { delete: ['list', 'entries', 'added_at'], clear: ['entries', 'added_at'] },
    },
  },
  all: readLists,
  read(session, { list, kinds }, signal) {
    const request = { feature: 'playlists', ...defined({ kinds }) } as const
    return readPaged(session, { path: `${pathOf(list)}/items`, itemOf: watchlistItem }, request, signal)
  },
  write: (session, { list, op, items }, signal) =>
    writeEntries(session, list.id, op === 'remove' ? 'remove' : 'add', items, signal),
  create,
  delete: remove,
}

async function readLists(session: Session, signal: AbortSignal): Promise<readonly ListFacts[]> {
  const isWatchlist = await watchlistTest(session)
  return (await readAll(session, '/lists', signal)).map((row) => {
    const { name, is_public: shared } = row
    return {
      id: idText(row['id']) ?? '',
      kind: 'list',
      title: typeof name === 'string' ? name : '',
      ...(typeof shared === 'boolean' ? { shared } : {}),
      ...(isWatchlist(row) ? { readOnly: 'watchlist' } : {}),
    } as const
  })
}

async function create(
  { upstream }: Session,
  { title, shared = false }: NewList,
  signal: AbortSignal,
): Promise<ListFacts> {
  const { item } = await upstream.json(
    {
      method: 'POST',
      path: '/lists',
      json: { name: title, description: '', is_public: shared, type: 'custom' },
      signal,
    },
    Written,
  )
  const id = idText(item?.['id'])
  if (id === undefined)
    throw new PlayheadError('PLH_UPSTREAM_INVALID', 'PublicMetaDB did not return the id of the new list.')
  return { id, kind: 'list', title, shared, count: 0 }
}

/** The list existed a moment ago, so a 404 counts as deleted. */
async function remove({ upstream }: Session, list: List, signal: AbortSignal): Promise<void> {
  const answer = await upstream.request({
    method: 'DELETE',
    path: pathOf(list),
    accept: [404],
    idempotent: true,
    signal,
  })
  await answer.text()
}

function pathOf({ id }: Pick<List, 'id'>): string {
  return `/lists/${encodeURIComponent(id)}`
}
