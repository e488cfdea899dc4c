// Entry of the thread that collects the rows, because sorting and joining a large library would block requests.
import { LIBRARY, type ThreadHost, TRACKER_STORE } from '@playhead/sdk'
import { sql } from 'kysely'
import { createCollections } from './collections.ts'

export default function work(host: ThreadHost) {
  const db = host.openDatabase('collections')
  // The collections can be rebuilt, so a damaged file is simply set aside at the next start.
  void sql`pragma synchronous = off`.execute(db)
  return createCollections({ db, library: host.use(LIBRARY), tracker: host.use(TRACKER_STORE) })
}
