// slow: the service as a process, killed and started again
// The service as people start it: environment, stop, restart, invalid configuration, an endless loop in a plugin.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { until } from '../harness.ts'
import { cookieOf, spawnService, type ServiceProcess } from './process.ts'

const ACCOUNT = { username: 'ada', password: 'correct horse battery' }

t.setTimeout(900_000)

interface Holder {
  readonly pid: number
  readonly since: string
  readonly state?: string
}

const freePort = async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** A zombie process keeps its id. */
const isRunning = async (pid: number) =>
  process.platform === 'linux'
    ? !/\) Z /.test(await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') Z '))
    : (() => {
        try {
          return process.kill(pid, 0)
        } catch {
          return false
        }
      })()

const signUp = async (service: ServiceProcess) =>
  cookieOf(await service.post('/api/app-auth/credentials', { enabled: true, ...ACCOUNT }))

t.test('an invalid environment value prints one line and exits with 1', async (t) => {
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

t.test('a second service on the same data directory names the holder, and exits with 1', async (t) => {
  const data = join(t.testdir(), 'data')
  const service = await spawnService(data, {}, ['--safe'])
  const second = await spawnService(data, {}, ['--safe'])
  t.same(await second.ended, [1, null])
  t.match(second.lines.join('\n'), /^playhead: .*(in use|another|held)/i)
  await service.kill('SIGTERM')
})

t.test(
  'SIGTERM and SIGHUP stop it cleanly with exit 0; a requested restart replaces the process in place',
  async (t) => {
    const data = join(t.testdir(), 'data')
    const service = await spawnService(data)
    const cookie = await signUp(service)
    const stream = await service.get('/api/plugins/stream', cookie)
    t.same(await service.kill('SIGTERM'), [0, null])
    await t.resolves(stream.text(), 'an open stream is ended, not cut')

    const port = String(await freePort())
    const again = await spawnService(data, { PLAYHEAD_PORT: port })
    const holder = async () => JSON.parse(await readFile(join(data, 'run', 'holder.json'), 'utf8')) as Holder
    const before = await holder()
    t.equal(before.pid, again.pid)
    const asked = cookieOf(await again.post('/api/app-auth/login', ACCOUNT))
    t.same(await (await again.post('/api/app-auth/apply-now', {}, asked)).json(), { ok: true })
    const after = await until('it is back by itself', async () => {
      const now = await holder()
      return (
        now.since !== before.since && (await fetch(`${again.url}/api/health`).catch(() => null))?.ok === true && now
      )
    })
    t.match(after, { pid: again.pid, state: 'running' }, 'in the same process')
    t.equal((await again.get('/api/version', asked)).status, 401, 'the sessions are ended')
    t.equal((await again.post('/api/app-auth/login', ACCOUNT)).status, 200)
    if (process.platform === 'linux')
      t.equal(await readFile(`/proc/${again.pid}/task/${again.pid}/children`, 'utf8'), '', 'there is no second process')
    t.same(await again.kill('SIGHUP'), [0, null], 'as when its terminal is closed')
    t.match(await holder(), { state: 'ended' })
  },
)

t.test('a failed start after a restart is retried a limited number of times', async (t) => {
  const data = join(t.testdir(), 'data')
  const port = await freePort()
  const service = await spawnService(data, { PLAYHEAD_PORT: String(port) }, ['--safe'])
  const cookie = await signUp(service)
  const key = join(data, 'store.sqlite')
  await service.post('/api/app-auth/apply-now', {}, cookie)
  await until('it is restarting', async () =>
    /"state":"(stopping|ended)"/.test(await readFile(join(data, 'run', 'holder.json'), 'utf8')),
  )
  await rm(key, { force: true })
  await mkdir(key)
  t.same(await service.ended, [1, null])
  const words = service.lines.filter((line) => line.startsWith('playhead: '))
  t.equal(words.length, 4, words.join('\n'))
  t.match(words.at(-1), /did not start 3 times after a restart/)
})

// npm is the process that supervisors and people see.
t.test('npm start can be stopped by every signal, and started again at once', async (t) => {
  const data = join(t.testdir(), 'data')
  const environment = { PATH: process.env['PATH'], PLAYHEAD_DATA_DIR: data, PLAYHEAD_PORT: String(await freePort()) }
  const holder = async () => JSON.parse(await readFile(join(data, 'run', 'holder.json'), 'utf8')) as Holder
  const start = async () => {
    const child = spawn('npm', ['start', '--', '--safe'], {
      cwd: join(import.meta.dirname, '../..'),
      env: { ...environment, HOME: data },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    t.teardown(() => {
      try {
        process.kill(-(child.pid as number), 'SIGKILL')
      } catch {
        // The process has ended.
      }
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)))
    const ended = once(child, 'exit')
    await Promise.race([until('it is up', () => output.includes('"url":"http'), 60_000), ended])
    return { child, output: () => output, ended, service: (await holder()).pid }
  }
  let running = await start()
  for (const [name, end] of [
    ['SIGTERM to npm', (npm: number) => process.kill(npm, 'SIGTERM')],
    ['SIGKILL to npm', (npm: number) => process.kill(npm, 'SIGKILL')],
    ['SIGHUP to npm', (npm: number) => process.kill(npm, 'SIGHUP')],
    ['SIGTERM to the group', (npm: number) => process.kill(-npm, 'SIGTERM')],
    ['SIGTERM to the service', (_: number, service: number) => process.kill(service, 'SIGTERM')],
  ] as const) {
    const { service } = running
    end(running.child.pid as number, service)
    await running.ended
    running = await start()
    t.match(running.output(), /"url":"http/, `${name}: the next start comes up`)
    t.not(running.service, service)
    t.notOk(await isRunning(service), `${name}: nothing is left`)
  }
  process.kill(running.child.pid as number, 'SIGTERM')
  await running.ended
})

t.test(
  'an unreadable configuration fails closed: health answers, everything else is refused, the file is kept',
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

t.test('a secret equal to one of our own words neither prevents the start nor garbles log lines', async (t) => {
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
  // It is dormant until it is needed.
  t.equal((await again.post('/api/plugins/history/reload', {}, cookie)).status, 200)
  const tags = again.lines.flatMap((line) =>
    line.startsWith('{') ? [JSON.parse(line) as Record<string, unknown>] : [],
  )
  t.ok(
    tags.some(({ plugin }) => plugin === 'history'),
    'lines of the plugin of this name are its own',
  )
  t.notOk(again.lines.some((line) => line.includes('[redacted]')))
  await again.kill('SIGKILL')
})

// The loop sleeps, so that it blocks the event loop but not a processor; faults.test.ts has a busy loop.
t.test('a plugin that blocks the event loop forever ends the process, and the next start leaves it out', async (t) => {
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
})

t.test('a plugin that uses all memory ends the process, and the next start leaves it out', async (t) => {
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

t.test('--safe loads no plugin', async (t) => {
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
