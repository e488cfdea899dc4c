// Time in which the whole process was suspended is not a stall.
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { openWorld } from './watched-service.ts'

// Short consecutive slices: the plugin is working at every check.
const BUSY = `import { definePlugin } from '@playhead/sdk'

export default definePlugin({
  setup() {
    setInterval(() => {
      const until = performance.now() + 8
      while (performance.now() < until) {}
    }, 1)
  },
  routes(app) {
    app.get('/api/looping', () => ({}))
  },
})
`
const FROZEN_MS = 900

t.test('a suspended and resumed process blames no plugin', async (t) => {
  const { start } = await openWorld(t, BUSY)
  const service = await start()

  for (let time = 0; time < 6; time += 1) {
    service.kill('SIGSTOP')
    // The process is suspended and gets no CPU time.
    await sleep(FROZEN_MS)
    service.kill('SIGCONT')
    t.equal((await service.call('/api/looping')).status, 200)
  }

  t.match(await service.plugin(), { state: 'active', faults: 0, last_error: null })
  await service.stop()
})

const BUSY_MACHINE = `import { definePlugin, Type } from '@playhead/sdk'
import { Worker } from 'node:worker_threads'

const cell = new Int32Array(new SharedArrayBuffer(4))
const ownMs = () => { const { user, system } = globalThis.process.threadCpuUsage(); return (user + system) / 1_000 }

export default definePlugin({
  routes(app) {
    app.get('/api/beside/waits', async () => {
      const worker = new Worker('for (;;) {}', { eval: true })
      await new Promise((resolve) => worker.once('online', resolve))
      Atomics.wait(cell, 0, 0, 2_500)
      await worker.terminate()
      return {}
    })
    app.get('/api/beside/works', () => {
      const end = ownMs() + 500
      while (ownMs() < end) {}
      return {}
    })
  },
})
`

t.test('CPU time of other threads, and of other processes, is no loop', async (t) => {
  const { start } = await openWorld(t, BUSY, {
    manifest: {
      needs: { builtins: ['node:worker_threads'] },
      routes: ['waits', 'works'].map((name) => ({ method: 'GET', path: `/api/beside/${name}`, auth: 'P' })),
    },
    code: BUSY_MACHINE,
  })
  const service = await start()
  t.match(await service.call('/api/beside/waits'), { status: 200 }, 'another thread works while this one waits')

  // A tenth of the CPU time, as with a small quota: the work takes five seconds.
  let isThrottled = true
  const throttling = (async () => {
    while (isThrottled) {
      service.kill('SIGSTOP')
      await sleep(90)
      service.kill('SIGCONT')
      await sleep(10)
    }
  })()
  const answer = await service.call('/api/beside/works').catch(() => null)
  isThrottled = false
  await throttling
  t.match(answer, { status: 200 }, 'the service goes on')
  t.same(
    service.lines.filter(({ level }) => level >= 60),
    [],
  )
  await service.stop()
})
