// Validation of client input: every wrong value is refused with its field and a code, and no value is silently dropped.
import t from 'tap'
import { readProfileInput } from '../../../plugins/services/scrobble/config/profile-input.ts'
import { readRouteInput } from '../../../plugins/services/scrobble/config/route-input.ts'
import { readSettingsInput } from '../../../plugins/services/scrobble/config/settings-input.ts'
import type { RouteSettings } from '../../../plugins/services/scrobble/settings.ts'
import { refusalOf, ROUTE, settings, TOKEN, WORLD } from './world.ts'

const stored = (...routes: object[]) => settings({ watch: { routes } }).watch.routes
const create = (body: unknown, routes: readonly RouteSettings[] = []) => readRouteInput(body, undefined, routes, WORLD)

t.test('a route needs a watchable source and a tracker, both connected', (t) => {
  const refused = (body: object) => refusalOf(() => create({ provider: 'mediaa', sink: 'tracka', ...body }))
  t.same(refused({}), [], 'any case is understood')
  t.same(refused({ provider: 'nope' }), ['provider unsupported_provider'])
  t.same(refused({ provider: 'BARN' }), ['provider unsupported_provider'], 'webhooks alone cannot be watched')
  t.same(refused({ provider: 'METAA' }), ['provider unsupported_provider'])
  t.same(refused({ sink: 'MEDIAB' }), ['sink unsupported_provider'])
  t.same(refused({ sink: 'diary' }), [], 'a tracker that the code does not know by name')
  t.same(refused({ provider_instance: 'MEDIAA-P07' }), ['provider_instance profile_not_found'])
  t.same(refused({ sink_instance: 'tracka-p02' }), ['sink_instance profile_not_configured'])
  t.same(
    refusalOf(() => create({})),
    ['provider unsupported_provider', 'sink unsupported_provider'],
  )
  t.same(
    refusalOf(() => create([])),
    ['route invalid_structure'],
  )
  t.match(create({ provider: 'mediaA', providerInstance: 'mediaa-p01', sink: 'trackA', sinkInstance: '' }), {
    id: 'R1',
    provider_instance: 'MEDIAA-P01',
    sink_instance: 'default',
    enabled: true,
  })
  t.end()
})

t.test('ids are R1, R2, … and unique, and so is the way between two accounts', (t) => {
  const routes = stored(ROUTE, { ...ROUTE, id: 'R3', sink: 'TRACKB' })
  t.equal(create({ provider: 'MEDIAB', sink: 'SVC' }, routes).id, 'R2')
  t.same(
    refusalOf(() => create({ id: 'R3', provider: 'MEDIAB', sink: 'SVC' }, routes)),
    ['id duplicate_route_id'],
  )
  t.same(
    refusalOf(() => create({ id: '../x', provider: 'MEDIAB', sink: 'SVC' }, routes)),
    ['id invalid_id'],
  )
  t.same(
    refusalOf(() => create({ provider: 'MEDIAA', sink: 'TRACKA', filters: { username_whitelist: ['x'] } }, routes)),
    ['route duplicate_route'],
  )
  t.same(
    refusalOf(() => create({ provider: 'MEDIAA', sink: 'TRACKA', sink_instance: 'TRACKA-P01' }, routes)),
    [],
  )
  const change = (body: object) => readRouteInput(body, routes[1], routes, WORLD)
  t.same(
    refusalOf(() => change({ id: ' ' })),
    ['id missing_id'],
  )
  t.same(
    refusalOf(() => change({ id: 'R1' })),
    ['id duplicate_route_id'],
  )
  t.same(
    refusalOf(() => change({ sink: 'TRACKA' })),
    ['route duplicate_route'],
  )
  t.equal(change({ id: 'evening' }).id, 'evening')
  t.end()
})

t.test('a change replaces the named fields, and filters and options as a whole', (t) => {
  const routes = stored({
    ...ROUTE,
    filters: { username_whitelist: ['Ann'], ignored_editions: ['x'] },
    options: { auto_remove_watchlist: 'on', scrobble: { watched_at: 80 } },
  })
  const change = (body: object) => readRouteInput(body, routes[0], routes, WORLD)
  t.same(change({ enabled: false }), { ...routes[0], enabled: false })
  t.same(change({ filters: { ignored_editions: ['y'] } }).filters, { ignored_editions: ['y'] })
  t.match(change({ options: {} }).options, { auto_remove_watchlist: 'inherit', scrobble: {} })
  t.equal(change({ sink: 'TRACKB' }).sink_instance, 'default')
  const lost = stored({ ...ROUTE, sink_instance: 'TRACKA-P02' })
  t.equal(readRouteInput({ enabled: false }, lost[0], lost, WORLD).enabled, false, 'also when its account is gone')
  t.end()
})

