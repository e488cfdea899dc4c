// Scrobbles to MDBList: the right request for every report, the right outcome for every response, each play once.
import type { Item } from '@playhead/sdk'
import t from 'tap'
import { listenTo, MINUTE_MS, neverTooMany, played, playsAbout, required, scrobbled, told } from '../scrobble-bench.ts'
import { codeOf, itemOf, startBench } from './support.ts'

const SCROBBLE = /^\/scrobble\//
const RECORDS = /^\/(scrobble|sync\/watched$)/

t.test('each report becomes the corresponding MDBList request', async (t) => {
  await using bench = await startBench()
  const { mdblist, provider } = bench
  const sent = listenTo(mdblist)
  const film = itemOf(mdblist.movie(0))
  for (const [report, path, progress] of [
    [{ action: 'start', percent: 0 }, '/scrobble/start', 2],
    [{ action: 'start', percent: 42.37 }, '/scrobble/start', 42.37],
    [{ action: 'pause', percent: 0.99 }, undefined, 0],
    [{ action: 'pause', percent: 30 }, '/scrobble/pause', 30],
    [{ action: 'pause', percent: 97 }, '/scrobble/pause', 97],
    [{ action: 'stop', percent: 0.5 }, undefined, 0],
    [{ action: 'stop', percent: 30 }, '/scrobble/pause', 30],
    [{ action: 'stop', percent: 89 }, '/scrobble/pause', 89],
    [{ action: 'pause', percent: 89, completed: true }, '/scrobble/pause', 89],
    [{ action: 'stop', percent: 80, completed: true }, '/scrobble/stop', 80],
  ] as const) {
    t.equal(await told(provider, film, report), 'applied', JSON.stringify(report))
    const requests = await sent()
    if (path === undefined) t.same(requests, [], `${JSON.stringify(report)} sends nothing`)
    else t.match(requests, [[path, { movie: { ids: {} }, progress, app_version: String }]])
  }
  t.equal(mdblist.user.plays().length, 1, 'only what was completed is a play')
})

t.test('an episode is sent as a part of its show', async (t) => {
  await using bench = await startBench()
  const { mdblist, provider } = bench
  const sent = listenTo(mdblist)
  t.same(await scrobbled(provider, itemOf(mdblist.episode(0, 1, 2)), played()), {
    outcome: 'applied',
    play: { watchedAtMs: null },
  })
  t.match(await sent(), [['/scrobble/stop', { show: { ids: {}, season: { number: 1, episode: { number: 2 } } } }]])
  t.match(mdblist.user.plays(), [{ key: mdblist.episode(0, 1, 2).key }])
  await told(provider, itemOf(mdblist.episode(0, 1, 3)), { percent: 10 })
  t.equal(mdblist.user.watching(), mdblist.episode(0, 1, 3).key)
})

t.test("a play below MDBList's percentage is added to the history, with the time of its end", async (t) => {
  await using bench = await startBench()
  const { mdblist, provider } = bench
  const sent = listenTo(mdblist)
  const atMs = Date.now() - 5 * MINUTE_MS
  for (const item of [itemOf(mdblist.movie(0)), itemOf(mdblist.episode(0, 1, 2))]) {
    const result = await scrobbled(provider, item, played(75, { atMs }))
    t.match(result, { outcome: 'applied', play: { watchedAtMs: Math.floor(atMs / 1_000) * 1_000 } })
    t.match(
      (await sent()).map(([path]) => path),
      ['/sync/watched'],
    )
    t.match(await scrobbled(provider, item, played(75, { atMs })), { outcome: 'already' })
    await sent()
  }
  t.same(
    mdblist.user.plays().map(({ watchedAtMs }) => watchedAtMs),
    Array(2).fill(Math.floor(atMs / 1_000) * 1_000),
  )
})

