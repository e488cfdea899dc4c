// Time in which the whole process was stopped is not a stall.
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

t.test('a process that is stopped and goes on blames no plugin', async (t) => {
  const { start } = await openWorld(t, BUSY)
  const service = await start()

  for (let time = 0; time < 6; time += 1) {
    service.kill('SIGSTOP')
    // The stop: the process gets no CPU time.
    await sleep(FROZEN_MS)
    service.kill('SIGCONT')
    t.equal((await service.call('/api/looping')).status, 200)
  }

  t.match(await service.plugin(), { state: 'active', faults: 0, last_error: null })
  await service.stop()
})
