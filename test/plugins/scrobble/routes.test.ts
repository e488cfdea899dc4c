// The routes of the settings, as a client uses them: through HTTP, with the real settings store.
import t from 'tap'
import fc from 'fast-check'
import { definePlugin } from '@playhead/sdk'
import { createTestClock, createTestHost } from '@playhead/sdk/testing'
import { createSectionChecks } from '../../../core/config/document/resolve-section.ts'
import type { AccessInput } from '../../../plugins/services/scrobble/config/access.ts'
import { accessOf } from '../../../plugins/services/scrobble/config/access.ts'
import { makeEffective } from '../../../plugins/services/scrobble/config/effective.ts'
import { normalizeScrobble } from '../../../plugins/services/scrobble/config/normalize.ts'
import { usagesOf } from '../../../plugins/services/scrobble/config/usages.ts'
import type { GroupStatus, Watchers } from '../../../plugins/services/scrobble/contract.ts'
import { overviewBlock } from '../../../plugins/services/scrobble/routes/overview-block.ts'
import { registerScrobblerRoutes } from '../../../plugins/services/scrobble/routes/register.ts'
import { ScrobbleConfig } from '../../../plugins/services/scrobble/settings.ts'
import { ACCOUNTS, DESCRIPTIONS, TOKEN } from './world.ts'

const S = { auth: 'S' } as const
const manifest = {
  id: 'scrobble',
  name: 'Scrobble',
  version: '1.0.0',
  api: '^1.0.0',
  kind: 'service',
  section: 'scrobble',
  logChannels: [{ tag: 'WATCH', watcher: true }, { tag: 'WEBHOOK', watcher: true }, { tag: 'SCROBBLEDEBUG' }],
  routes: [
    { method: 'GET', path: '/api/scrobbler/overview', ...S },
    { method: 'POST', path: '/api/scrobbler/webhooks/profile', ...S },
    { method: 'POST', path: '/api/scrobbler/webhooks/profile/disable', ...S },
    { method: 'POST', path: '/api/scrobbler/webhooks/profile/regenerate', ...S },
    { method: 'POST', path: '/api/scrobbler/webhooks/cleanup-legacy', ...S },
    { method: 'POST', path: '/api/scrobbler/routes', ...S },
    { method: 'PUT', path: '/api/scrobbler/routes/:route_id', ...S },
    { method: 'DELETE', path: '/api/scrobbler/routes/:route_id', ...S },
    { method: 'POST', path: '/api/scrobbler/settings', ...S },
    { method: 'GET', path: '/api/watch/status', ...S },
    { method: 'POST', path: '/api/watch/start', ...S },
    { method: 'POST', path: '/api/watch/stop', ...S },
    { method: 'POST', path: '/api/watch/refresh', ...S },
    { method: 'GET', path: '/api/watch/logs', ...S },
  ],
} as const

/** Watchers that follow whatever they are told, and may fail. */
function createWatchers(effective: () => AccessInput['effective']) {
  const seen = { isRunning: false, fails: false, calls: [] as string[] }
  const groups = (): GroupStatus[] => {
    if (!seen.isRunning) return []
    const own = effective().lanes.filter(({ method }) => method === 'watcher')
    return [...Map.groupBy(own, ({ source }) => `${source.provider}:${source.instance}`)].map(([id, lanes]) => ({
      id,
      provider: lanes[0]!.source.provider,
      instance: lanes[0]!.source.instance,
      state: 'connected',
      by: 'push',
      others: true,
      lastEventAtMs: 1_700_000_000_500,
      lastError: null,
      retryAtMs: null,
      failures: 0,
      routes: lanes.map((lane) => lane.id),
    }))
  }
  const act = (name: string, runs: () => boolean) => async () => {
    seen.calls.push(name)
    if (seen.fails) throw new Error('the watchers are broken')
    seen.isRunning = runs()
  }
  const watchers: Watchers = {
    status: groups,
    start: act('start', () => effective().sources.watcher),
    stop: act('stop', () => false),
    refresh: act('refresh', () => effective().sources.watcher),
  }
  return Object.assign(watchers, { seen })
}

