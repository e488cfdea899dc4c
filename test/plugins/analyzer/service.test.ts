// slow: the whole service, or very many cases
// The analyzer in the whole service: shipped rules, a new rule that appears at once, the tracker, and a restart.
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t from 'tap'
import { scaffold } from '../../../core/cli/plugin/scaffold.ts'
import { expectOk, saveSettings, signInToTrakt, untilTrue } from '../../demo/sign-in.ts'
import { type Service, startService } from '../../harness.ts'
import { SAMPLE } from '../anime-mapping/sample.ts'
import { startAnimeData } from '../../upstreams/anime-data.ts'
import { startTmdb } from '../../upstreams/tmdb.ts'
import { startTrakt } from '../../upstreams/trakt.ts'

t.setTimeout(900_000)

const ROOT = join(import.meta.dirname, '..', '..', '..')
const ROWS = [
  { type: 'movie', title: 'Heat', year: 1995, ids: { imdb: 'tt0113277' }, watched_at: '2025-01-02T20:00:00Z' },
  { type: 'movie', title: 'Early', year: 2020, ids: { tmdb: '2' }, watched_at: '2010-01-02T20:00:00Z' },
  { type: 'movie', title: 'No year', ids: { tmdb: '3' }, watched_at: '2025-01-02T20:00:00Z' },
]

t.test('rows of the tracker are analyzed, corrected, and a new rule is used at once', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'playhead-analyzer-'))
  t.teardown(() => rm(directory, { recursive: true, force: true, maxRetries: 10 }))
  await using service = await startService({ shipped: true, watch: false, directory })
  const saved = await service.json('/api/editor', { json: { source: 'tracker', kind: 'history', items: ROWS } })
  t.equal(saved.status, 200, JSON.stringify(saved.body))
  await service.json('/api/config', { json: { runtime: { debug: true } } })
  const imported = await service.json('/api/editor/state/import', { json: { provider: 'SVC', features: ['history'] } })
  t.equal(imported.status, 200, JSON.stringify(imported.body))
  const types = async () => {
    const { status, body } = await service.json('/api/analyzer/problems?include_system=true')
    t.equal(status, 200, JSON.stringify(body))
    t.same(body.failed_rules, [])
    return body.problems.map(({ type, key }: { type: string; key?: string }) => `${type} ${key ?? ''}`).toSorted()
  }
  const early = 'watched_before_release movie:tmdb:2@1262462400'
  const missing = 'missing_ids movie:imdb:tt0113277@1735848000'
  t.same(await types(), [missing, early])

  const { body: known } = await service.json('/api/analyzer/rules')
  const kinds = new Map<string, object>(
    known.rules.flatMap(({ problems }: { problems: { type: string }[] }) => problems.map((one) => [one.type, one])),
  )
  t.match(kinds.get('missing_peer'), {
    severity: 'warn',
    category: 'peer',
    meaning: String,
    fix: String,
    fixable: true,
  })
  t.match(kinds.get('duplicate_item'), { fix: null, fixable: false })

  // A certain mistake is a problem; a note, such as a missing id, is none.
  const doubtful = async (query = '') => (await service.json(`/api/problems?cause=analyzer:${query}`)).body
  const board = await doubtful('watched_before_release')
  t.match(board, { need_you: 0, total: 1, items: [{ key: 'movie:tmdb:2@1262462400', title: 'Early' }] })
  t.equal((await doubtful('missing_ids')).total, 0)
  const { body: hidden } = await service.json('/api/problems/ignore', { json: { ids: [board.items[0].id] } })
  t.equal(hidden.count, 1)
  t.same(await types(), [missing], 'the analyzer hides it too')
  t.match(await doubtful('watched_before_release&ignored=true'), { total: 1, items: [{ key: board.items[0].key }] })
  t.equal((await service.json('/api/problems/restore', { json: { undo: hidden.undo } })).body.count, 1)
  t.equal((await doubtful('watched_before_release')).total, 1)
  const { body: all } = await service.json('/api/problems/ignore', { json: { cause: board.causes[0].cause } })
  t.equal(all.count, 1)
  t.equal((await doubtful('watched_before_release')).total, 0)
  await service.json('/api/problems/restore', { json: { undo: all.undo } })

  const fixed = await service.json('/api/analyzer/patch', {
    json: {
      provider: 'SVC',
      feature: 'history',
      key: 'movie:imdb:tt0113277@1735848000',
      ids: { tmdb: '949' },
      rekey: true,
    },
  })
  t.match(fixed, { status: 200, body: { ok: true, new_key: 'movie:tmdb:949@1735848000' } }, JSON.stringify(fixed.body))
  t.same(await types(), [early], 'the change is seen at once')

  const folder = join(directory, 'mine', 'no-year')
  await scaffold({ root: ROOT, kind: 'analyzer', id: 'no-year', folder, isShipped: false })
  await writeFile(
    join(directory, 'data', 'plugin-registry.json'),
    JSON.stringify({ version: 1, plugins: [{ id: 'no-year', source: folder }] }),
  )
  t.equal((await service.json('/api/plugins/rescan', { method: 'POST' })).status, 200)
  // The template checks watchlists and ratings.
  const rated = await service.json('/api/editor', {
    json: {
      source: 'tracker',
      kind: 'ratings',
      items: [{ type: 'movie', title: 'No year', ids: { tmdb: '3' }, rating: 7 }],
    },
  })
  t.equal(rated.status, 200)
  await service.json('/api/editor/state/import', { json: { provider: 'SVC', features: ['ratings'] } })
  t.same(await types(), ['no_year_missing_year movie:tmdb:3', early])
})

