// Search, one work, many works: the right one, or none.
import t from 'tap'
import { startBench } from './support.ts'

t.test('a search finds films, shows, or both', async (t) => {
  await using bench = await startBench()
  const { tmdb, get } = bench
  const film = tmdb.work('movie', 0)
  const q = encodeURIComponent(film.title)
  t.same((await get(`/api/metadata/search?q=${q}&year=${film.year}`)).body, {
    ok: true,
    results: [
      {
        tmdb: film.id,
        type: 'movie',
        title: film.title,
        year: film.year,
        overview: `The story of ${film.title}.`,
        poster_path: `/movie${film.id}-poster-en.jpg`,
        ids: { tmdb: String(film.id) },
        source: 'tmdb',
      },
    ],
  })
  t.match(
    (await get(`/api/metadata/search?q=the&typ=series&limit=3`)).body.results.map(({ type }: { type: string }) => type),
    ['show', 'show', 'show'],
  )
  const show = tmdb.work('tv', 0)
  t.match((await get(`/api/metadata/search?q=${encodeURIComponent(show.title)}&typ=multi`)).body.results, [
    { type: 'show', tmdb: show.id },
  ])
  t.match((await get(`/api/metadata/search?q=${q}&typ=multi`)).body.results, [{ type: 'movie', tmdb: film.id }])
  for (const query of ['', 'q=x', 'q=the&limit=0', 'q=the&limit=21', 'q=the&year=x'])
    t.equal((await get(`/api/metadata/search?${query}`)).status, 422, query)
  tmdb.faults.add({ kind: 'status', status: 403 })
  t.match(await get('/api/metadata/search?q=the'), { status: 502, body: { ok: false, error: 'upstream_failed' } })
})

t.test('one work is returned with the requested fields, from one request, and from memory the next time', async (t) => {
  await using bench = await startBench()
  const { tmdb, post } = bench
  const film = tmdb.work('movie', 2)
  bench.asked()
  const need = {
    poster: true,
    logo: true,
    certification: true,
    release: true,
    runtime_minutes: true,
    score: true,
    videos: true,
    cast: true,
  }
  const { body } = await post('/api/metadata/resolve', {
    entity: 'movies',
    ids: { tmdb: film.id },
    need,
    locale: 'de-DE',
  })
  t.match(body, {
    ok: true,
    result: {
      type: 'movie',
      resolved_type: 'movie',
      title: film.title,
      year: film.year,
      ids: { tmdb: String(film.id), imdb: film.imdb },
      certification: '12',
      release: { country: 'DE' },
      runtime_minutes: film.runtimeMinutes,
      score: Math.round(film.average * 10),
      images: { poster: [{ lang: 'de' }, { lang: null }, { lang: 'en' }] },
      videos: [{ site: 'YouTube' }],
    },
  })
  t.equal(body.result.cast.length, 12)
  t.same(body.result.cast[0], { name: `Actor 1 of ${film.title}`, character: 'Part 1' })
  t.equal(body.result.images.poster[0].url, `${tmdb.imageUrl}/w780/movie${film.id}-poster-de.jpg`)
  t.same(
    body.result.images.logo.map(({ url }: { url: string }) => url),
    [`${tmdb.imageUrl}/w500/movie${film.id}-logo.png`],
    'a drawing is asked for as a picture',
  )
  t.equal(bench.asked(), 1)
  await post('/api/metadata/resolve', {
    entity: 'movie',
    ids: { tmdb: film.id },
    need: { overview: true },
    locale: 'de-DE',
  })
  await bench.host.reload()
  const again = await post('/api/metadata/resolve', { entity: 'movie', ids: { tmdb: film.id }, locale: 'de-DE' })
  t.same(Object.keys(again.body.result.images), ['poster', 'backdrop'])
  t.equal(bench.asked(), 0)
})

