// Scrobbles to Trakt: the right request for every report, the right outcome for every response, each play once.
import type { Item } from '@playhead/sdk'
import t from 'tap'
import { checkExchanges, readDescription } from '../../upstreams/descriptions/check.ts'
import type { Exchange } from '../../upstreams/base/index.ts'
import { listenTo, MINUTE_MS, neverTooMany, played, playsAbout, required, scrobbled, told } from '../scrobble-bench.ts'
import { codeOf, episodeItem, movieItem, startBench } from './support.ts'

const SCROBBLE = /^\/scrobble\//

t.test('each report becomes the corresponding Trakt request', async (t) => {
  await using bench = await startBench()
  const sent = listenTo(bench.trakt)
  const movie = movieItem(bench.trakt, 0)
  const { provider } = bench
  for (const [report, path, progress] of [
    [{ action: 'start', percent: 0 }, '/scrobble/start', 2],
    [{ action: 'start', percent: 1.5 }, '/scrobble/start', 2],
    [{ action: 'start', percent: 42.37 }, '/scrobble/start', 42.37],
    [{ action: 'start', percent: 95 }, '/scrobble/start', 95],
    [{ action: 'pause', percent: 0.99 }, undefined, 0],
    [{ action: 'pause', percent: 1 }, '/scrobble/pause', 1],
    [{ action: 'pause', percent: 79.99 }, '/scrobble/pause', 79.99],
    [{ action: 'pause', percent: 80 }, '/scrobble/pause', 80],
    [{ action: 'pause', percent: 97 }, '/scrobble/pause', 97],
    [{ action: 'stop', percent: 0.5 }, undefined, 0],
    [{ action: 'stop', percent: 30 }, '/scrobble/stop', 30],
    [{ action: 'stop', percent: 79.99 }, '/scrobble/stop', 79.99],
    [{ action: 'stop', percent: 80 }, '/scrobble/pause', 80],
    [{ action: 'stop', percent: 89 }, '/scrobble/pause', 89],
    [{ action: 'pause', percent: 89, completed: true }, '/scrobble/pause', 89],
    [{ action: 'stop', percent: 80, completed: true }, '/scrobble/stop', 80],
  ] as const) {
    t.equal(await told(provider, movie, report), 'applied', JSON.stringify(report))
    const requests = await sent()
    if (path === undefined) t.same(requests, [], `${JSON.stringify(report)} sends nothing`)
    else
      t.match(requests, [
        [path, { movie: { ids: movie.ids.imdb === undefined ? {} : { imdb: movie.ids.imdb } }, progress }],
      ])
  }
  t.equal(bench.trakt.user.plays().length, 1, 'only what was completed is a play')
})

t.test("a play below Trakt's percentage is added to the history, with the time of its end", async (t) => {
  await using bench = await startBench()
  const { trakt, provider } = bench
  const sent = listenTo(trakt)
  const atMs = Date.now() - 5 * MINUTE_MS
  for (const item of [movieItem(trakt, 0), episodeItem(trakt, 0, 1, 2)]) {
    const result = await scrobbled(provider, item, played(75, { atMs }))
    t.match(result, { outcome: 'applied', play: { watchedAtMs: Math.floor(atMs / 1_000) * 1_000 } })
    t.match(
      (await sent()).map(([path]) => path),
      ['/sync/history'],
    )
  }
  t.same(
    trakt.user.plays().map(({ watchedAtMs }) => watchedAtMs),
    Array(2).fill(Math.floor(atMs / 1_000) * 1_000),
  )
})

t.test('playback is shown as being watched until it pauses or stops', async (t) => {
  await using bench = await startBench()
  const { trakt, provider } = bench
  const movie = movieItem(trakt, 0)
  await told(provider, movie, { percent: 10 })
  t.equal(trakt.user.watching(), trakt.movie(0).key)
  await told(provider, movie, { action: 'pause', percent: 85 })
  t.equal(trakt.user.watching(), undefined)
  await told(provider, movie, { percent: 85 })
  await told(provider, movie, { action: 'stop', percent: 88 })
  t.equal(trakt.user.watching(), undefined)
  t.equal([...trakt.user.account.paused.values()][0]?.progress, 88, 'it can be resumed there')
  t.same(trakt.user.plays(), [])
})

t.test('the play is returned by its id, without a time that Trakt did not return', async (t) => {
  await using bench = await startBench()
  const result = await scrobbled(bench.provider, movieItem(bench.trakt, 0), played())
  const { id } = bench.trakt.user.account.plays[0] ?? {}
  t.same(result, { outcome: 'applied', play: { watchedAtMs: null, eventId: String(id) } })
})

