// Databases that were made by the migrations which one migration per database has replaced (their SQL is in
// `replaced-migrations.json`) open with the same tables and rows as new ones.
import { copyFileSync, existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t from 'tap'
import type { Migration } from '@playhead/sdk'
import { sql } from 'kysely'
import { CORE_MIGRATIONS } from '../../../core/core-tables.ts'
import { createOwnDatabases } from '../../../core/storage/own-database.ts'
import { migrate } from '../../../core/storage/migrations.ts'
import { openDatabase } from '../../../core/storage/sqlite.ts'
import { migrations as tracker } from '../../../plugins/providers/tracker/tables.ts'
import { migrations as activity } from '../../../plugins/services/activity/tables.ts'
import { migrations as events } from '../../../plugins/services/events/store/schema.ts'
import { migrations as imports } from '../../../plugins/services/imports/tables.ts'
import { hostMigrations, migrations as sync } from '../../../plugins/services/sync/store/migrations.ts'
import replaced from './replaced-migrations.json' with { type: 'json' }
import { createTestLog, temporaryDirectory } from './support.ts'

interface Case {
  readonly owner: string
  readonly old: readonly Migration[]
  readonly now: readonly Migration[]
  /** Name of a database of its own; null: the shared one. */
  readonly own: string | null
}

const before = (statements: Readonly<Record<string, readonly string[]>>): readonly Migration[] =>
  Object.entries(statements).map(([name, lines]) => ({
    name,
    async up(db) {
      for (const line of lines) await sql.raw(line).execute(db)
    },
  }))

const library = before(replaced['services/sync/library'])
const CASES: readonly Case[] = [
  { owner: 'core', old: before(replaced.core), now: CORE_MIGRATIONS, own: null },
  { owner: 'tracker', old: before(replaced['providers/tracker']), now: tracker, own: null },
  { owner: 'activity', old: before(replaced['services/activity']), now: activity, own: null },
  { owner: 'sync', old: library.slice(0, 4), now: hostMigrations, own: null },
  // The later migrations have tests of their own.
  { owner: 'sync', old: library, now: sync.slice(0, 1), own: 'library' },
  { owner: 'imports', old: before(replaced['services/imports/imports']), now: imports, own: 'imports' },
  { owner: 'events', old: before(replaced['services/events/archive']), now: events, own: 'archive' },
]

/** Opens, migrates and closes it; returns its file. */
async function open(folder: string, { owner, own }: Case, migrations: readonly Migration[]): Promise<string> {
  const log = createTestLog()
  if (own !== null) {
    const dataDirectory = { pluginDatabases: () => folder }
    await (
      await createOwnDatabases({ dataDirectory, clock: { now: () => 7 } })(owner, log)(own, { migrations })
    ).close()
    return join(folder, `${own}.sqlite`)
  }
  const file = join(folder, 'database.sqlite')
  const { db, close } = await openDatabase(file, { log })
  await migrate(db, owner, migrations, { now: () => 7 }).finally(close)
  return file
}

function schemaOf(file: string): readonly string[] {
  using database = new DatabaseSync(file, { readOnly: true })
  const plain = (text: unknown) =>
    String(text)
      .replaceAll(/\s+/g, ' ')
      .replaceAll(/ ?([(),]) ?/g, '$1')
      .replaceAll('"', '')
      .toLowerCase()
  return database
    .prepare('SELECT type, name, sql FROM sqlite_schema')
    .all()
    .map(({ type, name, sql: text }) => `${type} ${name}: ${plain(text)}`)
    .sort()
}

const recordOf = (own: string | null) => (own === null ? 'core__migrations' : 'playhead__migrations')

function rowsOf(file: string, own: string | null): Record<string, readonly unknown[]> {
  using database = new DatabaseSync(file, { readOnly: true })
  return Object.fromEntries(
    tablesOf(database)
      .filter((name) => name !== recordOf(own))
      .map((name) => [name, database.prepare(`SELECT * FROM "${name}"`).all()]),
  )
}

/** Tables, and columns, that later migrations drop on purpose: what they held can be computed again. */
const DROPPED = new Set(['import_held', 'import_held_token', 'import_row.base'])

function withoutDropped(rows: ReturnType<typeof rowsOf>): ReturnType<typeof rowsOf> {
  const kept = Object.entries(rows).filter(([table]) => !DROPPED.has(table))
  const plain = (table: string, row: unknown) =>
    Object.fromEntries(Object.entries(row as object).filter(([column]) => !DROPPED.has(`${table}.${column}`)))
  return Object.fromEntries(kept.map(([table, own]) => [table, own.map((row) => plain(table, row))]))
}

const recordsOf = (file: string, own: string | null) => {
  using database = new DatabaseSync(file, { readOnly: true })
  return database.prepare(`SELECT * FROM ${recordOf(own)} ORDER BY owner, position`).all()
}

function tablesOf(database: DatabaseSync): readonly string[] {
  return database
    .prepare("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'")
    .all()
    .map(({ name }) => String(name))
    .sort()
}

/** Two rows in each table. */
function fill(file: string, own: string | null): void {
  using database = new DatabaseSync(file)
  for (const table of tablesOf(database)) {
    if (table === recordOf(own)) continue
    const columns = database.prepare('SELECT name, type FROM pragma_table_info(?)').all(table)
    const names = columns.map(({ name }) => `"${name}"`).join()
    const insert = database.prepare(`INSERT INTO "${table}" (${names}) VALUES (${columns.map(() => '?').join()})`)
    for (const n of [1, 2])
      insert.run(...columns.map(({ name, type }) => (/int|real/i.test(String(type)) ? n : `${table}.${name} ${n}`)))
  }
}

const placeOf = ({ owner, own }: Case) => (own === null ? `the tables of ${owner}` : `${own} of ${owner}`)

for (const one of CASES) {
  const { owner, own, old, now } = one
  // The remaining tables of the sync in the shared database have no rows.
  const isEmpty = now === hostMigrations

  t.test(`${placeOf(one)} keep their rows and have the tables of a new database`, async (t) => {
    const [folder, fresh] = [temporaryDirectory(t), temporaryDirectory(t)]
    const file = await open(folder, one, old)
    if (!isEmpty) fill(file, own)
    const rows = rowsOf(file, own)
    const newFile = await open(fresh, one, now)

    await open(folder, one, now)
    t.same(schemaOf(file), schemaOf(newFile))
    if (!isEmpty) t.same(rowsOf(file, own), withoutDropped(rows))
    t.same(recordsOf(file, own), recordsOf(newFile, own), 'an archive of one is not newer than the other')

    const records = recordsOf(file, own)
    await open(folder, one, now)
    t.same(recordsOf(file, own), records, 'opened again')
    await t.rejects(
      open(folder, one, old),
      { code: 'PLH_CONFLICT', message: /or a later one/ },
      'by the earlier version',
    )
  })

  t.test(`${placeOf(one)}, made by some of the migrations, are refused and stay as they are`, async (t) => {
    for (let count = 1; count < old.length; count += 1) {
      const folder = temporaryDirectory(t)
      const file = await open(folder, one, old.slice(0, count))
      const all = () => [schemaOf(file), rowsOf(file, own), recordsOf(file, own)]
      const untouched = all()
      await t.rejects(open(folder, one, now), {
        code: 'PLH_CONFLICT',
        message: new RegExp(
          `tables of ${owner} .* only some .* next one is "${old[count]!.name}".*once with Playhead 0.1.0`,
        ),
      })
      t.same(all(), untouched)
      await open(folder, one, old)
      await open(folder, one, now)
    }
  })
}

t.test('rows of the sync that were never moved are not deleted', async (t) => {
  const one = CASES.find(({ now }) => now === hostMigrations) as Case
  const folder = temporaryDirectory(t)
  const file = await open(folder, one, one.old)
  fill(file, null)
  const rows = rowsOf(file, null)
  await t.rejects(open(folder, one, one.now), { code: 'PLH_CONFLICT', message: /not moved yet.*Playhead 0\.1\.0/ })
  t.same(rowsOf(file, null), rows)
})

t.test(
  'a kill at any statement leaves the records of before or after, and the next start completes them',
  async (t) => {
    const one = CASES.find(({ owner }) => owner === 'tracker') as Case
    const newFile = await open(temporaryDirectory(t), one, one.now)
    for (const old of [[], one.old]) {
      const folder = temporaryDirectory(t)
      const file = await open(folder, one, old)
      if (old.length > 0) fill(file, null)
      const [rows, records] = [rowsOf(file, null), recordsOf(file, null)]
      const images: string[] = []
      const { db, close } = await openDatabase(file, { log: createTestLog() })
      const watched = db.withPlugin({
        // The files as a process that is killed here would leave them.
        transformQuery({ node }) {
          const image = temporaryDirectory(t)
          for (const end of ['', '-wal'])
            if (existsSync(file + end)) copyFileSync(file + end, join(image, basename(file) + end))
          images.push(image)
          return node
        },
        transformResult: async ({ result }) => result,
      })
      await migrate(watched, one.owner, one.now).finally(close)
      t.ok(images.length > 3)
      for (const image of images) {
        t.same(recordsOf(join(image, basename(file)), null), records)
        const next = await open(image, one, one.now)
        t.same(schemaOf(next), schemaOf(newFile))
        if (old.length > 0) t.same(rowsOf(next, null), rows)
        t.equal(recordsOf(next, null).length, one.old.length + 1)
      }
    }
  },
)
