// The plugin in the real service: webhooks that arrive while it or the scrobbler is off are handled later.
import { join, relative } from 'node:path'
import t from 'tap'
import { type Service, startService, until } from '../../harness.ts'

const SOURCE = join(import.meta.dirname, '../../../plugins/services/webhooks')
const URL_A = '/webhook/mediaA?profile=right'

const provides = (token: string, value: string) => `
import { capability, definePlugin } from '@playhead/sdk'
export default definePlugin({
  setup(ctx) {
    ctx.provide(capability('${token}'), ${value})
  },
  routes(app) {
    if ('${token}' === 'scrobble') app.get('/api/played', async () => ({ played: (await app.playhead.store.get('played')) ?? [] }))
  },
})
`

const SCROBBLE = `{
  access: async ({ profile }) => profile === 'right'
    ? { ok: true, provider: 'MEDIAA', instance: 'default', scope: 's', needs: {} }
    : { ok: false, reason: 'invalid_profile' },
  play: async ({ report, receivedAtMs }) => {
    const played = (await ctx.store.get('played')) ?? []
    await ctx.store.set('played', [...played, { event: report.event, receivedAtMs }])
    return { action: report.action, targets: [] }
  },
}`
const PROVIDER = `{
  describe: () => ({ playback: { webhook: { fields: ['payload'] } } }),
  parseWebhook: async (instance, { payload }) => ({
    type: 'playback',
    event: payload.event,
    action: 'start',
    session: { key: 'k', item: { type: 'movie', title: 'x', ids: {} }, state: 'playing', account: { relation: 'own' } },
  }),
}`

async function start(): Promise<Service> {
  const plugin = (token: string, value: string, routes: readonly object[]) => ({
    manifest: { provides: [token], routes },
    files: { 'index.ts': provides(token, value) },
  })
  const service = await startService({
    watch: false,
    host: { keptPauseMs: 30 },
    plugins: {
      recorder: plugin('scrobble', SCROBBLE, [{ method: 'GET', path: '/api/played' }]),
      server: plugin('provider:MEDIAA', PROVIDER, []),
    },
  })
  await service.writeRegistry([
    { id: 'recorder', source: './plugins/recorder' },
    { id: 'server', source: './plugins/server' },
    { id: 'webhooks', source: `./${relative(service.directory, SOURCE)}` },
  ])
  await service.host.rescan()
  await service.host.settled()
  return service
}

const played = async (service: Service) =>
  (await service.json('/api/played')).body.played as readonly {
    readonly event: string
    readonly receivedAtMs: number
  }[]

t.test('webhooks of all routes wait for the plugin, with their time', async (t) => {
  await using service = await start()
  t.match(await service.json(URL_A, { json: { event: 'live' } }), { status: 200, body: { ok: true, action: 'start' } })
  await service.host.disable('webhooks')
  const before = Date.now()
  for (const path of ['mediaA', 'mediaAtrackA']) {
    const form = new FormData()
    form.set('payload', JSON.stringify({ event: path }))
    const answer = await service.json(`/webhook/${path}?profile=right`, { method: 'POST', body: form })
    t.match(answer, { status: 200, body: { ok: true, queued: true } })
  }
  const after = Date.now()
  await new Promise((resolve) => setTimeout(resolve, 100))
  await service.host.enable('webhooks')
  await until('they are played', async () => (await played(service)).length === 3)
  const [, ...kept] = await played(service)
  t.strictSame(
    kept.map(({ event }) => event),
    ['mediaA', 'mediaAtrackA'],
  )
  for (const { receivedAtMs } of kept) t.ok(receivedAtMs >= before && receivedAtMs <= after)
})

t.test('queued webhooks wait for the scrobbler and the provider, too', async (t) => {
  await using service = await start()
  await service.host.disable('webhooks')
  await service.json(URL_A, { json: { event: 'one' } })
  await service.json(URL_A, { json: { event: 'two' } })
  await service.host.disable('server')
  await service.host.enable('webhooks')
  await until('it waits', () => /waits for a plugin/.test(service.log.join('\n')))
  t.strictSame(await played(service), [])
  await service.host.enable('server')
  await until('they are played', async () => (await played(service)).length === 2)
})

t.test('queued wrong tokens delay nothing', async (t) => {
  await using service = await start()
  await service.host.disable('webhooks')
  for (let index = 0; index < 40; index += 1) await service.json('/webhook/mediaA?profile=wrong', { json: {} })
  await service.json(URL_A, { json: { event: 'right' } })
  await service.host.enable('webhooks')
  await until('the right one is played', async () => (await played(service)).length === 1)
  t.match(await played(service), [{ event: 'right' }])
})
