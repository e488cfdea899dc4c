// Shows that the person dropped.
import { type Item, PlayheadError } from '@playhead/sdk'
import { sameStamps, whileUnchanged } from '@playhead/sdk/provider'
import { isFresh, stampsOf } from './activities.ts'
import { workItem } from '../items.ts'
import { readPages } from './pages.ts'
import type { Session } from '../session.ts'

const STAMPS = ['dropped_at']

type Parts = Omit<Session, 'droppedShows'>

export function createDroppedShows(session: Parts): Session['droppedShows'] {
  return whileUnchanged({
    async stamps() {
      const stamps = stampsOf(await session.activities.get(), STAMPS)
      return stamps === undefined || isFresh(stamps, session.now()) ? undefined : stamps
    },
    load: (signal) => readDroppedShows(session, signal),
    owner: session.lineage,
    now: session.now,
  })
}

async function readDroppedShows({ upstream, activities }: Parts, signal: AbortSignal): Promise<readonly Item[]> {
  const before = stampsOf(await activities.get(), STAMPS)
  const pages = readPages(upstream, { path: '/sync/dropped', signal }, ({ fields }) =>
    JSON.stringify(fields['show'] ?? fields),
  )
  const shows: Item[] = []
  for await (const rows of pages.rows) {
    for (const row of rows) {
      const read = workItem(row)
      if (!('item' in read)) throw unfit('no_identity')
      shows.push(read.item)
    }
  }
  const flaw = pages.flaw()
  if (flaw !== undefined) throw unfit(flaw)
  // Rows may move between pages during the read.
  const after = pages.count() > 1 && before !== undefined ? stampsOf(await activities.fresh(), STAMPS) : before
  if (before !== undefined && (after === undefined || !sameStamps(before, after))) throw unfit('changed_while_reading')
  return shows
}

function unfit(reason: string): PlayheadError {
  return new PlayheadError('PLH_UPSTREAM_INVALID', 'MDBList did not return all dropped shows.', { details: { reason } })
}
