// The settings routes as a client uses them: through HTTP, with the real settings store.
import t from 'tap'
import { usagesOf } from '../../../plugins/services/scrobble/config/usages.ts'
import { overviewBlock } from '../../../plugins/services/scrobble/routes/overview-block.ts'
import { codes, open } from './settings-host.ts'
import { DESCRIPTIONS } from './world.ts'

t.test("the overview of a new household offers the providers' abilities, and changes nothing", async (t) => {
  await using s = await open()
  const before = JSON.stringify(s.host.ctx.config)
  const body = await s.overview()
  t.match(body, {
    ok: true,
    source_state: {
      enabled: false,
      sources: { webhook: false, watcher: false, watch: false },
      effective: { webhook: false, watcher: false },
      mode: '',
      watch_defaults: {
        watched_at: 90,
        force_stop_at: 95,
        progress_step: 25,
        pause_debounce_seconds: 5,
        suppress_start_at: 99,
      },
      webhook_defaults: { pause_debounce_seconds: 5, suppress_start_at: 99 },
      global_mediaA_ratings: { trackA: false, trackB: false, svc: false, endpoint_url: '' },
    },
    webhooks: [],
    routes: [],
    summary: { active_webhooks: 0, eligible_profiles: 4, enabled_routes: 0, total_routes: 0, watcher_running: false },
    hybrid_warning: false,
    legacy_webhooks: [],
  })
  t.same(
    body.eligible_sources.map(({ provider }: { provider: string }) => provider),
    ['MEDIAA', 'MEDIAB', 'BARN'],
  )
  t.match(body.eligible_sources[2], { watch: false, webhook: true, label: 'Barn cinema' }, 'a plugin of somebody else')
  t.same(
    body.destination_availability.map(({ provider }: { provider: string }) => provider),
    ['TRACKA', 'TRACKB', 'SVC', 'DIARY'],
  )
  t.match(body.destination_availability[0].profiles[2], {
    instance: 'TRACKA-P02',
    configured: false,
    reason: 'not_configured',
  })
  t.equal(JSON.stringify(s.host.ctx.config), before)
})

t.test('a route from its creation to its removal', async (t) => {
  await using s = await open()
  const made = await s.post('/api/scrobbler/routes', {
    provider: 'mediaA',
    sink: 'trackA',
    sink_instance: 'tracka-p01',
  })
  t.equal(made.status, 200)
  t.match(made.body, {
    source_state: { enabled: true, sources: { watcher: true, webhook: false }, effective: { watcher: true } },
    routes: [
      {
        id: 'R1',
        enabled: true,
        source_label: 'Plex',
        sink_label: 'Trakt',
        sink_profile_label: 'Ann',
        ready: true,
        runtime: { running: false },
      },
    ],
    runtime_result: {},
  })
  t.match((await s.post('/api/watch/start')).body, { ok: true, alive: true, provider: 'MEDIAA', sinks: ['TRACKA'] })

  const second = await s.post('/api/scrobbler/routes', { provider: 'MEDIAB', sink: 'SVC' })
  t.match(second.body, { runtime_result: { watcher_reloaded: true }, summary: { total_routes: 2 } })
  const changed = await s.call('PUT', '/api/scrobbler/routes/R2', { enabled: false })
  t.match(changed.body, {
    routes: [{ id: 'R1' }, { id: 'R2', enabled: false }],
    runtime_result: { watcher_reloaded: true },
  })
  t.same(
    (await s.call('PUT', '/api/scrobbler/routes/R2', { enabled: false })).body.runtime_result,
    {},
    'nothing changed',
  )
  t.match((await s.post('/api/scrobbler/settings', { sources: { watcher: false } })).body, {
    runtime_result: { watcher_stopped: true },
    source_state: { sources: { watcher: false }, effective: { watcher: false }, enabled: true },
  })

  t.equal((await s.call('DELETE', '/api/scrobbler/routes/R1')).status, 200)
  t.same(
    (await s.overview()).routes.map(({ id }: { id: string }) => id),
    ['R2'],
  )
  for (const [method, payload] of [
    ['PUT', { enabled: true }],
    ['DELETE', undefined],
  ] as const) {
    const gone = await s.call(method, '/api/scrobbler/routes/R1', payload)
    t.equal(gone.status, 404)
    t.match(gone.body, { ok: false, error: 'validation_failed', errors: [{ field: 'id', code: 'route_not_found' }] })
  }
})

