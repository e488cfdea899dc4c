// slow: real threads, disks and waits
// A plugin's own database: Kysely, worker threads, and one file across plugin versions.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import type { Migration, OwnDatabaseOptions, SqlValue, ThreadDatabase } from '@playhead/sdk'
import { createConnection } from '../../../core/own-database/connection.ts'
import { createOwnDatabases } from '../../../core/storage/own-database.ts'
import { createTestLog, temporaryDirectory } from './support.ts'

const makeNotes: Migration = {
  name: 'notes',
  up: (db) =>
    db.schema
      .createTable('notes')
      .addColumn('id', 'integer', (column) => column.primaryKey())
      .addColumn('text', 'text', (column) => column.unique())
      .execute(),
}

/** Opens `archive` in a folder; closed with the test. */
async function open(
  t: Test,
  {
    folder = temporaryDirectory(t),
    log = createTestLog(),
    ...options
  }: Partial<OwnDatabaseOptions> & { folder?: string; log?: ReturnType<typeof createTestLog> } = {},
) {
  const openDatabase = createOwnDatabases({
    dataDirectory: { pluginDatabases: () => folder },
    clock: { now: () => 1_700_000_000_000 },
  })('notes', log)
  const database = await openDatabase('archive', { migrations: [makeNotes], ...options })
  t.teardown(() => database.close())
  return { ...database, folder, file: join(folder, 'archive.sqlite'), log }
}

type Opened = Awaited<ReturnType<typeof open>>

const texts = async (db: Opened['db']) =>
  (await db.selectFrom('notes').select('text').orderBy('id').execute()).map(({ text }) => text)

/** Collects the threads that start from now on. */
function watchThreads(t: Test): Worker[] {
  const threads: Worker[] = []
  const add = (worker: Worker) => void threads.push(worker)
  process.on('worker', add)
  t.teardown(() => process.off('worker', add))
  return threads
}

t.test('rows stay, the files are private, and the settings are those of an archive', async (t) => {
  const { folder, file, db, reader, close, size } = await open(t)
  const { insertId, numInsertedOrUpdatedRows } = await db
    .insertInto('notes')
    .values({ text: 'one' })
    .executeTakeFirstOrThrow()
  const { rows } =
    await sql`select (select journal_mode from pragma_journal_mode) mode, (select synchronous from pragma_synchronous) sync,
    (select foreign_keys from pragma_foreign_keys) fk, (select page_size from pragma_page_size) page`.execute(db)

  t.equal(insertId, 1n)
  t.equal(numInsertedOrUpdatedRows, 1n)
  t.match(rows[0], { mode: 'wal', sync: 1, fk: 1, page: 8192 })
  t.same(await texts(reader), ['one'])
  t.ok((await size()).log > 0)
  for (const name of await readdir(folder)) t.equal((await stat(join(folder, name))).mode & 0o777, 0o600, name)
  await close()
  await close()

  t.equal((await size()).file, (await stat(file)).size)
  await t.rejects(db.selectFrom('notes').selectAll().execute(), { code: 'PLH_PLUGIN_DISPOSED' })
  t.same(await texts((await open(t, { folder })).db), ['one'])
})

t.test('an invalid name, or one that leads elsewhere, opens nothing', async (t) => {
  const folder = temporaryDirectory(t)
  const openDatabase = createOwnDatabases({
    dataDirectory: { pluginDatabases: () => folder },
    clock: { now: () => 0 },
  })('notes', createTestLog())

  for (const name of ['', '../up', 'Archive', 'a--b', 'a.sqlite', 'x'.repeat(65)])
    await t.rejects(openDatabase(name, { migrations: [] }), TypeError, name)

  t.same(await readdir(folder), [])
})

