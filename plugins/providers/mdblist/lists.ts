// The account's own lists: static ones, and dynamic ones that the service fills.
import { isRecord, kindOf, parseType } from '@playhead/sdk/items'
import {
  idText,
  isWanted,
  type ListDefinition,
  type ListFacts,
  type ListItem,
  type ListReadPart,
  type ListReadRequest,
  noteUnreadable,
  readEnd,
  type ReadItem,
  type Unreadable,
} from '@playhead/sdk/provider'
import type { ListRequest } from '@playhead/trakt-dialect'
import { type Row, watchlistItem, workItem } from './items.ts'
import { DIALECT } from './read/pages.ts'
import type { Session } from './session.ts'
import { type Fields, ListRows } from './wire.ts'
import { createList, LIST_IDS, renameList, writeList } from './write/list.ts'

export const LISTS: ListDefinition<Session> = {
  support: {
    list: {
      can: ['add', 'remove', 'create', 'rename', 'clear'],
      kinds: ['movie', 'show'],
      needsAnyId: LIST_IDS,
      ordered: true,
      duplicates: false,
      byEntry: false,
      maxBatch: 500,
      losses: { clear: ['entries', 'order', 'added_at'] },
    },
  },
  all: readAll,
  read: readList,
  write: writeList,
  create: createList,
  rename: renameList,
}

async function readAll({ upstream }: Session, signal: AbortSignal): Promise<readonly ListFacts[]> {
  return (await upstream.json({ path: '/lists/user', signal }, ListRows)).map(factsOf)
}

function factsOf(row: Fields): ListFacts {
  const { name, items, dynamic, private: isPrivate, mediatype } = row
  const kind = parseType(mediatype)
  return {
    id: idText(row['id']) ?? '',
    kind: 'list',
    title: typeof name === 'string' ? name : '',
    ...(typeof items === 'number' ? { count: items } : {}),
    ...(typeof isPrivate === 'boolean' ? { shared: !isPrivate } : {}),
    ...(dynamic === true ? { readOnly: 'dynamic' } : {}),
    ...(kind.ok && (kind.value === 'movie' || kind.value === 'show') ? { kinds: [kind.value] } : {}),
  }
}

async function* readList(
  session: Session,
  request: ListReadRequest,
  signal: AbortSignal,
): AsyncGenerator<ListReadPart> {
  const lineage = await session.lineage()
  const { account } = await session.facts.get()
  const list = { path: `/lists/${encodeURIComponent(request.list.id)}/items`, query: { unified: true }, signal }
  const unreadable: Unreadable[] = []
  const pages = DIALECT.readPages(session.upstream, list, nameOf)
  const order: string[] = []
  for await (const rows of pages.rows) {
    const items: ListItem[] = []
    for (const row of rows) {
      order.push(nameOf(row))
      const read = entryOf(row, order.length)
      if ('unreadable' in read) noteUnreadable(unreadable, read.unreadable)
      else if (isWanted(read.item, request)) items.push(read.item)
    }
    yield { type: 'rows', rows: items }
  }
  const reason = pages.flaw() ?? (pages.count() > 1 ? await changeSince(session, list, order) : undefined)
  yield readEnd({ account, reason: (await session.lineage()) === lineage ? reason : 'account_changed', unreadable })
}

/** Lists have no modification time, so a changed list is detected by reading it again. */
async function changeSince(
  { upstream }: Session,
  list: ListRequest,
  order: readonly string[],
): Promise<string | undefined> {
  const again = DIALECT.readPages(upstream, list, nameOf)
  let at = 0
  for await (const rows of again.rows)
    for (const row of rows) if (nameOf(row) !== order[at++]) return 'changed_while_reading'
  return again.flaw() ?? (at === order.length ? undefined : 'changed_while_reading')
}

function entryOf(row: Row, place: number): { readonly item: ListItem } | Extract<ReadItem, { unreadable: unknown }> {
  const { kind, fields } = row
  const read = kind !== undefined && isRecord(fields[kind]) ? workItem(row) : watchlistItem(row)
  if ('unreadable' in read) return read
  // A season or episode without its show cannot be identified.
  const isPart = kindOf(read.item) === 'season' || kindOf(read.item) === 'episode'
  if (isPart && read.item.show_ids === undefined) return { unreadable: { reason: 'no_identity' } }
  return { item: { ...read.item, position: place } }
}

function nameOf({ kind, fields }: Row): string {
  const work = kind !== undefined && isRecord(fields[kind]) ? fields[kind] : {}
  const { id, imdb_id: imdb, ids, season, episode } = fields
  return JSON.stringify([kind, id, imdb, ids, season, episode, work['ids'], work['season'], work['number']])
}
