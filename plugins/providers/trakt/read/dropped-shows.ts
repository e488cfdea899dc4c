// Shows that the person dropped: a list among the hidden items, with its own change time.
import { type Item, PlayheadError } from '@playhead/sdk'
import { stampsFor, whileUnchanged } from '@playhead/sdk/provider'
import { itemOf } from '../items.ts'
import { createProof, furtherPages, type ListRequest, readPage } from './pages.ts'
import { changeSince, workId } from './list.ts'
import type { Session } from '../session.ts'
import type { Row } from '../wire.ts'

const STAMPS = ['shows.dropped_at']

type Parts = Omit<Session, 'droppedShows'>

export function createDroppedShows(session: Parts): Session['droppedShows'] {
  return whileUnchanged({
    stamps: async () => stampsFor(await session.activities.get(), STAMPS),
    load: (signal) => readDroppedShows(session, signal),
    owner: session.lineage,
    now: session.now,
  })
}

async function readDroppedShows(session: Parts, signal: AbortSignal): Promise<readonly Item[]> {
  const lineage = await session.lineage()
  const stamps = stampsFor(await session.activities.get(), STAMPS)
  const list: ListRequest = { path: '/users/hidden/dropped', query: { type: 'show' }, signal }
  const proof = createProof()
  const first = await readPage(session.upstream, list, 1)
  proof.add(first, 1, workId)
  const rows = [...first.rows]
  let asked = 1
  for await (const page of furtherPages(session.upstream, list, first)) {
    asked += 1
    proof.add(page, asked, workId)
    rows.push(...page.rows)
  }
  const reason = proof.flaw() ?? (await changeSince(session, { lineage, stamps, names: STAMPS, pages: first.pages }))
  if (reason !== undefined) throw unfit(reason)
  return rows.map(showOf)
}

function showOf(row: Row): Item {
  const read = itemOf(row)
  if (!('item' in read)) throw unfit('no_identity')
  return read.item
}

function unfit(reason: string): PlayheadError {
  return new PlayheadError('PLH_UPSTREAM_INVALID', 'Trakt did not return all dropped shows.', { details: { reason } })
}