t.test('functions run on the thread, each in its own transaction', async (t) => {
  const folder = temporaryDirectory(t)
  const module = join(folder, 'work.ts')
  await writeFile(
    module,
    `import { threadId } from 'node:worker_threads'
    export default {
      add(database: any, texts: readonly string[]) {
        for (const text of texts) database.run('INSERT INTO notes (text) VALUES (?)', text)
        return { threadId, rows: database.all('SELECT id, text, 9007199254740993 FROM notes ORDER BY id') }
      },
    }`,
  )
  const work = {
    add: (_database: ThreadDatabase, _texts: readonly string[]) => ({
      threadId: 0,
      rows: [] as readonly (readonly SqlValue[])[],
    }),
  }
  const database = await createOwnDatabases({
    dataDirectory: { pluginDatabases: () => folder },
    clock: { now: () => 0 },
  })('notes', createTestLog())('archive', { migrations: [makeNotes], onThread: { file: module, work } })
  t.teardown(() => database.close())
  const { threadId, rows } = await database.call('add', ['one', 'two'])
  t.not(threadId, 0)
  t.same(rows, [
    [1, 'one', 9007199254740993n],
    [2, 'two', 9007199254740993n],
  ])
  await t.rejects(database.call('add', ['three', 'one']), { code: 'ERR_SQLITE_ERROR', errcode: 2067 })
  await t.rejects(database.call('none' as never, [] as never), { message: /no function "none"/ })
  t.same(await texts(database.reader), ['one', 'two'], 'what threw is undone as a whole')
  await database.close()
  await t.rejects(
    createOwnDatabases({ dataDirectory: { pluginDatabases: () => folder }, clock: { now: () => 0 } })(
      'notes',
      createTestLog(),
    )('other', { migrations: [], onThread: { file: join(folder, 'none.ts'), work } }),
    { code: 'ERR_MODULE_NOT_FOUND' },
  )
})

t.test('transactions exclude each other, and a failed one leaves nothing behind', async (t) => {
  const { db, reader } = await open(t)
  const order: string[] = []
  const gate = Promise.withResolvers<void>()

  const failing = db.transaction().execute(async (transaction) => {
    await transaction.insertInto('notes').values({ text: 'lost' }).execute()
    order.push('first begins')
    await gate.promise
    order.push('first ends')
    throw new Error('stop')
  })
  const second = db.transaction().execute(async (transaction) => {
    order.push('second')
    await transaction.insertInto('notes').values({ text: 'kept' }).execute()
  })
  await sleep(20)
  gate.resolve()
  await t.rejects(failing, { message: 'stop' })
  await second

  t.same(order, ['first begins', 'first ends', 'second'])
  t.same(await texts(reader), ['kept'])
})

t.test(
  'the cause of a failed transaction is reported, even after SQLite has ended it, and the next one starts',
  async (t) => {
    const { db, reader } = await open(t)
    await sql`pragma max_page_count = 20`.execute(db)

    const filling = db.transaction().execute(async (transaction) => {
      for (let count = 0; count < 100; count += 1)
        await transaction
          .insertInto('notes')
          .values({ text: `${count} ${'x'.repeat(5_000)}` })
          .execute()
    })
    await t.rejects(filling, { code: 'ERR_SQLITE_ERROR', errcode: 13, message: /full/ })
    const ended = db.transaction().execute(async (transaction) => {
      await sql`rollback`.execute(transaction)
      throw new Error('the reason')
    })
    await t.rejects(ended, { message: 'the reason' })

    await db.transaction().execute((transaction) => transaction.insertInto('notes').values({ text: 'fits' }).execute())
    t.same(await texts(reader), ['fits'])
  },
)

t.test('a transaction can roll back to a savepoint', async (t) => {
  const { db, reader } = await open(t)
  const transaction = await db.startTransaction().execute()

  await transaction.insertInto('notes').values({ text: 'before' }).execute()
  const saved = await transaction.savepoint('here').execute()
  await saved.insertInto('notes').values({ text: 'after' }).execute()
  const back = await saved.rollbackToSavepoint('here').execute()
  await back.commit().execute()

  t.same(await texts(reader), ['before'])
})

