// Logs, files and health, in the running service.
import t from 'tap'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startService } from '../../harness.ts'
import { createTestHost } from '@playhead/sdk/testing'
import { definePlugin, type PluginApp, type PluginContext, type Streams } from '@playhead/sdk'
import { registerHealthRoute } from '../../../plugins/services/system/health-route.ts'
import { registerLogRoutes } from '../../../plugins/services/system/log-routes.ts'

// A plugin with its own log channels and lines.
const TALKER = {
  manifest: {
    logChannels: [{ tag: 'EXTRA', watcher: true }, { tag: 'WATCH' }, { tag: 'PRIVATE' }],
    routes: [{ method: 'POST', path: '/api/talk' }],
  },
  files: {
    'index.ts': `import { definePlugin } from '@playhead/sdk'
export default definePlugin({
  routes(app) {
    app.post('/api/talk', (request) => {
      const { tag, text } = request.body as { tag: string, text: string }
      ;(tag === '' ? app.playhead.log : app.playhead.log.channel(tag)).info(text)
      return { ok: true }
    })
  },
})`,
  },
}

async function startTalking(t: { teardown(work: () => unknown): void }) {
  const system = { source: new URL('../../../plugins/services/system', import.meta.url).pathname }
  const service = await startService({ plugins: { talker: TALKER }, watch: false })
  t.teardown(() => service[Symbol.asyncDispose]())
  await service.writeRegistry([
    { id: 'talker', source: './plugins/talker' },
    { id: 'system', ...system },
  ])
  await service.host.rescan()
  return {
    ...service,
    say: (tag: string, text: string) => service.json('/api/talk', { json: { tag, text } }),
    /** The first n events of a stream. */
    async read(path: string, count: number, headers: Record<string, string> = {}): Promise<string[]> {
      const answer = await service.call(path, { headers, signal: AbortSignal.timeout(5_000) })
      const reader = (answer.body as ReadableStream<Uint8Array>).getReader()
      let text = ''
      while (text.split('\n\n').length <= count)
        text += new TextDecoder().decode((await reader.read()).value, { stream: true })
      await reader.cancel()
      return text.split('\n\n').slice(0, count)
    },
  }
}

t.test('the last lines of a channel are returned as text, and reading creates no channel', async (t) => {
  const service = await startTalking(t)
  for (let n = 1; n <= 60; n++) await service.say('PRIVATE', `line ${n} <b>`)

  t.same((await service.json('/api/logs/dump?channel=%20private&n=2')).body, {
    channel: 'PRIVATE',
    lines: ['line 59 <b>', 'line 60 <b>'],
  })
  t.equal((await service.json('/api/logs/dump?channel=PRIVATE')).body.lines.length, 50)
  t.same((await service.json('/api/logs/dump')).body, { channel: 'TRACKA', lines: [] })
  t.same((await service.json('/api/logs/dump?channel=')).body, { channel: 'SYNC', lines: [] })
  t.notOk(service.streams.topics('log/').includes('log/TRACKA'))
  await service.say('', 'own channel')
  t.same((await service.json('/api/logs/dump?channel=talker&n=1')).body.lines, ['own channel'])
  t.match(
    (await service.json('/api/logs/dump?channel=DEBUG&n=1')).body.lines[0],
    /^\[\d{4}-.*Z\] \[TALKER\] own channel$/,
  )
})

t.test('an invalid query is refused in the common format', async (t) => {
  const service = await startTalking(t)
  const refused = [
    ['/api/logs/dump?n=0', 'n', 'greater_than_equal'],
    ['/api/logs/dump?n=3001', 'n', 'less_than_equal'],
    ['/api/logs/dump?n=x', 'n', 'int_parsing'],
    ['/api/logs/dump?channel=a,b', 'channel', 'string_pattern_mismatch'],
    ['/api/logs/stream?tail=0', 'tail', 'greater_than_equal'],
    ['/api/logs/stream?since=0', 'since', 'greater_than_equal'],
    ['/api/logs/stream?plain=maybe', 'plain', 'bool_parsing'],
    ['/api/logs/watcher?tail=3001', 'tail', 'less_than_equal'],
    ['/api/files', 'path', 'missing'],
  ] as const
  for (const [path, field, type] of refused) {
    t.match(
      await service.json(path),
      { status: 422, body: { detail: [{ loc: ['query', field], type, msg: String }] } },
      path,
    )
  }
  t.equal((await service.json('/api/logs/dump?unknown=1')).status, 200)
})

