// Reads one list by rank.
import { defined } from '@playhead/sdk'
import type { ListItem, ListReadPart, ListReadRequest, ReadItem } from '@playhead/sdk/provider'
import { readList } from '@playhead/trakt-dialect'
import { entriesPath } from '../capacity.ts'
import { watchlistItem } from '../items.ts'
import { rowId } from './list.ts'
import { DIALECT } from './pages.ts'
import type { Session } from '../session.ts'
import type { Row } from '../wire.ts'

export function readOwnList(
  session: Session,
  { list, kinds }: ListReadRequest,
  signal: AbortSignal,
): AsyncIterable<ListReadPart> {
  const spec = {
    path: entriesPath(list.id),
    // The last change of any list.
    stamps: ['lists.updated_at'],
    trustedMs: 0,
    itemOf: entryOf,
    idOf: rowId,
  }
  return readList(session, DIALECT, spec, { feature: 'playlists', ...defined({ kinds }) }, signal)
}

function entryOf(row: Row): ReadItem {
  const read = watchlistItem(row)
  if (!('item' in read) || row.rank == null) return read
  const item: ListItem = { ...read.item, position: row.rank }
  return { item }
}
