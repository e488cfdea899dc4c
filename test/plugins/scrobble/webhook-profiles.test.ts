// Webhook profiles and their addresses, through HTTP.
import t from 'tap'
import { accessOf } from '../../../plugins/services/scrobble/config/access.ts'
import type { ScrobbleConfig } from '../../../plugins/services/scrobble/settings.ts'
import { open, tokenIn } from './settings-host.ts'
import { ACCOUNTS, DESCRIPTIONS, TOKEN } from './world.ts'

t.test('webhook profiles have their own token, which is renewed separately and removed with the profile', async (t) => {
  await using s = await open()
  const save = (body: object) => s.post('/api/scrobbler/webhooks/profile', body)
  const first = (await save({ provider: 'MEDIAA', sinks: ['TRACKA', 'SVC'] })).body
  t.match(first.webhooks, [
    {
      id: 'MEDIAA:default:TRACKA:default',
      provider_label: 'Plex',
      profile_label: 'Attic',
      sink_ready: true,
      active: true,
      endpoint_url: /\/webhook\/mediaA\?profile=[\w-]{32}$/,
      webhook_token: /^[\w-]{32}$/,
      effective_settings: { suppress_start_at: 99, pause_debounce_seconds: 5 },
      needs_account_filter: true,
    },
    { id: 'MEDIAA:default:SVC:default' },
  ])
  t.match(first.source_state, { enabled: true, effective: { webhook: true }, mode: 'webhook' })
  await save({ provider: 'MEDIAB', sinks: ['SVC'] })
  const urls = async () =>
    Object.fromEntries(
      (await s.overview()).eligible_sources.flatMap(
        ({ profiles }: { profiles: { provider: string; instance: string; endpoint_url: string }[] }) =>
          profiles.map((one) => [`${one.provider}:${one.instance}`, one.endpoint_url] as const),
      ),
    ) as Record<string, string>
  const before = await urls()
  await save({ provider: 'MEDIAA', suppress_start_at: 97, sink_instances: { TRACKA: 'TRACKA-P01' } })
  t.same(await urls(), before, 'a change keeps the address')
  t.equal((await s.overview()).webhooks[0].sink_instance, 'TRACKA-P01')

  const old = before['MEDIAA:default'] as string
  await s.post('/api/scrobbler/webhooks/profile/regenerate', { provider: 'mediaA' })
  const after = await urls()
  t.not(after['MEDIAA:default'], old)
  t.equal(after['MEDIAB:default'], before['MEDIAB:default'], 'no other address changes')
  const opens = (url: string) =>
    accessOf({ provider: 'mediaA', purpose: 'playback', profile: tokenIn(url) }, s.world()).ok
  t.notOk(opens(old))
  t.ok(opens(after['MEDIAA:default'] as string))

  const disable = (body: object) => s.post('/api/scrobbler/webhooks/profile/disable', { provider: 'MEDIAA', ...body })
  t.match((await disable({})).body.webhooks[0], {
    enabled: false,
    active: false,
    endpoint_url: after['MEDIAA:default'],
  })
  t.same(
    (await disable({ remove: true, sink: 'tracka' })).body.webhooks.map(({ id }: { id: string }) => id),
    ['MEDIAA:default:SVC:default', 'MEDIAB:default:SVC:default'],
  )
  const last = (await disable({ remove: true, sink: 'SVC' })).body
  t.same(
    last.webhooks.map(({ id }: { id: string }) => id),
    ['MEDIAB:default:SVC:default'],
  )
  t.equal((await urls())['MEDIAA:default'], '', 'its token is gone')
  t.match((s.host.ctx.config as ScrobbleConfig).webhook_ids, { 'profile:MEDIAB:default': String })
})