t.test('readers see committed data while a long write is running', async (t) => {
  const { db, reader } = await open(t)
  await db.insertInto('notes').values({ text: 'old' }).execute()
  const written = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const writing = db.transaction().execute(async (transaction) => {
    await transaction.insertInto('notes').values({ text: 'new' }).execute()
    written.resolve()
    await gate.promise
  })
  await written.promise

  t.same(await texts(reader), ['old'])
  gate.resolve()
  await writing

  t.same(await texts(reader), ['old', 'new'])
  await t.rejects(
    reader.insertInto('notes').values({ text: 'x' }).execute(),
    { message: /readonly/ },
    'and write nothing',
  )
})

t.test('the event loop is not blocked while a query of seconds runs', async (t) => {
  const { reader } = await open(t)
  let ticks = 0
  const timer = setInterval(() => (ticks += 1), 5)
  t.teardown(() => clearInterval(timer))

  const startedAt = performance.now()
  let steps = 2_000_000
  for (; performance.now() - startedAt < 2_000; steps *= 2) {
    ticks = 0
    await sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < ${sql.lit(steps)}) select count(*) from n`.execute(
      reader,
    )
  }

  t.ok(ticks > 20, `${ticks} ticks during ${steps} steps`)
})

t.test('ten thousand rows are inserted with one call, or none of them', async (t) => {
  const { db, reader, insertMany } = await open(t)
  const rows = Array.from({ length: 10_000 }, (_, index) => [`row ${index} ${'x'.repeat(50)}`])
  const count = async () =>
    (
      await reader
        .selectFrom('notes')
        .select(({ fn }) => fn.countAll().as('n'))
        .executeTakeFirstOrThrow()
    )['n']
  let ticks = 0
  const timer = setInterval(() => (ticks += 1), 1)
  t.teardown(() => clearInterval(timer))

  t.equal(await insertMany('insert into notes (text) values (?)', rows), 10_000)
  t.ok(ticks > 0)
  t.equal(await count(), 10_000)
  await t.rejects(
    insertMany('insert into notes (text) values (?)', [
      ...rows.map(([text]) => [`again ${text}`]),
      rows[0] as string[],
    ]),
    { code: 'ERR_SQLITE_ERROR', errcode: 2067 },
  )

  t.equal(await count(), 10_000)
  t.equal(await insertMany('insert or ignore into notes (text) values (?)', [rows[5] as string[], ['fresh']]), 1)
  t.equal(await insertMany('insert into notes (text) values (?)', []), 0)
  t.equal(
    (await db.selectFrom('notes').select('text').where('id', '=', 777).executeTakeFirst())?.['text'],
    rows[776]?.[0],
  )
})

t.test('every kind of value is returned as stored', async (t) => {
  const values = [
    0,
    -1.5,
    Number.MAX_SAFE_INTEGER,
    2n ** 62n,
    -(2n ** 62n),
    7n,
    '',
    'ünï\u{1F3AC}',
    null,
    new Uint8Array([0, 255]),
    Buffer.from('blob'),
  ]
  const { db, insertMany } = await open(t, {
    migrations: [
      {
        name: 'values',
        up: (db) => db.schema.createTable('things').addColumn('id', 'integer').addColumn('value', sql`any`).execute(),
      },
    ],
  })

  for (const [id, value] of values.entries()) await db.insertInto('things').values({ id, value }).execute()
  await insertMany(
    'insert into things (id, value) values (?, ?)',
    values.map((value, id) => [100 + id, value]),
  )
  const rows = await db.selectFrom('things').selectAll().orderBy('id').execute()

  const expected = values.map((value) => (value === 7n ? 7 : Buffer.isBuffer(value) ? new Uint8Array(value) : value))
  t.strictSame(
    rows.map(({ value }) => value),
    [...expected, ...expected],
  )
  t.strictSame(rows[0], { id: 0, value: 0 })
})

t.test('a long result arrives complete and in order, even if another connection changes the table', async (t) => {
  const { folder, db, reader, insertMany } = await open(t)
  await insertMany(
    'insert into notes (text) values (?)',
    Array.from({ length: 3_001 }, (_, index) => [`${index} ${'x'.repeat(index % 700)}`]),
  )
  const all = reader.selectFrom('notes').selectAll().orderBy('id')
  t.equal((await all.execute()).length, 3_001)
  const other = await open(t, { folder })

  await other.db.schema
    .alterTable('notes')
    .addColumn('seen', 'integer', (column) => column.defaultTo(7))
    .execute()

  const rows = await all.execute()
  t.same(
    rows.map(({ id }) => id),
    Array.from({ length: 3_001 }, (_, index) => index + 1),
  )
  t.match(rows[3_000], { id: 3_001, text: /^3000 x/, seen: 7 })
  t.same(await db.insertInto('notes').values({ text: 'last' }).returning(['id', 'seen']).execute(), [
    { id: 3_002, seen: 7 },
  ])
  await t.rejects(
    async () => {
      for await (const row of all.stream()) t.fail(String(row))
    },
    { code: 'PLH_UNSUPPORTED' },
  )
})

t.test("errors contain SQLite's message, its codes and the caller", async (t) => {
  const { db } = await open(t)
  await db.insertInto('notes').values({ text: 'one' }).execute()

  const error = (await db
    .insertInto('notes')
    .values({ text: 'one' })
    .execute()
    .then(
      () => undefined,
      (error: unknown) => error,
    )) as Error

  t.match(error, { code: 'ERR_SQLITE_ERROR', errcode: 2067, message: 'UNIQUE constraint failed: notes.text' })
  t.match(error.stack, 'own-database.test.ts')
  await t.rejects(db.selectFrom('nowhere').selectAll().execute(), {
    code: 'ERR_SQLITE_ERROR',
    message: 'no such table: nowhere',
  })
  await t.rejects(
    db
      .insertInto('notes')
      .values({ text: { of: () => 'a function' } })
      .execute(),
    { name: 'DataCloneError' },
  )
  await t.rejects(db.insertInto('notes').values({ text: new Date() }).execute(), { code: 'ERR_INVALID_ARG_TYPE' })
  await t.rejects(
    sql`select hex(zeroblob(20000000))`.execute(db),
    { code: 'ERR_SQLITE_ERROR', errcode: 18 },
    'a value that could take the process with it',
  )
  t.same(await texts(db), ['one'])
})

t.test(
  'when a thread ends, waiting calls fail, a transaction does not continue, and the next statement starts another',
  async (t) => {
    const threads = watchThreads(t)
    const { db, reader } = await open(t)
    await texts(reader)
    t.equal(threads.length, 2)

    const transaction = db.transaction().execute(async (transaction) => {
      await transaction.insertInto('notes').values({ text: 'half' }).execute()
      await threads[0]?.terminate()
      await transaction.insertInto('notes').values({ text: 'the other half' }).execute()
    })
    await t.rejects(transaction, { code: 'PLH_ABORTED', message: /thread of the database ended/ })
    const reading =
      sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < 3000000) select count(*) from n`.execute(
        reader,
      )
    setTimeout(() => void threads[1]?.terminate(), 20)
    await t.rejects(reading, { code: 'PLH_ABORTED' })

    await db.insertInto('notes').values({ text: 'whole' }).execute()
    t.same(await texts(reader), ['whole'])
    t.equal(threads.length, 4)
  },
)