t.test('a disabled watcher stays off when a route is added', async (t) => {
  await using s = await open({ enabled: false })
  const { body } = await s.post('/api/scrobbler/routes', { provider: 'MEDIAA', sink: 'TRACKA' })
  t.match(body.source_state, { enabled: false, effective: { watcher: false } })
})

t.test('wrong input is a 400 with fields, and loses nothing', async (t) => {
  await using s = await open({ enabled: true, watch: { routes: [{ id: 'R1', provider: 'MEDIAA', sink: 'TRACKA' }] } })
  const before = JSON.stringify(s.host.ctx.config)
  for (const [path, payload, expected] of [
    [
      '/api/scrobbler/routes',
      { provider: 'x', sink: 'y' },
      ['provider unsupported_provider', 'sink unsupported_provider'],
    ],
    ['/api/scrobbler/routes', { provider: 'MEDIAA', sink: 'TRACKA' }, ['route duplicate_route']],
    ['/api/scrobbler/webhooks/profile', { provider: 'MEDIAA', speed: 1 }, ['settings unsupported_setting']],
    ['/api/scrobbler/webhooks/profile/disable', { provider: 'MEDIAA' }, ['provider_instance profile_not_found']],
    ['/api/scrobbler/webhooks/profile/regenerate', {}, ['provider unsupported_provider']],
    ['/api/scrobbler/settings', { watch_progress_step: 0 }, ['watch_progress_step invalid_range']],
  ] as const) {
    const { status, body } = await s.post(path, payload)
    t.equal(status, 400, path)
    t.match(body, { ok: false, error: 'validation_failed' })
    t.same(codes(body), expected)
  }
  const odd = await s.post('/api/scrobbler/settings', [1])
  t.match(odd, { status: 422, body: { detail: [{ loc: ['body'] }] } })
  const huge = {
    method: 'POST',
    url: '/api/scrobbler/settings',
    payload: '{"watch_watched_at":1e999}',
    headers: { 'content-type': 'application/json' },
  } as const
  const answer = await s.host.inject(huge)
  t.equal(answer.statusCode, 422)
  t.equal(JSON.stringify(s.host.ctx.config), before)
})

t.test('the usages of a profile, and the block of the overview', async (t) => {
  await using s = await open()
  const options = { ratings: { mode: 'custom', targets: ['SVC'] } }
  await s.post('/api/scrobbler/routes', {
    provider: 'MEDIAA',
    sink: 'TRACKA',
    sink_instance: 'TRACKA-P01',
    enabled: false,
    options,
  })
  await s.post('/api/scrobbler/webhooks/profile', { provider: 'MEDIAA', sinks: ['DIARY'] })
  await s.post('/api/scrobbler/webhooks/profile', { provider: 'MEDIAB' })
  const of = (provider: string, instance = 'default') =>
    usagesOf(s.world().settings, provider, instance, DESCRIPTIONS).map(({ feature, label, enabled, ...more }) => [
      feature,
      more['role'],
      label,
      enabled,
    ])
  t.same(of('MEDIAA'), [
    ['watcher', 'provider', 'R1: Plex → Trakt', false],
    ['webhook', 'provider', 'Plex → Film diary', true],
  ])
  t.same(of('TRACKA', 'TRACKA-P01'), [['watcher', 'sink', 'R1: Plex → Trakt', false]])
  t.same(of('SVC'), [['watcher', 'ratings', 'R1: Plex → Trakt', false]])
  t.same(of('DIARY'), [['webhook', 'sink', 'Plex → Film diary', true]])
  t.same(of('TRACKA'), [])
  t.same(of('MEDIAB'), [], 'a webhook without trackers uses nothing')
  t.same(overviewBlock(s.world(), s.watchers().status()), {
    enabled: true,
    mode: 'webhook',
    sources: { webhook: true, watcher: false },
    effective: { webhook: true, watcher: false },
    watcher: { alive: false },
    providers: ['MEDIAA'],
    sinks: ['DIARY'],
  })
})
