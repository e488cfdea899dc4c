// Unknown members in bodies of settings routes: refused or ignored, without losing earlier settings.
import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { expectOk } from '../demo/sign-in.ts'
import { startService } from '../harness.ts'

t.setTimeout(900_000)

const UNKNOWN = { misspelt_member: 1, enabeld: true, '�': [{}] }
/** Earlier settings that could be lost. */
const BEFORE: readonly (readonly [path: string, body: object])[] = [
  [
    '/api/scheduling',
    {
      enabled: true,
      mode: 'daily_time',
      daily_time: '04:45',
      jitter_seconds: 30,
      webhooks: { enabled: true, url: 'https://reports.example/x' },
      advanced: { enabled: true, jobs: [{ id: 'a', at: '05:00', days: [1] }] },
    },
  ],
  ['/api/backups/schedule', { scope: 'full', at: '03:15', max_backups: 5 }],
  ['/api/anime-mapping/settings', { refresh_hours: 48, stale_after_days: 30 }],
  ['/api/playback_progress/settings', { provider_timeout_seconds: 7 }],
]
/** Routes whose body contains the changed settings, as the manifests name them. */
const SETTINGS =
  /\/(?:settings|scheduling|schedule|config|rules|targets|routes|retention|save|profile|label|pairs)$|provider-instances\/:provider\/:instance_id$|\/config\/sections\/:path$|pairs\/:pair_id$/

function routes(): readonly { readonly method: string; readonly path: string }[] {
  const root = new URL('../../plugins/', import.meta.url)
  const kinds = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  return kinds.flatMap(({ name: kind }) =>
    readdirSync(new URL(`${kind}/`, root)).flatMap((name) => {
      try {
        const manifest = JSON.parse(readFileSync(new URL(`${kind}/${name}/plugin.json`, root), 'utf8'))
        return (manifest.routes ?? []) as { method: string; path: string; auth?: string }[]
      } catch {
        return []
      }
    }),
  )
}

const service = await startService({ shipped: true, watch: false })
atEndOfFile(() => service[Symbol.asyncDispose]())

t.test('a settings route with unknown members changes nothing', async (t) => {
  for (const [path, body] of BEFORE) {
    const { status, body: answer } = await service.json(path, { json: body })
    t.equal(status, 200, `${path} ${JSON.stringify(answer).slice(0, 200)}`)
  }
  await expectOk(service, '/api/provider-instances/MEDIAB/attic', {}).catch(() => {})
  const listed = routes().filter(({ method, path }) => /^(?:POST|PUT|PATCH)$/.test(method) && SETTINGS.test(path))
  const known = [
    ...listed,
    { method: 'POST', path: '/api/config' },
    { method: 'PATCH', path: '/api/config/sections/:path' },
  ]
  t.ok(known.length > 15, `${known.length} routes`)
  const state = async () => ({
    config: (await service.json('/api/config')).body,
    ...Object.fromEntries(
      await Promise.all(
        [
          '/api/scheduling',
          '/api/backups/schedule',
          '/api/pairs',
          '/api/notifications/rules',
          '/api/notifications/targets',
        ].map(async (path) => [path, (await service.json(path)).body] as const),
      ),
    ),
  })
  const without = ({ config, ...rest }: Awaited<ReturnType<typeof state>>) => {
    const { revision: _revision, misspelt_member: _a, enabeld: _b, '�': _c, ...kept } = config
    return { config: kept, ...rest }
  }
  const values: Readonly<Record<string, string>> = {
    provider: 'MEDIAB',
    instance_id: 'attic',
    instance: 'attic',
    path: 'scheduling',
    pair_id: 'none',
    route_id: 'none',
    ruleset_id: 'none',
  }
  const before = without(await state())
  for (const { method, path } of known) {
    const at = path.replaceAll(/:(\w+)/g, (_, name: string) => values[name] ?? 'none')
    const answer = await service.json(at, { method, json: UNKNOWN })
    t.ok(answer.status < 500, `${method} ${path} ${answer.status}`)
    t.same(without(await state()), before, `${method} ${path} ${answer.status}`)
  }
})

