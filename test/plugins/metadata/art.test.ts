// Pictures: the right one, complete or absent, from disk if cached.
import t from 'tap'
import { startBench } from './support.ts'

t.test('a poster is downloaded once, and comes from disk the next time', async (t) => {
  await using bench = await startBench()
  const { tmdb, get } = bench
  const film = tmdb.work('movie', 0)
  const first = await get(`/art/metaA/movie/${film.id}`)
  t.match(first, {
    status: 200,
    headers: { 'content-type': 'image/jpeg', 'cache-control': 'public, max-age=86400, stale-while-revalidate=86400' },
  })
  t.match(first.text, new RegExp(`w342 movie${film.id}-poster-en.jpg`))
  t.equal(bench.asked(), 2, 'what there is, and the picture')
  await bench.host.reload()
  const second = await get(`/art/metaA/movie/${film.id}?size=w300`)
  t.ok(second.bytes.equals(first.bytes), 'sizes are rounded up to those that there are')
  t.equal(bench.asked(), 0)
  t.equal((await get(`/art/metaA/movie/${film.id}`, { 'if-none-match': String(first.headers['etag']) })).status, 304)
})

t.test('language, kind and size choose the picture', async (t) => {
  await using bench = await startBench()
  const { tmdb, get } = bench
  const show = tmdb.work('tv', 0)
  const textOf = async (query: string) => (await get(`/art/metaA/tv/${show.id}?${query}`)).text
  t.match(await textOf('locale=de-DE'), /w342 tv\d+-poster-de/)
  t.match(await textOf('kind=backdrop&size=w900'), /w1280 tv\d+-backdrop/)
  t.match(await textOf('size=w2000'), /original tv\d+-poster-en/)
  t.match(await textOf('kind=still&season=1&episode=2'), /original still\d+\.jpg/)
  t.match(
    await textOf('kind=episode_still&season=9&episode=9'),
    /w780 tv\d+-backdrop/,
    'an episode without a picture shows its show',
  )
  t.match(await textOf(`locale=${encodeURIComponent('../../etc')}`), /poster-en/, 'what is no language is none')
})

t.test('invalid requests are refused before anything is sent', async (t) => {
  await using bench = await startBench()
  for (const [path, status] of [
    ['person/5', 400],
    ['movie/abc', 422],
    ['movie/0', 422],
    ['movie/-1', 422],
    ['movie/1.5', 422],
    ['movie/5?size=w0', 400],
    ['movie/5?size=w2001', 400],
    ['movie/5?size=big', 400],
    ['movie/5?kind=face', 400],
    ['movie/5?kind=still&season=1&episode=1', 400],
    ['tv/5?kind=still&season=1', 400],
    ['movie/5?kind=constructor', 400],
    ['movie/..%2f..%2fetc', 422],
  ] as const)
    t.equal((await bench.get(`/art/metaA/${path}`)).status, status, path)
  t.equal(bench.asked(), 0)
  await using keyless = await startBench({ hasKey: false })
  t.match(await keyless.get('/art/metaA/movie/5'), { status: 404, headers: { 'content-type': /^text\/plain/ } })
})

t.test('a work without a picture gets a placeholder for a while', async (t) => {
  await using bench = await startBench()
  const bare = bench.tmdb.works.movies.find(({ hasImages }) => !hasImages)!
  t.match(await bench.get(`/art/metaA/movie/${bare.id}`), {
    status: 200,
    headers: { 'content-type': 'image/svg+xml', 'cache-control': 'public, max-age=300' },
  })
  t.match(await bench.get('/art/metaA/movie/7'), { status: 200, headers: { 'content-type': 'image/svg+xml' } })
})

for (const [name, fault] of [
  ['breaks off', { kind: 'truncate' }],
  ['is a page', { kind: 'html', status: 200 }],
  ['is empty', { kind: 'empty' }],
  ['is missing', { kind: 'status', status: 404 }],
] as const) {
  t.test(`a picture that ${name} is not shown and not cached`, async (t) => {
    await using bench = await startBench()
    const { tmdb, host, get } = bench
    const film = tmdb.work('movie', 0)
    tmdb.faults.add({ ...fault, match: /^\/t\/p\//, times: 10 })
    t.match(await get(`/art/metaA/movie/${film.id}`), {
      status: 404,
      headers: { 'content-type': /^text\/plain/, 'cache-control': 'no-store' },
    })
    t.same(
      await host.files
        .shared('cache')
        .list(`art/movie/${film.id}`)
        .catch(() => []),
      [],
    )
    tmdb.faults.clear()
    await host.reload()
    t.match(await get(`/art/metaA/movie/${film.id}`), { status: 200, headers: { 'content-type': 'image/jpeg' } })
  })
}

t.test('concurrent requests for a picture cause one download, and a new picture replaces the old', async (t) => {
  await using bench = await startBench({ latencyMs: 20 })
  const { tmdb, host, get } = bench
  const film = tmdb.work('movie', 0)
  const answers = await Promise.all(Array.from({ length: 10 }, () => get(`/art/metaA/movie/${film.id}`)))
  t.ok(answers.every(({ status }) => status === 200))
  t.equal(bench.asked(), 2)
  await host.db
    .updateTable('metadata__records')
    .set({
      value: JSON.stringify({
        type: 'movie',
        ids: { tmdb: String(film.id) },
        title: '',
        year: null,
        images: { poster: [{ path: '/newer.jpg', w: 1, h: 1, lang: null, votes: 1 }], backdrop: [], logo: [] },
      }),
    })
    .execute()
  t.match((await get(`/art/metaA/movie/${film.id}`)).text, /w342 newer.jpg/)
  t.equal((await host.files.shared('cache').list(`art/movie/${film.id}`)).length, 1)
})

t.test('a file that was damaged on disk is downloaded again', async (t) => {
  await using bench = await startBench()
  const { tmdb, host, get } = bench
  const film = tmdb.work('movie', 0)
  await get(`/art/metaA/movie/${film.id}`)
  const cache = host.files.shared('cache')
  const [file] = await cache.list(`art/movie/${film.id}`)
  await cache.write(`art/movie/${film.id}/${file!.name}`, 'nothing')
  t.match(await get(`/art/metaA/movie/${film.id}`), { status: 200, headers: { 'content-type': 'image/jpeg' } })
})