t.test('ids that cannot belong to the work are omitted, and the tries end with the first that works', async (t) => {
  await using bench = await startBench()
  const { mdblist, provider } = bench
  const sent = listenTo(mdblist)
  const { imdb, tmdb } = mdblist.movie(0).type === 'movie' ? itemOf(mdblist.movie(0)).ids : {}
  if (imdb === undefined || tmdb === undefined) throw new Error('the first film has both ids')
  t.equal(await told(provider, { type: 'movie', ids: { imdb, tmdb } }, played()), 'applied')
  t.equal((await sent()).length, 1)

  // One of its ids belongs to no work, and MDBList ignores the others.
  mdblist.faults.add({
    match: ({ path, body = '' }) => SCROBBLE.test(path) && body.includes('"trakt"'),
    kind: 'status',
    status: 404,
  })
  const wrong: Item = { type: 'movie', ids: { tracka: '9999', imdb, tmdb } }
  t.equal(await told(provider, wrong, { percent: 5 }), 'applied')
  t.match(await sent(), [['/scrobble/start', { movie: { ids: { imdb } } }]])
  t.equal(mdblist.count(SCROBBLE), 3)
  t.equal(await told(provider, wrong, { percent: 9 }), 'applied')
  t.equal(mdblist.count(SCROBBLE), 4, 'the name that worked comes first')
  mdblist.faults.clear()

  const show_ids = itemOf(mdblist.episode(0, 1, 1)).show_ids ?? {}
  await sent()
  await told(
    provider,
    { type: 'episode', ids: {}, show_ids: { ...show_ids, tvdb: '10000000' }, season: 1, episode: 1 },
    played(),
  )
  await told(
    provider,
    { type: 'episode', ids: {}, show_ids: { ...show_ids, tvdb: '10000000' }, season: 1, episode: 1 },
    played(50),
  )
  t.notOk(JSON.stringify(await sent()).includes('10000000'), 'an episode in disguise')
  const refused: readonly Item[] = [
    { type: 'movie', ids: { imdb: 'tt12345' } },
    { type: 'movie', ids: { tvdb: '77' } },
    { type: 'episode', ids: {}, show_ids: { tvdb: '10000000', imdb: 'tt1' }, season: 1, episode: 1 },
    { type: 'episode', ids: { tvdb: '5' }, season: 1, episode: 1 },
  ]
  for (const item of refused)
    for (const percent of [95, 50]) t.equal(await told(provider, item, played(percent)), 'unsupported:missing_ids')
  t.same(await sent(), [])
})

t.test('nothing is ever sent by its title', async (t) => {
  await using bench = await startBench()
  const { mdblist, provider } = bench
  const sent = listenTo(mdblist)
  const title = 'Heat'
  t.equal(await told(provider, { type: 'movie', title, year: 1995, ids: {} }, played()), 'unsupported:missing_ids')
  t.same(await sent(), [])
  const unknown: Item = { type: 'movie', title, year: 1995, ids: { imdb: 'tt99999999', tmdb: '99999999' } }
  t.equal(await told(provider, unknown, played()), 'not_found:not_found')
  t.equal(await told(provider, unknown, played(40)), 'not_found:not_found')
  t.notOk(JSON.stringify(await sent()).includes(title))
  t.same(mdblist.user.plays(), [])
})

t.test('a refusal by MDBList is an outcome, sent once, with the requested wait', async (t) => {
  for (const [fault, start, stop] of [
    [{ status: 429, headers: { 'retry-after': '900' } }, 'rate_limited:rate_limited', 'rate_limited:rate_limited'],
    [{ status: 500 }, 'failed:http_500', 'unknown:http_500'],
    [{ status: 503 }, 'failed:http_503', 'unknown:http_503'],
    [{ status: 502 }, 'unknown:http_502', 'unknown:http_502'],
    [{ status: 401 }, 'failed:unauthorized', 'failed:unauthorized'],
    [{ status: 403 }, 'failed:http_403', 'failed:http_403'],
    [{ status: 400 }, 'rejected:refused_by_service', 'rejected:refused_by_service'],
    [{ status: 422 }, 'rejected:refused_by_service', 'rejected:refused_by_service'],
    [{ status: 409 }, 'already', 'already'],
  ] as const) {
    for (const [report, expected] of [
      [{ percent: 10 }, start],
      [played(), stop],
    ] as const) {
      await using bench = await startBench()
      bench.mdblist.faults.add({ match: SCROBBLE, kind: 'status', ...fault })
      const { outcome, reason, retryAfterMs } = await scrobbled(bench.provider, itemOf(bench.mdblist.movie(0)), report)
      t.equal(
        reason === undefined ? outcome : `${outcome}:${reason}`,
        expected,
        `${fault.status} to ${JSON.stringify(report)}`,
      )
      t.equal(retryAfterMs, fault.status === 429 ? 900_000 : undefined)
      t.equal(bench.mdblist.count(SCROBBLE), 1, 'it is sent once')
    }
  }
})