const BROKEN: readonly (readonly [what: string, content: () => Promise<Buffer>])[] = [
  ['text', async () => Buffer.from('this is no database at all, however long it may be'.repeat(100))],
  ['a damaged header', async () => Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(8_176, 0xff)])],
  [
    'a torn page',
    async () => {
      const { file, insertMany, close } = await open(t)
      await insertMany(
        'insert into notes (text) values (?)',
        Array.from({ length: 2_000 }, (_, index) => [`row ${index} ${'x'.repeat(100)}`]),
      )
      await close()
      return (await readFile(file)).fill(0xee, 8_192 * 2, 8_192 * 4)
    },
  ],
]

for (const [what, make] of BROKEN) {
  t.test(`${what} in place of the file: opening fails and changes nothing, or sets it aside on request`, async (t) => {
    const content = await make()
    const folder = temporaryDirectory(t)
    await writeFile(join(folder, 'archive.sqlite'), content)

    await t.rejects(open(t, { folder }), {
      code: 'PLH_NOT_READY',
      wire: 'database_unreadable',
      message: /cannot be read .* left as it is/s,
    })
    t.ok((await readFile(join(folder, 'archive.sqlite'))).equals(content))
    const { db, setAside, log } = await open(t, { folder, onUnreadable: 'set_aside' })
    await db.insertInto('notes').values({ text: 'goes on' }).execute()

    t.equal(setAside, 'archive.bad-20231114T221320000Z')
    t.ok((await readFile(join(folder, setAside ?? ''))).equals(content))
    t.same(await texts(db), ['goes on'])
    t.match(log.lines, [{ level: 'error', fields: { setAside } }])
    t.equal((await open(t, { folder, onUnreadable: 'set_aside' })).setAside, null)
  })
}

