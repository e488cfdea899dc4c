import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { tablesOf } from '../../../core/own-database/tables.ts'
import { openDatabase } from '../../../core/storage/sqlite.ts'
import { mountSmallDisk } from '../../service/small-disk.ts'
import { createTestLog, temporaryDirectory } from './support.ts'

async function open(t: Test, file = join(temporaryDirectory(t), 'database.sqlite')) {
  const database = await openDatabase(file, { log: createTestLog() })
  t.teardown(() => database.close())
  return { ...database, file }
}

t.test('a database keeps its rows, is private, and syncs every commit into a write-ahead log', async (t) => {
  const first = await open(t)
  await first.db.schema
    .createTable('core__things')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('name', 'text')
    .execute()

  const { insertId } = await first.db.insertInto('core__things').values({ name: 'one' }).executeTakeFirstOrThrow()
  const settings = await sql<Record<string, unknown>>`
    select (select journal_mode from pragma_journal_mode) mode, (select synchronous from pragma_synchronous) sync,
      (select foreign_keys from pragma_foreign_keys) fk`.execute(first.db)
  await first.close()
  const again = await open(t, first.file)

  t.equal(insertId, 1n)
  t.match(settings.rows[0], { mode: 'wal', sync: 2, fk: 1 })
  t.equal((await stat(first.file)).mode & 0o777, 0o600)
  t.match(await again.db.selectFrom('core__things').selectAll().execute(), [{ id: 1, name: 'one' }])
})

t.test('a failed transaction leaves nothing behind, and other queries wait for it', async (t) => {
  const { db } = await open(t)
  await db.schema.createTable('core__things').addColumn('name', 'text').execute()

  const failing = db.transaction().execute(async (transaction) => {
    await transaction.insertInto('core__things').values({ name: 'lost' }).execute()
    await new Promise((resolve) => setImmediate(resolve))
    throw new Error('stop')
  })
  const outside = db.insertInto('core__things').values({ name: 'kept' }).execute()

  await t.rejects(failing, { message: 'stop' })
  await outside
  t.match(await db.selectFrom('core__things').select('name').execute(), [{ name: 'kept' }])
})

t.test('an object is refused as a value, not stored as nothing', async (t) => {
  const { db } = await open(t)
  await db.schema.createTable('core__things').addColumn('name', 'text').execute()

  await t.rejects(db.insertInto('core__things').values({ name: new Date() }).execute(), {
    code: 'ERR_INVALID_ARG_TYPE',
  })

  t.same(await db.selectFrom('core__things').selectAll().execute(), [])
})

t.test('rows can be streamed while the same query runs again, also after a column was added', async (t) => {
  const { db } = await open(t)
  await db.schema.createTable('core__numbers').addColumn('n', 'integer').execute()
  await db
    .insertInto('core__numbers')
    .values([{ n: 1 }, { n: 2 }, { n: 3 }])
    .execute()
  const query = db.selectFrom('core__numbers').selectAll().orderBy('n')

  await query.execute()
  const streamed: unknown[] = []
  for await (const row of query.stream()) streamed.push(row['n'])
  await db.schema
    .alterTable('core__numbers')
    .addColumn('m', 'integer', (column) => column.defaultTo(7))
    .execute()

  t.same(streamed, [1, 2, 3])
  t.match((await query.execute())[0], { n: 1, m: 7 })
})

for (const [what, content] of [
  ['text', Buffer.from('this is no database at all, however long it may be'.repeat(100))],
  ['a damaged database', Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(4080, 0xff)])],
] as const) {
  t.test(`${what} in place of a database gives one clear error and stays unchanged`, async (t) => {
    const file = join(temporaryDirectory(t), 'database.sqlite')
    await writeFile(file, content)

    await t.rejects(openDatabase(file, { log: createTestLog() }), {
      code: 'PLH_NOT_READY',
      wire: 'database_unreadable',
      message: /cannot be read .* left as it is/,
    })

    t.ok((await readFile(file)).equals(content))
  })
}

t.test('a database with a corrupt page is refused', async (t) => {
  const { db, file, close } = await open(t)
  await db.schema.createTable('core__rows').addColumn('name', 'text').execute()
  for (let row = 0; row < 200; row += 1)
    await db
      .insertInto('core__rows')
      .values({ name: `row ${row} ${'x'.repeat(100)}` })
      .execute()
  await close()
  const content = await readFile(file)
  content.fill(0xee, 4096 * 2, 4096 * 4)
  await writeFile(file, content)

  await t.rejects(openDatabase(file, { log: createTestLog() }), { code: 'PLH_NOT_READY' })
})

