// Entry of the thread that collects the rows: sorting and joining a large library would hold up requests.
import { LIBRARY, type ThreadHost, TRACKER_STORE } from '@playhead/sdk'
import { sql } from 'kysely'
import { createCollections } from './collections.ts'

export default function work(host: ThreadHost) {
  const db = host.openDatabase('collections')
  // Nothing in it has to survive: a damaged file is set aside at the next start.
  void sql`pragma synchronous = off`.execute(db)
  return createCollections({ db, library: host.use(LIBRARY), tracker: host.use(TRACKER_STORE) })
}