t.test('a file that is only locked, or was created by other code, is never set aside', async (t) => {
  const { folder, file, db, close } = await open(t)
  await db.insertInto('notes').values({ text: 'precious' }).execute()
  await close()

  await t.rejects(open(t, { folder, onUnreadable: 'set_aside', migrations: [{ ...makeNotes, name: 'another' }] }), {
    code: 'PLH_CONFLICT',
  })
  const lock = new DatabaseSync(file)
  lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
  await t.rejects(open(t, { folder, onUnreadable: 'set_aside' }), { code: 'PLH_NOT_READY', message: /locked/ })
  lock.close()

  t.same(
    (await readdir(folder)).filter((name) => name.includes('bad')),
    [],
  )
  t.same(await texts((await open(t, { folder })).db), ['precious'])
})

t.test(
  'replacing gives all connections an empty database with its tables, and keeps nothing of the old one',
  async (t) => {
    const { folder, db, reader, replace } = await open(t)
    await db.insertInto('notes').values({ text: 'old' }).execute()
    t.same(await texts(reader), ['old'])
    const reading = Array.from({ length: 20 }, () => texts(reader))

    await replace()

    for (const found of await Promise.all(reading)) t.ok(found.length === 0 || found[0] === 'old')
    t.same(await texts(reader), [])
    await db.insertInto('notes').values({ text: 'new' }).execute()
    t.same(await texts(reader), ['new'])
    t.same(
      (await readdir(folder)).filter((name) => !name.startsWith('archive.sqlite')),
      [],
    )
    t.same(await texts((await open(t, { folder })).db), ['new'])
  },
)

t.test('a failed replacement leaves everything unchanged', async (t) => {
  let isBroken = false
  const migration: Migration = {
    name: 'notes',
    up: async (db) => (isBroken ? Promise.reject(new Error('out of ideas')) : await makeNotes.up(db)),
  }
  const { db, reader, replace } = await open(t, { migrations: [migration] })
  await db.insertInto('notes').values({ text: 'old' }).execute()
  isBroken = true

  await t.rejects(replace(), { message: 'out of ideas' })
  t.same(await texts(reader), ['old'])
  isBroken = false
  await replace()

  t.same(await texts(reader), [])
})

