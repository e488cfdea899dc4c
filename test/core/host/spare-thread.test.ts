// slow: real threads, and many of them
// While a plugin with a thread of its own is edited, a thread waits for its next version. It serves one version of one plugin,
// and there is none where no plugin is edited.
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { createThreads, type FreshThread } from '../../../core/host/isolated/threads.ts'
import { startService, until } from '../../harness.ts'

const NEEDS = { memoryMb: 64, modules: [] }
const RELOADS = 60
const GROWTH_LIMIT_BYTES = 4 * 1024 * 1024

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

const isOver = ({ worker }: FreshThread) => worker.threadId === -1

t.test('a spare is made for an edited plugin, is used once, and is given up', async (t) => {
  const threads = createThreads(300)
  t.teardown(() => threads.close())
  threads.keepSpare()
  const before = await workers()
  t.equal(before, 0, 'none before the first plugin')

  const first = threads.fresh(NEEDS)
  t.equal(await workers(), 1, 'and none beside a plugin that nobody edits')
  threads.keepSpare()
  threads.keepSpare()
  await until('there is one spare', async () => (await workers()) === 2)
  const second = threads.fresh(NEEDS)
  t.not(second.worker, first.worker)
  t.equal(await workers(), 2, 'which the next plugin gets')
  const third = threads.fresh(NEEDS)
  t.not(third.worker, second.worker, 'and no other after it')

  threads.keepSpare()
  const other = threads.fresh({ ...NEEDS, memoryMb: 80 })
  t.equal(other.worker.resourceLimits?.maxOldGenerationSizeMb, 80, 'a plugin with another limit gets its own')
  await until('and the spare ends', async () => (await workers()) === 4)

  threads.keepSpare()
  await until('the next spare is there', async () => (await workers()) === 5)
  await until('and ends when nothing is saved', async () => (await workers()) === 4)
  t.notOk([first, second, third, other].some(isOver), 'threads that were taken are left alone')

  threads.keepSpare()
  await threads.close()
  await until('no spare outlives the host', async () => (await workers()) === 4)
  threads.keepSpare()
  t.equal(await workers(), 4)
  for (const { worker } of [first, second, third, other]) await worker.terminate()
})

t.test('a spare that ends by itself is replaced', async (t) => {
  const threads = createThreads()
  const first = threads.fresh(NEEDS)
  threads.keepSpare()
  await until('there is a spare', async () => (await workers()) === 2)
  const broken = threads.fresh(NEEDS)
  threads.keepSpare()
  const ended = once(broken.worker, 'exit')
  await broken.worker.terminate()
  await ended
  const next = threads.fresh(NEEDS)
  t.notOk(isOver(next))
  await threads.close()
  for (const { worker } of [first, next]) await worker.terminate()
})

const served = (version: number, secret = '') => `
import { definePlugin, Type } from '@playhead/sdk'
const found = Object.keys(globalThis).filter((name) => name.startsWith('left'))
globalThis.leftBehind = ${JSON.stringify(secret)}
export default definePlugin({
  routes(app) {
    app.get(PATH, { schema: { response: { 200: Type.Object({ version: Type.Integer(), found: Type.Array(Type.String()), variables: Type.Array(Type.String()), killed: Type.String() }) } } }, async () => {
      let killed = 'yes'
      try { globalThis.process.kill(globalThis.process.pid, 0) } catch (error) { killed = error.code }
      return { version: ${version}, found, variables: Object.keys(globalThis.process.env), killed }
    })
    app.get(PATH + '/spin', () => { for (;;) {} })
  },
})
`
const of = (id: string, version: number, secret?: string) =>
  served(version, secret).replaceAll('PATH', JSON.stringify(`/api/${id}`))
const plugin = (id: string) => ({
  manifest: {
    isolation: 'thread',
    routes: ['', '/spin'].map((path) => ({ method: 'GET', path: `/api/${id}${path}` })),
  },
  files: { 'index.ts': of(id, 0) },
})

