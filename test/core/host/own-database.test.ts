// A plugin's own database must be declared, is closed with the plugin, and survives a reload.
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import t from 'tap'
import { startService, until, type FixturePlugin } from '../../harness.ts'

const plugin = (needs: object): FixturePlugin => ({
  manifest: {
    routes: [
      { method: 'GET', path: '/api/notes' },
      { method: 'POST', path: '/api/notes' },
    ],
    needs,
  },
  files: {
    'index.ts': `
      import { definePlugin } from '@playhead/sdk'
      let opening
      export default definePlugin({
        setup(ctx) {
          opening = ctx.openDatabase('archive', { migrations: [{ name: 'notes', up: (db) => db.schema.createTable('notes').addColumn('text', 'text').execute() }] })
          return opening
        },
        routes(app) {
          app.get('/api/notes', async () => ({ notes: await (await opening).reader.selectFrom('notes').selectAll().execute() }))
          app.post('/api/notes', async (request) => ({ added: await (await opening).insertMany('insert into notes values (?)', [[request.body.text]]) }))
        },
      })`,
  },
})

t.test('a plugin keeps its database over reloads, and every version ends its threads', async (t) => {
  const threads = new Set<Worker>()
  const add = (worker: Worker) => {
    threads.add(worker)
    worker.once('exit', () => threads.delete(worker))
  }
  process.on('worker', add)
  t.teardown(() => process.off('worker', add))
  const service = await startService({ plugins: { notes: plugin({ database: true }) } })
  const notes = async () => (await service.json('/api/notes')).body.notes
  t.same((await service.json('/api/notes', { json: { text: 'one' } })).body, { added: 1 })

  for (let count = 0; count < 5; count += 1) {
    t.same(await notes(), [{ text: 'one' }])
    t.equal((await service.json('/api/plugins/notes/reload', { method: 'POST' })).status, 200)
  }

  t.same(await notes(), [{ text: 'one' }])
  await until('the versions before are gone', async () => (await service.plugin('notes')).draining.length === 0)
  t.equal(threads.size, 2)
  t.equal((await stat(join(service.directory, 'data', 'databases', 'notes', 'archive.sqlite'))).mode & 0o777, 0o600)
  t.equal((await stat(join(service.directory, 'data', 'databases'))).mode & 0o777, 0o700)
  await service[Symbol.asyncDispose]()
  t.equal(threads.size, 0)
})

t.test('a database that only earlier versions opened is deleted once a version without it runs', async (t) => {
  await using service = await startService({ plugins: { notes: plugin({ database: true }) } })
  const file = join(service.directory, 'data', 'databases', 'notes', 'archive.sqlite')
  const isThere = async (path: string) => (await stat(path).catch(() => undefined))?.isFile() === true
  t.equal((await service.json('/api/notes', { json: { text: 'one' } })).status, 200)
  const edit = async (source: string) => {
    const { manifest } = plugin({ database: true })
    await service.writePlugin('notes', {
      manifest: { ...manifest, data: { removed: ['archive'] } },
      files: { 'index.ts': source },
    })
    await service.call('/api/plugins/notes/reload', { method: 'POST' })
  }

  const opening = String(plugin({ database: true }).files?.['index.ts'])
  await edit(opening)
  t.match(await service.plugin('notes'), { last_error: { message: /data\.removed/ } }, 'one that still opens it')
  t.ok(await isThere(file))

  await edit('throw new Error("does not run")')
  t.match(await service.plugin('notes'), { last_error: { message: /does not run/ } })
  t.ok(await isThere(file), 'a version that does not run deletes nothing')

  await edit(`
    import { definePlugin } from '@playhead/sdk'
    export default definePlugin({
      async setup(ctx) { await ctx.openDatabase('other', { migrations: [] }) },
      routes(app) { app.get('/api/notes', () => ({})); app.post('/api/notes', () => ({})) },
    })`)
  await until('it is deleted', async () => !(await isThere(file)) && !(await isThere(`${file}-wal`)))
  t.ok(await isThere(file.replace('archive', 'other')))
})

t.test('a plugin that does not declare its own database gets none', async (t) => {
  await using service = await startService({ plugins: { notes: plugin({}) } })

  t.match(await service.plugin('notes'), {
    state: 'failed',
    last_error: { phase: 'setup', code: 'PLH_PLUGIN_UNDECLARED', message: /needs\.database/ },
  })
})
