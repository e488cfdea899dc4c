// Scrobbles to SIMKL: the right request for every report, the right outcome for every response, each play once.
import type { Item } from '@playhead/sdk'
import t from 'tap'
import { listenTo, MINUTE_MS, neverTooMany, played, playsAbout, scrobbled, told } from '../scrobble-bench.ts'
import { codeOf, episodeOf, itemOf, startBench } from './support.ts'

const SCROBBLE = /^\/scrobble\//
const HOUR_MS = 60 * MINUTE_MS

t.test('each report becomes the corresponding SIMKL request', async (t) => {
  await using bench = await startBench()
  const { simkl, provider } = bench
  const sent = listenTo(simkl)
  const film = itemOf(simkl.movie(0))
  for (const [report, path, progress] of [
    [{ action: 'start', percent: 0 }, '/scrobble/start', 2],
    [{ action: 'start', percent: 42.37 }, '/scrobble/start', 42.37],
    [{ action: 'start', percent: 95 }, '/scrobble/start', 79.99],
    [{ action: 'pause', percent: 0.99 }, undefined, 0],
    [{ action: 'pause', percent: 30 }, '/scrobble/pause', 30],
    [{ action: 'pause', percent: 97 }, '/scrobble/pause', 79.99],
    [{ action: 'stop', percent: 0.5 }, undefined, 0],
    [{ action: 'stop', percent: 30 }, '/scrobble/pause', 30],
    [{ action: 'stop', percent: 89 }, '/scrobble/pause', 79.99],
    [{ action: 'pause', percent: 89, completed: true }, '/scrobble/pause', 79.99],
    [{ action: 'stop', percent: 80, completed: true }, '/scrobble/stop', 80],
  ] as const) {
    t.equal(await told(provider, film, report), 'applied', JSON.stringify(report))
    const requests = await sent()
    if (path === undefined) t.same(requests, [], `${JSON.stringify(report)} sends nothing`)
    else t.match(requests, [[path, { movie: { ids: {} }, progress }]])
  }
  t.equal(simkl.user.plays().length, 1, 'only what was completed is a play')
  const scrobbles = simkl.requests.filter(({ path }) => SCROBBLE.test(path))
  t.ok(scrobbles.every(({ query }) => query.has('client_id') && query.has('app-name') && query.has('app-version')))
})

t.test("a play below SIMKL's percentage is added to the history, with the time of its end", async (t) => {
  await using bench = await startBench()
  const { simkl, provider } = bench
  const sent = listenTo(simkl)
  const atMs = Date.now() - 5 * MINUTE_MS
  for (const item of [itemOf(simkl.movie(0)), episodeOf(simkl.show(0), 1, 2)]) {
    const result = await scrobbled(provider, item, played(75, { atMs }))
    t.match(result, { outcome: 'applied', play: { watchedAtMs: Math.floor(atMs / 1_000) * 1_000 } })
    t.match(
      (await sent()).map(([path]) => path),
      ['/sync/history'],
    )
  }
  t.same(
    simkl.user.plays().map(({ watchedAtMs }) => watchedAtMs),
    Array(2).fill(Math.floor(atMs / 1_000) * 1_000),
  )
})

t.test('playback is shown as being watched until it pauses, and a new start clears the paused position', async (t) => {
  await using bench = await startBench()
  const { simkl, provider } = bench
  const film = itemOf(simkl.movie(0))
  await told(provider, film, { percent: 10 })
  t.equal(simkl.user.watching(), String(simkl.movie(0).simkl))
  await told(provider, film, { action: 'pause', percent: 30 })
  t.equal(simkl.user.watching(), undefined)
  t.equal(simkl.user.account.paused.size, 1)
  await told(provider, film, { percent: 30 })
  t.equal(simkl.user.account.paused.size, 0)
})

t.test('an item with an id of an anime catalogue is sent as an anime, otherwise as a film or show', async (t) => {
  await using bench = await startBench()
  const { simkl, provider } = bench
  const sent = listenTo(simkl)
  const show_ids = { tvdb: '990200', mal: '880202' }
  t.equal(await told(provider, { type: 'episode', ids: {}, show_ids, season: 2, episode: 3 }, played()), 'applied')
  t.match(await sent(), [['/scrobble/stop', { anime: { ids: { tvdb: 990_200 } }, episode: { season: 2, number: 3 } }]])
  t.match(simkl.user.plays(), [{ key: `${simkl.anime(1).simkl}/1/3` }], "numbers of the show become the entry's own")

  t.equal(await told(provider, { type: 'movie', ids: { mal: '880209' } }, played()), 'applied')
  t.match(await sent(), [['/scrobble/stop', { anime: { ids: { mal: 880_209 } } }]])
  t.equal(await told(provider, { type: 'anime', film: true, ids: { mal: '880209' } }, played()), 'already')
  await sent()

  // A wrong mapping: SIMKL has it as a film.
  const film = itemOf(simkl.movie(1), { ids: { ...itemOf(simkl.movie(1)).ids, mal: '4242' } })
  t.ok(film.ids.tmdb !== undefined && simkl.state.works.find('shows', { tmdb: film.ids.tmdb }), 'a show has its number')
  t.equal(await told(provider, film, { percent: 10 }), 'applied')
  t.match(await sent(), [
    ['/scrobble/start', { anime: {} }],
    ['/scrobble/start', { movie: {} }],
  ])
  t.equal(await told(provider, film, played()), 'applied')
  t.match(await sent(), [['/scrobble/stop', { movie: {} }]], 'the name that worked comes first')
  const show = episodeOf(simkl.show(0), 1, 1)
  t.equal(await told(provider, { ...show, show_ids: { ...show.show_ids, anilist: '31' } }, played()), 'applied')
})