t.test(
  'external ids and titles lead to the work; unknown ones are not found, and not requested again at once',
  async (t) => {
    await using bench = await startBench()
    const { tmdb, post } = bench
    const show = tmdb.work('tv', 3)
    const result = async (body: object) => (await post('/api/metadata/resolve', body)).body
    t.match(await result({ entity: 'show', ids: { tvdb: show.tvdb } }), {
      found: true,
      result: { type: 'tv', ids: { tmdb: String(show.id) } },
    })
    t.match(
      await result({ entity: 'movie', ids: { imdb: show.imdb } }),
      { result: { type: 'tv', resolved_type: 'show' } },
      'the id tells the kind',
    )
    t.match(await result({ entity: 'show', ids: { title: show.title, year: show.year } }), {
      result: { ids: { tmdb: String(show.id) } },
    })
    bench.asked()
    t.match(await result({ entity: 'movie', ids: { imdb: 'tt1' } }), {
      ok: true,
      found: false,
      result: { type: 'movie', ids: { imdb: 'tt1' }, resolved_type: 'movie' },
    })
    await result({ entity: 'movie', ids: { imdb: 'tt1' } })
    t.equal(bench.asked(), 1)
    t.equal((await post('/api/metadata/resolve', {})).status, 422)
    t.equal((await post('/api/metadata/resolve', { ids: 'x' })).status, 422)
  },
)

t.test('a failure is no result and is not cached', async (t) => {
  await using bench = await startBench()
  const { tmdb, post } = bench
  const body = { entity: 'movie', ids: { tmdb: tmdb.work('movie', 2).id } }
  for (const fault of [
    { kind: 'status', status: 403 },
    { kind: 'html', status: 200 },
  ] as const) {
    tmdb.faults.add({ ...fault, times: 1 })
    t.match(await post('/api/metadata/resolve', body), { status: 502, body: { ok: false, error: 'upstream_failed' } })
  }
  t.match((await post('/api/metadata/resolve', body)).body, { found: true })
})

t.test('a title distinguishes two works with the same number', async (t) => {
  await using bench = await startBench()
  const { tmdb, post } = bench
  const [film, show] = [tmdb.work('movie', 4), tmdb.work('tv', 4)]
  const typeOf = async (entity: string, ids: object) =>
    (await post('/api/metadata/resolve', { entity, ids })).body.result.type
  t.equal(await typeOf('movie', { tmdb: film.id, title: film.title.toUpperCase() }), 'movie')
  t.equal(await typeOf('movie', { tmdb: film.id, title: show.title, year: show.year }), 'tv')
  t.equal(await typeOf('movie', { tmdb: film.id, title: 'Otherwise', imdb: show.imdb }), 'tv')
  t.equal(await typeOf('show', { tmdb: film.id, title: 'Otherwise' }), 'tv', 'what says nothing changes nothing')
  t.equal(await typeOf('show', { tmdb: tmdb.works.movies.at(-1)!.id }), 'movie', 'only one of them exists')
})

t.test('many works: each once, a failing one does not fail the others, and too many are reported', async (t) => {
  await using bench = await startBench({ settings: { bulk_max: 6 } })
  const { tmdb, post } = bench
  const [first, second] = [tmdb.work('movie', 0), tmdb.work('tv', 1)]
  bench.asked()
  const { body } = await post('/api/metadata/bulk?overview=short', {
    items: [
      { type: 'movie', tmdb: first.id },
      { entity: 'show', id: second.id },
      { type: 'movie', ids: { tmdb: first.id } },
      { type: 'movie' },
      7,
      { type: 'movie', tmdb: 5 },
      { type: 'movie', tmdb: 6 },
    ],
  })
  t.match(body, {
    ok: true,
    fetched: 2,
    dropped: 1,
    missing_tmdb_key: false,
    results: {
      [`movie:${first.id}`]: {
        ok: true,
        meta: { title: first.title, overview: `The story of ${first.title}.`, score: Number },
      },
      [`show:${second.id}`]: { ok: true, meta: { resolved_type: 'show' } },
      'movie:UNKNOWN': { ok: false, error: 'missing tmdb id' },
      'movie:5': { ok: false, error: 'no metadata' },
    },
  })
  t.ok(bench.asked() <= 4)
  t.match(await post('/api/metadata/bulk', { items: [] }), {
    status: 400,
    body: { ok: false, error: 'items_required' },
  })
  t.equal((await post('/api/metadata/bulk', { items: [1], concurrency: 13 })).status, 422)
  await post('/api/metaA/disconnect')
  t.match((await post('/api/metadata/bulk', { items: [{ type: 'movie', tmdb: 77 }] })).body, {
    ok: true,
    missing_tmdb_key: true,
    results: { 'movie:77': { ok: false, error: 'no metadata' } },
  })
})

