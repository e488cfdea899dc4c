// Reads of a SIMKL account: its data, the number of requests, and the value of a failed read.
import { collectRead, type ListProvider } from '@playhead/sdk/provider'
import t from 'tap'
import { sendReply } from '../../upstreams/base/send.ts'
import { type Bench, codeOf, itemOf, startBench } from './support.ts'

const DAY_MS = 86_400_000
const at = (iso: string) => Date.parse(iso)

function fill({ simkl }: Bench): void {
  const { user } = simkl
  user.plan(simkl.movie(0), at('2026-01-02T10:00:00Z'))
  user.plan(simkl.show(0), at('2026-01-03T10:00:00Z'))
  user.watch(simkl.movie(1), at('2026-02-01T20:00:00Z'))
  user.watch(simkl.movie(2), at('2026-02-02T20:00:00Z'))
  user.rate(simkl.movie(2), 8, at('2026-02-03T20:00:00Z'))
  user.watchEpisode(simkl.show(1), 1, 1, at('2026-03-01T20:00:00Z'))
  user.watchEpisode(simkl.show(1), 1, 2, at('2026-03-02T20:00:00Z'))
  user.rate(simkl.show(1), 9, at('2026-03-03T20:00:00Z'))
}

t.test("watchlist, history and ratings are read with ids, times and SIMKL's names", async (t) => {
  await using bench = await startBench()
  fill(bench)
  const { simkl } = bench
  const watchlist = await bench.read('watchlist')
  t.match(watchlist.end, { complete: true, semantics: 'present', account: '51', checkpoint: String })
  t.match(watchlist.rows, [
    {
      type: 'movie',
      ids: { ...simkl.movie(0).ids, trackb: String(simkl.movie(0).simkl) },
      added_at: '2026-01-02T10:00:00Z',
    },
    {
      type: 'show',
      ids: { ...simkl.show(0).ids, trackb: String(simkl.show(0).simkl) },
      added_at: '2026-01-03T10:00:00Z',
    },
  ])
  t.match((await bench.read('history')).rows, [
    {
      type: 'movie',
      ids: { imdb: simkl.movie(1).ids['imdb'] },
      watched: true,
      watched_at: '2026-02-01T20:00:00Z',
      native: { item_id: `movies/${simkl.movie(1).simkl}` },
    },
    { type: 'movie', ids: { imdb: simkl.movie(2).ids['imdb'] }, watched_at: '2026-02-02T20:00:00Z' },
    {
      type: 'episode',
      ids: {},
      show_ids: simkl.show(1).ids,
      season: 1,
      episode: 1,
      series_title: simkl.show(1).title,
      watched: true,
      watched_at: '2026-03-01T20:00:00Z',
      native: { item_id: `shows/${simkl.show(1).simkl}/1/1` },
    },
    { type: 'episode', season: 1, episode: 2, watched_at: '2026-03-02T20:00:00Z' },
  ])
  t.match((await bench.read('ratings')).rows, [
    { type: 'movie', rating: 8, rated_at: '2026-02-03T20:00:00Z' },
    { type: 'show', rating: 9, rated_at: '2026-03-03T20:00:00Z' },
  ])
  t.equal((await bench.read('ratings', { kinds: ['show'] })).rows.length, 1)
  t.same(
    bench.asked().filter((one) => one.includes('all-items')),
    ['movies', 'shows', 'anime'].map((part) => `GET /sync/all-items/${part}`),
    'the library is read once for all features',
  )
})

t.test('an empty account is empty, in either format of SIMKL, and a missing part is a failure', async (t) => {
  await using bench = await startBench()
  for (const feature of ['watchlist', 'history', 'ratings', 'progress'] as const) {
    t.match(await bench.read(feature), { rows: [], end: { complete: true, semantics: 'present' } })
  }
  fill(bench)
  bench.later()
  bench.simkl.faults.add({ match: '/sync/all-items/movies', kind: 'empty', times: 1 })
  t.equal(await codeOf(bench.read('watchlist')), 'PLH_UPSTREAM_INVALID')
  t.equal((await bench.read('watchlist')).rows.length, 2, 'nothing of the failed read was kept')
})

