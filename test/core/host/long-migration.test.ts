// slow: real threads, disks and waits
// Migrations of large tables take longer than any start limit: the start waits for them and the service answers meanwhile. Only
// a migration without progress is aborted, without a trace.
import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import t from 'tap'
import { type FixturePlugin, type Service, startService, until } from '../../harness.ts'

const LIMIT_MS = 2_500
const host = { limits: { setupMs: LIMIT_MS }, silenceMs: LIMIT_MS }
/** Counting this many numbers takes longer than the limits. */
const NUMBERS = (() => {
  using database = new DatabaseSync(':memory:')
  const probe = 200_000
  const startedAt = performance.now()
  database.prepare(counting(probe)).get()
  return Math.ceil(((LIMIT_MS * 1.6) / (performance.now() - startedAt)) * probe)
})()

function counting(numbers: number): string {
  return `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${numbers}) SELECT count(*) FROM n`
}

const SLOW = `sql\`UPDATE ${'${sql.table(table)}'} SET n = (${counting(NUMBERS)})\`.execute(db)`
const HUNG = 'db.insertInto(table).values({ n: 999 }).execute().then(() => new Promise(() => {}))'
const GOOD = 'db.insertInto(table).values({ n: 2 }).execute().then(() => {})'

/** @param second the migration of the plugin's second version */
function plugin(id: string, isolation: 'none' | 'thread', second?: string): FixturePlugin {
  return {
    manifest: {
      isolation,
      routes: [
        { method: 'GET', path: `/api/${id}` },
        { method: 'POST', path: `/api/${id}` },
      ],
    },
    files: { 'index.ts': shared(id, second) },
  }
}

const steps = (second?: string) => `[
  { name: 'first', up: async (db) => { await db.schema.createTable(table).addColumn('n', 'integer').execute(); await db.insertInto(table).values({ n: 1 }).execute() } },
  ${second === undefined ? '' : `{ name: 'second', up: (db) => ${second} },`}
]`
const shared = (id: string, second?: string) => `
  import { definePlugin } from '@playhead/sdk'
  import { sql } from 'kysely'
  const table = '${id}__rows'
  export default definePlugin({
    migrations: ${steps(second)},
    routes(app) {
      app.get('/api/${id}', async () => ({ rows: (await app.playhead.db.selectFrom(table).select('n').execute()).map(({ n }) => n) }))
      app.post('/api/${id}', async () => { await app.playhead.db.insertInto(table).values({ n: 5 }).execute(); return {} })
    },
  })`
const own = (second?: string) => `
  import { definePlugin } from '@playhead/sdk'
  import { sql } from 'kysely'
  const table = 'rows'
  let opening
  export default definePlugin({
    setup: (ctx) => (opening = ctx.openDatabase('own', { migrations: ${steps(second)} })),
    routes(app) { app.get('/api/owner', async () => ({ rows: (await (await opening).reader.selectFrom(table).select('n').execute()).map(({ n }) => n) })) },
  })`

/** Whether another connection has a write lock. */
function isHeld(file: string): boolean {
  using database = new DatabaseSync(file, { timeout: 0 })
  try {
    database.exec('BEGIN IMMEDIATE; ROLLBACK')
    return false
  } catch {
    return true
  }
}

const active = async (service: Service, id: string, generation: number) => {
  const { state, generation: now } = await service.plugin(id)
  return state === 'active' && now === generation
}
const rowsOf = async (service: Service, id: string) => (await service.json(`/api/${id}`)).body.rows

t.test('a statement of a migration may take longer than the start limits, on any thread', async (t) => {
  const beside = { routes: [{ method: 'GET', path: '/api/owner' }], needs: { database: true } }
  await using service = await startService({
    host,
    plugins: {
      near: plugin('near', 'none'),
      far: plugin('far', 'thread'),
      writer: plugin('writer', 'none'),
      owner: { manifest: { isolation: 'none', ...beside }, files: { 'index.ts': own() } },
      distant: {
        manifest: { isolation: 'thread', needs: beside.needs, routes: [{ method: 'GET', path: '/api/distant' }] },
        files: { 'index.ts': own().replace('/api/owner', '/api/distant') },
      },
    },
  })
  for (const id of ['near', 'far', 'owner', 'distant']) t.same(await rowsOf(service, id), [1], id)

  for (const [group, written] of [
    [['near', 'far'], shared],
    [['owner', 'distant'], (id: string, second: string) => own(second).replace('/api/owner', `/api/${id}`)],
  ] as const) {
    for (const id of group) await service.write(id, 'index.ts', written(id, SLOW))
    let answers = 0
    await until(
      `${group.join(' and ')} are changed`,
      async () => {
        const all = await Promise.all(group.map((id) => active(service, id, 2)))
        answers += 1
        return all.every(Boolean)
      },
      90_000,
    )
    t.ok(answers > 10, `the service answers meanwhile (${answers} times)`)
    // Another connection holds the database while the first two are changed.
    t.equal((await service.json('/api/writer', { method: 'POST' })).status, 200)
    for (const id of group) t.same(await rowsOf(service, id), [NUMBERS], id)
  }
  for (const id of ['near', 'far', 'owner', 'distant'])
    t.ok(
      service.log.some((line) => line.includes(`the tables of ${id} are changed`)),
      `the log says that the tables of ${id} are changed`,
    )
})