t.test(
  'the log of a large change is merged into the file by a thread, during concurrent reads and writes',
  async (t) => {
    const { db, file } = await open(t)
    await db.schema.createTable('core__things').addColumn('name', 'text').execute()
    const log = async () => (await stat(`${file}-wal`)).size
    const text = 'x'.repeat(2_000)
    await db.transaction().execute(async (trx) => {
      for (let page = 0; page < 90; page += 1)
        await trx
          .insertInto('core__things')
          .values(Array.from({ length: 100 }, () => ({ name: text })))
          .execute()
    })
    const before = await log()
    t.ok(before > 18_000_000, `the commit merged nothing: ${before}`)
    for (let turn = 0; turn < 1_000 && (await log()) > 1_000_000; turn += 1) {
      await db.insertInto('core__things').values({ name: 'small' }).execute()
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    t.ok((await log()) < 1_000_000)
    t.ok((await stat(file)).size > 18_000_000)
    const { rows } = await sql`select count(*) as n from core__things where name <> 'small'`.execute(db)
    t.match(rows, [{ n: 9_000 }])
    t.match((await sql`pragma integrity_check`.execute(db)).rows, [{ integrity_check: 'ok' }])
  },
)

t.test(
  'a log that cannot be merged on a full disk is reported once, keeps every row, and is merged when there is room',
  async (t) => {
    await using disk = await mountSmallDisk(64)
    if (disk === null) return t.pass('this machine does not allow to mount a file system')
    const log = createTestLog()
    const file = join(disk.folder, 'database.sqlite')
    await using opened = await closedAtEnd(openDatabase(file, { log }))
    const { db } = opened
    await db.schema.createTable('core__things').addColumn('name', 'text').execute()
    disk.fill(9_000_000)
    const rows = Array.from({ length: 100 }, () => ({ name: 'x'.repeat(2_000) }))
    let written = 0
    // The log has room, but its rows do not also fit into the file.
    await t.rejects(async () => {
      for (; written < 90; written += 1)
        await db.transaction().execute((trx) => trx.insertInto('core__things').values(rows).execute())
    }, /full/)
    t.ok(written > 20, String(written))
    const problems = () => log.lines.filter((line) => line.text.includes('could not be merged')).length
    for (let turn = 0; turn < 500 && problems() === 0; turn += 1) await sleep(20)
    await sleep(2_500)
    t.equal(problems(), 1, 'told once, however often it is tried')
    const count = sql`select count(*) as n from core__things`
    t.match((await count.execute(db)).rows, [{ n: written * 100 }])

    disk.free()
    for (let turn = 0; turn < 500 && (await stat(file)).size < written * 200_000; turn += 1) await sleep(20)
    t.ok((await stat(file)).size >= written * 200_000, 'merged without another write')
    await db.insertInto('core__things').values({ name: 'small' }).execute()
    t.match((await sql`pragma integrity_check`.execute(db)).rows, [{ integrity_check: 'ok' }])
  },
)

t.test('the log is synced to disk before a large transaction is committed, and not for a small one', async (t) => {
  const database = new DatabaseSync(join(temporaryDirectory(t), 'database.sqlite'))
  const count = () => Number(database.prepare('select count(*) as n from core__things').get()?.['n'])
  const open: boolean[] = []
  const flush = async () => void open.push(database.isTransaction)
  const db = tablesOf(database, { begin: 'begin immediate', flush })
  t.teardown(() => db.destroy())
  await db.schema.createTable('core__things').addColumn('name', 'text').execute()
  const add = (rows: number) =>
    db.transaction().execute(async (trx) => {
      for (let left = rows; left > 0; left -= 500)
        await trx
          .insertInto('core__things')
          .values(Array.from({ length: 500 }, () => ({ name: 'x' })))
          .execute()
    })
  await add(500)
  t.strictSame(open, [])
  await add(6_000)
  t.strictSame(open, [true], 'once, while the transaction is open')
  await add(500)
  t.strictSame(open, [true])
  t.equal(count(), 7_000)
})

async function closedAtEnd(opening: ReturnType<typeof openDatabase>) {
  const database = await opening
  return { ...database, [Symbol.asyncDispose]: () => database.close() }
}
