// A full disk: one clear error, no partial writes, no plugin fault, and recovery.
import t from 'tap'
import { type FixturePlugin, startService } from '../../harness.ts'

const filler: FixturePlugin = {
  manifest: {
    routes: [
      { method: 'POST', path: '/api/filler', auth: 'P' },
      { method: 'POST', path: '/api/filler/room', auth: 'P' },
      { method: 'GET', path: '/api/filler', auth: 'P' },
    ],
  },
  files: {
    'index.ts': `import { definePlugin } from '@playhead/sdk'
import { CompiledQuery } from 'kysely'
export default definePlugin({
  migrations: [{ name: '1-rows', up: async (db) => { await db.schema.createTable('filler__row').addColumn('text', 'text').execute() } }],
  routes(app) {
    const { db } = app.playhead
    const rows = async () => (await db.selectFrom('filler__row').selectAll().execute()).length
    app.post('/api/filler', async () => {
      await db.transaction().execute(async (tx) => {
        for (let row = 0; row < 200; row += 1) await tx.insertInto('filler__row').values({ text: 'x'.repeat(4_000) }).execute()
      })
      return { rows: await rows() }
    })
    app.post('/api/filler/room', async ({ body }) => {
      await db.executeQuery(CompiledQuery.raw(\`PRAGMA max_page_count = \${body.pages}\`))
      return { ok: true }
    })
    app.get('/api/filler', async () => ({ rows: await rows() }))
  },
})`,
  },
}

t.test('a full disk is answered with 507, and leaves nothing behind', async (t) => {
  await using service = await startService({ plugins: { filler }, watch: false })
  // SQLite keeps at least its current pages.
  await service.json('/api/filler/room', { json: { pages: 1 } })
  for (let time = 0; time < 6; time += 1) {
    t.match(await service.json('/api/filler', { json: {} }), {
      status: 507,
      body: { ok: false, error: 'disk_full', detail: /^The disk is full, so nothing was changed\. / },
    })
  }
  t.equal((await service.json('/api/filler')).body.rows, 0)
  t.match(await service.plugin('filler'), { state: 'active', faults: 0, last_error: null })

  await service.json('/api/filler/room', { json: { pages: 1_000_000 } })
  t.match(await service.json('/api/filler', { json: {} }), { status: 200, body: { rows: 200 } })
})