t.test('a damaged file is detected during work, and can be replaced', async (t) => {
  const { folder, file, insertMany, close } = await open(t)
  await insertMany(
    'insert into notes (text) values (?)',
    Array.from({ length: 400_000 }, (_, index) => [`row ${index} ${'x'.repeat(70)}`]),
  )
  await close()
  const content = await readFile(file)
  t.ok(content.length > 33 * 1024 * 1024, 'too large to be checked when it is opened')
  await writeFile(file, content.fill(0xee, 8_192 * 1_000, 8_192 * 2_000))
  const { db, reader, replace } = await open(t, { folder })

  await t.rejects(texts(reader), { code: 'ERR_SQLITE_ERROR', errcode: 11 })
  await replace()

  await db.insertInto('notes').values({ text: 'healthy' }).execute()
  t.same(await texts(reader), ['healthy'])
})

t.test('two versions of a plugin use one file, even while the newer one adds a table', async (t) => {
  const old = await open(t)
  const writing = Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      old.db
        .insertInto('notes')
        .values({ text: `old ${index}` })
        .execute(),
    ),
  )

  const newer = await open(t, {
    folder: old.folder,
    migrations: [
      makeNotes,
      { name: 'marks', up: (db) => db.schema.createTable('marks').addColumn('n', 'integer').execute() },
    ],
  })
  await Promise.all([
    writing,
    ...Array.from({ length: 50 }, (_, index) =>
      newer.db
        .insertInto('notes')
        .values({ text: `new ${index}` })
        .execute(),
    ),
  ])
  await newer.db.insertInto('marks').values({ n: 1 }).execute()
  await old.close()

  t.equal((await texts(newer.reader)).length, 100)
})

t.test('two concurrent openings of a new file run its migrations once', async (t) => {
  const folder = temporaryDirectory(t)

  const [one, two] = await Promise.all([open(t, { folder }), open(t, { folder })])
  await one.db.insertInto('notes').values({ text: 'by one' }).execute()

  t.same(await texts(two.reader), ['by one'])
})

t.test('a log left behind by another file does not reappear in a new one', async (t) => {
  const left = await open(t)
  await left.db.insertInto('notes').values({ text: "another file's" }).execute()
  const folder = temporaryDirectory(t)
  await writeFile(join(folder, 'archive.sqlite-wal'), await readFile(`${left.file}-wal`))

  const { db } = await open(t, { folder })

  t.same(await texts(db), [])
})

