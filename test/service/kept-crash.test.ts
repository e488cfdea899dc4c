// slow: the service as a process, killed and started again
// kill -9 while webhooks are queued and delivered: acknowledged ones arrive, in order.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { cookieOf, spawnService } from './process.ts'

const ACCOUNT = { username: 'ada', password: 'correct horse battery' }
const TOKEN = 'a-token-that-nobody-may-read-0123456789'
const MANIFEST = {
  id: 'hooked',
  name: 'hooked',
  version: '1.0.0',
  api: '^1.0.0',
  kind: 'service',
  routes: [
    { method: 'GET', path: '/api/hooked' },
    {
      method: 'POST',
      path: '/webhook/hooked',
      auth: 'W',
      whenDown: { status: 200, body: { queued: true }, keep: true },
    },
  ],
}
const CODE = `
import { definePlugin } from '@playhead/sdk'
export default definePlugin({
  routes(app) {
    const { store } = app.playhead
    const heard = async () => (await store.get('heard')) ?? []
    app.get('/api/hooked', async () => ({ heard: await heard() }))
    app.post('/webhook/hooked', async (request) => {
      await new Promise((resolve) => setTimeout(resolve, 10))
      await store.set('heard', [...(await heard()), request.body.n])
      return { ok: true }
    })
  },
})
`

t.setTimeout(900_000)

t.test('kill -9 loses no acknowledged queued request', async (t) => {
  const data = join(t.testdir(), 'data')
  const plugin = join(data, '..', 'hooked')
  await mkdir(plugin)
  await mkdir(data)
  await writeFile(join(plugin, 'plugin.json'), JSON.stringify(MANIFEST))
  await writeFile(join(plugin, 'index.ts'), CODE)
  const registry = (enabled: boolean) =>
    writeFile(
      join(data, 'plugin-registry.json'),
      JSON.stringify({ version: 1, plugins: [{ id: 'hooked', source: '../hooked', enabled }] }),
    )

  await registry(false)
  const first = await spawnService(data)
  await first.post('/api/app-auth/credentials', { enabled: true, ...ACCOUNT })
  const acknowledged: number[] = []
  for (let n = 0; n < 20; n += 1) {
    const answer = await first.post(`/webhook/hooked?token=${TOKEN}`, { n })
    if (answer.status === 200) acknowledged.push(n)
  }
  const rest = Promise.allSettled(
    Array.from({ length: 100 }, async (_, index) => {
      const answer = await first.post(`/webhook/hooked?token=${TOKEN}`, { n: 100 + index })
      if (answer.status === 200) acknowledged.push(100 + index)
      if (acknowledged.length === 60) void first.kill('SIGKILL')
    }),
  )
  await rest
  await first.ended
  t.ok(acknowledged.length >= 60, `${acknowledged.length} were acknowledged`)
  t.notMatch(first.lines.join('\n'), TOKEN)

  await registry(true)
  let heard: readonly number[] = []
  let kills = 0
  for (let round = 0; round < 30 && !acknowledged.every((n) => heard.includes(n)); round += 1) {
    const service = await spawnService(data)
    const cookie = cookieOf(await service.post('/api/app-auth/login', ACCOUNT))
    await sleep(round < 2 ? 150 : 3_000)
    heard = ((await (await service.get('/api/hooked', cookie)).json()) as { heard: number[] }).heard
    kills += 1
    await service.kill('SIGKILL')
  }
  t.ok(kills > 1, 'it was killed while it delivered')
  t.strictSame(
    acknowledged.filter((n) => !heard.includes(n)),
    [],
    'all arrived',
  )
  const once = [...new Set(heard)]
  t.strictSame(
    once.filter((n) => n < 100),
    Array.from({ length: 20 }, (_, n) => n),
    'in order',
  )
  t.ok(heard.length - once.length <= kills, 'each kill repeats one request at most')
})
