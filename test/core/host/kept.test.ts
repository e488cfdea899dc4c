// slow: real threads, disks and waits
// Webhooks of a plugin that is not running are queued, and delivered in order when it runs.
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { type FixturePlugin, type Service, startService, until } from '../../harness.ts'

const TOKEN = 'a-token-that-nobody-may-read-0123456789'

/** Records the arrived webhooks; `handler` runs first. */
const source = (handler = '', setup = '') => `
import { definePlugin, readWebhooks, receivedAtMs, webhookBody } from '@playhead/sdk'
export default definePlugin({
  async setup(ctx) { ${setup} },
  routes(app) {
    const ctx = app.playhead
    app.get('/api/heard', async () => ({ heard: (await ctx.store.get('heard')) ?? [] }))
    app.register(async (hooks) => {
      readWebhooks(hooks, { fields: () => ['payload'] })
      hooks.post('/webhook/kept', async (request, reply) => {
        const body = webhookBody(request)
        const n = body.ok ? body.payload.n : body.reason
        ${handler}
        const heard = (await ctx.store.get('heard')) ?? []
        heard.push({
          n,
          token: request.query.token,
          at: receivedAtMs(request),
          address: request.caller.address,
          cookie: request.headers.cookie,
          authorization: request.headers.authorization,
          agent: request.headers['user-agent'],
        })
        await ctx.store.set('heard', heard)
        return { ok: true, direct: true }
      })
    })
  },
})
`

const plugin = (code = source()): FixturePlugin => ({
  manifest: {
    routes: [
      { method: 'GET', path: '/api/heard' },
      {
        method: 'POST',
        path: '/webhook/kept',
        auth: 'W',
        whenDown: { status: 200, body: { ok: true, queued: true }, keep: true },
      },
    ],
  },
  files: { 'index.ts': code },
})

const start = (code?: string, options: Parameters<typeof startService>[0] = {}) =>
  startService({
    plugins: { kept: plugin(code) },
    watch: false,
    ...options,
    host: { keptPauseMs: 20, ...options.host },
  })

const send = (service: Service, n: unknown, headers: Readonly<Record<string, string>> = {}) =>
  service.json(`/webhook/kept?token=${TOKEN}`, { json: { n }, headers })

interface Heard {
  readonly n: unknown
  readonly token: string
  readonly at?: number
  readonly [field: string]: unknown
}

const heard = async (service: Service): Promise<readonly Heard[]> => (await service.json('/api/heard')).body.heard

const numbers = (list: readonly Heard[]) => list.map(({ n }) => n)

async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}

const keptFiles = async ({ directory }: Service) => filesBelow(join(directory, 'data', 'run', 'kept'))

t.test('webhooks that arrive while a plugin is off are delivered unchanged when it is on', async (t) => {
  await using service = await start()
  await service.host.disable('kept')
  const before = Date.now()
  const fake = {
    'x-playhead-received-at': '1',
    authorization: 'Bearer xyz',
    cookie: 'a=b',
    'user-agent': 'PlexMediaServer',
  }
  for (let n = 0; n < 20; n += 1)
    t.match(await send(service, n, fake), { status: 200, body: { ok: true, queued: true } })
  const form = new FormData()
  form.set('payload', '{"n":"multipart"}')
  form.set('thumb', new Blob([new Uint8Array(300_000)]), 'thumb.jpg')
  await (await service.call(`/webhook/kept?token=${TOKEN}`, { method: 'POST', body: form })).arrayBuffer()
  const after = Date.now()
  const files = await keptFiles(service)
  t.equal(files.length, 21)
  for (const file of await filesBelow(join(service.directory, 'data'))) {
    const content = await readFile(file, 'latin1')
    t.notOk(content.includes(TOKEN), `${file} does not hold the token`)
    t.notOk(content.includes('PlexMediaServer'))
  }
  t.notMatch(service.log.join('\n'), TOKEN)

  await service.host.enable('kept')
  await until('all are delivered', async () => (await heard(service)).length === 21)
  const list = await heard(service)
  t.strictSame(numbers(list), [...Array.from({ length: 20 }, (_, n) => n), 'multipart'])
  for (const one of list) {
    t.equal(one.token, TOKEN)
    t.ok(Number(one.at) >= before && Number(one.at) <= after)
    t.match(one, { address: '127.0.0.1', cookie: undefined, authorization: undefined })
  }
  t.equal(list[0]?.['agent'], 'PlexMediaServer')
  await until('the files are gone', async () => (await keptFiles(service)).length === 0)

  t.match(await send(service, 'live', fake), { body: { direct: true } })
  t.equal((await heard(service)).at(-1)?.at, undefined, 'only the host says when it arrived')
})

t.test('a plugin that cannot be loaded gets its requests after it was repaired', async (t) => {
  await using service = await start(`throw new Error('broken')\n${source()}`)
  await send(service, 1)
  await send(service, 2)
  await service.write('kept', 'index.ts', source())
  await service.host.reload('kept')
  await until('they are delivered', async () => (await heard(service)).length === 2)
  t.strictSame(numbers(await heard(service)), [1, 2])
})