t.test('each version of each plugin has a thread that no other has run on', async (t) => {
  await using service = await startService({
    plugins: { left: plugin('left'), right: plugin('right') },
    host: { silenceMs: 2_000 },
  })
  const now = async (id: string) => (await service.json(`/api/${id}`)).body
  const clean = { found: [], variables: [], killed: 'PLH_PLUGIN_UNDECLARED' }
  await until('both are there', async () => (await now('left')).version === 0 && (await now('right')).version === 0)
  t.equal(await workers(), 2, 'no spare while nothing is edited')

  for (const [id, version] of [
    ['left', 1],
    ['right', 1],
    ['left', 2],
    ['right', 2],
  ] as const) {
    await service.write(id, 'index.ts', of(id, version, `the secret of ${id}`))
    await until(`version ${version} of ${id} answers`, async () => (await now(id)).version === version)
    t.match(await now(id), clean, 'on a clean and closed thread')
    await until('with a spare beside both', async () => (await workers()) === 3)
  }

  await service.write(
    'left',
    'index.ts',
    of('left', 3).replace('definePlugin({', 'definePlugin({ setup() { throw new Error("no") },'),
  )
  const broken = await until('a broken version is reported', async () => (await service.plugin('left')).last_error)
  t.match(broken, { phase: 'setup', file: 'index.ts' })
  t.match(await now('left'), { version: 2 }, 'and the one before answers')
  await until('the thread of the broken one ended', async () => (await workers()) === 3)

  await service.write('left', 'index.ts', of('left', 3))
  await until('the mended version answers', async () => (await now('left')).version === 3)
  t.equal((await service.call('/api/left/spin')).status, 503, 'a loop on a thread that was a spare is noticed')
  await until('and the plugin is started again', async () => (await now('left')).version === 3)
  t.match(await now('right'), { version: 2 })
})

t.test(`${RELOADS} saves of a plugin in use fail no request, and leave no thread and no memory`, async (t) => {
  await using service = await startService({
    plugins: { left: plugin('left') },
    environment: { PLAYHEAD_LOG_LEVEL: 'error' },
  })
  const bad: unknown[] = []
  let [answers, newest, stop] = [0, 0, false]
  const clients = Array.from({ length: 8 }, async () => {
    while (!stop) {
      const { status, body } = await service
        .json('/api/left')
        .catch((error: unknown) => ({ status: 0, body: String(error) }))
      answers += 1
      if (status !== 200 || body.found.length > 0) bad.push({ status, body })
      else newest = Math.max(newest, body.version)
    }
  })
  const saveUntil = async (last: number) => {
    for (let version = newest + 1; version <= last; version += 1) {
      await service.write('left', 'index.ts', of('left', version))
      await until(`version ${version} answers`, () => newest === version)
    }
    await until('only the plugin and the spare are left', async () => (await workers()) === 2)
    return settledHeap()
  }
  const before = await saveUntil(RELOADS / 4)
  const after = await saveUntil(RELOADS)
  stop = true
  await Promise.all(clients)
  t.same(bad.slice(0, 3), [])
  t.ok(answers > RELOADS, `${answers} answers`)
  await until('every version before is collected', () => {
    collect()
    service.host.checkLeaks()
    return service.host.pendingCollections() <= 2
  })
  const { draining, stuck, generation } = await service.plugin('left')
  t.same({ draining, stuck, generation }, { draining: [], stuck: [], generation: RELOADS + 1 })
  t.ok(after - before < GROWTH_LIMIT_BYTES, `the heap grew by ${after - before} bytes`)
})

async function settledHeap(): Promise<number> {
  for (let round = 0; round < 6; round += 1) {
    collect()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return getHeapStatistics().used_heap_size
}

/** Threads of plugins in this process. */
async function workers(): Promise<number> {
  const tasks = await readdir('/proc/self/task')
  const names = await Promise.all(tasks.map((task) => readFile(`/proc/self/task/${task}/comm`, 'utf8').catch(() => '')))
  return names.filter((name) => name.trim() === 'plugin').length
}