t.test('filters: unknown keys and wrong shapes are refused', (t) => {
  const refused = (filters: unknown) => refusalOf(() => create({ ...ROUTE, filters }))
  t.same(refused('Ann'), ['filters invalid_filter_structure'])
  t.same(refused({ usernames: [] }), ['filters invalid_filter_key'])
  for (const name of ['constructor', '__proto__x', 'toString'])
    t.same(refused({ [name]: [] }), ['filters invalid_filter_key'])
  t.same(refused({ username_whitelist: 7 }), ['filters.username_whitelist invalid_filter_structure'])
  t.same(refused({ username_whitelist: [{}] }), ['filters.username_whitelist invalid_filter_structure'])
  t.same(refused({ username_whitelist: ['x'.repeat(1_001)] }), ['filters.username_whitelist invalid_range'])
  t.same(refused({ ignore_live_tv_dvr: 'yes' }), ['filters.ignore_live_tv_dvr invalid_boolean'])
  t.same(refused({ min_duration_seconds: 90.5 }), ['filters.min_duration_seconds invalid_number'])
  t.same(refused({ min_duration_seconds: -1 }), ['filters.min_duration_seconds invalid_range'])
  t.same(refused({ ignore_agregarr_trailers: true, username_whitelist: 'a,b', user_id: null }), [])
  t.end()
})

t.test('options: unknown keys, choices and ranges', (t) => {
  const refused = (options: unknown) => refusalOf(() => create({ ...ROUTE, options }))
  t.same(refused(1), ['options invalid_structure'])
  t.same(refused({ speed: 1, scrobble: { watched: 1 } }), [
    'options.speed unsupported_setting',
    'options.scrobble.watched unsupported_setting',
  ])
  t.same(refused({ auto_remove_watchlist: true }), ['options.auto_remove_watchlist invalid_choice'])
  t.same(refused({ scrobble: { watched_at: 101, force_stop_at: 'late', progress_step: 0 } }), [
    'options.scrobble.watched_at invalid_range',
    'options.scrobble.force_stop_at invalid_number',
    'options.scrobble.progress_step invalid_range',
  ])
  t.same(refused({ watch: { pause_debounce_seconds: 3_601, suppress_start_at: 1.5 } }), [
    'options.watch.pause_debounce_seconds invalid_range',
    'options.watch.suppress_start_at invalid_number',
  ])
  const { options } = create({ ...ROUTE, options: { scrobble: { watched_at: '80', force_stop_at: null } } })
  t.same(options.scrobble, { watched_at: 80 }, 'numbers may be text, null inherits')
  t.end()
})

t.test('ratings of a route have their own address, which is created here and kept', (t) => {
  const custom = (targets: unknown, more: object = {}) => ({ ratings: { mode: 'custom', targets, ...more } })
  const refused = (body: object) => refusalOf(() => create({ ...ROUTE, ...body }))
  t.same(refused({ options: custom([]) }), ['options.ratings.targets missing_targets'])
  t.same(refused({ options: custom(['DIARY']) }), ['options.ratings.targets unsupported_provider'])
  t.same(refused({ provider: 'MEDIAB', options: custom(['SVC']) }), ['options.ratings.mode mediaA_only'])
  t.same(refused({ options: { ratings: { mode: 'all' } } }), ['options.ratings.mode invalid_choice'])

  const made = create({ ...ROUTE, options: custom(['tracka', 'svc'], { webhook_id: 'mine', webhook_token: TOKEN }) })
  const { webhook_id: id, webhook_token: token } = made.options.ratings
  t.not(id, 'mine', 'what the client says is ignored')
  t.match(token, /^[\w-]{32}$/)
  const change = (body: object) => readRouteInput(body, made, [made], WORLD).options.ratings
  t.match(change({ enabled: false }), { webhook_id: id, webhook_token: token }, 'kept')
  t.match(change({ options: custom(['SVC']) }), { targets: ['SVC'], webhook_id: id, webhook_token: token }, 'kept')
  t.not(change({ regenerate_ratings_webhook: true }).webhook_token, token)
  t.same(change({ options: {} }), { mode: 'off', targets: [] }, 'cleared with its purpose')
  t.end()
})

