// Output of a plugin, in the thread of the service and on its own thread: attributed and without secrets.
import t from 'tap'
import { startService, until } from '../../harness.ts'

const SECRET = 'a-secret-on-the-console'
const SOURCE = `import { definePlugin, Type } from '@playhead/sdk'
export default definePlugin({
  config: Type.Object({ code: Type.String({ secret: true, default: '' }) }),
  setup(ctx) { console.info('said in setup') },
  routes(app) {
    app.get('/api/ID/go', () => {
      const { code } = app.playhead.config
      console.log('said log', code)
      console.warn('said warn %s', code)
      console.error(new Error('said error ' + code))
      console.debug('said debug', { code })
      process.stdout.write('said raw ' + code + '\\n')
      // A secret that is split over two writes is one line.
      process.stdout.write('said halves ' + code.slice(0, 9))
      process.stdout.write(Buffer.from(code.slice(9) + ' end\\nsaid next\\n'))
      process.stderr.write('said on stderr ' + code + '\\n', () => {})
      process.stdout.write('said without an end ' + code)
      GLOBAL
      return { ok: true }
    })
  },
})
`
const talker = (id: string, isolation: 'none' | 'thread', more = '') => ({
  manifest: { isolation, routes: [{ method: 'GET', path: `/api/${id}/go` }] },
  files: { 'index.ts': SOURCE.replaceAll('ID', id).replace('GLOBAL', more) },
})

t.test('all output of a plugin is in its log channel, redacted, and nowhere else', async (t) => {
  await using service = await startService({
    plugins: {
      inside: talker('inside', 'none'),
      // A package that prints without the plugin's own console.
      outside: talker('outside', 'thread', "globalThis.process.stdout.write('said past it ' + code + '\\n')"),
    },
    watch: false,
  })
  // Settings that are saved before a plugin has loaded are in its first generation.
  for (const id of ['inside', 'outside'])
    await until('it runs', async () => (await service.plugin(id)).generation === 1)
  const direct = (['log', 'info', 'warn', 'error', 'debug'] as const).map((name) => t.capture(console, name))
  await service.json('/api/config', { json: { plugins: { inside: { code: SECRET }, outside: { code: SECRET } } } })
  for (const id of ['inside', 'outside']) {
    await until('it has its settings', async () => (await service.plugin(id)).generation === 2)
    t.equal((await service.json(`/api/${id}/go`)).status, 200)
  }
  const said = (id: string) =>
    service.log
      .map((line) => JSON.parse(line) as { level: number; plugin?: string; msg: string })
      .filter(({ plugin, msg }) => plugin === id && msg.includes('said '))
  const expected = [
    ['said in setup', 30],
    ['said log', 30],
    ['said warn', 40],
    ['said error', 50],
    ['said debug', 20],
    ['said raw', 30],
    ['said halves', 30],
    ['said next', 30],
    ['said on stderr', 40],
    ['said without an end', 30],
  ] as const
  for (const id of ['inside', 'outside']) {
    await until('all lines are there', () => said(id).some(({ msg }) => msg.includes('without an end')))
    for (const [text, level] of expected) {
      const line = said(id).find(({ msg }) => msg.includes(text))
      t.match(line, { plugin: id, level }, `${id}: ${text}`)
    }
  }
  await until('the line past it', () => said('outside').some(({ msg }) => msg.includes('past it')))
  t.notMatch(service.log.join('\n'), SECRET)
  t.notMatch(JSON.stringify(direct.map(({ args }) => args())), 'said ', 'nothing on the console of the service')
})
