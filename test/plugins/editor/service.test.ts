// The editor in the running service: the tracker through the sync engine, and imports from stand-ins of the products.
import fc, { runsOf } from '../../fast-check.ts'
import t from 'tap'
import { atEndOfFile } from '../../at-end-of-file.ts'
import { expectOk, signInToJellyfin } from '../../demo/sign-in.ts'
import { startService } from '../../harness.ts'
import { startJellyfin } from '../../upstreams/jellyfin.ts'

t.setTimeout(900_000)

const EDITOR = '/api/editor'
const jellyfin = await startJellyfin({ movies: 40, shows: 2 })
const service = await startService({ shipped: true, watch: false })
atEndOfFile(async () => {
  await service[Symbol.asyncDispose]()
  await jellyfin.close()
})
await signInToJellyfin(service, jellyfin)
await expectOk(service, '/api/config', { mediaB: { max_retries: 0 } })

const get = async (query: string) => {
  const { status, body } = await service.json(`${EDITOR}${query}`)
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
  return body
}
const post = (json: object, path = '') => service.json(EDITOR + path, { json })
const film = (tmdb: number, more: object = {}) => ({
  type: 'movie',
  title: `Film ${tmdb}`,
  year: 2001,
  ids: { tmdb: String(tmdb) },
  ...more,
})

t.test('rows of the tracker are written through the engine, and then listed', async (t) => {
  const plays = [1, 2, 2, 3].map((id, place) => film(id, { watched_at: `2026-03-0${place + 1}T20:00:00Z` }))
  const added = await post({ kind: 'history', source: 'tracker', items: plays })
  t.match(
    [added.status, added.body],
    [200, { ok: true, added: 4, unresolved: [], provider: 'SVC' }],
    JSON.stringify(added.body),
  )
  const loaded = await get('?kind=history&source=tracker&sort=time')
  t.same(
    Object.values<any>(loaded.items).map(({ ids, watched_at }) => [ids.tmdb, watched_at]),
    [
      ['1', '2026-03-01T20:00:00Z'],
      ['2', '2026-03-02T20:00:00Z'],
      ['2', '2026-03-03T20:00:00Z'],
      ['3', '2026-03-04T20:00:00Z'],
    ],
    'each play is a row',
  )
  const [first, second, ...rest] = Object.values<any>(loaded.items)
  const saved = await post({
    kind: 'history',
    source: 'tracker',
    items: [{ ...second, watched_at: '2026-03-02T21:30:00Z' }, ...rest],
    original_keys: loaded.original_keys,
    revision: loaded.revision,
  })
  t.match([saved.status, saved.body], [200, { ok: true, updated: 1, removed: 1 }], JSON.stringify(saved.body))
  const now = await get('?kind=history&source=tracker&sort=time')
  t.notOk(first.key in now.items)
  t.same(
    Object.values<any>(now.items).map(({ ids, watched_at }) => [ids.tmdb, watched_at]),
    [
      ['2', '2026-03-02T21:30:00Z'],
      ['2', '2026-03-03T20:00:00Z'],
      ['3', '2026-03-04T20:00:00Z'],
    ],
  )
  const stale = await post({ kind: 'history', source: 'tracker', items: {}, original_keys: loaded.original_keys })
  t.match([stale.status, stale.body], [409, { error: 'changed_since_load', removed: [first.key] }])
  t.equal((await get('?kind=history&provider=SVC')).total, 3, 'as the state of the provider, too')
})

t.test('property 22: data of the tracker, sent back, changes nothing, for any data', async (t) => {
  const kinds = {
    watchlist: {},
    ratings: { rating: 7, rated_at: '2026-01-02' },
    progress: { progress_ms: 60_000, duration_ms: 6_000_000 },
  }
  for (const [kind, value] of Object.entries(kinds)) {
    const items = [
      film(11, value),
      {
        type: 'episode',
        show_ids: { tmdb: '1399' },
        ids: {},
        season: 0,
        episode: 2,
        series_title: 'Thrones',
        ...value,
      },
      { type: 'movie', ids: { imdb: 'tt0133093' }, ...value },
    ].slice(0, kind === 'watchlist' ? 1 : 3)
    t.match((await post({ kind, source: 'tracker', items })).body, { ok: true, added: items.length })
    const loaded = await get(`?kind=${kind}&source=tracker`)
    t.equal(loaded.total, items.length)
    const { original_keys, revision } = loaded
    const answer = await post({ kind, source: 'tracker', items: loaded.items, original_keys, revision })
    t.match(
      [answer.status, answer.body],
      [200, { ok: true, count: 0, planned: { add: 0, update: 0, remove: 0 } }],
      kind,
    )
    t.equal((await get(`?kind=${kind}&source=tracker`)).revision, revision, 'property 24')
  }
})