t.test('a row of a service is forgotten only here, and is back with the next read', async (t) => {
  await using trakt = await startTrakt({ movies: 12, plan: 'vip', rateLimits: false })
  for (const index of [0, 1, 2]) trakt.user.rate(trakt.movie(index), 7, Date.UTC(2025, 0, 1))
  await using service = await startService({ shipped: true, watch: false })
  await signInToTrakt(service, trakt)
  await service.json('/api/config', { json: { runtime: { debug: true } } })
  const read = async () => {
    const request = { provider: 'TRACKA', features: ['ratings'], force: true }
    const { status, body } = await service.json('/api/editor/state/import', { json: request })
    t.equal(status, 200, JSON.stringify(body))
  }
  const keys = async (): Promise<readonly string[]> =>
    (await service.json('/api/analyzer/state')).body.items.map(({ key }: { key: string }) => key).sort()
  await read()
  const all = await keys()
  t.equal(all.length, 3)
  const { status, body } = await service.json('/api/analyzer/item', {
    method: 'DELETE',
    json: { provider: 'TRACKA', feature: 'ratings', key: all[0] },
  })
  t.equal(status, 200, JSON.stringify(body))
  t.same(await keys(), all.slice(1))
  t.equal(trakt.user.account.ratings.size, 3, 'nothing is removed at the service')
  await read()
  t.same(await keys(), all)
})

t.test('differing histories of shows are reported, at once with whether TMDB can distinguish them', async (t) => {
  await using tmdb = await startTmdb({ movies: 4, shows: 2 })
  await using trakt = await startTrakt({ movies: 2, shows: 2, plan: 'vip', rateLimits: false })
  trakt.user.watch(trakt.episode(0, 1, 1), Date.UTC(2025, 0, 1))
  await using service = await startService({ shipped: true, watch: false })
  await signInToTrakt(service, trakt)
  const episode = { type: 'episode', series_title: 'Of the tracker alone', season: 1, episode: 1 }
  await expectOk(service, '/api/editor', {
    source: 'tracker',
    kind: 'history',
    items: [{ ...episode, ids: {}, show_ids: { tmdb: '987654' }, watched_at: '2025-01-02T20:00:00Z' }],
  })
  await saveSettings(service, 'runtime', { debug: true })
  for (const provider of ['SVC', 'TRACKA'])
    await expectOk(service, '/api/editor/state/import', { provider, features: ['history'] })
  await expectOk(service, '/api/pairs', {
    ...{ source: 'SVC', target: 'TRACKA', mode: 'two-way', enabled: true },
    features: { history: { enabled: true, add: true } },
  })
  const found = async () => {
    const { status, body } = await service.json('/api/analyzer/problems?type=history_show_normalization')
    t.equal(status, 200, JSON.stringify(body))
    return [body.problems.length, body.problems[0]?.show_gap, body.problems[0]?.tmdb_enabled, body.timings_ms.cache_hit]
  }
  const gap = { source_only: 1, target_only: 1, ratio: 1 }
  t.same(await found(), [1, gap, false, false])
  t.same(await found(), [1, gap, false, true])
  await saveSettings(service, 'metaA', { api_url: tmdb.apiUrl, image_url: tmdb.imageUrl, api_key: tmdb.apiKey })
  t.same(await found(), [1, gap, true, false])
  await expectOk(service, '/api/metaA/save', { api_key: '' })
  t.same((await found())[2], false, 'and that it no longer can')
})