t.test('closing ends the threads, does not wait for an endless query, and undoes its transaction', async (t) => {
  const threads = watchThreads(t)
  const { folder, db, reader, close } = await open(t)
  const ended = Promise.all([once(threads[0] as Worker, 'exit')])
  const reading =
    sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < 6000000) select count(*) from n`.execute(
      reader,
    )
  const stuck = db.transaction().execute(async (transaction) => {
    await transaction.insertInto('notes').values({ text: 'half' }).execute()
    await new Promise(() => {})
  })
  void stuck.catch(() => undefined)
  await sleep(20)

  const [closed] = await Promise.allSettled([close(), reading])
  t.equal(closed.status, 'fulfilled')
  await ended

  t.same(await texts((await open(t, { folder })).db), [])
})

t.test('rows reported as stored are there after the process was killed', async (t) => {
  const folder = temporaryDirectory(t)
  const child = spawn(process.execPath, [join(import.meta.dirname, 'insert-forever.ts'), folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  const reported: number[] = []
  const enough = Promise.withResolvers<void>()
  createInterface({ input: child.stdout }).on('line', (line) => {
    reported.push(Number(line))
    if (reported.length === 60) enough.resolve()
  })
  await enough.promise
  const exited = once(child, 'close')
  child.kill('SIGKILL')
  await exited

  const { db } = await open(t, {
    folder,
    migrations: [{ name: 'rows', up: async () => void t.fail('the tables are there') }],
  })
  const stored = new Set((await db.selectFrom('rows').select('n').execute()).map(({ n }) => n))
  t.same(
    reported.filter((n) => !stored.has(n)),
    [],
  )
  t.equal(stored.size % 100, 0, 'no call is there in part')
  t.same((await sql`pragma integrity_check`.execute(db)).rows, [{ integrity_check: 'ok' }])
})

t.test('a thread ends when nothing uses it, and the next one has the same settings', async (t) => {
  const file = join(temporaryDirectory(t), 'idle.sqlite')
  const threads = watchThreads(t)
  const connection = createConnection({ file, readOnly: false, pragmas: ['synchronous = FULL'], idleMs: 100 })
  t.teardown(() => connection.close(1_000))
  const isOpen = () =>
    stat(`${file}-wal`).then(
      () => true,
      () => false,
    )
  const settings = async () => (await sql`PRAGMA synchronous`.execute(connection.db)).rows
  await sql`CREATE TABLE notes (text TEXT)`.execute(connection.db)
  t.equal(await isOpen(), true)
  for (let left = 100; left > 0 && (await isOpen()); left -= 1) await sleep(50)
  t.equal(await isOpen(), false, 'the file is closed')
  t.match(await settings(), [{ synchronous: 2 }], 'it opens again')
  t.equal(threads.length, 2)
  await connection.db.transaction().execute(async (transaction) => {
    await sql`INSERT INTO notes VALUES ('one')`.execute(transaction)
    await sleep(400)
    await sql`INSERT INTO notes VALUES ('two')`.execute(transaction)
  })
  t.same((await sql`SELECT count(*) AS n FROM notes`.execute(connection.db)).rows, [{ n: 2 }])
})

t.test('durability lasts longer than a thread', async (t) => {
  const threads = watchThreads(t)
  const { db } = await open(t, { flushes: 'each_commit', checkpointPages: 50 })
  const settings = async () => [
    ...(await sql`PRAGMA synchronous`.execute(db)).rows,
    ...(await sql`PRAGMA wal_autocheckpoint`.execute(db)).rows,
  ]
  t.match(await settings(), [{ synchronous: 2 }, { wal_autocheckpoint: 50 }])
  await threads[0]?.terminate()
  t.match(await settings(), [{ synchronous: 2 }, { wal_autocheckpoint: 50 }])
})

t.test('the revision changes with each commit of any connection, and with nothing else', async (t) => {
  const { db, reader, file, revision, insertMany, replace, close } = await open(t)
  const seen = new Set([revision()])
  t.ok(seen.has(revision()), 'without a change')
  const isNew = (what: string) => {
    const now = revision()
    t.notOk(seen.has(now), what)
    t.equal(revision(), now, what)
    seen.add(now)
  }
  await db.insertInto('notes').values({ text: 'one' }).execute()
  isNew('an insert')
  await insertMany('insert into notes (text) values (?)', [['two'], ['three']])
  isNew('many rows')
  await db.transaction().execute(async (transaction) => {
    await transaction.updateTable('notes').set({ text: 'four' }).where('text', '=', 'two').execute()
    t.ok(seen.has(revision()), 'what is not committed')
  })
  isNew('a transaction')
  await db
    .transaction()
    .execute(async (transaction) => {
      await transaction.deleteFrom('notes').execute()
      throw new Error('rolled back')
    })
    .catch(() => {})
  t.same((await texts(reader)).length, 3)
  t.ok(seen.has(revision()), 'a transaction that was rolled back, and a read')
  const other = new DatabaseSync(file)
  other.exec("delete from notes where text = 'four'")
  isNew('another connection')
  other.exec('pragma wal_checkpoint(truncate)')
  // A checkpoint may count, or not.
  seen.add(revision())
  other.close()
  await replace()
  isNew('another file in its place')
  t.same(await texts(db), [])
  await db.insertInto('notes').values({ text: 'one' }).execute()
  isNew('a commit to the new file')
  await close()
  t.not(revision(), revision(), 'a closed file has no revision')
})

t.test('a database that is opened again has other revisions', async (t) => {
  const folder = temporaryDirectory(t)
  const first = await open(t, { folder })
  const before = first.revision()
  await first.close()
  t.not((await open(t, { folder })).revision(), before)
})