t.test(
  'an empty response instead of a part is believed only if something was removed since, or nothing ever existed',
  async (t) => {
    for (const json of [null, {}]) {
      await using bench = await startBench()
      const { simkl } = bench
      const noFilms = () =>
        simkl.faults.add({
          match: '/sync/all-items/movies',
          kind: 'spoil',
          instead: true,
          send: (response) => sendReply(response, { status: 200, json }),
        })
      fill(bench)
      bench.later()
      noFilms()
      bench.asked()
      for (const feature of ['watchlist', 'history', 'ratings'] as const) {
        const { end } = await bench.read(feature)
        t.match(end, { complete: false, reason: 'empty_unexplained' }, feature)
        t.notOk(end.checkpoint)
      }
      const lists = bench.provider as unknown as ListProvider
      t.match((await collectRead(lists.readList('default', { list: { id: 'completed', kind: 'status' } }))).end, {
        complete: false,
        reason: 'empty_unexplained',
      })
      t.equal(
        bench.asked().filter((one) => one.includes('all-items')).length,
        3,
        'the features do not read it again and again',
      )
      simkl.faults.clear()
      bench.later()
      simkl.user.plan(simkl.movie(4))
      bench.later()
      t.match(await bench.read('watchlist'), { rows: { length: 3 }, end: { complete: true } }, 'nothing of it was kept')

      bench.later()
      simkl.user.plan(simkl.movie(5))
      noFilms()
      t.match(
        (await bench.read('history')).end,
        { complete: false, reason: 'empty_unexplained' },
        'something came since, so that it cannot be empty',
      )
      simkl.faults.clear()

      simkl.advance(120_000)
      for (let index = 0; index < 6; index += 1) simkl.user.remove(simkl.movie(index))
      bench.later()
      const { rows, end } = await bench.read('history')
      t.match(end, { complete: true }, 'everything left')
      t.notOk(rows.some(({ type }) => type === 'movie'))
      t.ok(rows.length > 0)
      await bench.kit.forget('default')
      t.match((await bench.read('history')).end, { complete: true }, 'also to whoever reads it for the first time')
    }
  },
)

t.test('missing ratings are looked up at the entries themselves', async (t) => {
  await using bench = await startBench()
  const { simkl } = bench
  fill(bench)
  bench.later()
  const rated = (await bench.read('ratings')).rows.length
  t.ok(rated > 0)
  bench.later()
  simkl.user.rate(simkl.movie(5), 4)
  simkl.faults.add({
    match: '/sync/ratings/movies',
    kind: 'spoil',
    instead: true,
    send: (response) => sendReply(response, { status: 200, json: {} }),
  })
  t.match(await bench.read('ratings'), { rows: { length: rated + 1 }, end: { complete: true } })
})

t.test('unchanged data is not read again', async (t) => {
  await using bench = await startBench()
  fill(bench)
  const ends = [
    (await bench.read('watchlist')).end,
    (await bench.read('history')).end,
    (await bench.read('ratings')).end,
  ]
  bench.asked()
  for (const [index, feature] of (['watchlist', 'history', 'ratings'] as const).entries()) {
    t.match(await bench.read(feature, { since: ends[index]!.checkpoint! }), {
      rows: [],
      end: { semantics: 'unchanged', complete: true, account: '51' },
    })
  }
  t.ok(bench.asked().length <= 1, 'one look at the activities')

  bench.later()
  bench.simkl.user.rate(bench.simkl.movie(1), 7)
  t.equal(
    (await bench.read('watchlist', { since: ends[0]!.checkpoint! })).end.semantics,
    'unchanged',
    'a rating is no matter of the watchlist',
  )
  t.match(await bench.read('ratings', { since: ends[2]!.checkpoint! }), {
    rows: { length: 3 },
    end: { semantics: 'present' },
  })
})

