import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Migration } from '@playhead/sdk'
import { migrate } from '../../../core/storage/migrations.ts'
import { openDatabase } from '../../../core/storage/sqlite.ts'
import { createTestLog, temporaryDirectory } from './support.ts'

async function open(t: Test) {
  const database = await openDatabase(join(temporaryDirectory(t), 'database.sqlite'), { log: createTestLog() })
  t.teardown(() => database.close())
  return database.db
}

const table = (name: string): Migration => ({
  name: `make ${name}`,
  up: (db) => db.schema.createTable(name).addColumn('n', 'integer').execute(),
})

async function tables(db: Awaited<ReturnType<typeof open>>): Promise<string[]> {
  return (await db.introspection.getTables()).map(({ name }) => name).sort()
}

t.test('migrations run once each, in order, and are recorded with the time', async (t) => {
  const db = await open(t)
  const clock = { now: () => 1_700_000_000_000 }

  t.same(await migrate(db, 'anime-mapping', [table('anime_mapping__a')], clock), ['make anime_mapping__a'])
  t.same(await migrate(db, 'anime-mapping', [table('anime_mapping__a'), table('anime_mapping__b')], clock), [
    'make anime_mapping__b',
  ])
  t.same(await migrate(db, 'anime-mapping', [table('anime_mapping__a'), table('anime_mapping__b')], clock), [])

  t.match(await db.selectFrom('core__migrations').selectAll().orderBy('position').execute(), [
    { owner: 'anime-mapping', position: 0, name: 'make anime_mapping__a', applied_at_ms: 1_700_000_000_000 },
    { owner: 'anime-mapping', position: 1, name: 'make anime_mapping__b' },
  ])
})

t.test("owners do not see each other's migrations", async (t) => {
  const db = await open(t)

  await migrate(db, 'core', [table('core__things')])
  t.same(await migrate(db, 'hello', [table('hello__things')]), ['make hello__things'])
})

t.test('a failing migration leaves neither tables nor a record, and earlier ones stay', async (t) => {
  const db = await open(t)
  const broken: Migration = {
    name: 'broken',
    async up(db) {
      await db.schema.createTable('hello__half').addColumn('n', 'integer').execute()
      throw new Error('out of ideas')
    },
  }

  await t.rejects(migrate(db, 'hello', [table('hello__first'), broken]), { message: 'out of ideas' })

  t.same(await tables(db), ['core__migrations', 'hello__first'])
  t.same(await migrate(db, 'hello', [table('hello__first'), { ...broken, up: table('hello__half').up }]), ['broken'])
})

for (const [what, list, said] of [
  [
    'renamed',
    [table('hello__x'), table('hello__b')],
    /migration 1 in the database is "make hello__a", here it is "make hello__x"/,
  ],
  ['reordered', [table('hello__b'), table('hello__a')], /migration 1/],
  ['removed', [table('hello__a')], /migration 2 in the database is "make hello__b", here it is missing/],
] as const) {
  t.test(`a list in which a migration was ${what} is refused before anything runs`, async (t) => {
    const db = await open(t)
    await migrate(db, 'hello', [table('hello__a'), table('hello__b')])

    await t.rejects(migrate(db, 'hello', [...list, table('hello__c')].slice(0, what === 'removed' ? 1 : 3)), {
      code: 'PLH_CONFLICT',
      message: said,
    })

    t.notOk((await tables(db)).includes('hello__c'))
  })
}

t.test('two migrations with the same name are refused', async (t) => {
  const db = await open(t)

  await t.rejects(migrate(db, 'hello', [table('hello__a'), table('hello__a')]), { code: 'PLH_CONFLICT' })
})

t.test("tables outside the owner's prefix cannot be created, changed or dropped", async (t) => {
  const db = await open(t)
  await migrate(db, 'core', [table('core__things')])
  const attempts: readonly Migration[] = [
    table('things'),
    table('core__other'),
    table('hello_things'),
    table('hello__a__b'),
    table('hello___a'),
    { name: 'drop', up: (db) => db.schema.dropTable('core__things').execute() },
    { name: 'alter', up: (db) => db.schema.alterTable('core__things').addColumn('m', 'integer').execute() },
    { name: 'rename', up: (db) => db.schema.alterTable('core__things').renameTo('hello__things').execute() },
    {
      name: 'view',
      up: (db) => db.schema.createView('things').as(db.selectFrom('core__things').selectAll()).execute(),
    },
  ]

  for (const attempt of attempts) {
    await t.rejects(
      migrate(db, 'hello', [attempt]),
      { code: 'PLH_FORBIDDEN', message: /must be named hello__<name>/ },
      attempt.name,
    )
  }

  t.same(await tables(db), ['core__migrations', 'core__things'])
})