t.test('webhook profiles: trackers are added, and one can be replaced', (t) => {
  const profiles = {
    MEDIAA: {
      default: { enabled: false, sinks: ['TRACKA'], sink_instances: { TRACKA: 'TRACKA-P01' }, suppress_start_at: 90 },
    },
  }
  const { webhook } = settings({ webhook: { profiles } })
  const save = (body: object) =>
    readProfileInput({ provider: 'mediaA', ...body }, (p, i) => webhook.profiles[p]?.[i], WORLD)
  t.match(save({ sinks: 'svc' }).profile, {
    enabled: false,
    sinks: ['TRACKA', 'SVC'],
    sink_instances: { TRACKA: 'TRACKA-P01' },
    suppress_start_at: 90,
  })
  t.match(save({ provider_instance: 'MEDIAA-P01' }), { instance: 'MEDIAA-P01', profile: { enabled: true, sinks: [] } })
  t.same(save({ prev_sink: 'tracka', sinks: ['SVC'] }).profile.sinks, ['SVC'])
  t.same(save({ prev_sink: 'tracka', sinks: ['SVC'] }).profile.sink_instances, {}, 'its profile goes with it')
  t.notOk('suppress_start_at' in save({ suppress_start_at: null }).profile, 'null inherits again')
  t.match(
    save({ filters_mediaA: { username_whitelist: ['*'] }, mediaA_trackA_ratings: true, anti_autoplay_seconds: 4 })
      .profile,
    { filters: { username_whitelist: ['*'] }, mediaA_trackA_ratings: true, guard_autoplay_seconds: 4 },
  )
  t.equal(save({ regenerate: true }).renew, true)
  t.end()
})

t.test('webhook profiles: refusals', (t) => {
  const refused = (body: object) =>
    refusalOf(() => readProfileInput({ provider: 'MEDIAA', ...body }, () => undefined, WORLD))
  t.same(refused({ provider: 'TRACKA' }), ['provider unsupported_provider'])
  t.same(refused({ provider: '' }), ['provider unsupported_provider'])
  t.same(refused({ provider: 'barn', sinks: ['DIARY'] }), [], 'providers that the code does not know by name')
  t.same(refused({ provider_instance: 'MEDIAA-P09' }), ['provider_instance profile_not_found'])
  t.same(refused({ sinks: ['METAA'] }), ['sinks unsupported_provider'])
  t.same(refused({ sinks: 7 }), ['sinks invalid_structure'])
  t.same(refused({ sinks: ['SVC'], sink_instances: [] }), ['sink_instances invalid_structure'])
  t.same(refused({ sinks: ['SVC'], sink_instances: { SVC: 'SVC-P05' } }), ['sink_instances.SVC profile_not_found'])
  t.same(refused({ sinks: ['TRACKA'], sink_instances: { tracka: 'TRACKA-P02' } }), [
    'sink_instances.TRACKA profile_not_configured',
  ])
  t.same(refused({ sink_instances: { PARROT: 'x' } }), ['sink_instances.PARROT unsupported_provider'])
  for (const name of ['speed', 'constructor', 'mediaA_diary_ratings', 'mediaB_trackA_ratings', 'filters_mediaB'])
    t.same(refused({ [name]: true }), ['settings unsupported_setting'], name)
  t.same(refused({ suppress_start_at: 101, pause_debounce_seconds: 'soon' }), [
    'suppress_start_at invalid_range',
    'pause_debounce_seconds invalid_number',
  ])
  t.same(
    refused({ provider: 'MEDIAB', mediaB_trackA_ratings: true }),
    ['settings unsupported_setting'],
    'it reports none',
  )
  t.end()
})