t.test('a writer waits while the tables of another plugin are changed, and loses nothing', async (t) => {
  await using service = await startService({
    host,
    plugins: { near: plugin('near', 'none'), writer: plugin('writer', 'none') },
  })
  await service.write('near', 'index.ts', shared('near', SLOW))
  await until('it holds the database', () => isHeld(join(service.directory, 'data/database.sqlite')))
  const order: string[] = []
  const writing = service.json('/api/writer', { method: 'POST' }).then(({ status }) => {
    order.push('written')
    return status
  })
  t.same(await rowsOf(service, 'writer'), [1], 'readers do not wait')
  order.push('read')
  t.equal(await writing, 200)
  t.same(order, ['read', 'written'])
  t.same(await rowsOf(service, 'writer'), [1, 5])
  await until('it is changed', () => active(service, 'near', 2))
})

for (const [what, isolation] of [
  ['on the thread of a plugin', 'thread'],
  ['in the thread of the service', 'none'],
] as const) {
  t.test(`an endless migration is aborted and undone, ${what}`, async (t) => {
    await using service = await startService({
      host,
      plugins: { hung: plugin('hung', isolation), writer: plugin('writer', 'none') },
    })
    await service.write('hung', 'index.ts', shared('hung', HUNG))
    const failed = await until(
      'it is refused',
      async () => (await service.plugin('hung')).last_error ?? undefined,
      30_000,
    )
    t.match(failed, { code: 'PLH_PLUGIN_SETUP_TIMEOUT' })
    t.same(await rowsOf(service, 'hung'), [1], 'the version before goes on with its tables')
    t.equal((await service.json('/api/writer', { method: 'POST' })).status, 200, 'nothing holds the database')

    await service.write('hung', 'index.ts', shared('hung', GOOD))
    await until(
      'the version that ends is there',
      async () => (await service.plugin('hung')).last_error === null,
      30_000,
    )
    t.same(await rowsOf(service, 'hung'), [1, 2])
  })
}

t.test('endless migrations of new tables and own databases leave nothing behind', async (t) => {
  const first = { name: 'first', up: HUNG.replaceAll('table', "'fresh__rows'") }
  await using service = await startService({
    host,
    plugins: {
      fresh: {
        files: {
          'index.ts': `import { definePlugin } from '@playhead/sdk'
            export default definePlugin({ migrations: [{ name: '${first.name}', up: async (db) => { await db.schema.createTable('fresh__rows').addColumn('n', 'integer').execute(); await ${first.up} } }] })`,
        },
        manifest: { isolation: 'none' },
      },
      owner: {
        manifest: { isolation: 'none', needs: { database: true }, routes: [{ method: 'GET', path: '/api/owner' }] },
        files: { 'index.ts': own() },
      },
      writer: plugin('writer', 'none'),
    },
  })
  await until('it is refused', async () => (await service.plugin('fresh')).state === 'failed', 30_000)
  t.match(await service.plugin('fresh'), { last_error: { code: 'PLH_PLUGIN_SETUP_TIMEOUT' } })
  t.equal((await service.json('/api/writer', { method: 'POST' })).status, 200, 'nothing holds the database')
  await service.write('owner', 'index.ts', own(HUNG))
  const failed = await until(
    'it is refused',
    async () => (await service.plugin('owner')).last_error ?? undefined,
    30_000,
  )
  t.match(failed, { code: 'PLH_PLUGIN_SETUP_TIMEOUT' })
  t.same(await rowsOf(service, 'owner'), [1])
  await service.write('owner', 'index.ts', own(GOOD))
  await until('the version that ends is there', async () => (await service.plugin('owner')).last_error === null, 30_000)
  t.same(await rowsOf(service, 'owner'), [1, 2])
  const file = new DatabaseSync(join(service.directory, 'data/database.sqlite'), { readOnly: true })
  t.same(file.prepare("SELECT name FROM sqlite_schema WHERE name LIKE 'fresh%'").all(), [])
  file.close()
})