t.test('an id that a number cannot represent is omitted', async (t) => {
  await using bench = await startBench()
  bench.trakt.faults.add({
    match: SCROBBLE,
    kind: 'spoil',
    send: (response) =>
      response
        .writeHead(201, { 'content-type': 'application/json' })
        .end('{"id":9223372036854775807,"action":"scrobble","progress":95}'),
  })
  t.same(await scrobbled(bench.provider, movieItem(bench.trakt, 0), played()), {
    outcome: 'applied',
    play: { watchedAtMs: null },
  })
})

t.test("a play that Trakt recorded a while ago already exists, with Trakt's time", async (t) => {
  await using bench = await startBench()
  const { trakt, provider } = bench
  const movie = movieItem(trakt, 0)
  t.equal(await told(provider, movie, played()), 'applied')
  const [first] = trakt.user.plays()
  trakt.advance(10 * MINUTE_MS)
  t.same(await scrobbled(provider, movie, played(99)), {
    outcome: 'already',
    play: { watchedAtMs: first?.watchedAtMs },
  })
  t.equal(trakt.user.plays().length, 1)
  trakt.advance(10 * 60 * MINUTE_MS)
  t.equal(await told(provider, movie, played()), 'applied', 'a rewatch is another play')
  t.equal(trakt.user.plays().length, 2)
})

t.test('a completed stop that Trakt treats as a pause is added to the history', async (t) => {
  await using bench = await startBench()
  const { trakt, provider } = bench
  trakt.faults.add({
    match: SCROBBLE,
    kind: 'spoil',
    instead: true,
    send: (response) =>
      response.writeHead(201, { 'content-type': 'application/json' }).end('{"id":0,"action":"pause","progress":85}'),
    times: 1,
  })
  t.match(await scrobbled(provider, movieItem(trakt, 0), played(85)), { outcome: 'applied' })
  t.equal(trakt.user.plays().length, 1)
})

t.test('an episode is tried with all of its ids, and with the working one from then on', async (t) => {
  await using bench = await startBench()
  const { trakt, provider } = bench
  const sent = listenTo(trakt)
  const own = trakt.catalogue.shows[0]?.seasons[0]?.episodes[1]
  const tvdb = String(own?.ids.tvdb)
  const byBoth = episodeItem(trakt, 0, 1, 2, { ids: { tvdb } })
  await told(provider, byBoth, { percent: 10 })
  t.match(await sent(), [['/scrobble/start', { episode: { ids: { tvdb: Number(tvdb) } } }]])

  const unknownId = episodeItem(trakt, 0, 1, 3, { ids: { tvdb: '424242' } })
  t.equal(await told(provider, unknownId, { percent: 10 }), 'applied')
  t.match(await sent(), [
    ['/scrobble/start', { episode: { ids: { tvdb: 424_242 } } }],
    ['/scrobble/start', { show: {}, episode: { season: 1, number: 3 } }],
  ])
  t.equal(await told(provider, unknownId, played()), 'applied')
  t.match(await sent(), [['/scrobble/stop', { show: {}, episode: { season: 1, number: 3 } }]])
  t.same(
    trakt.user.plays().map(({ key }) => key),
    [trakt.episode(0, 1, 3).key],
  )
})

