// The service as people start it: environment, stop, restart, a broken configuration, an endless loop in a plugin.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { until } from '../harness.ts'
import { cookieOf, spawnService, type ServiceProcess } from './process.ts'

const ACCOUNT = { username: 'ada', password: 'correct horse battery' }

t.setTimeout(300_000)

const signUp = async (service: ServiceProcess) =>
  cookieOf(await service.post('/api/app-auth/credentials', { enabled: true, ...ACCOUNT }))

t.test('a wrong value in the environment is one line and exit 1', async (t) => {
  for (const [name, value, expected] of [
    ['PLAYHEAD_PORT', '99999', /^playhead: PLAYHEAD_PORT must be a whole number from 0 to 65535, not "99999"\.$/],
    ['PLAYHEAD_HOST', 'not a host', /^playhead: PLAYHEAD_HOST must be/],
    ['PLAYHEAD_LOG_LEVEL', 'loud', /^playhead: PLAYHEAD_LOG_LEVEL must be one of fatal, error/],
    ['PLAYHEAD_ALLOW_NO_AUTH', 'perhaps', /^playhead: PLAYHEAD_ALLOW_NO_AUTH must be 1 or 0/],
    ['PLAYHEAD_PUBLIC_URL', 'ftp://x', /^playhead: PLAYHEAD_PUBLIC_URL must be an address/],
    ['PLAYHEAD_SECRET_KEY', 'short', /^playhead: PLAYHEAD_SECRET_KEY must have at least 12 characters\.$/],
  ] as const) {
    const service = await spawnService(join(t.testdir(), 'data'), { [name]: value })
    t.equal(service.url, null, name)
    t.same(await service.ended, [1, null], name)
    t.equal(service.lines.length, 1, name)
    t.match(service.lines[0], expected)
    t.notMatch(service.lines[0], /short/, 'a secret is not repeated')
  }
})

t.test('a second service on the same data directory says who holds it, and exits 1', async (t) => {
  const data = join(t.testdir(), 'data')
  const service = await spawnService(data, {}, ['--safe'])
  const second = await spawnService(data, {}, ['--safe'])
  t.same(await second.ended, [1, null])
  t.match(second.lines.join('\n'), /^playhead: .*(in use|another|held)/i)
  await service.kill('SIGTERM')
})

t.test('SIGTERM ends it in order with exit 0, and apply-now with the code that asks for a restart', async (t) => {
  const data = join(t.testdir(), 'data')
  const service = await spawnService(data)
  const cookie = await signUp(service)
  const stream = await service.get('/api/plugins/stream', cookie)
  t.same(await service.kill('SIGTERM'), [0, null])
  await t.resolves(stream.text(), 'an open stream is ended, not cut')

  const again = await spawnService(data)
  const answer = await again.post(
    '/api/app-auth/apply-now',
    {},
    cookieOf(await again.post('/api/app-auth/login', ACCOUNT)),
  )
  t.same(await answer.json(), { ok: true })
  t.same(await again.ended, [75, null])
})

t.test(
  'a configuration that cannot be read fails closed: health answers, everything else is refused, the file is not touched',
  async (t) => {
    const data = join(t.testdir(), 'data')
    await mkdir(data, { recursive: true })
    await writeFile(join(data, 'config.json'), '{ "app_auth": ')
    const service = await spawnService(data)

    t.same(await (await service.get('/api/health')).json(), { ok: true, status: 'ok' })
    for (const path of ['/api/config', '/api/plugins', '/api/app-auth/status', '/api/version']) {
      const answer = await service.get(path)
      t.equal(answer.status, 503, path)
      t.same(await answer.json(), { ok: false, error: 'Service unavailable' }, path)
    }
    t.equal((await service.get('/')).status, 503)
    t.equal(
      (await service.post('/api/app-auth/credentials', { enabled: true, ...ACCOUNT })).status,
      503,
      'nobody takes the service over',
    )
    t.equal(await readFile(join(data, 'config.json'), 'utf8'), '{ "app_auth": ')
    await service.kill('SIGTERM')
  },
)

t.test(
  'a secret that is a word of ours neither keeps the service from starting nor makes its lines unreadable',
  async (t) => {
    const data = join(t.testdir(), 'data')
    const first = await spawnService(data)
    const cookie = await signUp(first)
    t.equal(
      (
        await first.post(
          '/api/config',
          { trackA: { client_secret: 'history' }, mediaB: { access_token: 'playhead' } },
          cookie,
        )
      ).status,
      200,
    )
    await first.kill('SIGTERM')

    const again = await spawnService(data, { PLAYHEAD_LOG_LEVEL: 'debug' })
    t.type(again.url, 'string', 'it is up')
    t.equal((await again.get('/api/version', cookie)).status, 200)
    const tags = again.lines.flatMap((line) =>
      line.startsWith('{') ? [JSON.parse(line) as Record<string, unknown>] : [],
    )
    t.ok(
      tags.some(({ plugin }) => plugin === 'history'),
      'lines of the plugin of this name are its own',
    )
    t.notOk(again.lines.some((line) => line.includes('[redacted]')))
    await again.kill('SIGKILL')
  },
)

