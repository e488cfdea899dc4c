// Entry of the library's thread: queries about the rows of accounts, and the manual policy. A pass over all rows, or a large file,
// delays neither requests nor runs.
import { type ThreadHost, TRACKER_STORE } from '@playhead/sdk'
import { createPolicyWork } from '../policy/work.ts'
import { DATABASE } from '../run/thread.ts'
import { createHoldings } from './holdings.ts'
import { createReader } from './reader.ts'

export type LibraryWork = ReturnType<typeof work>

export default function work(host: ThreadHost) {
  const db = host.openDatabase(DATABASE)
  const { rows, items } = host.use(TRACKER_STORE)
  return {
    ...createReader({ holdings: createHoldings(db), trackerRows: rows, trackerItems: items }),
    ...createPolicyWork(db),
  }
}