t.test('an episode that is unknown with all of its ids is searched for', async (t) => {
  await using bench = await startBench()
  const { trakt, provider } = bench
  const own = trakt.catalogue.shows[0]?.seasons[0]?.episodes.find(({ ids }) => ids.tvdb != null)
  const item: Item = { type: 'episode', ids: { tvdb: String(own?.ids.tvdb) } }
  // Scrobbles do not find every item that a search finds.
  trakt.faults.add({
    match: ({ path, body = '' }) => SCROBBLE.test(path) && !body.includes('trakt'),
    kind: 'status',
    status: 404,
  })
  t.equal(await told(provider, item, played()), 'applied')
  t.equal(trakt.user.plays().length, 1)
  t.equal(trakt.count(/^\/search\//), 1)
  t.equal(await told(provider, { type: 'episode', ids: { tvdb: '424242' } }, played()), 'not_found:not_found')
  t.equal(trakt.user.plays().length, 1)
})

t.test('nothing is ever sent by its title', async (t) => {
  await using bench = await startBench()
  const { trakt, provider } = bench
  const sent = listenTo(trakt)
  const [film, show] = [trakt.catalogue.movies[0], trakt.catalogue.shows[0]]
  const titled: Item[] = [
    { type: 'movie', title: film?.title ?? '', year: film?.year ?? 0, ids: {} },
    { type: 'movie', title: film?.title ?? '', ids: { tvdb: '42', mal: '5' } },
    { type: 'episode', ids: {}, series_title: show?.title ?? '', season: 1, episode: 1 },
    { type: 'episode', ids: {}, series_title: show?.title ?? '', show_ids: { tmdb: '1' }, season: 1 },
  ]
  for (const item of titled) t.equal(await told(provider, item, played()), 'unsupported:missing_ids')
  t.equal(
    await told(provider, { type: 'show', ids: { tmdb: String(show?.ids.tmdb) } }, played()),
    'unsupported:unsupported_kind',
  )
  t.same(await sent(), [])
  t.equal(
    await told(provider, { type: 'movie', title: film?.title ?? '', ids: { imdb: 'tt99999999' } }, played()),
    'not_found:not_found',
  )
  t.equal(
    await told(provider, { type: 'movie', title: film?.title ?? '', ids: { imdb: 'tt99999999' } }, played(40)),
    'not_found:not_found',
  )
  t.notOk(JSON.stringify(await sent()).includes(film?.title ?? ''))
  t.same(trakt.user.plays(), [])
})

t.test('a refusal by Trakt is an outcome, and nothing waits for it', async (t) => {
  for (const [fault, start, stop] of [
    [{ status: 429, headers: { 'retry-after': '900' } }, 'rate_limited:rate_limited', 'rate_limited:rate_limited'],
    [{ status: 500 }, 'failed:http_500', 'unknown:http_500'],
    [{ status: 503 }, 'failed:http_503', 'unknown:http_503'],
    [{ status: 502 }, 'unknown:http_502', 'unknown:http_502'],
    [{ status: 520 }, 'unknown:http_520', 'unknown:http_520'],
    [{ status: 400 }, 'rejected:http_400', 'rejected:http_400'],
    [{ status: 422 }, 'rejected:refused_by_service', 'rejected:refused_by_service'],
    [{ status: 403 }, 'failed:forbidden', 'failed:forbidden'],
    [{ status: 423, headers: { 'x-account-locked': 'true' } }, 'failed:account_locked', 'failed:account_locked'],
    [{ status: 420, headers: { 'x-account-limit': '100000' } }, 'rejected:provider_limit', 'rejected:provider_limit'],
    [{ status: 426 }, 'unsupported:vip_only', 'unsupported:vip_only'],
  ] as const) {
    for (const [report, expected] of [
      [{ percent: 10 }, start],
      [played(), stop],
    ] as const) {
      await using bench = await startBench()
      bench.trakt.faults.add({ match: SCROBBLE, kind: 'status', ...fault })
      t.equal(
        await told(bench.provider, movieItem(bench.trakt, 0), report),
        expected,
        `${fault.status} to ${JSON.stringify(report)}`,
      )
      t.equal(bench.trakt.count(SCROBBLE), 1, 'it is sent once')
    }
  }
})

t.test('a wait that Trakt asks for is passed on, also to reports that come meanwhile', async (t) => {
  await using bench = await startBench()
  const { trakt, provider } = bench
  trakt.faults.add({ match: SCROBBLE, kind: 'status', status: 429, headers: { 'retry-after': '900' }, times: 1 })
  for (const report of [{ percent: 10 }, played(), played(50)]) {
    const { outcome, retryAfterMs = 0 } = await scrobbled(provider, movieItem(trakt, 0), report)
    t.equal(outcome, 'rate_limited')
    t.ok(retryAfterMs > 800_000 && retryAfterMs <= 900_000, `${retryAfterMs} ms`)
  }
  t.equal(trakt.count(SCROBBLE), 1)
  t.equal(trakt.count('/sync/history'), 0)
})

t.test('a full account, and one that Trakt locked, accept no play', async (t) => {
  await using bench = await startBench()
  const { trakt, provider } = bench
  trakt.user.changePlan({ history: 0 })
  t.equal(await told(provider, movieItem(trakt, 0), played()), 'rejected:provider_limit')
  t.equal(await told(provider, movieItem(trakt, 0), played(50)), 'rejected:provider_limit')
  trakt.user.setState('deactivated')
  t.equal(await told(provider, movieItem(trakt, 1), played()), 'failed:account_deactivated')
})

t.test('an expired token is refreshed once, and a play sent once', async (t) => {
  await using bench = await startBench()
  const { trakt, provider } = bench
  trakt.user.expireTokens()
  t.equal(await told(provider, movieItem(trakt, 0), played()), 'applied')
  t.equal(trakt.count('/oauth/token'), 1)
  t.equal(trakt.user.plays().length, 1)
  trakt.user.revokeTokens()
  t.match(await told(provider, movieItem(trakt, 1), played()), /^failed:/)
})

t.test('a play with a lost response is unknown, and found afterwards', async (t) => {
  for (const kind of ['reset', 'truncate'] as const) {
    for (const percent of [95, 60]) {
      await using bench = await startBench()
      const { trakt, provider } = bench
      const tvdb = String(trakt.catalogue.shows[1]?.seasons[0]?.episodes[0]?.ids.tvdb)
      const byOwnId: Item = { type: 'episode', ids: { tvdb } }
      for (const item of [movieItem(trakt, 0), episodeItem(trakt, 0, 1, 2), byOwnId]) {
        const before = trakt.user.plays().length
        t.same(await playsAbout(provider, item), [])
        trakt.faults.add({ match: /^\/(scrobble|sync\/history$)/, kind, times: 1 })
        t.match(await told(provider, item, played(percent)), /^unknown:/)
        t.equal(trakt.user.plays().length, before + 1)
        t.equal((await playsAbout(provider, item)).length, 1, `${kind} at ${percent}`)
      }
    }
  }
})

t.test('plays of the item are found by any of its ids, those of others and of other times are not', async (t) => {
  await using bench = await startBench()
  const { trakt, provider } = bench
  const atMs = Math.floor(Date.now() / 1_000) * 1_000
  const plays = required(provider.plays)
  trakt.user.watch(trakt.movie(0), atMs)
  trakt.user.watch(trakt.movie(0), atMs - 3 * 3_600_000)
  trakt.user.watch(trakt.movie(1), atMs)
  trakt.user.watch(trakt.episode(0, 1, 1), atMs)
  const span = { fromMs: atMs + 0, toMs: atMs }
  t.equal((await plays('default', { item: movieItem(trakt, 0), ...span })).length, 1)
  t.equal(
    (await plays('default', { item: movieItem(trakt, 0), fromMs: atMs + 500, toMs: atMs + 900 })).length,
    1,
    'times are cut to seconds',
  )
  t.equal((await plays('default', { item: movieItem(trakt, 2), ...span })).length, 0)
  t.equal((await plays('default', { item: episodeItem(trakt, 0, 1, 1), ...span })).length, 1)
  t.equal((await plays('default', { item: episodeItem(trakt, 0, 1, 2), ...span })).length, 0)
  t.equal((await plays('default', { item: movieItem(trakt, 0), fromMs: atMs - 86_400_000, toMs: atMs })).length, 2)
  const requests = trakt.requests.filter(({ path }) => path.startsWith('/sync/history'))
  t.equal(trakt.count(/^\/search/), 0)
  t.ok(
    requests.every(({ query }) => /^\d{4}-\d\d-\d\d$/.test(query.get('start_at') ?? '')),
    'whole days, as the description says',
  )
})

t.test('other plays at that time are distinguished by their Trakt id, and never guessed', async (t) => {
  await using bench = await startBench()
  const { trakt, provider } = bench
  const episodes = trakt.catalogue.shows.flatMap((show, index) =>
    show.seasons.flatMap((season) => season.episodes.map((episode) => ({ index, ...episode }))),
  )
  const [known, nameless] = [episodes.find(({ ids }) => ids.tvdb != null), episodes.find(({ ids }) => ids.tvdb == null)]
  if (known === undefined || nameless === undefined) throw new Error('the catalogue has no gaps')
  const item: Item = { type: 'episode', ids: { tvdb: String(known.ids.tvdb) } }
  trakt.user.watch(trakt.episode(nameless.index, nameless.season, nameless.number))
  t.same(await playsAbout(provider, item), [])
  t.equal(trakt.count(/^\/search\/tvdb/), 1)
  t.equal(await codeOf(playsAbout(provider, { type: 'episode', ids: { tvdb: '424242' } })), 'PLH_UPSTREAM_INVALID')
  trakt.user.watch(trakt.episode(known.index, known.season, known.number))
  t.equal((await playsAbout(provider, item)).length, 1)

  trakt.user.watch(trakt.movie(0))
  const other = { ...movieItem(trakt, 0).ids, tvdb: '31' }
  t.equal((await playsAbout(provider, { type: 'movie', ids: other })).length, 1)
  t.equal(await codeOf(playsAbout(provider, { type: 'movie', ids: { tvdb: '31' } })), 'PLH_UPSTREAM_INVALID')
  const contradictory = { tmdb: other.tmdb ?? '', imdb: 'tt0000042' }
  t.equal(await codeOf(playsAbout(provider, { type: 'movie', ids: contradictory })), 'PLH_UPSTREAM_INVALID')
})

t.test('without a complete and certain response there is no result', async (t) => {
  for (const fault of [
    { kind: 'status', status: 500 },
    { kind: 'empty' },
    { kind: 'html' },
    { kind: 'truncate' },
    { kind: 'reset' },
    { kind: 'status', status: 404 },
  ] as const) {
    await using bench = await startBench({ settings: { max_retries: 0 } })
    bench.trakt.faults.add({ match: /^\/sync\/history/, ...fault })
    await t.rejects(playsAbout(bench.provider, movieItem(bench.trakt, 0)), fault.kind)
  }
  const nameless = (at: number) => ({
    id: 1,
    type: 'movie',
    watched_at: new Date(at).toISOString(),
    movie: { ids: {} },
  })
  for (const [rows, total, isCertain] of [
    [[nameless(Date.now())], 1, false],
    [[nameless(Date.now() - 5 * 3_600_000)], 1, true],
    [[], 1, false],
    [[], 0, true],
  ] as const) {
    await using bench = await startBench()
    bench.trakt.faults.add({
      match: /^\/sync\/history/,
      kind: 'spoil',
      instead: true,
      send: (response) =>
        response
          .writeHead(200, {
            'content-type': 'application/json',
            'x-pagination-item-count': String(total),
            'x-pagination-page': '1',
            'x-pagination-page-count': '1',
          })
          .end(JSON.stringify(rows)),
    })
    const answer = await codeOf(playsAbout(bench.provider, movieItem(bench.trakt, 0)))
    t.equal(answer, isCertain ? 'nothing was thrown' : 'PLH_UPSTREAM_INVALID', JSON.stringify([rows, total]))
  }
  await using bench = await startBench({ signedIn: false })
  t.equal(await codeOf(playsAbout(bench.provider, movieItem(bench.trakt, 0))), 'PLH_NOT_READY')
  t.equal(await told(bench.provider, movieItem(bench.trakt, 0), played()), 'failed:not_configured')
  t.equal(bench.trakt.requests.length, 0)
})

t.test('after a restart of the plugin a play is found, and the next one recorded', async (t) => {
  await using bench = await startBench()
  const { trakt } = bench
  const movie = movieItem(trakt, 0)
  trakt.faults.add({ match: SCROBBLE, kind: 'reset', times: 1 })
  t.match(await told(bench.provider, movie, played()), /^unknown/)
  await bench.host.reload()
  t.equal((await playsAbout(bench.provider, movie)).length, 1)
  t.equal(await told(bench.provider, movieItem(trakt, 1), played()), 'applied')
})

t.test("requests and responses match Trakt's description", async (t) => {
  await using bench = await startBench()
  const { trakt, provider } = bench
  const exchanges: Exchange[] = []
  trakt.onAnswer((exchange) => void exchanges.push(exchange))
  const tvdb = String(trakt.catalogue.shows[0]?.seasons[0]?.episodes[0]?.ids.tvdb)
  const episode: Item = { type: 'episode', ids: { tvdb } }
  for (const report of [
    { percent: 5 },
    { action: 'pause', percent: 50 },
    { action: 'stop', percent: 60 },
    played(),
    played(60),
  ] as const)
    await told(provider, episode, report)
  await playsAbout(provider, episode)
  const { complaints, used } = await checkExchanges(await readDescription('trakt'), exchanges, {
    paths: {
      'GET /sync/history/episodes': ['GET /sync/history/{type}/{id}', 'the last parts of the path may be left out'],
    },
    statuses: { 'POST /sync/history': [201, 200, 'as for the other lists'] },
  })
  t.same(complaints, [])
  for (const action of ['start', 'pause', 'stop']) t.ok(used.has(`POST /scrobble/${action}`), action)
})

t.test('for any reports and failures, each play is recorded once', async (t) => {
  await using bench = await startBench({ movies: 200, settings: { max_retries: 0 }, plan: 'vip' })
  const { trakt } = bench
  const known = trakt.catalogue.movies.flatMap(({ ids }, index) =>
    ids.imdb == null && ids.tmdb == null ? [] : [index],
  )
  let next = 0
  await neverTooMany({
    provider: bench.provider,
    upstream: trakt,
    titles: () => [0, 1].map(() => movieItem(trakt, known[next++ % known.length] as number)),
    countOf: (item) =>
      trakt.user.plays().filter(({ key }) => key === trakt.catalogue.find('movie', item.ids)?.key).length,
    later: () => trakt.advance(0),
  })
  t.pass()
})