t.test('every change is found, without reading the whole library', async (t) => {
  await using bench = await startBench()
  fill(bench)
  const {
    simkl,
    simkl: { user },
  } = bench
  await bench.read('history')
  const changes: readonly (readonly [string, () => void, () => Promise<unknown>, unknown])[] = [
    ['watched now', () => user.watch(simkl.movie(3)), async () => (await bench.read('history')).rows.length, 5],
    ['onto the watchlist', () => user.plan(simkl.movie(4)), async () => (await bench.read('watchlist')).rows.length, 3],
    ['rated', () => user.rate(simkl.movie(1), 6), async () => (await bench.read('ratings')).rows.length, 3],
    [
      'rating taken away',
      () => user.rate(simkl.movie(2), undefined),
      async () => (await bench.read('ratings')).rows.length,
      2,
    ],
    [
      'out of the library',
      () => user.remove(simkl.movie(0)),
      async () => (await bench.read('watchlist')).rows.length,
      2,
    ],
    [
      'watched what was planned',
      () => user.watch(simkl.movie(4)),
      async () => [(await bench.read('watchlist')).rows.length, (await bench.read('history')).rows.length],
      [1, 6],
    ],
    [
      'another episode',
      () => user.watchEpisode(simkl.show(1), 1, 3),
      async () => (await bench.read('history')).rows.length,
      7,
    ],
  ]
  for (const [name, change, look, expected] of changes) {
    bench.later()
    const before = simkl.requests.length
    change()
    t.same(await look(), expected, name)
    const whole = simkl.requests
      .slice(before)
      .filter(
        ({ path, query }) =>
          path.includes('all-items') && !query.has('date_from') && query.get('extended') !== 'ids_only',
      )
    t.same(
      whole.map(({ path }) => path),
      [],
      `${name}: no part was read as a whole`,
    )
  }
})

t.test('a change that SIMKL does not show is found by a full read of its part', async (t) => {
  await using bench = await startBench()
  fill(bench)
  const {
    simkl,
    simkl: { user },
  } = bench
  await bench.read('history')
  const changes: readonly (readonly [string, () => void, number])[] = [
    ['an old play', () => user.watch(simkl.movie(5), at('2020-05-05T20:00:00Z')), 5],
    ['an episode that is not watched any more', () => user.unwatchEpisode(simkl.show(1), 1, 1), 4],
  ]
  for (const [name, change, rows] of changes) {
    bench.later()
    change()
    t.equal((await bench.read('history')).rows.length, rows, name)
  }
})

t.test('a change in the same second as a read is not missed', async (t) => {
  await using bench = await startBench({ nowMs: () => Date.now() })
  fill(bench)
  const first = await bench.read('watchlist')
  t.equal(first.end.checkpoint, undefined, 'such a read is no ground to stand on')
  bench.kit.session('default').activities.drop()
  bench.simkl.user.plan(bench.simkl.movie(9))
  t.equal((await bench.read('watchlist')).rows.length, first.rows.length + 1)
})

t.test('seasons of an anime are not treated as the show, and its episodes have the common numbering', async (t) => {
  await using bench = await startBench()
  const {
    simkl,
    simkl: { user },
  } = bench
  user.plan(simkl.anime(0))
  user.plan(simkl.anime(1))
  user.watch(simkl.anime(2), at('2026-04-04T20:00:00Z'))
  const [first, second] = (await bench.read('watchlist')).rows
  t.match(first, { type: 'anime', ids: { tvdb: '990200', tmdb: '990200', trackb: '690001' } })
  t.same(second?.ids, { trackb: '690002', mal: '880202', anidb: '77022' }, 'the second season is not the show')
  t.match((await bench.read('history')).rows, [
    { type: 'anime', film: true, ids: { imdb: 'tt9990300' }, watched_at: '2026-04-04T20:00:00Z' },
  ])

  bench.later()
  user.watchEpisode(simkl.anime(1), 1, 4, at('2026-05-05T20:00:00Z'))
  const episode = (await bench.read('history')).rows.find(({ type }) => type === 'episode')
  t.match(episode, { show_ids: { tvdb: '990200' }, season: 2, episode: 4, native: { item_id: 'anime/690002/1/4' } })
  t.equal(episode?.show_ids?.trackb, undefined)
})

