// Plugins with their own thread: the cost of a call and a large read compared with the service's thread, and the effect on
// others when they hang or run out of memory.
import { startService, until } from '../harness.ts'
import { startChild } from './child.ts'
import type { Figure } from './index.ts'

const ROWS = Number(process.env['BENCH_ROWS'] ?? 100_000)
const TURNS = 3
const CALLS = 5_000
const LOOPS = Number(process.env['BENCH_LOOPS'] ?? 100)
const OUT_OF_MEMORY = Math.ceil(LOOPS / 5)
const ASKERS = 4

export async function benchIsolation(): Promise<readonly Figure[]> {
  return [...(await benchReads()), ...(await benchDeaths())]
}

/** Alternating, so that a slow machine slows down both. */
async function benchReads(): Promise<readonly Figure[]> {
  await using stand = await startChild(new URL('./providers/stand-process.ts', import.meta.url))
  const settings = await stand.ask('start', { provider: 'MEDIAB', count: ROWS, latencyMs: 0 })
  await stand.ask('fill', { feature: 'history', count: ROWS })
  const file = new URL('./providers/provider-process.ts', import.meta.url)
  await using near = await startChild(file, ['--expose-gc'])
  await using isolated = await startChild(file, ['--expose-gc'])
  await near.ask('start', { provider: 'MEDIAB', settings })
  await isolated.ask('start', { provider: 'MEDIAB', settings, isolated: true })
  const ratios: number[] = []
  let rows = 0
  for (let turn = 0; turn <= TURNS; turn += 1) {
    const first = await near.ask('read', { feature: 'history' })
    const second = await isolated.ask('read', { feature: 'history' })
    if (second.rows !== first.rows || second.complete !== true) throw new Error(`${second.rows} of ${first.rows} rows`)
    rows = second.rows
    // The first turn is a warm-up.
    if (turn > 0) ratios.push(second.ms / first.ms)
  }
  const nearCall = await near.ask('call', { times: CALLS })
  const isolatedCall = await isolated.ask('call', { times: CALLS })
  return [
    { what: 'a small call of a capability in the thread of the service', value: nearCall, unit: 'us' },
    { what: 'the same call to a thread of its own', value: isolatedCall, unit: 'us' },
    {
      what: `read of ${rows} rows (Jellyfin), to the same in the thread of the service`,
      value: ratios.toSorted((a, b) => a - b)[Math.floor(ratios.length / 2)] as number,
      unit: 'x',
      aim: '<= 1.3',
    },
  ]
}

const BAD = `import { definePlugin } from '@playhead/sdk'
export default definePlugin({
  routes(app) {
    app.get('/api/bad', () => ({ ok: true }))
    app.get('/api/bad/loop', () => { for (;;) {} })
    app.get('/api/bad/memory', () => { const all = []; for (;;) all.push(new Array(50_000).fill(Math.random())) })
  },
})`
const GOOD = `import { definePlugin } from '@playhead/sdk'
export default definePlugin({ routes: (app) => void app.get('/api/good', () => ({ ok: true })) })`
const route = (path: string) => ({ method: 'GET', path })

async function benchDeaths(): Promise<readonly Figure[]> {
  await using service = await startService({
    plugins: {
      bad: {
        manifest: {
          isolation: 'thread',
          needs: { memory: 64 },
          routes: [route('/api/bad'), route('/api/bad/loop'), route('/api/bad/memory')],
        },
        files: { 'index.ts': BAD },
      },
      good: { manifest: { routes: [route('/api/good')] }, files: { 'index.ts': GOOD } },
    },
    host: { silenceMs: 500 },
    watch: false,
  })
  let asked = 0
  let failed = 0
  let slowestMs = 0
  let isOver = false
  const askers = Array.from({ length: ASKERS }, async () => {
    while (!isOver) {
      const startedAt = performance.now()
      const { status } = await service.call('/api/good')
      slowestMs = Math.max(slowestMs, performance.now() - startedAt)
      asked += 1
      if (status !== 200) failed += 1
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  })
  let answered = 0
  for (let turn = 0; turn < LOOPS + OUT_OF_MEMORY; turn += 1) {
    const path = turn % 6 === 5 ? '/api/bad/memory' : '/api/bad/loop'
    const { status } = await service.call(path)
    if (status === 503) answered += 1
    // Reload manually, so that the bench does not wait for the growing delays.
    await service.call('/api/plugins/bad/reload', { method: 'POST' })
    await until('it is started again', async () => (await service.call('/api/bad')).status === 200, 60_000)
  }
  isOver = true
  await Promise.all(askers)
  return [
    { what: `${LOOPS} loops and ${OUT_OF_MEMORY} times out of memory: answered with 503`, value: answered, unit: '' },
    { what: 'requests to other plugins meanwhile', value: asked, unit: '' },
    { what: 'of these failed', value: failed, unit: '', aim: '0' },
    { what: 'slowest of these', value: slowestMs, unit: 'ms' },
  ]
}