t.test('a channel can be followed: backlog, tail, position, plain text or escaped', async (t) => {
  const service = await startTalking(t)
  for (let n = 1; n <= 3; n++) await service.say('PRIVATE', `<${n}>`)
  const all = await service.read('/api/logs/stream?tag=private&plain=1', 3)
  t.match(all, [/^id: \d+\ndata: <1>$/, /data: <2>$/, /data: <3>$/])
  t.match(await service.read('/api/logs/stream?tag=PRIVATE&tail=1', 1), [/data: &lt;3&gt;$/])
  t.match(await service.read('/api/logs/stream?tag=PRIVATE&max_backlog=2&plain=true', 1), [/data: <2>$/])
  const second = /id: (\d+)/.exec(all[1] ?? '')?.[1] ?? ''
  t.match(await service.read(`/api/logs/stream?tag=PRIVATE&plain=on&since=${second}`, 1), [/data: <3>$/])
  t.match(
    await service.read('/api/logs/stream?tag=PRIVATE&plain=on&tail=1', 2, {
      'last-event-id': String(Number(second) - 1),
    }),
    [/data: <2>$/, /data: <3>$/],
  )

  const live = service.read('/api/logs/stream?tag=PRIVATE&since=99999999999999&plain=1', 1)
  while (service.streams.size() === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  await service.say('PRIVATE', 'live')
  t.match(await live, [/data: live$/])
})

t.test('a stream stays open while the plugin that opened it is reloaded', async (t) => {
  const service = await startTalking(t)
  const live = service.read('/api/logs/stream?tag=PRIVATE&plain=1', 2)
  while (service.streams.size() === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  await service.say('PRIVATE', 'before')
  await service.host.reload('system')
  await service.host.reload('talker')
  await service.say('PRIVATE', 'after')
  t.match(await live, [/data: before$/, /data: after$/])
})

t.test('without a session nothing is shown, and signing out ends the streams', async (t) => {
  const service = await startTalking(t)
  const { body } = await service.call('/api/logs/stream?tag=PRIVATE')
  await service.json('/api/app-auth/logout', { method: 'POST', headers: { origin: service.url } })
  const reader = (body as ReadableStream<Uint8Array>).getReader()
  while (!(await reader.read()).done);
  service.setCookie('')
  for (const path of [
    '/api/logs/dump',
    '/api/logs/stream',
    '/api/logs/watcher',
    '/api/files?path=.',
    '/api/system/health',
  ]) {
    t.equal((await service.json(path)).status, 401, path)
  }
})

t.test('shared folders are listed by name and size, and nothing else is', async (t) => {
  const service = await startTalking(t)
  const shared = join(service.directory, 'data', 'files', 'captures')
  await mkdir(join(shared, 'day'), { recursive: true })
  await writeFile(join(shared, 'b.json'), '12345')
  await symlink('/etc', join(shared, 'link'))

  const names = (await service.json('/api/files?path=.')).body.map(({ name }: { name: string }) => name)
  t.same(names, ['backups', 'cache', 'captures', 'exports', 'imports', 'reports'])
  t.same((await service.json('/api/files?path=captures')).body, [
    { name: 'b.json', is_dir: false, size: 5 },
    { name: 'day', is_dir: true },
    { name: 'link', is_dir: false },
  ])
  const refused = [
    ['', 400, 'path_required'],
    ['..', 403, 'path_not_allowed'],
    ['captures/../../config.json', 403, 'path_not_allowed'],
    ['/etc', 403, 'path_not_allowed'],
    ['C:/', 403, 'path_not_allowed'],
    ['\\\\host\\share', 403, 'path_not_allowed'],
    ['captures%00', 403, 'path_not_allowed'],
    ['captures/link', 403, 'path_not_allowed'],
    ['capturesx', 404, 'not_found'],
    ['captures/missing', 404, 'not_found'],
    ['captures/b.json', 404, 'not_found'],
    ['../captures', 403, 'path_not_allowed'],
  ] as const
  for (const [path, status, error] of refused) {
    const answer = await service.json(`/api/files?path=${path.includes('%') ? path : encodeURIComponent(path)}`)
    t.match(answer, { status, body: { ok: false, error } }, path)
  }
})

t.test('the health report names every plugin, and those that do not run', async (t) => {
  const service = await startTalking(t)
  t.match((await service.json('/api/system/health')).body, {
    version: String,
    started_at: Number,
    uptime_seconds: Number,
    plugins: [
      { id: 'system', state: 'active' },
      { id: 'talker', state: 'active' },
    ],
  })
  await service.write('talker', 'index.ts', 'export default 1')
  await service.host.disable('talker')
  const { body } = await service.json('/api/system/health')
  t.match(body.plugins, [{ id: 'system' }, { id: 'talker', state: 'disabled' }])
  await service.host.enable('talker').catch(() => {})
  const broken = (await service.json('/api/system/health')).body
  t.match(broken, { ok: false, status: 'degraded' })
  t.match(
    broken.checks.find(({ name }: { name: string }) => name === 'plugins'),
    { name: 'plugins', ok: false, detail: { not_running: ['talker'] }, advice: /went wrong/ },
  )
})

/** A plugin whose routes get this context instead of the host's. */
function withContext(change: (context: PluginContext) => object, register: (app: PluginApp) => void) {
  return definePlugin({
    routes: (app) =>
      register(Object.create(app, { playhead: { value: { ...app.playhead, ...change(app.playhead) } } }) as PluginApp),
  })
}

t.test('the watcher stream names its events by channel, and accepts only channels of the watcher', async (t) => {
  const opened: unknown[] = []
  const channels = [
    { tag: 'EXTRA', watcher: true },
    { tag: 'WATCH', watcher: true },
    { tag: 'AUTH', watcher: false },
  ]
  const open: Streams['open'] = (_request, reply, options) => {
    opened.push(options)
    return reply.send({})
  }
  const told = ({ streams, host }: PluginContext) => ({
    streams: { ...streams, open },
    host: { ...host, logChannels: () => channels },
  })
  await using host = await createTestHost({ plugin: withContext(told, registerLogRoutes) })
  const cases = [
    ['', { topics: ['log/EXTRA', 'log/WATCH'], nameByTopic: true, tail: 200, html: true }],
    ['?tags=watch,%20nothing,AUTH&plain=true', { topics: ['log/WATCH'], nameByTopic: true, tail: 200, html: false }],
    ['?tags=AUTH', { topics: ['log/EXTRA', 'log/WATCH'] }],
    ['?tail=5&max_backlog=3', { tail: 3 }],
    ['?skip_backlog=true', { tail: 0 }],
  ] as const
  for (const [query, expected] of cases) {
    opened.length = 0
    t.equal((await host.inject(`/api/logs/watcher${query}`)).statusCode, 200)
    t.match(opened, [expected], query)
  }
})

t.test('checks of the service and of plugins decide the health', async (t) => {
  for (const [ok, status] of [
    [true, 'ok'],
    [false, 'degraded'],
  ] as const) {
    const facts = [
      { name: 'disk', ok: true, detail: { free_bytes: 1 } },
      { name: 'mirror', ok },
    ]
    const told = ({ host }: PluginContext) => ({ host: { ...host, health: async () => facts } })
    await using host = await createTestHost({ plugin: withContext(told, registerHealthRoute) })
    t.match((await host.inject('/api/system/health')).json(), {
      ok,
      status,
      checks: [...facts, { name: 'plugins', ok: true }],
    })
  }
})

t.test(
  'a rejected edit of a plugin needs attention until it is fixed, also while the previous version fails too',
  async (t) => {
    const service = await startTalking(t)
    const source = TALKER.files['index.ts'].replace(
      'const { tag',
      "if (request.body.tag === 'fail') throw new Error('not now')\n      const { tag",
    )
    const load = async (text: string) => {
      await service.write('talker', 'index.ts', text)
      await service.json('/api/plugins/talker/reload', { method: 'POST' })
      const { body } = await service.json('/api/attention')
      return body.items.filter(({ plugin }: { plugin: string }) => plugin === 'talker')
    }
    t.strictSame(await load(source), [])

    const broken = source.replace('definePlugin({', "definePlugin({\n  setup() { throw new Error('half done') },")
    t.match(await load(broken), [
      {
        id: 'plugin_edit:talker',
        kind: 'plugin_edit',
        severity: 'warning',
        title: 'The last change of talker failed',
        since: Number,
        detail: 'The previous version keeps running. PLH_PLUGIN_SETUP in index.ts:3: half done',
        action: { path: '/plugins/talker' },
      },
    ])
    t.equal((await service.say('fail', '')).status, 500)
    t.match(
      (await service.json('/api/attention')).body.items.filter(({ plugin }: { plugin: string }) => plugin === 'talker'),
      [{ id: 'plugin_edit:talker' }],
    )
    t.strictSame(await load(source), [])
  },
)
