// slow: the whole service, or very many cases
// Datasets: pages, the manual policy, and the tracker.
import fc, { runsOf } from '../../fast-check.ts'
import t from 'tap'
import type { Item } from '@playhead/sdk'
import { film, keyText, openWorld, row, type World } from './world.ts'

const EDITOR = '/api/editor'
const SCOPE = { provider: 'TRACKA', instance: 'default', feature: 'ratings' as const }
const rated = (id: number, rating: number): Item => film(id, { rating, rated_at: '2026-05-01T10:00:00Z' })
const post = (world: World, payload: object) => world.post(EDITOR, { kind: 'ratings', provider: 'TRACKA', ...payload })
const keysOf = (items: readonly Item[]) => items.map(keyText).toSorted()
const addsOf = (world: World) => [...world.policy.at(SCOPE).adds.keys()].toSorted()

t.test('a page has its part of the rows, in any order, and the total', async (t) => {
  const all = Array.from({ length: 1_200 }, (_, index) =>
    row(film(index, { year: 1980 + (index % 40), title: `Film ${String(1_200 - index).padStart(4, '0')}` })),
  )
  all.push(row(film(5_000, { title: 'Amélie Poulain', added_at: '2026-01-01T00:00:00Z' })))
  await using world = await openWorld({ rows: { 'TRACKA@default watchlist': all } })
  const get = async (query: string) => (await world.get(`${EDITOR}?provider=tracka&${query}`)).body
  const first = await get('')
  t.match(first, { ok: true, kind: 'watchlist', source: 'state', snapshot: null, provider: 'TRACKA', ts: 1_000 })
  t.match([first.count, first.total, first.offset, first.limit], [1_201, 1_201, 0, 500])
  t.equal(Object.keys(first.items).length, 500)
  const seen: string[] = []
  for (let offset = 0; offset < 1_201; offset += 400)
    seen.push(...(await get(`offset=${offset}&limit=400`)).original_keys)
  t.same(
    seen,
    all.map(({ key }) => key),
    'no row is missing, none is there twice',
  )
  t.same(Object.keys((await get('sort=title&limit=2')).items), ['movie:tmdb:5000', 'movie:tmdb:1199'])
  t.same(Object.keys((await get('sort=title&order=desc&limit=1')).items), ['movie:tmdb:0'])
  t.equal(Object.values<any>((await get('sort=year&order=desc&limit=1')).items)[0].year, 2019)
  t.same(Object.keys((await get('sort=time&limit=1')).items), ['movie:tmdb:5000'], 'rows without a time are last')
  for (const q of ['amelie', 'AMÉLIE poul', 'tmdb:5000', '5000'])
    t.match(await get(`q=${encodeURIComponent(q)}`), { total: 1, count: 1_201, original_keys: ['movie:tmdb:5000'] }, q)
  t.match(await get('q=nothing'), { total: 0, items: {} })
  t.match(await get('offset=9999'), { total: 1_201, items: {} })
  world.stored.set('TRACKA@default watchlist', all.slice(0, 3))
  t.equal((await get('sort=title')).total, 3, 'and the next page is of the rows as they are then')
})

t.test('the selected rows are never guessed', async (t) => {
  await using world = await openWorld({ rows: { 'TRACKA@default watchlist': [row(film(1))] } })
  const answers: readonly (readonly [query: string, status: number, error: string])[] = [
    ['kind=films', 400, 'unsupported_kind'],
    ['kind=playlists', 400, 'unsupported_kind'],
    ['source=elsewhere', 400, 'unsupported_source'],
    ['source=__proto__', 400, 'unsupported_source'],
    ['provider=NOPE', 404, 'unknown_provider'],
    ['provider=TRACKA&provider_instance=TRACKA-P99', 404, 'unknown_instance'],
    ['source=tracker&provider_instance=SVC-P77', 404, 'unknown_instance'],
    ['source=tracker&workspace=other', 404, 'unknown_workspace'],
    ['source=manual&provider=TRACKA&sort=title', 400, 'unsupported_sort'],
  ]
  for (const [query, status, error] of answers)
    t.match(await world.get(`${EDITOR}?${query}`), { status, body: { ok: false, error } }, query)
  for (const query of ['limit=0', 'limit=5001', 'offset=-1', 'sort=nonsense', 'limit=many'])
    t.equal((await world.get(`${EDITOR}?${query}`)).status, 422, query)
  t.match((await world.get(`${EDITOR}?provider=TRACKA&provider_instance=Default:8096`)).body, {
    provider_instance: 'default',
  })
  t.equal((await world.get(EDITOR)).body.provider, 'SVC', 'without a provider the first is shown')
})