t.test('positions are read with ids beyond a safe integer', async (t) => {
  await using bench = await startBench()
  const {
    simkl,
    simkl: { user },
  } = bench
  user.pause(simkl.movie(0), 42.5, undefined, simkl.nowMs() - DAY_MS)
  user.pause(simkl.show(0), 30, { season: 1, number: 2 }, simkl.nowMs() - DAY_MS)
  const { rows, end } = await bench.read('progress')
  t.match(end, { complete: true, semantics: 'present', account: '51' })
  t.match(rows, [
    {
      type: 'movie',
      ids: { imdb: simkl.movie(0).ids['imdb'] },
      progress_percent: 42.5,
      progress_at: String,
      native: { item_id: '1123000000000000001' },
    },
    {
      type: 'episode',
      show_ids: simkl.show(0).ids,
      season: 1,
      episode: 2,
      progress_percent: 30,
      native: { item_id: '1123000000000000002' },
    },
  ])
  t.equal((await bench.read('progress', { since: end.checkpoint! })).end.semantics, 'unchanged')
  bench.later()
  user.pause(simkl.anime(1), 20, { season: 1, number: 4 })
  t.match(
    (await bench.read('progress', { kinds: ['episode'] })).rows[1],
    { show_ids: { tvdb: '990200' }, season: 2, episode: 4 },
    'an anime by the numbers of the show',
  )
  t.equal(
    (await bench.provider.describe()).features.progress?.observedDeletes,
    false,
    'what SIMKL forgot was not taken away by the person',
  )
})

t.test('a failing read throws, and never returns an empty list instead', async (t) => {
  const faults = [
    [{ match: '/sync/all-items/shows', kind: 'status', status: 500 }, 'PLH_UPSTREAM'],
    [{ match: '/sync/all-items/shows', kind: 'truncate' }, 'PLH_UPSTREAM'],
    [{ match: '/sync/all-items/shows', kind: 'html', status: 200 }, 'PLH_UPSTREAM_INVALID'],
    [{ match: '/sync/activities', kind: 'empty' }, 'PLH_UPSTREAM_INVALID'],
    [{ match: '/sync/activities', kind: 'status', status: 403 }, 'PLH_FORBIDDEN'],
    [
      { match: '/sync/activities', kind: 'status', status: 429, headers: { 'retry-after': '3600' } },
      'PLH_RATE_LIMITED',
    ],
    [{ match: '/sync/activities', kind: 'status', status: 412 }, 'PLH_RATE_LIMITED'],
  ] as const
  for (const [fault, code] of faults) {
    await using bench = await startBench({ settings: { max_retries: 0 } })
    fill(bench)
    bench.simkl.faults.add(fault)
    t.equal(await codeOf(bench.read('history')), code, JSON.stringify(fault))
  }
})

t.test('a revoked token is reported, and an invalid client id is named', async (t) => {
  await using bench = await startBench()
  bench.simkl.user.revokeTokens()
  t.equal(await codeOf(bench.read('watchlist')), 'PLH_AUTH_FAILED')
  t.match(await bench.provider.probe('default'), { status: 'auth_failed', reasonCode: 'refresh_failed' })
  await using busy = await startBench()
  await busy.read('watchlist')
  await busy.kit.forget('default')
  busy.simkl.faults.add({ kind: 'status', status: 412 })
  t.match(
    await busy.provider.probe('default'),
    { status: 'degraded', reasonCode: 'quota', retryAfterMs: 900_000 },
    'one that worked has asked too often',
  )
  await using other = await startBench({ settings: { client_id: 'unknown', token_client_id: '' } })
  t.match(await other.provider.probe('default'), { status: 'auth_failed', reasonCode: 'forbidden' })
})

t.test('the status contains plan and name', async (t) => {
  await using bench = await startBench({ plan: 'vip' })
  t.match(await bench.provider.probe('default'), {
    status: 'ok',
    account: '51',
    user: { id: '51', name: 'ada' },
    extras: { vip: true, vip_type: 'vip', account_type: 'vip', plan_type: 'vip', account_id: '51', username: 'ada' },
  })
})

t.test("two profiles are two accounts, and neither sees the other's data", async (t) => {
  await using bench = await startBench({ usernames: ['ada', 'bob'] })
  const { simkl, provider } = bench
  const instance = await provider.createProfile({})
  await provider.saveProfile(instance, { api_url: simkl.url, access_token: simkl.signIn('bob') })
  simkl.user.plan(simkl.movie(0))
  simkl.userNamed('bob').plan(simkl.movie(1))
  const [mine, theirs] = await Promise.all([bench.read('watchlist'), bench.read('watchlist', {}, instance)])
  t.match([mine.end.account, theirs.end.account], ['51', '52'])
  t.match([mine.rows, theirs.rows], [[itemOf(simkl.movie(0))], [itemOf(simkl.movie(1))]])
  t.match(
    await bench.read('watchlist', { since: mine.end.checkpoint! }, instance),
    { rows: { length: 1 }, end: { semantics: 'present' } },
    'a checkpoint of another account counts for nothing',
  )
})