t.test('the schedule names an unknown member, at every depth', async (t) => {
  const [[path, body]] = BEFORE as [(typeof BEFORE)[number]]
  await expectOk(service, path, body)
  const saved = (await service.json(path)).body
  const schedule = { scope: 'full', at: '03:15', max_backups: 5 }
  t.equal((await service.json('/api/backups/schedule', { json: { ...schedule, att: '04:00' } })).status, 422)
  for (const wrong of [
    {},
    { ...saved, enabeld: true },
    { ...saved, webhooks: { ...saved.webhooks, adress: 'x' } },
    { ...saved, advanced: { ...saved.advanced, job: [] } },
    { ...saved, advanced: { ...saved.advanced, jobs: [{ id: 'a', att: '05:00' }] } },
    { ...saved, advanced: { ...saved.advanced, workflows: [{ steps: [{ pair: 'x' }] }] } },
    { ...saved, advanced: { ...saved.advanced, event_rules: [{ filters: { min: 1 } }] } },
  ]) {
    const answer = await service.json(path, { json: wrong })
    t.equal(answer.status, 422, JSON.stringify(wrong).slice(0, 80))
    t.ok(Array.isArray(answer.body.detail))
    t.same((await service.json(path)).body, saved, 'nothing is lost')
  }
  t.equal((await service.json(path, { json: saved })).status, 200, 'what was read can be sent back')
  t.same((await service.json(path)).body, saved)
})

/** Settings that clients of the interface send and that no provider needs, with their defaults, by section. */
const WITHOUT_EFFECT = {
  mediaA: { fallback_GUID: false },
  ...Object.fromEntries(
    ['mediaB', 'mediaC'].map((section) => [
      section,
      {
        watchlist: {
          watchlist_query_limit: 25,
          watchlist_write_delay_ms: 0,
          watchlist_guid_priority: ['tmdb', 'imdb', 'tvdb'],
        },
        history: {
          history_query_limit: 25,
          history_write_delay_ms: 0,
          history_guid_priority: ['tmdb', 'imdb', 'tvdb'],
        },
        ratings: { libraries: [], ratings_query_limit: 2_000 },
      },
    ]),
  ),
  trackA: {
    ...{ watchlist_use_etag: true, watchlist_shadow_ttl_hours: 168, watchlist_log_rate_limits: true },
    ...{ watchlist_freeze_details: true, ratings_per_page: 100, ratings_max_pages: 50 },
    ...{ history_per_page: 100, history_max_pages: 10_000, history_unresolved: false },
  },
  listA: {
    ...{ watchlist_shadow_ttl_hours: 0, watchlist_shadow_validate: true, watchlist_page_size: 200 },
    ...{ watchlist_freeze_details: true, ratings_per_page: 200, ratings_max_pages: 50, ratings_write_delay_ms: 600 },
    ...{ ratings_max_backoff_ms: 8_000, history_per_page: 1_000, history_max_pages: 250 },
    ...{ history_write_delay_ms: 600, history_max_backoff_ms: 8_000 },
  },
  metaB: {
    ...{ watchlist_page_size: 100, history_per_page: 100, progress_per_page: 100, history_max_pages: 1_000 },
    ...{ progress_max_pages: 1_000, ratings_label: 'Overall', ratings_submit_per_hour: 200 },
    ...{ ratings_update_per_hour: 100 },
  },
}

t.test('settings that have no effect here are answered, accepted and no unknown keys', async (t) => {
  t.match((await service.json('/api/config')).body, WITHOUT_EFFECT)
  const saved = await service.json('/api/config', { json: WITHOUT_EFFECT })
  t.equal(saved.status, 200)
  const ours = ({ path }: { readonly path: string }) => Object.keys(WITHOUT_EFFECT).includes(path.split('.')[0]!)
  t.same((saved.body.warnings ?? []).filter(ours), [])
  const changed = { trackA: { history_per_page: 250 }, listA: { watchlist_freeze_details: false } }
  t.equal((await service.json('/api/config', { json: changed })).status, 200)
  t.match((await service.json('/api/config')).body, changed)
  for (const wrong of [{ trackA: { history_per_page: 'all' } }, { metaB: { ratings_submit_per_hour: 201 } }])
    t.equal((await service.json('/api/config', { json: wrong })).status, 422)
})