t.test('property 24: a save without rows and blocks changes nothing', async (t) => {
  await using world = await openWorld({ rows: { 'TRACKA@default ratings': [row(rated(1, 7))] } })
  await post(world, { source: 'manual', items: [rated(5, 8)], blocks: ['tmdb:9'] })
  for (const source of ['state', 'manual', 'policy', 'current']) {
    const { status, body } = await post(world, { source })
    t.match([status, body], [200, { ok: true, count: 1, blocks: 1 }], source)
  }
  t.same(
    [addsOf(world), world.policy.at(SCOPE).blocks, world.policy.at(SCOPE).revision],
    [['movie:tmdb:5'], ['tmdb:9'], 1],
  )
  await post(world, { source: 'manual', blocks: [] })
  t.same([addsOf(world), world.policy.at(SCOPE).blocks], [['movie:tmdb:5'], []], 'only what was sent was changed')
  await post(world, { source: 'manual', items: {} })
  t.same(addsOf(world), [])
})

t.test('rows that the account already has become no adds; rows that differ do', () =>
  fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.integer({ min: 1, max: 30 }), { maxLength: 12 }),
      fc.uniqueArray(fc.integer({ min: 1, max: 30 }), { maxLength: 8 }),
      fc.uniqueArray(fc.integer({ min: 1, max: 30 }), { maxLength: 6 }),
      fc.boolean(),
      async (held, edited, given, asObject) => {
        await using world = await openWorld({ rows: { 'TRACKA@default ratings': held.map((id) => row(rated(id, 5))) } })
        const before = given.filter((id) => !held.includes(id))
        await post(world, { source: 'manual', items: before.map((id) => rated(id, 3)) })
        const { body } = await world.get(`${EDITOR}?kind=ratings&provider=TRACKA`)
        const rows: Record<string, any>[] = Object.values(body.items)
        for (const one of rows) if (edited.includes(Number(one['ids'].tmdb))) one['rating'] = 9
        const fresh = edited.filter((id) => !held.includes(id)).map((id) => ({ ...rated(id, 9) }))
        const items = [...rows, ...fresh]
        const saved = await post(world, {
          source: 'state',
          items: asObject
            ? Object.fromEntries(items.map((one, place) => [(one as Record<string, any>)['key'] ?? `n${place}`, one]))
            : items,
          original_keys: body.original_keys,
          revision: body.policy_revision,
        })
        const wanted = keysOf([...edited, ...before.filter((id) => !edited.includes(id))].map((id) => film(id)))
        if (saved.status !== 200 || addsOf(world).join() !== wanted.join())
          throw new Error(`${saved.status}: ${addsOf(world)}, not ${wanted}`)
        const again = await post(world, { source: 'state', items, original_keys: body.original_keys })
        if (again.body.changes.adds_set !== 0 || addsOf(world).join() !== wanted.join()) throw new Error('saved twice')
      },
    ),
    { numRuns: runsOf(60) },
  ),
)