t.test('a response without content proves no play', async (t) => {
  await using bench = await startBench()
  const { mdblist, provider } = bench
  mdblist.faults.add({ match: SCROBBLE, kind: 'empty' })
  t.match(await told(provider, itemOf(mdblist.movie(0)), played()), /^unknown:/)
  t.equal(await told(provider, itemOf(mdblist.movie(0)), { percent: 10 }), 'applied')
  mdblist.faults.clear()
  mdblist.faults.add({ match: SCROBBLE, kind: 'html', status: 200 })
  t.match(await told(provider, itemOf(mdblist.movie(0)), { percent: 10 }), /^unknown:/)
})

t.test('an expired token is refreshed once, and a play sent once', async (t) => {
  await using bench = await startBench({ by: 'tokens' })
  const { mdblist, provider } = bench
  mdblist.user.expireTokens()
  t.equal(await told(provider, itemOf(mdblist.movie(0)), played()), 'applied')
  t.equal(mdblist.count('/oauth/token/'), 1)
  t.equal(mdblist.user.plays().length, 1)
})

t.test('a play with a lost response is unknown, and found afterwards', async (t) => {
  for (const kind of ['reset', 'truncate'] as const) {
    for (const percent of [95, 60]) {
      await using bench = await startBench()
      const { mdblist, provider } = bench
      for (const item of [itemOf(mdblist.movie(0)), itemOf(mdblist.episode(0, 1, 2))]) {
        const before = mdblist.user.plays().length
        t.same(await playsAbout(provider, item), [])
        mdblist.faults.add({ match: ({ method, path }) => method === 'POST' && RECORDS.test(path), kind, times: 1 })
        t.match(await told(provider, item, played(percent)), /^unknown:/)
        t.equal(mdblist.user.plays().length, before + 1)
        t.equal((await playsAbout(provider, item)).length, 1, `${kind} at ${percent}`)
      }
    }
  }
})

t.test('plays of an item are those within the time, read since a day before, over all pages', async (t) => {
  await using bench = await startBench({ pageRows: 2 })
  const { mdblist, provider } = bench
  const atMs = Math.floor(mdblist.nowMs() / 1_000) * 1_000
  for (const index of [0, 1, 2, 3, 4]) mdblist.user.watch(mdblist.movie(index), atMs)
  mdblist.user.watch(mdblist.movie(0), atMs - 10 * MINUTE_MS)
  mdblist.user.watch(mdblist.movie(0), atMs - 100 * 24 * 60 * MINUTE_MS)
  mdblist.user.watch(mdblist.episode(0, 1, 1), atMs)
  const plays = required(provider.plays)
  const item = itemOf(mdblist.movie(0))
  t.equal((await plays('default', { item, fromMs: atMs, toMs: atMs })).length, 1)
  t.equal((await plays('default', { item, fromMs: atMs - 20 * MINUTE_MS, toMs: atMs })).length, 2)
  t.equal((await plays('default', { item: itemOf(mdblist.movie(9)), fromMs: 1_600_000_000_000, toMs: atMs })).length, 0)
  t.equal((await plays('default', { item: itemOf(mdblist.episode(0, 1, 1)), fromMs: atMs, toMs: atMs })).length, 1)
  t.equal((await plays('default', { item: itemOf(mdblist.episode(0, 1, 2)), fromMs: atMs, toMs: atMs })).length, 0)
  const [first] = mdblist.requests
  t.equal(first?.query.get('since'), new Date(atMs - 24 * 60 * MINUTE_MS).toISOString().replace('.000Z', 'Z'))
})

