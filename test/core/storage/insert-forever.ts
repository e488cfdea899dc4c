// A child process that inserts a hundred rows at a time and reports each acknowledged insert, until it is killed.
import { createOwnDatabases } from '../../../core/storage/own-database.ts'
import { createTestLog } from './support.ts'

const folder = process.argv[2] as string
const database = await createOwnDatabases({
  dataDirectory: { pluginDatabases: () => folder },
  clock: { now: () => 0 },
})('notes', createTestLog())('archive', {
  migrations: [
    {
      name: 'rows',
      up: (db) =>
        db.schema
          .createTable('rows')
          .addColumn('n', 'integer', (column) => column.primaryKey())
          .addColumn('text', 'text')
          .execute(),
    },
  ],
})
for (let n = 0; ; n += 100) {
  await database.insertMany(
    'insert into rows values (?, ?)',
    Array.from({ length: 100 }, (_, index) => [n + index, 'x'.repeat(200)]),
  )
  process.stdout.write(`${n + 99}\n`)
}