t.test('property 26: data saved for one profile and kind is nowhere else, and blocks have one spelling', async (t) => {
  await using world = await openWorld()
  await post(world, { items: [rated(1, 4)], blocks: ['TMDB:1', 'tmdb:1', 'title:Heat|year:1995'], source: 'manual' })
  for (const scope of [
    { ...SCOPE, instance: 'TRACKA-P01' },
    { ...SCOPE, feature: 'watchlist' as const },
    { ...SCOPE, provider: 'MEDIAA' },
  ])
    t.same([world.policy.at(scope).adds.size, world.policy.at(scope).blocks], [0, []])
  t.equal(world.policy.at(SCOPE).blocks[0], 'TMDB:1')
  await post(world, { source: 'manual', blocks: ['tmdb:1'] })
  t.same(world.policy.at(SCOPE).blocks, ['TMDB:1'], 'another case is the same block')
})

t.test('two browsers edit the policy: neither removes what the other set', () =>
  fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.integer({ min: 1, max: 9 }), { maxLength: 6 }),
      fc.uniqueArray(fc.integer({ min: 1, max: 9 }), { maxLength: 4 }),
      fc.uniqueArray(fc.integer({ min: 1, max: 9 }), { maxLength: 4 }),
      async (given, one, two) => {
        await using world = await openWorld()
        await post(world, {
          source: 'manual',
          items: given.map((id) => rated(id, 3)),
          blocks: given.map((id) => `imdb:tt${id}`),
        })
        const load = async () => (await world.get(`${EDITOR}?kind=ratings&provider=TRACKA&source=manual`)).body
        const [a, b] = [await load(), await load()]
        const save = async (loaded: any, toggled: readonly number[], force: boolean) => {
          const items = { ...loaded.items }
          let blocks: string[] = loaded.manual_blocks
          for (const id of toggled) {
            const key = `movie:tmdb:${id}`
            if (key in items) delete items[key]
            else items[key] = { ...rated(id, 6) }
            const block = `imdb:tt${id}`
            blocks = blocks.includes(block) ? blocks.filter((each) => each !== block) : [...blocks, block]
          }
          return post(world, {
            source: 'manual',
            items,
            blocks,
            original_keys: loaded.original_keys,
            original_blocks: loaded.manual_blocks,
            revision: loaded.policy_revision,
            force,
          })
        }
        await save(a, one, false)
        const refused = await save(b, two, false)
        // Changes that both made need no second save.
        const isChanged = one.length > 0 && two.some((id) => !one.includes(id))
        if ((refused.status === 409) !== isChanged) throw new Error(`${refused.status} ${JSON.stringify(refused.body)}`)
        await save(b, two, true)
        const set = (toggled: readonly number[], id: number) => toggled.includes(id) !== given.includes(id)
        for (let id = 1; id <= 9; id += 1) {
          const wanted = given.includes(id) ? set(one, id) && set(two, id) : set(one, id) || set(two, id)
          if (addsOf(world).includes(`movie:tmdb:${id}`) !== wanted) throw new Error(`add ${id}: ${!wanted}`)
          if (world.policy.at(SCOPE).blocks.includes(`imdb:tt${id}`) !== wanted)
            throw new Error(`block ${id}: ${!wanted}`)
        }
      },
    ),
    { numRuns: runsOf(100) },
  ),
)

t.test(
  'an add with corrected ids moves to its new key; a client that saw one page removes nothing of the others',
  async (t) => {
    await using world = await openWorld()
    await post(world, { source: 'manual', items: [rated(1, 4), rated(2, 4)] })
    const loaded = (await world.get(`${EDITOR}?kind=ratings&provider=TRACKA&source=manual&limit=1`)).body
    t.match([loaded.total, loaded.original_keys], [2, ['movie:tmdb:1']])
    const items = { 'movie:tmdb:1': { ...loaded.items['movie:tmdb:1'], ids: { tmdb: '77' } } }
    await post(world, { source: 'manual', items, original_keys: loaded.original_keys })
    t.same(addsOf(world), ['movie:tmdb:2', 'movie:tmdb:77'])
    await post(world, {
      source: 'manual',
      items: Array.from({ length: 501 }, (_, id) => rated(1_000 + id, 4)),
      original_keys: [],
    })
    const vague = await post(world, { source: 'manual', items: [rated(1, 4)] })
    t.match([vague.status, vague.body.error], [400, 'original_keys_required'])
    t.equal(addsOf(world).length, 503)
  },
)