t.test('many works of many requests are requested a few at a time', async (t) => {
  await using bench = await startBench({ latencyMs: 20 })
  const items = bench.tmdb.works.movies.slice(0, 12).map(({ id }) => ({ type: 'movie', tmdb: id }))
  await Promise.all([1, 2, 3].map(() => bench.post('/api/metadata/bulk', { items, concurrency: 12 })))
  t.equal(bench.tmdb.requests.length, 12, 'each once for all')
  t.ok(bench.tmdb.maxInFlight() <= 8)
})

t.test('other plugins get an identity only if ids prove it', async (t) => {
  await using bench = await startBench()
  const { tmdb, metadata } = bench
  const [film, other, show] = [tmdb.work('movie', 1), tmdb.work('movie', 2), tmdb.work('tv', 1)]
  t.same(await metadata.identify({ type: 'movie', ids: { imdb: film.imdb! } }), {
    tmdb: String(film.id),
    imdb: film.imdb,
  })
  t.same(await metadata.identify({ type: 'show', ids: { tmdb: String(show.id) } }), {
    tmdb: String(show.id),
    imdb: show.imdb,
    tvdb: String(show.tvdb),
  })
  for (const [name, work] of [
    ['two ids of two works', { type: 'movie', ids: { tmdb: String(film.id), imdb: other.imdb! } }],
    ['an id of another kind', { type: 'movie', ids: { imdb: show.imdb! } }],
    ['a number of a film and an id of a show', { type: 'movie', ids: { tmdb: String(film.id), imdb: show.imdb! } }],
    ['nothing', { type: 'movie', ids: {} }],
    ['what nobody knows', { type: 'show', ids: { tvdb: '1' } }],
  ] as const)
    t.equal(await metadata.identify(work), undefined, name)
  t.match(await metadata.details({ type: 'movie', ids: { tmdb: String(film.id) } }), {
    title: film.title,
    year: film.year,
    genres: ['Drama'],
  })
  t.match(await metadata.search(film.title, { type: 'movie' }), [{ tmdb: String(film.id) }])
  tmdb.faults.add({ kind: 'status', status: 403 })
  await t.rejects(metadata.identify({ type: 'movie', ids: { imdb: other.imdb! } }), { code: /^PLH_/ })
})

t.test('the cache stays within its size, the newest longest', async (t) => {
  await using bench = await startBench({ settings: { meta_cache_max_mb: 1 } })
  const { db } = bench.host
  const value = JSON.stringify('x'.repeat(300_000))
  for (let index = 0; index < 6; index += 1) {
    await db
      .insertInto('metadata__records')
      .values({ name: `n${index}`, value, bytes: value.length, fetched_at_ms: Date.now() - 1_000 + index })
      .execute()
  }
  await db
    .insertInto('metadata__records')
    .values({ name: 'old', value: '1', bytes: 1, fetched_at_ms: Date.now() - 721 * 3_600_000 })
    .execute()
  await bench.host.runJob('prune')
  const left = await db.selectFrom('metadata__records').select('name').orderBy('name').execute()
  t.same(
    left.map(({ name }) => name),
    ['n3', 'n4', 'n5'],
  )
})
