// slow: real threads, disks and waits
// A plugin with an endless loop ends the process once, is reported with its position, and stays quarantined until it changes.
import { setTimeout } from 'node:timers/promises'
import t from 'tap'
import { until } from '../../harness.ts'
import { openWorld } from './watched-service.ts'

const LOOP = `import { definePlugin, Type } from '@playhead/sdk'

function spin(turns: number): number {
  let turn = 0
  while (turn < turns) turn += turns === Infinity ? 1 : turns
  return turn
}

export default definePlugin({
  config: Type.Object({ turns: Type.Number({ default: 0 }) }),
  routes(app) {
    app.get('/api/looping', () => ({ turns: spin(app.playhead.config.turns === 0 ? Infinity : 1) }))
  },
})
`

t.test('a looping plugin is left out at every start, until its file is repaired', async (t) => {
  const { start, loop, write } = await openWorld(t, LOOP)
  const first = await start()
  await loop(first)

  const last = first.lines.at(-1)
  t.match(
    last,
    { level: 60, plugin: 'looping', msg: /plugin "looping" held the event loop for \d+ ms in spin \(index\.ts:5\)/ },
    'the last line names it',
  )

  for (const time of ['next', 'one after']) {
    const service = await start()
    t.match(
      await service.plugin(),
      {
        state: 'quarantined',
        retry_at: null,
        last_error: { code: 'PLH_PLUGIN_QUARANTINED', message: /spin \(index\.ts:5\)/ },
      },
      `not run at the ${time} start`,
    )
    t.match(await service.call('/api/looping'), { status: 503, body: { plugin: 'looping', state: 'quarantined' } })
    await service.call('/api/plugins/rescan', {})
    t.equal((await service.plugin()).state, 'quarantined')
    if (time === 'next') await service.stop()
    else {
      await service.call('/api/plugins/looping/reload', {})
      t.equal((await service.plugin()).state, 'active', 'a person may try it again')
      await loop(service)
    }
  }

  await write(LOOP.replace('turns === Infinity ? 1 : turns', 'turns'))
  const service = await start()
  t.match(await service.plugin(), { state: 'active', last_error: null }, 'a repaired file is loaded at the next start')
  t.equal((await service.call('/api/looping')).status, 200)
  await service.stop()
})

t.test('a plugin is loaded again when its file or its settings change while the service runs', async (t) => {
  const { start, loop, write } = await openWorld(t, LOOP)
  await loop(await start())

  const second = await start()
  t.equal((await second.plugin()).state, 'quarantined')
  await write(`${LOOP}// The same mistake in another file.\n`)
  await until('another file is loaded', async () => (await second.plugin()).state === 'active')
  await loop(second)

  const third = await start()
  t.equal((await third.plugin()).state, 'quarantined', 'another version that loops is left out as well')
  t.equal((await third.call('/api/config', { runtime: { debug: true } })).status, 200)
  t.equal((await third.plugin()).state, 'quarantined', 'settings of others do not matter')
  t.equal((await third.call('/api/config', { plugins: { looping: { turns: 3 } } })).status, 200)
  await until('other settings load it', async () => (await third.plugin()).state === 'active')
  t.match(await third.call('/api/looping'), { status: 200 })
  await third.stop()
})

const ASKS = `import { definePlugin, hook } from '@playhead/sdk'
const ASKED = hook.review('beside.asked')
export default definePlugin({
  hooks: [ASKED],
  routes(app) {
    app.get('/api/beside', async () => ({ answers: await app.playhead.callHook(ASKED, { n: 1 }) }))
  },
})
`
const TAPS = `import { definePlugin, hook } from '@playhead/sdk'

function judge(): number {
  for (;;) {}
}

export default definePlugin({
  setup: (ctx) => ctx.tap(hook.review('beside.asked'), 'judge', () => judge()),
})
`

t.test('a plugin that loops in a hook of another one is left out of it at every start, until it changes', async (t) => {
  const { start, write } = await openWorld(t, TAPS, {
    manifest: { routes: [{ method: 'GET', path: '/api/beside', auth: 'P' }] },
    code: ASKS,
  })
  const first = await start()
  await t.rejects(first.call('/api/beside'))
  t.same(await first.ended, [null, 'SIGKILL'])
  t.match(first.lines.at(-1), { plugin: 'looping', msg: /in judge \(index\.ts:4\)/ })
  for (const end of ['SIGTERM', 'SIGKILL'] as const) {
    const service = await start()
    t.match(await service.plugin(), { state: 'quarantined', retry_at: null }, `before the ${end}`)
    t.match(await service.call('/api/beside'), { status: 200, body: { answers: [] } }, 'others go on without it')
    service.kill(end)
    await service.ended
  }
  await write(TAPS.replace('for (;;) {}', 'return 1'))
  const service = await start()
  t.equal((await service.plugin()).state, 'active')
  t.match(await service.call('/api/beside'), { status: 200, body: { answers: [{ plugin: 'looping', answer: 1 }] } })
  await service.stop()
})

const WAITS = `import { definePlugin, Type } from '@playhead/sdk'
const slow = new Int32Array(new SharedArrayBuffer(4))
export default definePlugin({
  routes(app) {
    app.get('/api/looping', { schema: { querystring: Type.Object({ ms: Type.Number() }) } }, ({ query }) => ({
      waited: Atomics.wait(slow, 0, 0, query.ms),
    }))
  },
})
`

t.test('waiting without work, as for a slow disk, is no loop; a deadlock ends all the same', async (t) => {
  const { start } = await openWorld(t, WAITS)
  const first = await start()
  t.match(await first.call('/api/looping?ms=3000'), { status: 200, body: { waited: 'timed-out' } })
  const waiting = t.rejects(first.call('/api/looping?ms=5000'))
  await setTimeout(2_500)
  first.kill('SIGKILL')
  await Promise.all([waiting, first.ended])
  const second = await start()
  t.match(await second.plugin(), { state: 'active', last_error: null }, 'it is not to blame')
  await t.rejects(second.call('/api/looping?ms=60000'))
  t.same(await second.ended, [null, 'SIGKILL'])
  t.match(second.lines.at(-1), { level: 60, msg: /held the event loop for [6-9]\d{3} ms/ })
})