t.test('without a complete and certain response there is no result', async (t) => {
  for (const fault of [
    { kind: 'status', status: 500 },
    { kind: 'empty' },
    { kind: 'html' },
    { kind: 'truncate' },
    { kind: 'status', status: 400 },
  ] as const) {
    await using bench = await startBench()
    bench.mdblist.faults.add({ match: '/sync/watched', ...fault })
    await t.rejects(playsAbout(bench.provider, itemOf(bench.mdblist.movie(0))), fault.kind)
  }
  await using bench = await startBench()
  bench.mdblist.user.watch(bench.mdblist.movie(0))
  // The items may be the same film, because they share no id scheme.
  t.equal(await codeOf(playsAbout(bench.provider, { type: 'movie', ids: { tvdb: '5' } })), 'PLH_UPSTREAM_INVALID')
  bench.mdblist.user.unwatch(bench.mdblist.movie(0))
  const nameless = (at: number | undefined) => ({
    id: 1,
    movie: { title: 'Heat', ids: {} },
    ...(at === undefined ? {} : { watched_at: new Date(at).toISOString() }),
  })
  for (const [movies, hasMore, isCertain] of [
    [[nameless(Date.now())], false, false],
    [[nameless(undefined)], false, false],
    [[nameless(Date.now() - 5 * 3_600_000)], false, true],
    [[], true, false],
    [[], false, true],
  ] as const) {
    bench.mdblist.faults.add({
      match: '/sync/watched',
      kind: 'spoil',
      instead: true,
      send: (response) =>
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ movies, shows: [], episodes: [], pagination: { has_more: hasMore } })),
      times: 1,
    })
    const answer = await codeOf(playsAbout(bench.provider, itemOf(bench.mdblist.movie(0))))
    t.equal(answer, isCertain ? 'nothing was thrown' : 'PLH_UPSTREAM_INVALID', JSON.stringify([movies, hasMore]))
  }
  await using nobodys = await startBench({ by: 'nothing' })
  t.equal(await codeOf(playsAbout(nobodys.provider, itemOf(nobodys.mdblist.movie(0)))), 'PLH_NOT_READY')
  t.equal(await told(nobodys.provider, itemOf(nobodys.mdblist.movie(0)), played()), 'failed:not_configured')
  t.equal(nobodys.mdblist.requests.length, 0)
})

t.test('after a restart of the plugin a play is found, and the next one recorded', async (t) => {
  await using bench = await startBench()
  const { mdblist, provider } = bench
  mdblist.faults.add({ match: SCROBBLE, kind: 'reset', times: 1 })
  t.match(await told(provider, itemOf(mdblist.movie(0)), played()), /^unknown/)
  await bench.host.reload()
  t.equal((await playsAbout(provider, itemOf(mdblist.movie(0)))).length, 1)
  t.equal(await told(provider, itemOf(mdblist.movie(1)), played()), 'applied')
})

t.test('for any reports and failures, each play is recorded once', async (t) => {
  await using bench = await startBench({ movies: 200, plan: { requests: 100_000 } })
  const { mdblist } = bench
  const films = Array.from({ length: 200 }, (_, index) => mdblist.movie(index)).filter(
    (film) => Object.keys(itemOf(film).ids).length > 0,
  )
  const keys = new Map(films.map((film) => [JSON.stringify(itemOf(film).ids), film.key]))
  let next = 0
  await neverTooMany({
    provider: bench.provider,
    upstream: mdblist,
    titles: () => [0, 1].map(() => itemOf(films[next++ % films.length] as (typeof films)[number])),
    countOf: ({ ids }) => mdblist.user.plays().filter(({ key }) => key === keys.get(JSON.stringify(ids))).length,
  })
  t.ok(mdblist.user.plays().length > 0)
})