async function open(config: object = {}) {
  const clock = createTestClock()
  const scene = { accounts: ACCOUNTS, descriptions: DESCRIPTIONS }
  let watchers: ReturnType<typeof createWatchers> | undefined
  let world = (): AccessInput => {
    throw new Error('not registered yet')
  }
  const plugin = definePlugin({
    config: ScrobbleConfig,
    normalizeConfig: normalizeScrobble,
    setup(ctx) {
      const lines = [
        ['WATCH', 'first'],
        ['WEBHOOK', 'second'],
        ['SCROBBLEDEBUG', 'hidden'],
        ['WATCH', 'third'],
      ] as const
      for (const [tag, line] of lines) {
        ctx.log.channel(tag).info(line)
        clock.advance(1_000)
      }
    },
    routes(app) {
      world = () => {
        const settings = app.playhead.config as ScrobbleConfig
        return { ...scene, settings, effective: makeEffective(settings, scene.accounts, scene.descriptions) }
      }
      watchers = createWatchers(() => world().effective)
      const refresh = async () => {
        // As the running scrobbler: a change is followed while the watchers run.
        if (watchers?.seen.isRunning === true) await watchers.refresh()
        return world()
      }
      registerScrobblerRoutes(app, { worlds: { read: async () => world(), refresh }, watchers })
    },
  })
  const host = await createTestHost({ plugin, manifest: manifest as never, config: config as never, clock })
  const call = async (
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    url: string,
    payload?: unknown,
    caller: object = {},
  ) => {
    const answer = await host.inject(
      { method, url, ...(payload === undefined ? {} : { payload: payload as object }) },
      caller,
    )
    return { status: answer.statusCode, body: answer.json() }
  }
  return {
    host,
    scene,
    call,
    get: (url: string, caller: object = {}) => call('GET', url, undefined, caller),
    post: (url: string, payload: unknown = {}) => call('POST', url, payload),
    overview: async (caller: object = {}) => (await call('GET', '/api/scrobbler/overview', undefined, caller)).body,
    watchers: () => watchers!,
    world: () => world(),
    async [Symbol.asyncDispose]() {
      await host[Symbol.asyncDispose]()
    },
  }
}

const codes = (body: { errors: { field: string; code: string }[] }) =>
  body.errors.map(({ field, code }) => `${field} ${code}`)
const tokenIn = (url: string) => new URL(url).searchParams.get('profile') ?? ''