t.test("an item completed within the hour already exists, with SIMKL's time", async (t) => {
  await using bench = await startBench()
  const { simkl, provider } = bench
  const film = itemOf(simkl.movie(0))
  t.same(await scrobbled(provider, film, played()), { outcome: 'applied', play: { watchedAtMs: null } })
  const [first] = simkl.user.plays()
  simkl.advance(10 * MINUTE_MS)
  t.same(await scrobbled(provider, film, played(99)), {
    outcome: 'already',
    play: { watchedAtMs: Math.floor((first?.watchedAtMs ?? 0) / 1_000) * 1_000 },
  })
  t.same(await scrobbled(provider, film, { percent: 3 }), { outcome: 'already' })
  t.equal(simkl.user.plays().length, 1)
  t.equal(await told(provider, episodeOf(simkl.show(0), 1, 1), played()), 'applied')
  t.equal(await told(provider, episodeOf(simkl.show(0), 1, 2), played()), 'applied', 'the next episode is not the same')
  simkl.advance(2 * HOUR_MS)
  t.equal(await told(provider, film, played()), 'applied', 'nor is a rewatch')
})

t.test('a completed stop that SIMKL treats as a pause is added to the history', async (t) => {
  await using bench = await startBench()
  const { simkl, provider } = bench
  simkl.faults.add({
    match: SCROBBLE,
    kind: 'spoil',
    instead: true,
    send: (response) =>
      response.writeHead(201, { 'content-type': 'application/json' }).end('{"id":1,"action":"pause","progress":85}'),
    times: 1,
  })
  t.match(await scrobbled(provider, itemOf(simkl.movie(0)), played(85)), { outcome: 'applied' })
  t.equal(simkl.user.plays().length, 1)
})

t.test('nothing is ever sent by its title', async (t) => {
  await using bench = await startBench()
  const { simkl, provider } = bench
  const sent = listenTo(simkl)
  const { title, year } = simkl.movie(0)
  for (const item of [
    { type: 'movie', title, year, ids: {} },
    { type: 'movie', title, year, ids: { tvdb: '4' } },
    { type: 'episode', series_title: title, ids: { tvdb: '4' }, season: 1, episode: 1 },
    { type: 'episode', series_title: title, ids: {}, show_ids: { tvdb: '4' }, season: 1 },
  ] as const satisfies readonly Item[])
    t.equal(await told(provider, item, played()), 'unsupported:missing_ids')
  t.same(await sent(), [])
  const unknown: Item = { type: 'movie', title, year, ids: { imdb: 'tt99999999' } }
  t.equal(await told(provider, unknown, played()), 'not_found:not_found')
  t.equal(await told(provider, unknown, played(40)), 'not_found:not_found')
  t.notOk(JSON.stringify(await sent()).includes(title))
  t.same(simkl.user.plays(), [])
})

t.test('a refusal by SIMKL is an outcome, sent once, with the requested wait', async (t) => {
  for (const [fault, start, stop, after] of [
    [
      { status: 429, headers: { 'retry-after': '900' } },
      'rate_limited:rate_limited',
      'rate_limited:rate_limited',
      900_000,
    ],
    [{ status: 423, headers: { 'retry-after': '7' } }, 'rate_limited:locked', 'rate_limited:locked', 7_000],
    [{ status: 423 }, 'rate_limited:locked', 'rate_limited:locked', 20_000],
    [{ status: 400 }, 'failed:busy', 'failed:busy', 20_000],
    [{ status: 412 }, 'failed:client_id_failed', 'failed:client_id_failed', undefined],
    [{ status: 403 }, 'failed:forbidden', 'failed:forbidden', undefined],
    [{ status: 500 }, 'failed:http_500', 'unknown:http_500', undefined],
    [{ status: 503 }, 'failed:http_503', 'unknown:http_503', undefined],
    [{ status: 502 }, 'unknown:http_502', 'unknown:http_502', undefined],
    [{ status: 405 }, 'rejected:http_405', 'rejected:http_405', undefined],
  ] as const) {
    for (const [report, expected] of [
      [{ percent: 10 }, start],
      [played(), stop],
      [played(50), undefined],
    ] as const) {
      await using bench = await startBench()
      bench.simkl.faults.add({ match: /^\/(scrobble|sync\/history)/, kind: 'status', ...fault })
      const { outcome, reason, retryAfterMs } = await scrobbled(bench.provider, itemOf(bench.simkl.movie(0)), report)
      if (expected !== undefined) {
        t.equal(`${outcome}:${reason}`, expected, `${fault.status} to ${JSON.stringify(report)}`)
        if (after === undefined) t.equal(retryAfterMs, undefined)
        else t.ok((retryAfterMs ?? 0) > after - 5_000 && (retryAfterMs ?? 0) <= after, `${retryAfterMs} of ${after}`)
      } else t.notOk(['applied', 'already'].includes(outcome))
      t.equal(bench.simkl.count(/^\/(scrobble|sync\/history)/), 1, 'it is sent once')
    }
  }
})

