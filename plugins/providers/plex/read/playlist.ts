// Reads a playlist: entries in order, each with an entry id, because an item may occur twice.
import { type Item, PlayheadError } from '@playhead/sdk'
import {
  isWanted,
  type List,
  type ListItem,
  type ListReadPart,
  type ListReadRequest,
  noteUnreadable,
  readEnd,
  type Unreadable,
} from '@playhead/sdk/provider'
import { isUnreadable, showKeyOf, toItem } from '../items.ts'
import { readPages, SHORT_ROWS } from './pages.ts'
import type { Server, Session } from '../session.ts'
import { type Metadata, Page } from '../wire.ts'

const PAGE_SIZE = 500
/** Maximum age of the list of shows. */
const SHOWS_FOR_MS = 60_000

export async function* readPlaylist(
  session: Session,
  request: ListReadRequest,
  signal: AbortSignal,
): AsyncGenerator<ListReadPart> {
  const server = await session.server(signal)
  const before = await readList(server, request.list, signal)
  const unreadable: Unreadable[] = []
  const pages = readPages(
    server.http,
    {
      path: `${pathOf(request.list)}/items`,
      query: { includeGuids: 1, ...SHORT_ROWS },
      size: PAGE_SIZE,
      keyOf: ({ playlistItemID: id }) => (id === undefined ? undefined : String(id)),
    },
    signal,
  )
  let place = 0
  let given = 0
  for (;;) {
    const page = await pages.next()
    if (page.done === true) {
      const reason =
        page.value.reason ??
        ((await isSame(server, request.list, before, page.value.total, signal)) ? undefined : CHANGED)
      yield readEnd({ account: server.account, reason, unreadable })
      return
    }
    const rows: ListItem[] = []
    for (const { row, item } of await itemsOf(server, page.value, signal)) {
      place += 1
      if (isUnreadable(item)) noteUnreadable(unreadable, item)
      else if (isWanted(item, request)) rows.push(entryOf(row, item, place))
    }
    given += rows.length
    yield {
      type: 'rows',
      rows,
      ...(before.leafCount === undefined ? {} : { total: before.leafCount - (place - given) }),
    }
  }
}

const CHANGED = 'changed_while_reading'

export function pathOf({ id }: Pick<List, 'id'>): string {
  return `/playlists/${encodeURIComponent(id)}`
}

/** Detects changes during the read by the modification time, because rows move between pages. */
async function isSame(
  server: Server,
  list: Pick<List, 'id'>,
  before: Metadata,
  total: number,
  signal: AbortSignal,
): Promise<boolean> {
  if (total <= PAGE_SIZE) return true
  const { updatedAt, leafCount } = await readList(server, list, signal)
  return updatedAt !== undefined && updatedAt === before.updatedAt && leafCount === before.leafCount
}

async function readList({ http }: Server, list: Pick<List, 'id'>, signal: AbortSignal): Promise<Metadata> {
  const row = (await http.json({ path: pathOf(list), signal }, Page)).MediaContainer.Metadata?.[0]
  if (row !== undefined) return row
  throw new PlayheadError('PLH_UPSTREAM_INVALID', 'Plex says nothing about the playlist.')
}

interface Read {
  readonly row: Metadata
  readonly item: ReturnType<typeof toItem>
}

/** Adds the ids of shows to episodes, from the list of shows. */
async function itemsOf(server: Server, rows: readonly Metadata[], signal: AbortSignal): Promise<readonly Read[]> {
  const keys = [...new Set(rows.flatMap((row) => showKeyOf(row) ?? []))]
  if (keys.length > 0) {
    const sections = (await server.sections(signal)).filter(({ type }) => type === 'show')
    await server.index.refresh(sections, ['show'], { maxAgeMs: SHOWS_FOR_MS, signal })
  }
  const shows = await server.index.shows(keys)
  return rows.map((row) => ({ row, item: toItem(row, shows.get(showKeyOf(row) ?? '')) }))
}

function entryOf({ playlistItemID: id }: Metadata, item: Item, position: number): ListItem {
  return { ...item, position, ...(id === undefined ? {} : { native: { ...item.native, list_item_id: String(id) } }) }
}