t.test('a restart in between keeps them, also for a plugin that is loaded on first use', async (t) => {
  const directory = t.testdir()
  {
    await using service = await start(undefined, { directory, host: { snapshotMs: 10 } })
    await sleep(300)
    await service.host.disable('kept')
    await send(service, 1)
  }
  {
    await using service = await start(undefined, { directory, withoutAccount: true })
    t.equal((await keptFiles(service)).length, 1, 'it is still off')
    await service.host.enable('kept')
    await until('it is delivered', async () => (await keptFiles(service)).length === 0)
  }
})

t.test('a plugin gets what is kept for one that became part of it', async (t) => {
  const directory = t.testdir()
  {
    await using service = await start(undefined, { directory, plugins: { old: plugin() } })
    await service.host.disable('old')
    for (const n of [1, 2]) await send(service, n)
    t.match(await keptFiles(service), [/\.old$/, /\.old$/])
  }
  // The registry of the person still turns the old one off.
  const kept = { ...plugin(), registry: { formerly: ['old'] } }
  await using service = await start(undefined, { directory, plugins: { kept }, withoutAccount: true })
  await until('they are delivered', async () => (await keptFiles(service)).length === 0)
  const log = service.log.join('\n')
  t.match(log, /kept requests were delivered/)
  t.notMatch(log, /lists "old" without a source|cannot be read/)
  t.match(await service.host.list(), [{ id: 'kept', state: 'active' }])
})

t.test('nothing is lost or out of order while the plugin is reloaded, toggled and broken under load', async (t) => {
  await using service = await start(source('await new Promise((resolve) => setTimeout(resolve, 2))'))
  let isOver = false
  let sent = 0
  const direct = { count: 0 }
  const firing = (async () => {
    while (!isOver) {
      const { status, body } = await send(service, sent)
      t.equal(status, 200)
      if (body.direct === true) direct.count += 1
      sent += 1
    }
  })()
  for (let round = 0; round < 4; round += 1) {
    await service.host.reload('kept')
    await service.host.disable('kept')
    await sleep(30)
    await service.host.enable('kept')
    await service.write('kept', 'index.ts', round % 2 === 0 ? 'export default 1 +' : source())
    await service.host.reload('kept')
    await sleep(50)
  }
  await service.write('kept', 'index.ts', source())
  await service.host.reload('kept')
  await sleep(200)
  isOver = true
  await firing
  await until('all are delivered', async () => (await keptFiles(service)).length === 0)
  t.ok(direct.count > 0 && direct.count < sent, `${direct.count} of ${sent} went through at once`)
  t.strictSame(
    [...new Set(numbers(await heard(service)))],
    Array.from({ length: sent }, (_, n) => n),
  )
})

t.test('a failing request is retried in its place; one that always fails is dropped', async (t) => {
  await using service = await start()
  await service.host.disable('kept')
  for (const n of ['first', 'twice', 'poison', 'last']) await send(service, n)
  await service.write(
    'kept',
    'index.ts',
    source(`
      globalThis.tries ??= {}
      tries[n] = (tries[n] ?? 0) + 1
      if (n === 'poison' || (n === 'twice' && tries[n] < 3)) return reply.code(500).send({ ok: false, error: 'internal' })
      if (n === 'first' && tries[n] < 9) return reply.code(503).send({ ok: false, error: 'not_ready' })`),
  )
  await service.host.enable('kept')
  await until('the end is reached', async () => (await keptFiles(service)).length === 0)
  t.strictSame(numbers(await heard(service)), ['first', 'twice', 'last'])
  t.match(service.log.join('\n'), /kept request was given up/)
})

t.test('a body that is too large, too slow or truncated is not queued, which is logged', async (t) => {
  await using service = await start()
  await service.host.disable('kept')
  const large = await service
    .json('/webhook/kept', { method: 'POST', body: new Uint8Array(6 * 1024 * 1024) })
    .catch(() => null)
  if (large !== null) t.match(large, { status: 200 })
  const { port } = new URL(service.url)
  const socket = connect(Number(port), '127.0.0.1', () => {
    socket.write('POST /webhook/kept HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nabc')
    setTimeout(() => socket.destroy(), 50)
  })
  await until(
    'both are in the log',
    () => /too_large/.test(service.log.join('\n')) && /"lost"/.test(service.log.join('\n')),
  )
  t.equal((await keptFiles(service)).length, 0)
})

t.test('damaged files are dropped, and others delivered', async (t) => {
  await using service = await start()
  await service.host.disable('kept')
  for (let n = 0; n < 3; n += 1) await send(service, n)
  const [first = '', second = ''] = [...(await keptFiles(service))].sort()
  await writeFile(first, 'enc:v1:AAAA')
  await writeFile(second, (await readFile(first, 'utf8')).slice(0, 3))
  await service.host.enable('kept')
  await until('the rest is delivered', async () => (await keptFiles(service)).length === 0)
  t.strictSame(numbers(await heard(service)), [2])
})

t.test('only webhooks may be queued', async (t) => {
  const wrong = plugin()
  const routes = ((wrong.manifest?.['routes'] ?? []) as object[]).map((route) => ({ ...route, auth: 'P' }))
  await using service = await startService({ plugins: { kept: { ...wrong, manifest: { routes } } }, watch: false })
  t.match(await service.plugin('kept'), {
    state: 'blocked',
    last_error: { message: /only webhooks \(auth W\) are kept/ },
  })
})