t.test('the overview of a new household offers what the providers can do, and changes nothing', async (t) => {
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

t.test('a route from the first click to its removal', async (t) => {
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

t.test('what a person switched off stays off when a route is added', async (t) => {
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
    ['/api/scrobbler/routes', [], ['route invalid_structure']],
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
  t.match(odd, { status: 400, body: { ok: false, error: 'invalid_settings' } })
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

t.test('webhook profiles: a token of their own, renewed alone, gone with the profile', async (t) => {
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

t.test('a profile keeps its address while its server is away, and several saves at once keep all', async (t) => {
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

t.test('addresses: the configured origin, else the one that the client used', async (t) => {
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

t.test('the watchers: start, state, stop, and failures', async (t) => {
  await using s = await open()
  t.match((await s.post('/api/watch/start')).body, { ok: true, groups: [], alive: false, reason: 'watcher_disabled' })
  await s.post('/api/scrobbler/routes', { provider: 'MEDIAA', sink: 'TRACKA' })
  await s.post('/api/scrobbler/routes', { provider: 'MEDIAB', sink: 'DIARY' })
  t.match((await s.get('/api/watch/status')).body, {
    has_watch: true,
    alive: false,
    groups: [],
    provider: null,
    sinks: [],
  })
  t.match((await s.post('/api/watch/refresh')).body, { ok: true, reloaded: true, alive: true })
  t.match((await s.get('/api/watch/status')).body, {
    alive: true,
    provider: 'multi',
    sinks: ['DIARY', 'TRACKA'],
    stop_set: false,
    groups: [
      {
        provider: 'MEDIAA',
        running: true,
        connected: true,
        last_event_at: 1_700_000_000,
        routes: ['R1'],
        others: true,
      },
      {},
    ],
    routes: [
      { id: 'R1', running: true },
      { id: 'R2', running: true },
    ],
  })
  t.match((await s.post('/api/watch/stop')).body, {
    ok: true,
    stopped: true,
    alive: false,
    routes: [{ running: false }, {}],
  })
  t.same(s.watchers().seen.calls, ['start', 'refresh', 'stop'])
  s.watchers().seen.fails = true
  const failed = await s.post('/api/watch/start')
  t.equal(failed.status, 500)
  t.match(failed.body, { ok: false, detail: String })
  t.notMatch(failed.body.detail, /broken/)
})

t.test('a change is kept when the watchers cannot follow it', async (t) => {
  await using s = await open()
  await s.post('/api/scrobbler/routes', { provider: 'MEDIAA', sink: 'TRACKA' })
  await s.post('/api/watch/start')
  s.watchers().seen.fails = true
  const { status, body } = await s.post('/api/scrobbler/routes', { provider: 'MEDIAB', sink: 'TRACKA' })
  t.equal(status, 200)
  t.match(body, {
    runtime_result: { watcher_reload_error: 'watcher_reload_failed' },
    routes: [{ id: 'R1' }, { id: 'R2' }],
  })
})

t.test('the log: watcher channels only, by time', async (t) => {
  await using s = await open()
  const lines = async (query = '') => (await s.get(`/api/watch/logs${query}`)).body
  const all = await lines('?tags=*')
  t.same(all.tags, ['WATCH', 'WEBHOOK'])
  t.match(all.lines.join('\n'), /first[\s\S]*second[\s\S]*third/)
  t.notMatch(all.lines.join('\n'), 'hidden')
  t.equal((await lines('?tail=1&tags=watch,webhook')).lines.length, 1)
  t.match((await lines('?tail=1')).lines, [/third/], 'the last of all, not of each')
  t.same((await lines('?tag=webhook')).tags, ['WEBHOOK'])
  t.same((await lines('?tags=SYNC,SCROBBLEDEBUG')).tags, ['WATCH', 'WEBHOOK'], 'others are ignored')
  t.equal((await s.get('/api/watch/logs?tail=0')).status, 422)
  t.equal((await s.get('/api/watch/logs?tail=3001')).status, 422)
})

t.test('what uses a profile, and the block of the overview', async (t) => {
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

t.test('several routes at once get ids of their own', async (t) => {
  await using s = await open()
  const ways = ['TRACKA', 'TRACKB', 'SVC', 'DIARY'].flatMap((sink) =>
    ['MEDIAA', 'MEDIAB'].map((provider) => ({ provider, sink })),
  )
  const answers = await Promise.all([...ways, ...ways].map((way) => s.post('/api/scrobbler/routes', way)))
  t.equal(answers.filter(({ status }) => status === 200).length, ways.length)
  t.ok(answers.every(({ status, body }) => status === 200 || codes(body).join() === 'route duplicate_route'))
  const ids = (await s.overview()).routes.map(({ id }: { id: string }) => id)
  t.same(ids, ['R1', 'R2', 'R3', 'R4', 'R5', 'R6', 'R7', 'R8'])
})

t.test('whatever is sent, the answer is clear and the settings stay valid', async (t) => {
  await using s = await open({
    watch: { routes: [{ id: 'R1', provider: 'MEDIAA', sink: 'TRACKA' }] },
    webhook: { profiles: { MEDIAA: { default: { sinks: ['SVC'] } } } },
  })
  const value = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom<unknown>('MEDIAA', 'TRACKA', 'default', -1, 101, '__proto__', true, null, [], {}),
  )
  const names = [
    'provider',
    'provider_instance',
    'sink',
    'sink_instance',
    'sinks',
    'sink_instances',
    'prev_sink',
    'filters',
    'options',
    'enabled',
    'id',
  ]
  const more = [
    'sources',
    'watch_watched_at',
    'global_mediaA_ratings',
    'global_auto_remove_types',
    'mediaA_svc_ratings',
    'remove',
    'regenerate',
  ]
  const body = fc.oneof(
    fc.jsonValue(),
    fc.dictionary(fc.constantFrom(...names, ...more), value, { maxKeys: 6 }),
    fc
      .dictionary(fc.constantFrom(...names, ...more), value, { maxKeys: 4 })
      .map((one) => ({ provider: 'MEDIAA', sink: 'DIARY', ...one })),
    fc.record({
      options: fc.dictionary(
        fc.constantFrom('ratings', 'scrobble', 'watch', 'auto_remove_watchlist'),
        fc.oneof(value, fc.dictionary(fc.constantFrom('mode', 'targets', 'watched_at'), value)),
      ),
    }),
    fc.record({
      filters: fc.dictionary(
        fc.constantFrom('username_whitelist', 'ignored_editions', 'ignore_live_tv_dvr', 'user_id'),
        value,
      ),
    }),
  )
  const route = fc.constantFrom(
    ['POST', '/api/scrobbler/webhooks/profile'],
    ['POST', '/api/scrobbler/webhooks/profile/disable'],
    ['POST', '/api/scrobbler/webhooks/profile/regenerate'],
    ['POST', '/api/scrobbler/webhooks/cleanup-legacy'],
    ['POST', '/api/scrobbler/routes'],
    ['PUT', '/api/scrobbler/routes/R1'],
    ['PUT', '/api/scrobbler/routes/%2e%2e%2fR1'],
    ['POST', '/api/scrobbler/settings'],
  ) as fc.Arbitrary<readonly ['POST' | 'PUT', string]>
  const checks = createSectionChecks()
  await fc.assert(
    fc.asyncProperty(route, body, async ([method, url], sent) => {
      const answer = await s.host.inject({
        method,
        url,
        payload: JSON.stringify(sent),
        headers: { 'content-type': 'application/json' },
      })
      if (![200, 400, 404, 422].includes(answer.statusCode)) return false
      if (answer.statusCode !== 200 && answer.json().errors?.length === 0) return false
      return checks.problems(ScrobbleConfig, s.host.ctx.config as object).length === 0
    }),
    { numRuns: 400 },
  )
  t.same(s.host.failures, [])
  t.equal((await s.get('/api/scrobbler/overview')).status, 200)
})

t.test('settings that were broken by hand are no reason to fail', async (t) => {
  for (const broken of [
    { watch: { routes: 'x' } },
    { watch: { routes: [7, { id: 'R1' }] } },
    { webhook: { profiles: { MEDIAA: { default: { sinks: 7 } } } } },
  ]) {
    await using s = await open(broken)
    t.equal((await s.get('/api/scrobbler/overview')).status, 200)
    const { status } = await s.post('/api/scrobbler/webhooks/profile', { provider: 'MEDIAB', sinks: ['SVC'] })
    t.ok([200, 422].includes(status), String(status))
  }
})
