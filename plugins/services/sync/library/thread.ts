// The reader on its thread: a long look at all rows keeps neither requests nor runs waiting.
import { type ThreadHost, TRACKER_STORE } from '@playhead/sdk'
import { DATABASE } from '../run/thread.ts'
import { createHoldings } from './holdings.ts'
import { createReader } from './reader.ts'

export default function work(host: ThreadHost) {
  const tracker = host.use(TRACKER_STORE)
  return createReader({
    holdings: createHoldings(host.openDatabase(DATABASE)),
    trackerRows: async function* (instance, feature) {
      yield* await tracker.rows(instance, feature)
    },
  })
}
