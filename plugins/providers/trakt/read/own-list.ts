// Reads one list by rank. Pages have the total, and the activities have the last change of any list.
import { defined } from '@playhead/sdk'
import {
  idText,
  type ListItem,
  type ListReadPart,
  type ListReadRequest,
  readEnd,
  type ReadItem,
  stampsFor,
  type Unreadable,
} from '@playhead/sdk/provider'
import { entriesPath } from '../write/capacity.ts'
import { watchlistItem } from '../items.ts'
import { createProof, furtherPages, readPage } from './pages.ts'
import { changeSince, partsOf } from './list.ts'
import type { Session } from '../session.ts'
import type { Row } from '../wire.ts'

const STAMPS = ['lists.updated_at']

export async function* readOwnList(
  session: Session,
  request: ListReadRequest,
  signal: AbortSignal,
): AsyncGenerator<ListReadPart> {
  const lineage = await session.lineage()
  const { account } = await session.facts.get()
  const stamps = stampsFor(await session.activities.get(), STAMPS)
  const unreadable: Unreadable[] = []
  const list = { path: entriesPath(request.list.id), signal }
  const wanted = { feature: 'playlists', ...defined({ kinds: request.kinds }) } as const
  const proof = createProof()
  const first = await readPage(session.upstream, list, 1)
  proof.add(first, 1, rowId)
  const partOf = partsOf(entryOf, wanted, unreadable, first.total)
  yield partOf(first.rows)
  let asked = 1
  for await (const page of furtherPages(session.upstream, list, first)) {
    asked += 1
    proof.add(page, asked, rowId)
    yield partOf(page.rows)
  }
  const reason = proof.flaw() ?? (await changeSince(session, { lineage, stamps, names: STAMPS, pages: first.pages }))
  yield readEnd({ account, reason, unreadable })
}

function entryOf(row: Row): ReadItem {
  const read = watchlistItem(row)
  if (!('item' in read) || row.rank == null) return read
  const item: ListItem = { ...read.item, position: row.rank }
  return { item }
}

/** Rows without an id count separately. */
function rowId({ id }: Row): unknown {
  return idText(id) ?? {}
}