t.test(
  'the stored data of the engine is counted, and a missing anime mapping is reported where it is required',
  async (t) => {
    const directory = await mkdtemp(join(tmpdir(), 'playhead-analyzer-'))
    t.teardown(() => rm(directory, { recursive: true, force: true, maxRetries: 10 }))
    await using data = await startAnimeData(undefined, 'v3', false)
    await using trakt = await startTrakt({ movies: 12, plan: 'vip', rateLimits: false })
    for (const index of [0, 1, 2]) trakt.user.rate(trakt.movie(index), 7, Date.UTC(2025, 0, 1))
    let cookie = ''
    const start = (more: { readonly withoutAccount?: boolean } = {}) =>
      startService({ shipped: true, watch: false, directory, ...more })
    const types = async (service: Service) => {
      const { status, body } = await service.json('/api/analyzer/problems')
      t.equal(status, 200, JSON.stringify(body))
      t.same(body.failed_rules, [])
      const wanted = /^(?:stale|anime|missing_peer)/
      return body.problems.flatMap(({ type, provider }: { type: string; provider: string | null }) =>
        wanted.test(type) ? [`${type} ${provider ?? ''}`] : [],
      )
    }
    {
      await using service = await start()
      await signInToTrakt(service, trakt)
      const ratings = { enabled: true, add: true, mode: 'all', use_anime_mapping: true }
      const pair = { source: 'TRACKA', target: 'SVC', mode: 'one-way', enabled: true, features: { ratings } }
      const { body } = await service.json('/api/pairs', { json: pair })
      t.match(body, { ok: true }, JSON.stringify(body))
      t.same((await service.json('/api/analyzer/cw-state')).body.totals, {})
      await service.json('/api/run', { json: {} })
      await untilTrue('the run', async () => (await service.json('/api/run/summary')).body.running === false)
      const stored = (await service.json('/api/analyzer/cw-state')).body
      t.match(
        stored.artifacts.filter(({ kind }: { kind: string }) => kind === 'index'),
        [
          { provider: 'TRACKA', feature: 'ratings', entries: 3 },
          { provider: 'SVC', feature: 'ratings', entries: 0 },
        ],
      )
      t.equal(stored.totals.index, 3)
      const activity = (await service.json('/api/analyzer/pair-activity')).body.pairs
      t.ok(activity[0].last_run_ms > Date.now() - 60_000)
      t.same((await service.json('/api/analyzer/system')).body.problems, [])
      t.same(await types(service), ['anime_mapping_disabled_globally '])
      const settings = { mappings_url: data.mappingsUrl, identities_url: data.identitiesUrl }
      await service.json('/api/config', { json: { anime_mapping: { ...settings, enabled: true, auto_update: false } } })
      t.same(await types(service), ['anime_mapping_index_not_ready '])
      data.publish('v3', SAMPLE)
      const updated = await service.json('/api/anime-mapping/update', { json: { force: true } })
      t.ok([200, 202].includes(updated.status), JSON.stringify(updated.body))
      await untilTrue('the data are there', async () => (await types(service)).length === 0)
      cookie = service.cookie()
    }
    // The rows that the engine stored become eight days old while the service is off.
    const files = (await readdir(join(directory, 'data'), { recursive: true })).filter((name) =>
      /\.(?:sqlite|db)$/.test(name),
    )
    let aged = 0
    for (const name of files) {
      using database = new DatabaseSync(join(directory, 'data', name))
      if (database.prepare("select 1 from sqlite_master where name = 'sync__inventory'").get() === undefined) continue
      aged += Number(database.prepare('update sync__inventory set read_at = read_at - 8 * 86400000').run().changes)
    }
    t.ok(aged > 0, files.join())
    {
      await using service = await start({ withoutAccount: true })
      service.setCookie(cookie)
      t.same((await types(service)).sort(), ['stale_baseline SVC', 'stale_baseline TRACKA'])
      await service.json('/api/run', { json: {} })
      await untilTrue('the run', async () => (await service.json('/api/run/summary')).body.running === false)
      t.same(await types(service), [], 'a run that read the account makes it current')
    }
  },
)