t.test('a row that left the account after it was loaded does not become an add', async (t) => {
  await using world = await openWorld({ rows: { 'TRACKA@default ratings': [1, 2].map((id) => row(rated(id, 5))) } })
  const { body } = await world.get(`${EDITOR}?kind=ratings&provider=TRACKA`)
  world.stored.set('TRACKA@default ratings', [row(rated(2, 5))])
  const items = {
    ...body.items,
    'movie:tmdb:2': { ...body.items['movie:tmdb:2'], rating: 6 },
    'movie:tmdb:3': rated(3, 7),
  }
  await post(world, { items, original_keys: body.original_keys, revision: body.policy_revision })
  t.same(addsOf(world), ['movie:tmdb:2', 'movie:tmdb:3'])
})

const flaws: readonly (readonly [change: object, reason: string])[] = [
  [{ rating: 0 }, 'invalid_rating'],
  [{ rating: 11 }, 'invalid_rating'],
  [{ rating: '8' }, 'invalid_rating'],
  [{ rating: 7.5 }, 'invalid_rating'],
  [{ rated_at: 'yesterday' }, 'invalid_rated_at'],
  [{ rated_at: 1_700_000_000 }, 'invalid_rated_at'],
  [{ watched_at: '2026-02-30' }, 'invalid_watched_at'],
  [{ type: 'episode', season: -1, episode: 1, show_ids: { tmdb: '1' } }, 'invalid_season'],
  [{ type: 'episode', season: 1, episode: 1.5, show_ids: { tmdb: '1' } }, 'invalid_episode'],
  [{ progress_percent: 101 }, 'invalid_progress_percent'],
  [{ progress_ms: -1 }, 'invalid_progress_ms'],
  [{ type: 'album' }, 'missing_or_invalid_type'],
  [{ type: undefined }, 'missing_or_invalid_type'],
  [{ ids: [] }, 'invalid_ids'],
  [{ ids: {}, title: null }, 'missing_ids'],
  [{ title: 7 }, 'invalid_title'],
]

t.test('invalid values are named, and nothing of the save is stored', async (t) => {
  await using world = await openWorld()
  for (const [change, reason] of flaws) {
    const { status, body } = await post(world, {
      source: 'manual',
      items: [rated(2, 5), { ...rated(1, 5), key: 'k', ...change }],
    })
    t.match([status, body.error, body.errors], [400, 'invalid_rows', [{ key: 'k', reason }]], JSON.stringify(change))
  }
  for (const items of [7, 'text', true]) t.equal((await post(world, { items })).body.error, 'invalid_items')
  for (const blocks of [7, 'text', [7]]) t.equal((await post(world, { blocks })).body.error, 'invalid_blocks')
  t.match(await world.post(EDITOR, { items: [rated(1, 4)] }), { status: 400, body: { error: 'missing_provider' } })
  t.match(await post(world, { provider: 'NOPE', items: [] }), { status: 404, body: { error: 'unknown_provider' } })
  t.match(await post(world, { provider_instance: 'P9', items: [] }), {
    status: 404,
    body: { error: 'unknown_instance' },
  })
  t.equal((await post(world, { force: 'yes' })).status, 422)
  t.equal(world.policy.at(SCOPE).revision, 0)
})

