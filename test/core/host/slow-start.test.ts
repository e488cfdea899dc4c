// slow: real threads, disks and waits
// A plugin that takes longer than the start of the service: other plugins wait for its capabilities.
import t from 'tap'
import { startService } from '../../harness.ts'

for (const isolation of ['none', 'thread'] as const)
  t.test(
    `after a slow start, calls of a plugin that is still being loaded wait for it, isolation: ${isolation}`,
    async (t) => {
      const late = {
        manifest: { provides: ['thing:late'] },
        files: {
          'index.ts': `
import { capability, definePlugin } from '@playhead/sdk'
export default definePlugin({
  async setup(ctx) {
    ctx.provide(capability('thing:late'), { say: (word) => word + '!', async *count() { yield 1; yield 2 } })
    await new Promise((resolve) => setTimeout(resolve, 3_000))
  },
})`,
        },
      }
      const caller = {
        manifest: {
          isolation,
          optional: ['thing:late', 'thing:none'],
          routes: [{ method: 'GET', path: '/api/caller' }],
        },
        files: {
          'index.ts': `
import { capability, definePlugin } from '@playhead/sdk'
export default definePlugin({
  routes(app) {
    const late = app.playhead.use(capability('thing:late'))
    app.get('/api/caller', async () => {
      const other = app.playhead.tryUse(capability('thing:late'))
      const none = app.playhead.tryUse(capability('thing:none'))
      const counted = []
      const [said] = await Promise.all([late.say('hi'), (async () => { for await (const n of other.count()) counted.push(n) })()])
      return { said, counted, none: none === undefined }
    })
  },
})`,
        },
      }
      await using service = await startService({ plugins: { late, caller } })
      t.equal((await service.plugin('late')).state, 'staging', 'the service answers before it is there')
      t.same((await service.json('/api/caller')).body, { said: 'hi!', counted: [1, 2], none: true })
      t.equal((await service.plugin('late')).state, 'active')
    },
  )

t.test('a request waits for a while, and then gets a retry time', async (t) => {
  const slow = {
    manifest: { routes: [{ method: 'GET', path: '/api/slow' }] },
    files: {
      'index.ts': `
import { definePlugin } from '@playhead/sdk'
export default definePlugin({
  async setup() {
    await new Promise((resolve) => setTimeout(resolve, 8_000))
  },
  routes(app) {
    app.get('/api/slow', async () => ({ ok: true }))
  },
})`,
    },
  }
  await using service = await startService({ plugins: { slow } })
  const first = await service.call('/api/slow')
  t.equal(first.status, 503)
  t.equal(first.headers.get('retry-after'), '5')
  t.match(await first.json(), { error: 'plugin_unavailable', plugin: 'slow', state: 'staging' })
  t.match(await service.json('/api/slow'), { status: 200 }, 'it arrives while the second one waits')
})
