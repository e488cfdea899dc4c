// The routes in the real service: webhooks that arrive while the scrobbler or a provider is off are handled later.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import registry from '../../../plugin-registry.json' with { type: 'json' }
import { type Service, startService, until } from '../../harness.ts'
import { MANIFEST } from './support.ts'

const FOLDER = join(import.meta.dirname, '../../../plugins/services/scrobble/webhooks')
const URL_A = '/webhook/mediaA?profile=right'

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

const SCROBBLER = `
import { definePlugin } from '@playhead/sdk'
import { registerWebhookRoutes } from './webhooks/routes.ts'
export default definePlugin({
  setup: (ctx) => (${SCROBBLE}),
  routes(app, service) {
    app.get('/api/played', async () => ({ played: (await app.playhead.store.get('played')) ?? [] }))
    app.register(async (own) => registerWebhookRoutes(own, service))
  },
})
`
const SERVER = `
import { definePlugin, providerCapability } from '@playhead/sdk'
export default definePlugin({ setup: (ctx) => ctx.provide(providerCapability('MEDIAA'), ${PROVIDER}) })
`

/** @param directory below the installation, for the packages of the routes */
function start(directory: string): Promise<Service> {
  const { logChannels, routes } = MANIFEST
  const files = readdirSync(FOLDER).map((name) => [`webhooks/${name}`, readFileSync(join(FOLDER, name), 'utf8')])
  return startService({
    directory,
    watch: false,
    host: { keptPauseMs: 30 },
    plugins: {
      scrobbler: {
        manifest: { logChannels, routes: [...routes!, { method: 'GET', path: '/api/played' }] },
        files: { 'index.ts': SCROBBLER, ...Object.fromEntries(files) },
      },
      server: { manifest: { provides: ['provider:MEDIAA'] }, files: { 'index.ts': SERVER } },
    },
  })
}

const played = async (service: Service) =>
  (await service.json('/api/played')).body.played as readonly {
    readonly event: string
    readonly receivedAtMs: number
  }[]

t.test('webhooks of all routes wait for the plugin, with their time', async (t) => {
  await using service = await start(t.testdir())
  t.match(await service.json(URL_A, { json: { event: 'live' } }), { status: 200, body: { ok: true, action: 'start' } })
  await service.host.disable('scrobbler')
  const before = Date.now()
  for (const path of ['mediaA', 'mediaAtrackA']) {
    const form = new FormData()
    form.set('payload', JSON.stringify({ event: path }))
    const answer = await service.json(`/webhook/${path}?profile=right`, { method: 'POST', body: form })
    t.match(answer, { status: 200, body: { ok: true, queued: true } })
  }
  const after = Date.now()
  await new Promise((resolve) => setTimeout(resolve, 100))
  await service.host.enable('scrobbler')
  await until('they are played', async () => (await played(service)).length === 3)
  const [, ...kept] = await played(service)
  t.strictSame(
    kept.map(({ event }) => event),
    ['mediaA', 'mediaAtrackA'],
  )
  for (const { receivedAtMs } of kept) t.ok(receivedAtMs >= before && receivedAtMs <= after)
})

t.test('queued webhooks wait for the provider, too', async (t) => {
  await using service = await start(t.testdir())
  await service.host.disable('scrobbler')
  await service.json(URL_A, { json: { event: 'one' } })
  await service.json(URL_A, { json: { event: 'two' } })
  await service.host.disable('server')
  await service.host.enable('scrobbler')
  await until('it waits', () => /waits for a plugin/.test(service.log.join('\n')))
  t.strictSame(await played(service), [])
  await service.host.enable('server')
  await until('they are played', async () => (await played(service)).length === 2)
})

t.test('queued wrong tokens delay nothing', async (t) => {
  await using service = await start(t.testdir())
  await service.host.disable('scrobbler')
  for (let index = 0; index < 40; index += 1) await service.json('/webhook/mediaA?profile=wrong', { json: {} })
  await service.json(URL_A, { json: { event: 'right' } })
  await service.host.enable('scrobbler')
  await until('the right one is played', async () => (await played(service)).length === 1)
  t.match(await played(service), [{ event: 'right' }])
})

t.test('what is kept for the plugin that once had these routes is delivered to the scrobbler', async (t) => {
  const known: readonly { readonly id: string; readonly formerly?: readonly string[] }[] = registry.plugins
  t.strictSame(known.find(({ id }) => id === 'scrobble')?.formerly, ['webhooks'])
})
