// A plugin's thread: values, failures, cancellation and shutdown.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Worker } from 'node:worker_threads'
import t from 'tap'
import { definePlugin, type OwnThread, PlayheadError, type PluginContext, type PluginManifest } from '@playhead/sdk'
import { systemClock } from '../../../core/clock.ts'
import type { Remembers } from './remembers.ts'
import type { DataThread } from '../../../core/data/thread.ts'
import { createOwnThread } from '../../../core/own-thread/start.ts'
import { createWorkRegistry } from '../../../core/work/registry.ts'
import { createTestHost } from '@playhead/sdk/testing'
import type { Source, Work } from './worker.ts'

const SILENT = { trace() {}, debug() {}, info() {}, warn() {}, error() {}, channel: () => SILENT }
const module = join(import.meta.dirname, 'worker.ts')

function open(
  source: Partial<Source> = {},
  log: object = SILENT,
  registry = createWorkRegistry({ clock: systemClock }),
  buffersMb?: number,
) {
  const thread = createOwnThread<Work>({
    module: async () => module,
    databases: '/nowhere',
    log: log as never,
    registry,
    use: () => ({}),
    offers: { source },
    ...(buffersMb === undefined ? {} : { buffersMb }),
  })
  return { work: thread.work, [Symbol.asyncDispose]: () => thread.close() }
}

t.test('functions are called on both sides, and errors keep their type', async (t) => {
  await using thread = open({
    add: async (a, b) => a + b,
    fail: () => Promise.reject(new PlayheadError('PLH_UPSTREAM_TIMEOUT', 'Too late.', { retryAfterMs: 5 })),
  })
  t.equal(await thread.work.add(2, 3), 5)
  await t.rejects(thread.work.refuse(), {
    code: 'PLH_NOT_FOUND',
    message: 'There is no such thing.',
    wire: 'no_such_thing',
    status: 404,
    details: { id: 7 },
  })
  await t.rejects(thread.work.passOn(), { code: 'PLH_UPSTREAM_TIMEOUT', retryAfterMs: 5 })
  await t.rejects((thread.work as unknown as { missing(): Promise<void> }).missing(), { code: 'PLH_UNSUPPORTED' })
  await t.rejects(thread.work.add(2, (() => 1) as never), /could not be cloned/)
})

t.test('a thread that holds too much in buffers is ended, and the next call starts another', async (t) => {
  await using thread = open({ add: async (a, b) => a + b }, SILENT, undefined, 64)
  t.equal(await thread.work.add(2, 3), 5)
  // Keep the thread alive until the call ends.
  const alive = setInterval(() => {}, 1_000)
  t.teardown(() => clearInterval(alive))
  await t.rejects(thread.work.grow(100), { code: 'PLH_ABORTED', message: /more than 64 MB in buffers/ })
  t.equal(await thread.work.add(2, 3), 5)
  const small = thread.work.grow(10)
  const outcome = await Promise.race([
    small.then(
      () => 'ended',
      () => 'ended',
    ),
    new Promise((resolve) => setTimeout(() => resolve('goes on'), 3_500)),
  ])
  t.equal(outcome, 'goes on')
})

t.test('streams arrive in parts, and end on both sides when one of them stops', async (t) => {
  let given = 0
  let ended = 0
  await using thread = open({
    async *numbers(count, signal) {
      try {
        for (let number = 0; number < count; number += 1) {
          signal?.throwIfAborted()
          given += 1
          yield [number]
        }
      } finally {
        ended += 1
      }
    },
  })
  t.equal(await thread.work.sum(1_000, new AbortController().signal), 499_500)
  const stop = new AbortController()
  given = 0
  const endless = thread.work.sum(Infinity, stop.signal)
  setTimeout(() => stop.abort(), 50)
  await t.rejects(endless)
  t.ok(given > 0)
  t.equal(ended, 2)
})

t.test('an abort arrives, including one from before the call', async (t) => {
  await using thread = open()
  const stop = new AbortController()
  const waiting = thread.work.untilAborted(stop.signal)
  setTimeout(() => stop.abort(), 20)
  t.equal(await waiting, 'aborted')
})

t.test('the thread logs to the channel of the plugin', async (t) => {
  const lines: unknown[] = []
  const log = {
    ...SILENT,
    channel: (tag: string) => ({ ...SILENT, warn: (fields: object, text: string) => lines.push([tag, fields, text]) }),
  }
  await using thread = open({}, log)
  await thread.work.log()
  await thread.work.log()
  t.match(lines[0], ['SYNC', { err: { message: 'odd' }, count: 1 }, 'from the thread'])
})

t.test('calls fail when the thread ends, and the next one starts another', async (t) => {
  await using thread = open({ add: async (a, b) => a + b })
  const waiting = thread.work.untilAborted(new AbortController().signal)
  await Promise.all([
    t.rejects(waiting, { code: 'PLH_ABORTED' }),
    t.rejects(thread.work.end(), { code: 'PLH_ABORTED' }),
  ])
  t.equal(await thread.work.add(1, 1), 2)
})

