// Many concurrent requests, any input, and settings that a manual edit broke.
import t from 'tap'
import fc, { runsOf } from '../../fast-check.ts'
import { createSectionChecks } from '../../../core/config/document/resolve-section.ts'
import { ScrobbleConfig } from '../../../plugins/services/scrobble/settings.ts'
import { codes, open } from './settings-host.ts'

t.test('concurrent new routes get their own ids', async (t) => {
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

t.test('for any input, the response is clear and the settings stay valid', async (t) => {
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
    { numRuns: runsOf(400) },
  )
  t.same(s.host.failures, [])
  t.equal((await s.get('/api/scrobbler/overview')).status, 200)
})

t.test('settings that were broken manually cause no failure', async (t) => {
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
