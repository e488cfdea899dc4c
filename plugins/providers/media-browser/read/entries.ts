// Reads a playlist or collection: entries in order, with entry ids where the server has them.
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
import { itemOf } from '../items.ts'
import { openListing } from './listing.ts'
import { linesOf } from '../lists.ts'
import { seriesFor } from './marks.ts'
import type { Session } from '../session.ts'
import type { Row } from '../wire.ts'

const PAGE = 1_000

export async function* readEntries(
  session: Session,
  request: ListReadRequest,
  signal: AbortSignal,
): AsyncGenerator<ListReadPart> {
  const { account } = await session.identity()
  const isPlaylist = request.list.kind === 'playlist'
  const unreadable: Unreadable[] = []
  const lines: string[] = []
  const { ask, idOf } = await linesOf(session, isPlaylist ? 'playlist' : 'collections', request.list.id)
  const listing = openListing(session, ask, { limit: PAGE, signal, idOf })
  for await (const page of listing.pages()) {
    const series = await seriesFor(session, page, signal)
    const rows: ListItem[] = []
    for (const row of page) {
      lines.push(idOf(row))
      const read = itemOf(row, series.get(row.SeriesId ?? ''))
      if ('unreadable' in read) noteUnreadable(unreadable, read.unreadable)
      else if (isWanted(read.item, request))
        rows.push(isPlaylist ? { ...read.item, ...placeOf(row, lines.length, read.item) } : read.item)
    }
    yield { type: 'rows', rows }
  }
  const reason =
    listing.fault() ??
    (lines.length > PAGE && !(await isSame(session, request.list, lines, signal)) ? 'changed_while_reading' : undefined)
  yield readEnd({ account, reason, unreadable })
}

/** Entry ids in order; undefined when the list may be incomplete. */
export async function readLineIds(
  session: Session,
  list: Pick<List, 'id' | 'kind'>,
  signal: AbortSignal,
): Promise<readonly Row[] | undefined> {
  const { ask, idOf } = await linesOf(session, list.kind === 'playlist' ? 'playlist' : 'collections', list.id)
  const listing = openListing(session, ask, { limit: PAGE, signal, idOf })
  const rows: Row[] = []
  for await (const page of listing.pages()) rows.push(...page)
  return listing.fault() === undefined ? rows : undefined
}

/** Detects changes during the read: entries move between pages, and there is no modification time. */
async function isSame(
  session: Session,
  list: Pick<List, 'id' | 'kind'>,
  before: readonly string[],
  signal: AbortSignal,
): Promise<boolean> {
  const after = await readLineIds(session, list, signal)
  return after !== undefined && after.map((row) => lineOf(list, row)).join() === before.join()
}

/** Id of an entry; in a collection the item id. */
export function lineOf({ kind }: Pick<List, 'kind'>, { Id, PlaylistItemId }: Row): string {
  return kind === 'playlist' ? (PlaylistItemId ?? Id) : Id
}

function placeOf({ PlaylistItemId: id }: Row, position: number, { native }: ListItem): Partial<ListItem> {
  return { position, ...(id == null ? {} : { native: { ...native, list_item_id: id } }) }
}