t.test('property 28: an import of live data is announced by its dry run, and then shown', async (t) => {
  // A film in two libraries is one row.
  const films = [...new Map(jellyfin.items('Movie').map((item) => [item.name, item])).values()].slice(0, 25)
  t.equal(films.length, 25)
  for (const [place, item] of films.entries()) jellyfin.actions.markPlayed('sam', item.id, Date.UTC(2026, 4, 1 + place))
  const IMPORT = '/state/import'
  const order = { provider: 'MEDIAB', features: ['history', 'progress', 'nonsense'] }
  t.match(await post(order, IMPORT), { status: 403, body: { error: 'debug_disabled' } })
  await expectOk(service, '/api/config', { runtime: { debug_mods: true } })
  const offered = await service.json(`${EDITOR}${IMPORT}/providers`)
  t.match(offered.body, { enabled: true, jobs: [] })
  t.match(
    offered.body.providers.find(({ name }: { name: string }) => name === 'MEDIAB'),
    { configured: true, features: { history: true }, instances: [{ id: 'default', configured: true }] },
  )
  t.equal(offered.body.providers[0].configured, true, 'configured ones come first')
  t.equal((await get('?kind=history&provider=MEDIAB')).ts, null, 'it was never read')

  const dry = await post({ ...order, dry_run: true }, IMPORT)
  t.match(
    [dry.status, dry.body],
    [200, { ok: true, dry_run: true, features: { history: { ok: true, would_add: 25, would_remove: 0 } } }],
  )
  t.notOk('watchlist' in dry.body.features)
  t.equal((await get('?kind=history&provider=MEDIAB')).total, 0)

  const done = await post(order, IMPORT)
  t.match(
    [done.status, done.body],
    [200, { ok: true, mode: 'replace', features: { history: { ok: true, count: 25 } } }],
  )
  const shown = await get('?kind=history&provider=MEDIAB')
  const played = films.map(({ name }) => name)
  t.same(
    Object.values<any>(shown.items)
      .map(({ title }) => title)
      .toSorted(),
    played.toSorted(),
  )
  t.ok(shown.ts > 0)

  for (const item of films.slice(0, 22)) jellyfin.actions.markUnplayed('sam', item.id)
  const shrunk = await post(order, IMPORT)
  t.match(
    [shrunk.status, shrunk.body],
    [200, { ok: false, features: { history: { ok: false, error: 'shrunk_read', would_remove: 22 } } }],
  )
  t.equal((await get('?kind=history&provider=MEDIAB')).total, 25)
  t.match((await post({ ...order, force: true }, IMPORT)).body, { ok: true, features: { history: { count: 3 } } })
  t.equal((await get('?kind=history&provider=MEDIAB')).total, 3)

  for (const [json, status, error] of [
    [{}, 400, 'missing_provider'],
    [{ provider: 'MEDIAB', mode: 'append' }, 400, 'invalid_mode'],
    [{ provider: 'MEDIAB', features: ['nonsense'] }, 400, 'no_features'],
    [{ provider: 'NOPE' }, 404, 'unknown_provider'],
    [{ provider: 'MEDIAB', provider_instance: 'MEDIAB-P07' }, 404, 'unknown_instance'],
    [{ provider: 'MEDIAA' }, 400, 'provider_not_configured'],
  ] as const)
    t.match(await post(json, IMPORT), { status, body: { error } }, JSON.stringify(json))
})

t.test('random requests are answered with their errors, never with a server error', async () => {
  const value = fc.letrec((tie) => ({
    json: fc.oneof(
      { depthSize: 'small' },
      fc.string(),
      fc.double(),
      fc.constantFrom(null, true, '', '__proto__', 'movie', 'tmdb', '\u0000', '2026-01-01'),
      fc.array(tie('json'), { maxLength: 3 }),
      fc.dictionary(
        fc.constantFrom('type', 'ids', 'key', 'tmdb', 'title', 'rating', '_position', 'season'),
        tie('json'),
        { maxKeys: 5 },
      ),
    ),
  })).json
  const row = fc.record(
    {
      type: fc.oneof(fc.constantFrom('movie', 'show', 'episode', 'season', 'anime'), value),
      ids: fc.oneof(fc.constant({ tmdb: '603' }), value),
      title: value,
      season: value,
      episode: value,
      rating: value,
      watched_at: value,
      native: value,
    },
    { requiredKeys: [] },
  )
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('state', 'manual', 'tracker', 'playlist', 'x'),
      fc.record(
        {
          items: fc.oneof(
            fc.array(fc.oneof(row, value), { maxLength: 3 }),
            fc.dictionary(fc.string(), row, { maxKeys: 3 }),
            value,
          ),
          blocks: fc.oneof(fc.array(fc.string()), value),
          original_keys: fc.oneof(fc.array(fc.string()), value),
          original_blocks: value,
          kind: fc.oneof(fc.constantFrom('watchlist', 'history', 'ratings', 'progress'), value),
          provider: fc.oneof(fc.constantFrom('SVC', 'MEDIAB'), value),
          endpoint: value,
          revision: value,
          force: fc.oneof(fc.boolean(), value),
          confirm_removals: fc.boolean(),
          dry_run: fc.boolean(),
        },
        { requiredKeys: [] },
      ),
      async (source, body) => {
        const { status, body: answer } = await post({ ...body, source })
        if (status >= 500 || (status === 200 && answer.ok === undefined))
          throw new Error(`${status}: ${JSON.stringify(answer)}`)
        if (status >= 400 && status !== 422 && typeof answer.error !== 'string') throw new Error(JSON.stringify(answer))
      },
    ),
    { numRuns: runsOf(300) },
  )
})
