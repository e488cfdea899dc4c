// slow: hundreds of reloads
// A large plugin is reloaded a thousand times: every old version is garbage collected, and none keeps running code.
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { startService, until } from '../harness.ts'
import { largeSource } from './large-plugin.ts'

const RELOADS = 1_000
const ROUNDS_BEFORE = 50
/** Every fifth reload has new source; the others load the same source again, which skips the compiler process. */
const SAVED_EACH = 5
// Allowed growth of a heap of about 40 MB over a thousand reloads. Leaking 300 KB per reload would add hundreds of MB.
const GROWTH_LIMIT_BYTES = 4 * 1024 * 1024

t.setTimeout(900_000)
setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

async function settledHeap(): Promise<number> {
  for (let round = 0; round < 6; round += 1) {
    collect()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return getHeapStatistics().used_heap_size
}

function resources(): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const name of process.getActiveResourcesInfo()) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

t.test('1,000 reloads of a 300 KB plugin leave nothing behind', { timeout: 600_000 }, async (t) => {
  const manifest = {
    section: 'large',
    provides: ['large:thing'],
    needs: { hosts: ['127.0.0.1:1'] },
    routes: [
      { method: 'GET', path: '/api/large' },
      { method: 'POST', path: '/api/large/:id' },
    ],
  }
  await using service = await startService({
    plugins: { large: { manifest, files: largeSource(0) } },
    environment: { PLAYHEAD_LOG_LEVEL: 'error' },
    watch: false,
  })
  const reload = async (round: number) => {
    const version = round - (round % SAVED_EACH)
    if (version === round) await service.write('large', 'index.ts', largeSource(version)['index.ts'] as string)
    await service.host.reload('large')
    const answer = await service.json('/api/large')
    if (answer.body?.version !== version)
      throw new Error(
        `version ${version} is not served: ${JSON.stringify(answer.body)} ${JSON.stringify((await service.plugin('large')).last_error)}`,
      )
  }
  for (let round = 1; round <= ROUNDS_BEFORE; round += 1) await reload(round)
  service.host.checkLeaks()
  const heapBefore = await settledHeap()
  const resourcesBefore = resources()

  for (let round = ROUNDS_BEFORE + 1; round <= RELOADS; round += 1) await reload(round)

  const heapAfter = await settledHeap()
  await until('every retired generation is collected', () => {
    collect()
    service.host.checkLeaks()
    // The last request on the keep-alive connection may hold the newest retired version.
    return service.host.pendingCollections() <= 2
  })
  const plugin = await service.plugin('large')
  t.equal(plugin.generation, RELOADS + 1)
  t.same(plugin.draining, [])
  t.same(plugin.stuck, [])
  t.equal(plugin.timers, 2, 'the live version runs its own two timers and no other is left')
  t.equal(plugin.jobs.length, 1)
  t.equal(plugin.hooks.length, 1)
  t.ok(heapAfter - heapBefore < GROWTH_LIMIT_BYTES, `the heap grew by ${heapAfter - heapBefore} bytes`)
  const left = Object.entries(resources()).filter(([name, count]) => count > (resourcesBefore[name] ?? 0) + 2)
  t.same(left, [], 'no timers, sockets, watchers or pipes beyond those of one version')
  t.comment(
    `heap ${(heapBefore / 1e6).toFixed(1)} MB -> ${(heapAfter / 1e6).toFixed(1)} MB, pending ${service.host.pendingCollections()}`,
  )
})

t.test('a plugin with a leak is named, and no other', async (t) => {
  const source = (id: string, leak: string) => ({
    manifest: { needs: { database: true } },
    files: {
      'index.ts': `import { definePlugin } from '@playhead/sdk'\nexport default definePlugin({ setup(ctx) { ${leak} } })`,
      'note.md': id,
    },
  })
  await using service = await startService({
    plugins: {
      leaky: source('leaky', `(globalThis.__leaky ??= []).push(ctx)`),
      tidy: source('tidy', 'return ctx.openDatabase("rows", { migrations: [] })'),
    },
    watch: false,
  })
  for (let round = 0; round < 10; round += 1) {
    await service.host.reload('leaky')
    await service.host.reload('tidy')
  }
  await until(
    'the old versions are disposed',
    async () =>
      (await service.plugin('leaky')).draining.length === 0 && (await service.plugin('tidy')).draining.length === 0,
  )
  await settledHeap()

  service.host.checkLeaks(true)

  t.equal((await service.plugin('leaky')).leaked_generations.length, 10)
  t.same((await service.plugin('tidy')).leaked_generations, [])
  t.ok(
    service.streams
      .read('plugins')
      .some(({ event, data }) => event === 'plugin.leak' && JSON.parse(data).id === 'leaky'),
  )
  delete (globalThis as { __leaky?: unknown }).__leaky
})