t.test('rows of the tracker are added, changed and removed through a plan', async (t) => {
  const rows = [1, 2, 3].map((id) => ({ key: `t${id}`, item: { ...rated(id, 5), native: { item_id: `t${id}` } } }))
  await using world = await openWorld({ tracker: { ratings: rows } })
  const loaded = (await world.get(`${EDITOR}?kind=ratings&source=svc`)).body
  t.match(loaded, {
    provider: 'SVC',
    workspace: 'default',
    label: 'Local tracker',
    total: 3,
    features: { ratings: true },
  })
  const { t1, t2 } = loaded.items
  const payload = {
    kind: 'ratings',
    source: 'tracker',
    items: { t1: { ...t1, rating: 9 }, t2, fresh: rated(7, 8) },
    original_keys: loaded.original_keys,
    revision: loaded.revision,
  }
  const dry = await world.post(EDITOR, { ...payload, dry_run: true })
  t.match(dry.body, { ok: true, dry_run: true, planned: { add: 1, update: 1, remove: 1, held: 0 }, count: 0 })
  t.equal(world.written.length, 0)
  const { status, body } = await world.post(EDITOR, payload)
  t.match([status, body], [200, { ok: true, added: 1, updated: 1, removed: 1, unresolved: [] }])
  t.match(world.written[0], { provider: 'SVC', instance: 'default', feature: 'ratings', cause: 'editor' })
  t.same(
    world.tracker('ratings').map(({ item }) => [item.ids.tmdb, item.rating]),
    [
      ['1', 9],
      ['2', 5],
      ['7', 8],
    ],
  )
  const again = await world.post(EDITOR, payload)
  t.match([again.status, again.body.error], [409, 'changed_since_load'])
  t.equal((await world.post(EDITOR, { kind: 'ratings', source: 'tracker' })).body.count, 0, 'property 24')
  t.equal(world.written.length, 1)
})

t.test('the tracker: a large number of removals is confirmed; changes in between are kept', async (t) => {
  const rows = Array.from({ length: 8 }, (_, id) => ({ key: `t${id}`, item: rated(id + 1, 5) }))
  await using world = await openWorld({ tracker: { ratings: rows }, guard: 3 })
  const loaded = (await world.get(`${EDITOR}?kind=ratings&source=tracker`)).body
  const payload = { kind: 'ratings', source: 'tracker', original_keys: loaded.original_keys, revision: loaded.revision }
  const held = await world.post(EDITOR, { ...payload, items: {} })
  t.match([held.status, held.body], [409, { error: 'confirm_removals_required', removals: 8 }])
  world.touchTracker('ratings', (all) => {
    all.splice(0, 1)
    all.push({ key: 'phone', item: rated(99, 1) })
  })
  const { t1: _removed, ...items } = loaded.items
  const changed = await world.post(EDITOR, { ...payload, items })
  t.match([changed.status, changed.body], [409, { error: 'changed_since_load', removed: ['t0'] }])
  t.match((await world.post(EDITOR, { ...payload, items, force: true })).body, { ok: true, removed: 1, added: 0 })
  t.same(
    world.tracker('ratings').map(({ key }) => key),
    ['t2', 't3', 't4', 't5', 't6', 't7', 'phone'],
    'what the phone removed does not come back, what it added stays',
  )
  t.match((await world.post(EDITOR, { ...payload, items: {}, force: true, confirm_removals: true })).body, {
    removed: 6,
  })
  t.same(
    world.tracker('ratings').map(({ key }) => key),
    ['phone'],
  )
})

t.test('unknown workspaces and providers are refused', async (t) => {
  await using world = await openWorld({
    rows: { 'MEDIAA@default history': [row(film(1))] },
    tracker: { history: [row(film(1))] },
  })
  t.match((await world.get(`${EDITOR}/tracker/workspaces`)).body, {
    provider_instance: 'default',
    workspaces: [{ id: 'default', label: 'Local tracker', profile_id: 'default', rows: { history: 1 } }],
  })
  t.equal((await world.get(`${EDITOR}/tracker/workspaces?provider_instance=SVC-P09`)).status, 404)
  t.same((await world.get(`${EDITOR}/state/providers`)).body, {
    providers: ['MEDIAA', 'SVC', 'TRACKA'],
    features: {
      MEDIAA: { watchlist: true, history: true, ratings: true, progress: false },
      SVC: { watchlist: true, history: true, ratings: true, progress: true },
      TRACKA: { watchlist: true, history: true, ratings: true, progress: false },
    },
    instances: { MEDIAA: ['default'], SVC: ['default'], TRACKA: ['default', 'TRACKA-P01'] },
    rows: { MEDIAA: { default: { history: 1 } }, SVC: { default: { history: 1 } } },
  })
})
