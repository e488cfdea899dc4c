// The section `scrobble`: stored values, migration of older settings, and secrets.
import t from 'tap'
import { createSectionChecks } from '../../../core/config/document/resolve-section.ts'
import { createSecretRule } from '../../../core/config/secrets/secret-rule.ts'
import type { JsonSchema } from '../../../core/config/document/schema-walk.ts'
import { normalizeScrobble, ScrobbleConfig } from '../../../plugins/services/scrobble/settings.ts'
import { ROUTE, TOKEN } from './world.ts'

const checks = createSectionChecks()
const problems = (section: object) =>
  checks.problems(ScrobbleConfig, section).map(({ path, type }) => `${path.join('.')} ${type}`)

t.test('without settings: off, nothing configured, and the defaults of the reference', (t) => {
  const { value, problems, valid } = checks.resolve(ScrobbleConfig, undefined)
  t.ok(valid)
  t.same(problems, [])
  t.match(value, {
    enabled: false,
    sources: {},
    auto_remove_watchlist: false,
    auto_remove_types: ['movie'],
    watch: { autostart: false, routes: [], pause_debounce_seconds: 5, suppress_start_at: 99, heartbeat_seconds: 30 },
    webhook: { pause_debounce_seconds: 5, suppress_start_at: 99, profiles: {} },
    policy: { watched_at: 90, force_stop_at: 95, progress_step: 25, regress_tolerance_percent: 5 },
    webhook_ids: {},
  })
  t.same(normalizeScrobble({}), value, 'normalizing nothing gives the same')
  t.end()
})

t.test('older spellings are read', (t) => {
  const { sources, watch, webhook, webhook_ids } = normalizeScrobble({
    mode: 'watch',
    watch: {
      mediaA_trackA_ratings: true,
      routes: [
        { provider: 'mediaA', providerInstance: 'Default', sink: 'trackA', sinkInstance: 'tracka-p01:2' },
        {
          id: 'R1',
          provider: 'mediaB',
          sink: 'svc',
          filters: {
            username_whitelist: 'Ann, id:7 ,Ann,',
            ignored_editions: { Trailer: true, Uncut: false },
            ignore_agregarr_trailers: true,
          },
        },
      ],
    },
    webhook: {
      suppress_autoplay_seconds: 15,
      anti_autoplay_seconds: '20',
      profiles: { mediaB: { DEFAULT: { sinks: 'trackA,svc', sink_instances: { tracka: 'TRACKA-P01' } } } },
    },
    webhook_ids: { 'profile:mediaB:Default': TOKEN, 'profile:mediaA:default': 'short' },
  })

  t.same(sources, { watcher: true, webhook: false })
  t.match(watch.routes[0], {
    id: 'R2',
    provider: 'MEDIAA',
    provider_instance: 'default',
    sink: 'TRACKA',
    sink_instance: 'TRACKA-P01',
  })
  t.same(watch.routes[1]?.filters, {
    username_whitelist: ['Ann', 'id:7'],
    ignored_editions: ['Trailer'],
    ignore_placeholder_trailers: true,
  })
  t.equal((watch as Record<string, unknown>)['mediaA_trackA_ratings'], true)
  t.equal(webhook.guard_autoplay_seconds, 20, 'of several names for one window the longest counts')
  t.match(webhook.profiles['MEDIAB']?.['default'], {
    sinks: ['TRACKA', 'SVC'],
    sink_instances: { TRACKA: 'TRACKA-P01' },
  })
  t.same(webhook_ids, { 'profile:MEDIAB:default': TOKEN }, 'a token that is too short is none')
  t.same(normalizeScrobble({ mode: 'watch', sources: { watch: false } }).sources, { watcher: false })
  t.end()
})

t.test('normalizing twice changes nothing, and the result fits the schema', (t) => {
  const once = normalizeScrobble({
    enabled: true,
    watch: {
      routes: [{ ...ROUTE, options: { ratings: { mode: 'custom', targets: ['tracka'] } } }],
      heartbeat_seconds: '12',
    },
    webhook: {
      profiles: { MEDIAA: { default: { sinks: ['TRACKA'], mediaA_trackA_ratings: true, guard_autoplay_seconds: 3 } } },
    },
    policy: { trackA: { watched_at: 70 }, stop_pause_threshold: 60 },
  })
  t.same(normalizeScrobble(once), once)
  t.same(problems(once), [])
  t.match(once.policy, { TRACKA: { watched_at: 70 } })
  t.end()
})

t.test('values out of range are refused by the schema, not clamped', (t) => {
  t.match(problems(normalizeScrobble({ policy: { watched_at: 101 } })), [/^policy\.watched_at /])
  t.match(problems(normalizeScrobble({ webhook: { suppress_start_at: 3_600 } })), [/^webhook\.suppress_start_at /])
  t.match(problems(normalizeScrobble({ watch: { heartbeat_seconds: 1 } })), [/^watch\.heartbeat_seconds /])
  t.match(problems(normalizeScrobble({ watch: { routes: [{ ...ROUTE, enabled: 'maybe' }] } })), [/routes\.0\.enabled/])
  t.match(problems(normalizeScrobble({ policy: { TRACKA: { progress_step: 26 } } })), [/TRACKA\.progress_step/])
  t.same(problems(normalizeScrobble({ watch: null, webhook: [], policy: 'x' })), [])
  t.end()
})

t.test('every token is a secret by the schema: encrypted, masked and redacted', (t) => {
  const isSecret = createSecretRule(
    [{ path: ['scrobble'], schema: ScrobbleConfig as unknown as JsonSchema }],
    new Set(),
  )
  t.ok(isSecret(['scrobble', 'webhook_ids', 'profile:MEDIAA:default']))
  t.ok(isSecret(['scrobble', 'watch', 'routes', 0, 'options', 'ratings', 'webhook_token']))
  t.notOk(isSecret(['scrobble', 'watch', 'routes', 0, 'options', 'ratings', 'targets', 0]))
  t.end()
})
