// Runs on the database thread: stores a batch of changes in one transaction.
import type { ThreadDatabase, ThreadWork } from '@playhead/sdk'

export interface Changes {
  readonly viewings: readonly (readonly [destination: string, key: string, atMs: number, doc: string])[]
  readonly deliveries: readonly (readonly [id: string, sink: string, state: string, atMs: number, doc: string])[]
  /** Ids of deliveries to delete. */
  readonly removed: readonly string[]
}

const VIEWING =
  'INSERT INTO viewing (destination, key, at, doc) VALUES (?, ?, ?, ?) ON CONFLICT (destination, key) DO UPDATE SET at = excluded.at, doc = excluded.doc'
const DELIVERY =
  'INSERT INTO delivery (id, sink, state, at, doc) VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET state = excluded.state, doc = excluded.doc'

/** @param text JSON of `Changes` */
function commit(database: ThreadDatabase, text: string): void {
  const { viewings, deliveries, removed } = JSON.parse(text) as Changes
  for (const row of viewings) database.run(VIEWING, ...row)
  for (const row of deliveries) database.run(DELIVERY, ...row)
  for (const id of removed) database.run('DELETE FROM delivery WHERE id = ?', id)
}

export default { commit } satisfies ThreadWork
