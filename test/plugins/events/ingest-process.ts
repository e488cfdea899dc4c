// Adds events to an archive until it is killed, and reports which of them a reader has seen.
import { CompiledQuery } from 'kysely'
import { openOwnDatabase } from '../../../core/own-database/open.ts'
import { migrations } from '../../../plugins/services/events/store/schema.ts'
import work from '../../../plugins/services/events/store/thread.ts'
import { createWriter } from '../../../plugins/services/events/store/writer.ts'
import { failed, wrote } from './support.ts'

const log = { trace() {}, debug() {}, info() {}, warn() {}, error() {}, channel: () => log } as never
const database = await openOwnDatabase({
  folder: process.argv[2] as string,
  owner: 'events',
  name: 'archive',
  options: {
    migrations,
    onThread: { file: new URL('../../../plugins/services/events/store/thread.ts', import.meta.url).pathname, work },
  },
  log,
  now: Date.now,
})
const writer = createWriter({ database: async () => database, redact: (text) => text, log, now: Date.now, lingerMs: 1 })

for (let index = 0; ; index += 1) {
  const item = { key: `movie:tmdb:${index % 500}`, title: `Film ${index % 500}` }
  await writer.record([wrote(`r${index % 7}`, item), failed(`r${index % 7}`, item)])
  if (index % 50 !== 0) continue
  await writer.flushed()
  const { rows } = await database.reader.executeQuery(CompiledQuery.raw('SELECT max(id) AS id FROM event'))
  process.send?.((rows[0] as { id: number }).id)
}
