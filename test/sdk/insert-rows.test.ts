// Inserted rows are read back unchanged, with any text.
import { sql } from 'kysely'
import t from 'tap'
import { insertRows } from '@playhead/sdk'
import { openTestTables } from '../../core/testing/storage.ts'

async function open() {
  const db = openTestTables()
  await sql`create table notes__note (id text primary key, body text, size integer, share real)`.execute(db)
  const all = () => db.selectFrom('notes__note').selectAll().orderBy('id').execute()
  return { db, all, [Symbol.asyncDispose]: () => db.destroy() }
}

t.test('values are returned as inserted', async (t) => {
  await using database = await open()
  const texts = [
    '',
    'it\'s "quoted" \\ and $.more',
    'line\nbreak\ttab',
    'Ä 🎬 \u2028',
    '{"json":[1,null]}',
    '12',
    'null',
    'a\u0000b',
    '\ufffd',
  ]
  const rows = texts.map((body, index) => ({
    id: String(index),
    body,
    size: index === 0 ? null : 1_790_000_000_000 + index,
    share: index / 8,
  }))
  await insertRows(database.db, 'notes__note', rows)
  t.same(await database.all(), rows)
})

t.test('columns that only a later row has are kept, no rows are a no-op, and true is 1', async (t) => {
  await using database = await open()
  await insertRows(database.db, 'notes__note', [])
  await insertRows(database.db, 'notes__note', [{ id: '1' }, { id: '2', body: 'later', size: true }])
  t.same(await database.all(), [
    { id: '1', body: null, size: null, share: null },
    { id: '2', body: 'later', size: 1, share: null },
  ])
})

t.test('existing rows are kept or replaced as requested, and a failing statement inserts nothing', async (t) => {
  await using database = await open()
  await insertRows(database.db, 'notes__note', [{ id: '1', body: 'old' }])
  await t.rejects(
    insertRows(database.db, 'notes__note', [
      { id: '0', body: 'new' },
      { id: '1', body: 'new' },
    ]),
  )
  await insertRows(database.db, 'notes__note', [{ id: '1', body: 'left' }], sql`on conflict (id) do nothing`)
  t.match(await database.all(), [{ id: '1', body: 'old' }])
  await insertRows(
    database.db,
    'notes__note',
    [{ id: '1', body: 'new' }],
    sql`on conflict (id) do update set body = excluded.body`,
  )
  t.match(await database.all(), [{ id: '1', body: 'new' }])
})