t.test('a profile keeps its address while its server is unreachable, and concurrent saves keep all', async (t) => {
  await using s = await open()
  await Promise.all(
    ['MEDIAA', 'MEDIAB', 'BARN'].map((provider) =>
      s.post('/api/scrobbler/webhooks/profile', { provider, sinks: ['SVC'] }),
    ),
  )
  const before = await s.overview()
  t.equal(before.webhooks.length, 3)
  s.scene.accounts = ACCOUNTS.map((account) => ({ ...account, configured: account.provider !== 'MEDIAA' }))
  const away = await s.overview()
  t.match(away.webhooks[0], { source_configured: false, active: false, endpoint_url: before.webhooks[0].endpoint_url })
  s.scene.descriptions = DESCRIPTIONS.filter(({ id }) => id !== 'MEDIAA')
  await s.overview()
  s.scene.descriptions = DESCRIPTIONS
  s.scene.accounts = ACCOUNTS
  t.equal((await s.overview()).webhooks[0].endpoint_url, before.webhooks[0].endpoint_url)
})

t.test("addresses use the configured origin, otherwise the client's host", async (t) => {
  await using s = await open()
  await s.post('/api/scrobbler/webhooks/profile', { provider: 'MEDIAA', sinks: ['SVC'] })
  const urlFor = async (caller: object) => (await s.overview(caller)).webhooks[0].endpoint_url as string
  t.match(await urlFor({ host: '192.168.1.4:8080', secure: false }), /^http:\/\/192\.168\.1\.4:8080\/webhook\/mediaA\?/)
  t.match(
    await urlFor({ host: 'evil.example', secure: true, publicOrigin: 'https://playhead.example.org' }),
    /^https:\/\/playhead\.example\.org\/webhook/,
  )
  t.match(await urlFor({ host: 'a b', secure: false }), /^\/webhook\/mediaA\?/, 'no origin from a host that is none')
})

t.test('ratings: a global address and one of a route, and neither in the options', async (t) => {
  await using s = await open()
  const { body } = await s.post('/api/scrobbler/settings', { global_mediaA_ratings: { trackA: true } })
  t.match(body.source_state.global_mediaA_ratings, {
    trackA: true,
    svc: false,
    endpoint_url: /\/webhook\/mediaAwatcher\?token=[\w-]{32}$/,
  })
  const options = { ratings: { mode: 'custom', targets: ['SVC'] } }
  const made = (await s.post('/api/scrobbler/routes', { provider: 'MEDIAA', sink: 'TRACKA', options })).body
  t.match(made.routes[0].ratings_webhook_url, /\/webhook\/mediaAwatcher\?route=[\w-]+&token=[\w-]{32}$/)
  t.same(made.routes[0].options.ratings, { mode: 'custom', targets: ['SVC'] })
  const renewed = (await s.call('PUT', '/api/scrobbler/routes/R1', { regenerate_ratings_webhook: true })).body
  t.not(renewed.routes[0].ratings_webhook_url, made.routes[0].ratings_webhook_url)
  const sentBack = (await s.call('PUT', '/api/scrobbler/routes/R1', renewed.routes[0])).body
  t.equal(
    sentBack.routes[0]?.ratings_webhook_url,
    renewed.routes[0].ratings_webhook_url,
    'a row can be sent back as it is',
  )
})

t.test('cleaning up removes old addresses and those of removed profiles', async (t) => {
  await using s = await open({
    webhook: { profiles: { MEDIAA: { default: { sinks: ['SVC'] } } } },
    webhook_ids: {
      'legacy:MEDIAA': TOKEN,
      'profile:MEDIAA:default': TOKEN,
      'profile:MEDIAB:default': TOKEN,
      'rating:MEDIAA': TOKEN,
      plextoken: TOKEN,
    },
  })
  t.same((await s.overview()).legacy_webhooks, ['Plex'])
  const { body } = await s.post('/api/scrobbler/webhooks/cleanup-legacy')
  t.same(body.legacy_webhooks, [])
  t.same(Object.keys((s.host.ctx.config as ScrobbleConfig).webhook_ids).sort(), [
    'profile:MEDIAA:default',
    'rating:MEDIAA',
  ])
})

t.test('both sources for one account: a warning', async (t) => {
  await using s = await open()
  await s.post('/api/scrobbler/webhooks/profile', { provider: 'MEDIAA', sinks: ['SVC'] })
  const { body } = await s.post('/api/scrobbler/routes', { provider: 'MEDIAA', sink: 'SVC' })
  t.equal(body.hybrid_warning, true)
  t.equal((await s.call('PUT', '/api/scrobbler/routes/R1', { provider: 'MEDIAB' })).body.hybrid_warning, false)
})