t.test('a hold of a thread applies to all, until it is released, abandoned, or the thread ends', async (t) => {
  const registry = createWorkRegistry({ clock: systemClock })
  const work = { kind: 'read', label: 'A read', accounts: [{ provider: 'A', instance: 'default' }] } as const
  await using thread = open({ add: async (a, b) => a + b }, SILENT, registry)
  await thread.work.hold('A')
  t.throws(() => registry.begin(work), { code: 'PLH_CONFLICT', wire: 'busy', details: { holder: 'change' } })
  await t.rejects(thread.work.hold('A'), { code: 'PLH_CONFLICT', wire: 'busy', details: { holder: 'change' } })
  await thread.work.release()
  await thread.work.add(1, 1)
  const own = registry.begin(work)
  const stop = new AbortController()
  const waiting = thread.work.holdWhenFree('A', stop.signal)
  await thread.work.add(1, 1)
  stop.abort()
  await t.rejects(waiting, { code: 'PLH_ABORTED' })
  own.release()
  registry.begin(work).release()
  await thread.work.hold('A')
  await t.rejects(thread.work.end(), { code: 'PLH_ABORTED' })
  registry.begin(work).release()
  t.same(registry.current(), [])
})

t.test('a plugin starts a thread beside its database, and both end together', async (t) => {
  let thread: OwnThread<Work> | undefined
  const plugin = definePlugin({
    async setup(ctx: PluginContext) {
      const { db } = await ctx.openDatabase('rows', {
        migrations: [
          {
            name: '1',
            up: async (tables) => {
              await tables.schema.createTable('row').addColumn('text', 'text').execute()
            },
          },
        ],
      })
      await db.insertInto('row').values({ text: 'written by another' }).execute()
      thread = ctx.startThread<Work>('worker.ts', {
        offers: { source: { add: async (a: number, b: number) => a + b } },
      })
    },
  })
  const manifest: PluginManifest = {
    id: 'threaded',
    name: 'Threaded',
    version: '1.0.0',
    api: '^1.0.0',
    kind: 'service',
    needs: { database: true },
  }
  const folder = t.testdir({ 'plugin.json': JSON.stringify(manifest), 'worker.ts': t.fixture('symlink', module) })
  await using host = await createTestHost({ plugin, manifest: join(folder, 'plugin.json') })
  void host
  t.same(await thread?.work.rows(), ['written by another', 'written on the thread'])
})

t.test('a thread that may end when it is idle does so, and starts again with the next call', async (t) => {
  const workers: Worker[] = []
  const add = (worker: Worker) => void workers.push(worker)
  process.on('worker', add)
  t.teardown(() => process.off('worker', add))
  const thread = createOwnThread<DataThread>({
    module: async () => join(import.meta.dirname, '../../../core/data/thread.ts'),
    databases: '/nowhere',
    log: SILENT as never,
    use: () => ({}),
    idleMs: 100,
  })
  t.teardown(() => thread.close())
  const file = join(t.testdir(), 'one.sqlite')
  new DatabaseSync(file).exec('CREATE TABLE one (id INTEGER)')
  t.match(await thread.work.check(file, true), { healthy: true })
  // -1: it has ended.
  while (workers[0]?.threadId !== -1) await sleep(20)
  t.match(await thread.work.check(file, true), { healthy: true })
  t.equal(workers.length, 2)
})

t.test('an idle thread stays while it remembers something that cannot be read again', async (t) => {
  const workers: Worker[] = []
  const add = (worker: Worker) => void workers.push(worker)
  process.on('worker', add)
  t.teardown(() => process.off('worker', add))
  const thread = createOwnThread<Remembers>({
    module: async () => join(import.meta.dirname, 'remembers.ts'),
    databases: '/nowhere',
    log: SILENT as never,
    use: () => ({}),
    idleMs: 100,
  })
  t.teardown(() => thread.close())
  await thread.work.remember('an upload')
  await sleep(500)
  t.equal(await thread.work.recall(), 'an upload')
  t.equal(workers.length, 1)
  await thread.work.forget()
  while (workers[0]?.threadId !== -1) await sleep(20)
  t.equal(await thread.work.recall(), null)
})

t.test('an idle thread stays while a stream of it is read slowly', async (t) => {
  const workers: Worker[] = []
  const add = (worker: Worker) => void workers.push(worker)
  process.on('worker', add)
  t.teardown(() => process.off('worker', add))
  const thread = createOwnThread<Remembers>({
    module: async () => join(import.meta.dirname, 'remembers.ts'),
    databases: '/nowhere',
    log: SILENT as never,
    use: () => ({}),
    idleMs: 100,
  })
  t.teardown(() => thread.close())
  // A step of a stream keeps no process; a service has its server.
  const kept = setInterval(() => {}, 1_000)
  t.teardown(() => clearInterval(kept))
  const numbers = thread.work.numbers()[Symbol.asyncIterator]()
  t.same(await numbers.next(), { done: false, value: 1 })
  await sleep(500)
  t.same(await numbers.next(), { done: false, value: 2 }, 'a client that downloads may pause for longer')
  await numbers.return?.()
  while (workers[0]?.threadId !== -1) await sleep(20)
  t.equal(workers.length, 1)
})

t.test('what the core runs on threads loads neither the whole SDK nor a query builder', async (t) => {
  const core = join(import.meta.dirname, '../../../core')
  const script = `
    import { registerHooks } from 'node:module'
    const loaded = []
    registerHooks({ load(url, context, next) { if (!url.startsWith('node:')) loaded.push(url); return next(url, context) } })
    for (const module of ['own-thread/serve.ts', 'data/thread.ts', 'own-database/readable.ts', 'host/isolated/wire.ts'])
      await import(${JSON.stringify(core)} + '/' + module)
    console.log(JSON.stringify(loaded))`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script])
  const loaded = JSON.parse(stdout) as readonly string[]
  t.strictSame(
    loaded.filter((url) => /sdk\/index\.ts$|node_modules/.test(url)),
    [],
  )
})
