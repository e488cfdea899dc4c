// slow: the service as a process, killed and started again
// kill -9 while notifications are stored, sent and marked as sent: accepted notifications arrive at least once, and a repeated
// one is marked as a possible repeat.
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { expectOk } from '../demo/sign-in.ts'
import { until } from '../harness.ts'
import { seed } from '../fast-check.ts'
import { createSeededRandom } from '../upstreams/base/index.ts'
import { clientOf, cookieOf, spawnService } from './process.ts'

const ACCOUNT = { username: 'ada', password: 'correct horse battery' }
const ROUNDS = Number(process.env['PLAYHEAD_CRASHES'] ?? 12)
/** A rule sends at most a thousand messages per hour, including retries. */
const PER_RULE = 40
const random = createSeededRandom(seed)

t.setTimeout(180_000 + ROUNDS * 30_000)

const MANIFEST = {
  ...{ id: 'teller', name: 'teller', version: '1.0.0', api: '^1.0.0', kind: 'service', isolation: 'none' },
  requires: ['notifications'],
  routes: [{ method: 'POST', path: '/api/teller' }],
}
const CODE = `
import { definePlugin, NOTIFICATIONS } from '@playhead/sdk'
export default definePlugin({
  routes(app) {
    const service = app.playhead.use(NOTIFICATIONS)
    app.post('/api/teller', async ({ body: { title, target } }) => {
      const notice = { event: 'teller.said', title, text: '', severity: 'info' }
      if (target === undefined) return { stored: await service.tell(notice) }
      await service.deliver(target, notice)
      return { stored: 1 }
    })
  },
})
`

interface Received {
  readonly id: string
  readonly title: string
  readonly text: string
  readonly repeat?: boolean
}

t.test('kill -9 loses no accepted notification, and none is repeated unmarked', async (t) => {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const message = (await json(request)) as Received
    await sleep(random.integer(0, 40))
    received.push(message)
    response.writeHead(200).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`

  const data = join(t.testdir(), 'data')
  const plugin = join(data, '..', 'teller')
  for (const folder of [plugin, data]) await mkdir(folder)
  await writeFile(join(plugin, 'plugin.json'), JSON.stringify(MANIFEST))
  await writeFile(join(plugin, 'index.ts'), CODE)
  await writeFile(
    join(data, 'plugin-registry.json'),
    JSON.stringify({ version: 1, plugins: [{ id: 'teller', source: '../teller', enabled: true }] }),
  )
  let service = await spawnService(data)
  await service.post('/api/app-auth/credentials', { enabled: true, ...ACCOUNT })
  let client = await clientOf(service, ACCOUNT)
  // The webhook plugin may need a while to apply new settings.
  await client.json('/api/notifications/targets', {
    json: { notifier: 'webhook', name: 'Mine', enabled: true, settings: { url } },
  })
  const target = await until(
    'the target is there',
    async () => (await client.json('/api/notifications/targets')).body.targets[0] as { id: string } | undefined,
    60_000,
  )
  const useRule = (name: string) =>
    expectOk(client, '/api/notifications/rules', {
      ...{ name, enabled: true, events: ['teller.said'], targets: [target.id], max_per_hour: 1_000 },
    })
  const log = async (state: string) => (await client.json(`/api/notifications/log?limit=1&state=${state}`)).body.total
  const isEmpty = async () => (await log('queued')) + (await log('sending')) === 0
  let rule = (await useRule('rule 0')).rule

  const accepted: string[] = []
  let interrupted = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    if (round > 0 && round % PER_RULE === 0) {
      await client.json(`/api/notifications/rules/${rule.id}`, { method: 'DELETE' })
      rule = (await useRule(`rule ${round}`)).rule
    }
    const cookie = cookieOf(await service.post('/api/app-auth/login', ACCOUNT))
    const telling = Promise.allSettled(
      Array.from({ length: 12 }, async (_, n) => {
        await sleep(random.integer(0, 300))
        const title = `<${round}.${n}>`
        const to = n % 3 === 0 ? {} : { target: { id: target.id, name: 'Mine' } }
        const answer = await service.post('/api/teller', { title, ...to }, cookie)
        if (answer.status !== 200) return
        t.match(await answer.json(), { stored: 1 })
        accepted.push(title)
      }),
    )
    await sleep(random.integer(20, 600))
    const before = received.length
    await service.kill('SIGKILL')
    await telling
    if (accepted.some((title) => !arrived(received.slice(0, before), title))) interrupted += 1
    service = await spawnService(data)
    if (service.url === null) return t.fail(`round ${round}: it does not start: ${service.lines.join('\n')}`)
    client = await clientOf(service, ACCOUNT)
    // A message names at most twenty notices, so the queue must drain; other rounds continue at once.
    if (round % 3 === 2) await until('all was sent', isEmpty, 100_000)
  }
  await until('all was sent', isEmpty, 100_000)
  await service.kill('SIGTERM')

  t.ok(accepted.length > ROUNDS, `${accepted.length} were accepted`)
  t.ok(interrupted > 0, `${interrupted} kills were in the middle of something`)
  t.strictSame(
    accepted.filter((title) => !arrived(received, title)),
    [],
    'each arrived',
  )
  const ids = new Set<string>()
  for (const { id, title, repeat } of received) {
    if (ids.has(id)) t.equal(repeat, true, `${title} came again, and says so`)
    ids.add(id)
  }
  t.equal(await failedIn(data), 0, 'none was given up')
})

async function failedIn(data: string): Promise<number> {
  const service = await spawnService(data)
  const client = await clientOf(service, ACCOUNT)
  const { total } = (await client.json('/api/notifications/log?limit=1&state=failed')).body
  await service.kill('SIGKILL')
  return total
}

function arrived(received: readonly Received[], title: string): boolean {
  return received.some((one) => one.title.includes(title) || one.text.includes(title))
}
