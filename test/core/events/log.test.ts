// The log: the console, the channels of the application, and no secret in either.
import t from 'tap'
import Fastify from 'fastify'
import { createLogChannels } from '../../../core/events/log-channels.ts'
import { createLogging, type LoggingOptions } from '../../../core/log.ts'
import { createRedactor } from '../../../core/events/redaction.ts'
import { createTopics } from '../../../core/events/topics.ts'

const AT_MS = Date.UTC(2026, 0, 2, 3, 4, 5)

function setUp(options: Partial<LoggingOptions> = {}) {
  const clock = { now: () => AT_MS }
  const topics = createTopics({ clock })
  const channels = createLogChannels({ topics })
  const redactor = createRedactor({ secretValues: () => new Set(['hunter-two']) })
  const console: string[] = []
  const output = { write: (line: string) => console.push(line) }
  const logging = createLogging({
    level: 'info',
    redactValue: redactor.redactValue,
    channels,
    clock,
    output,
    ...options,
  })
  const lines = (tag: string) => topics.read(`log/${tag}`).map(({ data }) => data)
  return { ...logging, channels, topics, console, lines }
}

t.test('a line of a channel is always one line', (t) => {
  const { log, lines } = setUp()
  log.info({ title: 'Low\r\nWater' }, 'one\r\ntwo\nthree')
  t.same(
    lines('DEBUG')
      .join()
      .split(/[\r\n]/).length,
    1,
  )
  t.match(lines('DEBUG')[0], /one two three title="Low\\r\\nWater"/)
  t.end()
})

t.test('a line reaches the console as JSON and its channel as text, with its fields', async (t) => {
  const { log, console, lines } = setUp()
  log.info({ added: 12, pair: 'pair_1', title: 'Two words', list: [1] }, 'run finished')
  t.same(JSON.parse(console[0] ?? ''), {
    level: 30,
    time: AT_MS,
    added: 12,
    pair: 'pair_1',
    title: 'Two words',
    list: [1],
    msg: 'run finished',
  })
  t.same(lines('BOOT'), ['run finished added=12 pair=pair_1 title="Two words" list=[1]'])
})

t.test(
  'the channel of a line is the named one, else the plugin, else BOOT; DEBUG has a copy of all with time and tag',
  async (t) => {
    const { log, forPlugin, lines } = setUp()
    const plugin = forPlugin({ plugin: 'my-tracker', generation: 3, channels: ['WATCH'] })
    log.info('started')
    log.channel('AUTH').warn('login failed')
    plugin.info('hello')
    plugin.channel('WATCH').error({ n: 1 }, 'lost')

    t.same(lines('BOOT'), ['started'])
    t.same(lines('AUTH'), ['WARN login failed'])
    t.same(lines('MY-TRACKER'), ['hello'])
    t.same(lines('WATCH'), ['ERROR lost n=1'])
    t.same(lines('DEBUG'), [
      '[2026-01-02T03:04:05.000Z] [BOOT] started',
      '[2026-01-02T03:04:05.000Z] [AUTH] WARN login failed',
      '[2026-01-02T03:04:05.000Z] [MY-TRACKER] hello',
      '[2026-01-02T03:04:05.000Z] [WATCH] ERROR lost n=1',
    ])
    t.throws(() => plugin.channel('AUTH'), { code: 'PLH_PLUGIN_UNDECLARED' })
  },
)

t.test('fields cannot replace the heading of a line', async (t) => {
  const { forPlugin, console, lines } = setUp()
  forPlugin({ plugin: 'demo', generation: 1 }).info(
    { tag: 'AUTH', level: 60, time: 1, plugin: 'other', msg: 'x' },
    'text',
  )
  t.same(lines('DEMO'), ['text tag_=AUTH level_=60 time_=1 plugin_=other msg_=x'])
  t.match(JSON.parse(console[0] ?? ''), { level: 30, time: AT_MS, plugin: 'demo', msg: 'text' })
})

t.test('a record with an event stays one line of JSON in its channel', async (t) => {
  const { forPlugin, lines } = setUp()
  const sync = forPlugin({ plugin: 'sync', generation: 1 })
  sync.info({ event: 'run:start', dry_run: true })
  sync.info({ event: 'run:done' }, 'in words')
  t.same(
    lines('SYNC').map((line) => JSON.parse(line) as unknown),
    [
      { event: 'run:start', dry_run: true },
      { event: 'run:done', msg: 'in words' },
    ],
  )
})

