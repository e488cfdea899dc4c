// Helpers for tables: inserted rows are read back unchanged, with any text, and stored search texts are folded again.
import { sql } from 'kysely'
import t from 'tap'
import { foldColumn, insertRows } from '@playhead/sdk'
import { foldText } from '@playhead/sdk/items'
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

t.test('a column of search texts is folded again, in every row, by any key', async (t) => {
  await using database = await open()
  const { db } = database
  await sql`create table notes__word (list text not null, n integer not null, words text not null,
    primary key (list, n)) without rowid`.execute(db)
  const texts = ['plain', 'straße', 'ämber 1', 'ΟΔΟΣ\nİzmir', '']
  const rows = Array.from({ length: 1_700 }, (_, index) => ({
    list: index % 3 === 0 ? 'é' : 'b',
    n: index,
    words: `${texts[index % texts.length]} ${index}`,
  }))
  await insertRows(db, 'notes__word', rows)
  await foldColumn(db, 'notes__word', 'words', ['list', 'n'])
  const found = await db.selectFrom('notes__word').selectAll().orderBy('n').execute()
  t.same(
    found,
    rows.map((row) => ({ ...row, words: foldText(row.words) })),
  )
})