t.test('general settings are validated', (t) => {
  const read = (body: unknown, section: object = {}) => readSettingsInput(body, settings(section), WORLD)
  const refused = (body: unknown) => refusalOf(() => read(body))
  t.throws(() => read('x'), { code: 'PLH_INVALID', wire: 'invalid_settings', status: 400 })
  t.same(refused({ speed: 1 }), ['settings unsupported_setting'])
  t.same(refused({ hasOwnProperty: 1 }), ['settings unsupported_setting'])
  t.same(refused({ enabled: 'on', sources: { watcher: 1, other: true } }), [
    'enabled invalid_boolean',
    'sources.watcher invalid_boolean',
    'sources.other unsupported_setting',
  ])
  t.same(refused({ webhook_suppress_start_at: 3_600, watch_progress_step: 26, watch_watched_at: 'x' }), [
    'watch_watched_at invalid_number',
    'watch_progress_step invalid_range',
    'webhook_suppress_start_at invalid_range',
  ])
  t.same(refused({ global_auto_remove_types: ['season'] }), ['global_auto_remove_types invalid_choice'])
  t.same(refused({ global_mediaA_ratings: { metaA: true } }), ['global_mediaA_ratings.metaA unsupported_provider'])
  t.same(refused({ global_mediaB_ratings: {} }), ['settings unsupported_setting'])

  t.same(read({ sources: { watch: true } }), { enabled: true, sources: { watcher: true } })
  t.same(read({ sources: { watcher: false, webhook: false }, enabled: true }), {
    enabled: false,
    sources: { watcher: false, webhook: false },
  })
  t.same(read({ sources: { webhook: false } }), { sources: { webhook: false } })
  t.same(read({ enabled: false }), { enabled: false })
  t.same(
    read({
      watch_watched_at: 85,
      watch_pause_debounce_seconds: 0,
      webhook_suppress_start_at: '97',
      watch_autostart: true,
    }),
    {
      watch: { pause_debounce_seconds: 0, autostart: true },
      webhook: { suppress_start_at: 97 },
      policy: { watched_at: 85 },
    },
  )
  t.same(read({ global_auto_remove_types: [] }), { auto_remove_types: ['movie'] })

  const rated = read({ global_mediaA_ratings: { trackA: true, endpoint_url: 'https://x' } }) as Record<string, never>
  t.match(rated, {
    watch: { mediaA_trackA_ratings: true, mediaA_trackB_ratings: false, mediaA_svc_ratings: false },
    webhook_ids: { 'rating:MEDIAA': /^[\w-]{32}$/ },
  })
  const kept = { webhook_ids: { 'rating:MEDIAA': TOKEN } }
  t.notOk('webhook_ids' in read({ global_mediaA_ratings: { svc: true } }, kept))
  t.ok('webhook_ids' in read({ regenerate_global_mediaA_ratings_webhook: true }, kept))
  t.end()
})

t.test('null is a value, except where it stands for the inherited one or for nothing', (t) => {
  const route = (body: object) => refusalOf(() => create({ ...ROUTE, ...body }))
  const profile = (body: object) =>
    refusalOf(() => readProfileInput({ provider: 'MEDIAA', ...body }, () => undefined, WORLD))
  const general = (body: object) => refusalOf(() => readSettingsInput(body, settings(), WORLD))
  for (const [read, body, refused] of [
    [route, { provider: null }, ['provider unsupported_provider']],
    [route, { enabled: null }, ['enabled invalid_boolean']],
    [route, { regenerate_ratings_webhook: null }, ['regenerate_ratings_webhook invalid_boolean']],
    [route, { filters: null }, ['filters invalid_filter_structure']],
    [route, { options: null }, ['options invalid_structure']],
    [route, { options: { scrobble: null } }, ['options.scrobble invalid_structure']],
    [route, { options: { auto_remove_watchlist: null } }, ['options.auto_remove_watchlist invalid_choice']],
    [route, { options: { ratings: { targets: [{}] } } }, ['options.ratings.targets invalid_structure']],
    [route, { options: { ratings: { targets: null } } }, []],
    [route, { provider_instance: null, sink_instance: null, id: null }, []],
    [route, { filters: { ignore_live_tv_dvr: null, username_whitelist: null, min_duration_seconds: null } }, []],
    [profile, { enabled: null }, ['enabled invalid_boolean']],
    [profile, { sinks: null }, ['sinks invalid_structure']],
    [profile, { filters: null }, ['filters invalid_filter_structure']],
    [profile, { mediaA_trackA_ratings: null }, ['mediaA_trackA_ratings invalid_boolean']],
    [profile, { sink_instances: null, suppress_start_at: null, anti_autoplay_seconds: null }, []],
    [general, { enabled: null }, ['enabled invalid_boolean']],
    [general, { sources: null }, ['sources invalid_structure']],
    [general, { sources: { watcher: null } }, ['sources.watcher invalid_boolean']],
    [general, { global_auto_remove_types: null }, ['global_auto_remove_types invalid_choice']],
    [general, { watch_watched_at: null }, ['watch_watched_at invalid_number']],
    [general, { global_mediaA_ratings: null }, ['global_mediaA_ratings invalid_structure']],
  ] as const)
    t.same(read(body), refused, JSON.stringify(body))
  t.end()
})