// It rests within its loop, so that it holds the event loop and not a processor as well; faults.test.ts has one that
// does not.
t.test(
  'a plugin that never lets go of the event loop ends the process, and the next start leaves it out',
  async (t) => {
    const directory = t.testdir({
      hog: {
        'plugin.json': JSON.stringify({
          id: 'hog',
          name: 'Hog',
          version: '1.0.0',
          api: '^1.0.0',
          kind: 'service',
          isolation: 'none',
          routes: [{ method: 'GET', path: '/api/hog' }],
        }),
        'index.ts': `import { definePlugin } from '@playhead/sdk'\nexport default definePlugin({ routes(app) {\n  const cell = new Int32Array(new SharedArrayBuffer(4))\n  app.get('/api/hog', function hogIt() { for (;;) Atomics.wait(cell, 0, 0, 2) })\n} })`,
      },
      data: { 'plugin-registry.json': JSON.stringify({ version: 1, plugins: [{ id: 'hog', source: '../hog' }] }) },
    })
    const data = join(directory, 'data')
    const service = await spawnService(data)
    const cookie = await signUp(service)
    await service.get('/api/hog', cookie).catch(() => {})
    t.same(await service.ended, [null, 'SIGKILL'])
    const words = service.lines
      .map((line) => (line.startsWith('{') ? (JSON.parse(line) as Record<string, any>) : {}))
      .find(({ msg }) => /held the event loop/.test(String(msg)))
    t.match(
      words,
      { level: 60, plugin: 'hog', msg: /plugin "hog" held the event loop for \d+ ms in hogIt \(index\.ts:4\)/ },
      'its last words name plugin, function and line',
    )

    for (let start = 0; start < 2; start += 1) {
      const left = await spawnService(data)
      const { plugin } = (await (await left.get('/api/plugins/hog', cookie)).json()) as { plugin: Record<string, any> }
      t.match(plugin, { state: 'quarantined', retry_at: null }, 'it is not tried again by itself')
      await left.kill('SIGTERM')
    }

    const again = await spawnService(data)
    const { plugin } = (await (await again.get('/api/plugins/hog', cookie)).json()) as { plugin: Record<string, any> }
    t.equal(plugin['state'], 'quarantined')
    t.match(plugin['last_error'].message, /held the event loop/)
    t.match(plugin['last_error'].message, /hogIt/)
    t.equal((await again.get('/api/version', cookie)).status, 200, 'everything else is there')
    const source = join(directory, 'hog', 'index.ts')
    await writeFile(source, (await readFile(source, 'utf8')).replace(/for \(;;\) .*?2\)/, 'return { repaired: true }'))
    await until(
      'a repaired file is loaded while the service runs',
      async () => (await again.get('/api/hog', cookie)).status === 200,
    )
    await again.kill('SIGKILL')
    const last = await spawnService(data)
    t.equal((await last.get('/api/hog', cookie)).status, 200, 'and at the next start')
    await last.kill('SIGKILL')
  },
)

t.test('a plugin that eats all memory ends the process, and the next start leaves it out', async (t) => {
  const directory = t.testdir({
    glutton: {
      'plugin.json': JSON.stringify({
        id: 'glutton',
        name: 'Glutton',
        version: '1.0.0',
        api: '^1.0.0',
        kind: 'service',
        isolation: 'none',
        routes: [{ method: 'GET', path: '/api/glutton' }],
      }),
      'index.ts': `import { definePlugin } from '@playhead/sdk'\nconst eaten: object[] = []\nexport default definePlugin({ routes(app) {\n  app.get('/api/glutton', function eat() { for (let bite = 0; ; bite += 1) eaten.push({ bite, taste: Array.from({ length: 20 }, () => bite) }) })\n} })`,
    },
    data: {
      'plugin-registry.json': JSON.stringify({ version: 1, plugins: [{ id: 'glutton', source: '../glutton' }] }),
    },
  })
  const data = join(directory, 'data')
  const service = await spawnService(data, { NODE_OPTIONS: '--max-old-space-size=256' })
  const cookie = await signUp(service)
  await service.get('/api/glutton', cookie).catch(() => {})
  const [code, signal] = await service.ended
  t.ok(code !== 0 && (code !== null || signal !== null), `it ended with ${code ?? signal}`)

  const again = await spawnService(data)
  const { plugin } = (await (await again.get('/api/plugins/glutton', cookie)).json()) as { plugin: Record<string, any> }
  t.equal(plugin['state'], 'quarantined')
  t.match(plugin['last_error'].message, /held the event loop/)
  t.equal((await again.get('/api/version', cookie)).status, 200)
  await again.kill('SIGKILL')
})

t.test('--safe loads nothing', async (t) => {
  const service = await spawnService(join(t.testdir(), 'data'), {}, ['--safe'])
  const cookie = await signUp(service)
  const body = (await (await service.get('/api/plugins', cookie)).json()) as {
    safe_mode: boolean
    plugins: { state: string }[]
  }
  t.equal(body.safe_mode, true)
  t.ok(body.plugins.length > 0)
  t.ok(body.plugins.every(({ state }) => state === 'disabled'))
  await service.kill('SIGTERM')
})
