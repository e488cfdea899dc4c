// Entry of the reader's thread, so that a pass over all rows delays neither requests nor runs.
import { type ThreadHost, TRACKER_STORE } from '@playhead/sdk'
import { DATABASE } from '../run/thread.ts'
import { createHoldings } from './holdings.ts'
import { createReader } from './reader.ts'

export default function work(host: ThreadHost) {
  const tracker = host.use(TRACKER_STORE)
  return createReader({
    holdings: createHoldings(host.openDatabase(DATABASE)),
    trackerRows: tracker.rows,
    trackerItems: tracker.items,
  })
}