t.test('an error shows its code and message in the channel and its stack on the console', async (t) => {
  const { log, console, lines } = setUp()
  log.error({ err: Object.assign(new Error('no answer'), { code: 'PLH_UPSTREAM' }) }, 'read failed')
  t.same(lines('BOOT'), ['ERROR read failed err="PLH_UPSTREAM: no answer"'])
  t.match(JSON.parse(console[0] ?? ''), { err: { message: 'no answer', stack: /log\.test\.ts/ } })
})

t.test(
  'no secret reaches the console or a channel: by value, by field, in errors, through the web server',
  async (t) => {
    const { log, root, console, topics } = setUp()
    log.info(
      { password: 'unknown-secret', url: 'http://u:unknown-secret@h/?api_key=unknown-secret' },
      'uses hunter-two',
    )
    log.error({ err: new Error('refused hunter-two', { cause: new Error('token=unknown-secret') }) }, 'failed')
    log
      .channel('AUTH')
      .info({ headers: { authorization: 'Bearer unknown-secret', cookie: 'cw_auth=unknown-secret' } }, 'request')
    const app = Fastify({ loggerInstance: root })
    app.get('/x', () => 'ok')
    await app.inject('/x?token=unknown-secret&a=hunter-two')
    await app.close()

    const shown = [...console, ...topics.names('').flatMap((topic) => topics.read(topic).map(({ data }) => data))].join(
      '\n',
    )
    t.ok(console.length >= 5, 'all were logged')
    t.notMatch(shown, /hunter-two/)
    t.notMatch(shown, /unknown-secret/)
  },
)

t.test('lines below the level are dropped until it is changed', async (t) => {
  const { log, setLevel, console, lines } = setUp()
  log.debug('quiet')
  setLevel('debug')
  log.debug('heard')
  t.equal(console.length, 1)
  t.same(lines('BOOT'), ['DEBUG heard'])
})

t.test('a terminal gets readable lines', async (t) => {
  const { log, console } = setUp({ pretty: true })
  log.channel('AUTH').info({ user: 'bob', password: 'p' }, 'signed in')
  t.match(console[0], /INFO.*signed in/)
  t.match(console[0], /"password":"\[redacted\]"/)
})

t.test('a line of any length is cut, and line breaks in a value start no new line', async (t) => {
  const { log, lines } = setUp()
  log.info({ title: 'a\nb', long: 'x'.repeat(50_000) }, 'stored')
  t.match(lines('BOOT')[0], /^stored title="a\\nb" long=x+… \(50\d+ characters\)$/)
})

t.test('3000 lines of a channel are kept', async (t) => {
  const { log, lines } = setUp()
  for (let n = 0; n < 3_005; n++) log.info(`line ${n}`)
  t.equal(lines('BOOT').length, 3_000)
  t.equal(lines('BOOT')[0], 'line 5')
})

t.test(
  'the watcher set contains the channels that live plugins declare for it, and those with the same name',
  async (t) => {
    const { channels, log } = setUp()
    const watching = () =>
      channels
        .list()
        .filter(({ watcher }) => watcher)
        .map(({ tag }) => tag)
    t.same(watching(), [])
    channels.setDeclaredChannels([{ tag: 'WATCH', watcher: true }])
    t.same(watching(), ['WATCH'])
    log.channel('MEDIAA-WATCH').info('x')
    channels.setDeclaredChannels([
      { tag: 'WATCH', watcher: true },
      { tag: 'TRACKA-EXTRA', watcher: false },
      { tag: 'EXTRA', watcher: true },
      { tag: 'PLAYBACK', watcher: false },
    ])
    t.same(watching(), ['EXTRA', 'MEDIAA-WATCH', 'TRACKA-EXTRA', 'WATCH'])
    t.same(
      channels.list().filter(({ watcher }) => !watcher),
      [
        { tag: 'DEBUG', watcher: false },
        { tag: 'PLAYBACK', watcher: false },
      ],
    )
    channels.setDeclaredChannels([])
    t.same(watching(), [], 'they are gone with their plugins')
  },
)