t.test('an expired token is reported, and there is none to refresh', async (t) => {
  await using bench = await startBench()
  bench.simkl.user.revokeTokens()
  t.match(await told(bench.provider, itemOf(bench.simkl.movie(0)), played()), /^failed:unauthorized/)
  t.equal(bench.simkl.count(SCROBBLE), 1)
})

t.test('a play with a lost response is unknown, and found afterwards', async (t) => {
  for (const kind of ['reset', 'truncate'] as const) {
    for (const percent of [95, 60]) {
      await using bench = await startBench()
      const { simkl, provider } = bench
      const show_ids = { tvdb: '990200', mal: '880202' }
      const anime: Item = { type: 'episode', ids: {}, show_ids, season: 2, episode: 3 }
      for (const item of [itemOf(simkl.movie(0)), episodeOf(simkl.show(0), 1, 2), anime]) {
        const before = simkl.user.plays().length
        t.same(await playsAbout(provider, item), [])
        bench.later()
        simkl.faults.add({ match: /^\/(scrobble|sync\/history$)/, kind, times: 1 })
        t.match(await told(provider, item, played(percent)), /^unknown:/)
        t.equal(simkl.user.plays().length, before + 1)
        t.equal((await playsAbout(provider, item)).length, 1, `${kind} at ${percent}`)
      }
    }
  }
})

t.test('a play that was not recorded is not found, and others are not mistaken for it', async (t) => {
  await using bench = await startBench()
  const { simkl, provider } = bench
  simkl.user.watch(simkl.movie(1))
  simkl.user.watch(simkl.movie(0), simkl.nowMs() - 24 * HOUR_MS)
  simkl.user.watchEpisode(simkl.show(0), 1, 1)
  bench.later()
  simkl.faults.add({ match: SCROBBLE, kind: 'status', status: 502, times: 1 })
  t.match(await told(provider, itemOf(simkl.movie(0)), played()), /^unknown:/)
  t.same(await playsAbout(provider, itemOf(simkl.movie(0))), [])
  t.same(await playsAbout(provider, episodeOf(simkl.show(0), 1, 2)), [])
  t.equal((await playsAbout(provider, episodeOf(simkl.show(0), 1, 1))).length, 1)
})

t.test('without a complete response there is no result', async (t) => {
  for (const fault of [
    { kind: 'status', status: 500 },
    { kind: 'empty' },
    { kind: 'html' },
    { kind: 'truncate' },
  ] as const) {
    await using bench = await startBench({ settings: { max_retries: 0 } })
    bench.simkl.user.watch(bench.simkl.movie(0))
    bench.simkl.faults.add({ match: /^\/sync\/all-items/, ...fault })
    await t.rejects(playsAbout(bench.provider, itemOf(bench.simkl.movie(0))), fault.kind)
  }
  await using bench = await startBench({ signedIn: false })
  t.equal(await codeOf(playsAbout(bench.provider, itemOf(bench.simkl.movie(0)))), 'PLH_NOT_READY')
  t.equal(await told(bench.provider, itemOf(bench.simkl.movie(0)), played()), 'failed:not_configured')
  t.equal(bench.simkl.requests.length, 0)
})

t.test('after a restart of the plugin a play is found, and the next one recorded', async (t) => {
  await using bench = await startBench()
  const { simkl, provider } = bench
  simkl.faults.add({ match: SCROBBLE, kind: 'reset', times: 1 })
  t.match(await told(provider, itemOf(simkl.movie(0)), played()), /^unknown/)
  await bench.host.reload()
  t.equal((await playsAbout(provider, itemOf(simkl.movie(0)))).length, 1)
  t.equal(await told(provider, itemOf(simkl.movie(1)), played()), 'applied')
})

t.test('for any reports and failures, each play is recorded once', async (t) => {
  await using bench = await startBench({ movies: 200, suspends: false, settings: { max_retries: 0 } })
  const { simkl } = bench
  const films = simkl.state.works.all.filter(({ part, ids }) => part === 'movies' && Object.keys(ids).length > 0)
  let next = 0
  await neverTooMany({
    provider: bench.provider,
    upstream: simkl,
    titles: () => [0, 1].map(() => itemOf(films[next++ % films.length] as (typeof films)[number])),
    countOf: ({ ids }) =>
      simkl.user.plays().filter(({ key }) => key === String(simkl.state.works.find('movies', ids)?.simkl)).length,
    later: bench.later,
  })
  t.ok(simkl.user.plays().length > 0)
})
