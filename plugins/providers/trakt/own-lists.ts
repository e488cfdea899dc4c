// The person's own lists.
import { defined, PlayheadError } from '@playhead/sdk'
import { parseTime } from '@playhead/sdk/items'
import { idText, type ListDefinition, type ListFacts, type NewList, readWhole } from '@playhead/sdk/provider'
import { PAGE_ROWS } from './read/pages.ts'
import { readOwnList } from './read/own-list.ts'
import { numberOf } from './meanings.ts'
import type { Session } from './session.ts'
import { ListRow, ListRows } from './wire.ts'
import { writeOwnList } from './write/own-list.ts'

const PATH = '/users/me/lists'
const MAX_PAGES = 1_000

export const OWN_LISTS: ListDefinition<Session> = {
  support: {
    list: {
      can: ['add', 'remove', 'move', 'create', 'rename', 'delete', 'clear'],
      kinds: ['movie', 'show', 'season', 'episode'],
      needsAnyId: ['tracka', 'imdb', 'tmdb', 'tvdb'],
      ordered: true,
      duplicates: false,
      byEntry: false,
      maxBatch: 250,
      losses: { delete: ['list', 'entries', 'order', 'added_at'], clear: ['entries', 'order', 'added_at'] },
    },
  },
  all: readLists,
  read: readOwnList,
  write: writeOwnList,
  create,
  async rename({ upstream }, { id }, title, signal) {
    const answer = await upstream.request({
      method: 'PUT',
      path: pathOf(id),
      json: { name: title },
      idempotent: true,
      signal,
    })
    await answer.text()
  },
  async delete({ upstream, activities }, { id }, signal) {
    try {
      // The list existed a moment ago, so a 404 counts as deleted.
      const answer = await upstream.request({
        method: 'DELETE',
        path: pathOf(id),
        accept: [404],
        idempotent: true,
        signal,
      })
      await answer.text()
    } finally {
      activities.drop()
    }
  },
}

async function readLists({ upstream }: Session, signal: AbortSignal): Promise<readonly ListFacts[]> {
  const lists = new Map<string, ListFacts>()
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const request = { path: PATH, query: { page, limit: PAGE_ROWS }, signal }
    const { headers, rows } = await readWhole(upstream, request, async (answer) => ({
      headers: answer.headers,
      rows: await answer.json(ListRows),
    }))
    for (const row of rows) lists.set(String(row.ids.trakt), factsOf(row))
    const [pages = 1, total] = ['x-pagination-page-count', 'x-pagination-item-count'].map((name) =>
      numberOf(headers[name]),
    )
    if (page < pages) continue
    if (total === undefined || total === lists.size) return [...lists.values()]
    break
  }
  throw new PlayheadError('PLH_UPSTREAM_INVALID', 'Trakt did not return all its lists.', {
    details: { reason: 'total_mismatch' },
  })
}

function factsOf({ name, privacy, type, updated_at: updatedAt, item_count: count, ids }: ListRow): ListFacts {
  return {
    id: idText(ids.trakt) ?? '',
    kind: 'list',
    title: name ?? '',
    ...defined({ count: count ?? undefined }),
    ...(privacy == null ? {} : { shared: privacy !== 'private' }),
    ...(type == null || type === 'personal' ? {} : { readOnly: 'dynamic' }),
    ...(updatedAt == null || parseTime(updatedAt) === undefined ? {} : { updatedAt }),
  }
}

/** Throws `PLH_CONFLICT` (`provider_limit`) when the plan allows no more lists. */
async function create(
  { upstream }: Session,
  { title, shared = false }: NewList,
  signal: AbortSignal,
): Promise<ListFacts> {
  const json = {
    name: title,
    description: '',
    privacy: shared ? 'public' : 'private',
    sort_by: 'rank',
    sort_how: 'asc',
  }
  const answer = await upstream.request({ method: 'POST', path: PATH, json, signal })
  return factsOf(await answer.json(ListRow))
}

function pathOf(id: string): string {
  return `${PATH}/${encodeURIComponent(id)}`
}
