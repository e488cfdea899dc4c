// Reads and writes: complete or an error, one outcome per item, and one list that is the watchlist.
import t from 'tap'
import { codeOf, itemOf, startBench } from './support.ts'

const AT = '2026-01-05T20:00:00Z'
const AT_MS = Date.parse(AT)
const DAY_MS = 86_400_000

t.test('watchlist, history and positions are read with their ids', async (t) => {
  await using bench = await startBench()
  const { metadb } = bench
  const list = metadb.user.makeList('Watchlist', 'watchlist')
  metadb.user.addToList(list, metadb.movie(0), AT_MS)
  metadb.user.addToList(list, metadb.show(0), AT_MS)
  const plays = [
    metadb.user.watch(metadb.movie(1), AT_MS),
    metadb.user.watch(metadb.movie(1), AT_MS + DAY_MS),
    metadb.user.watch(metadb.episode(0, 1, 2), AT_MS),
  ]
  metadb.user.watch(metadb.show(1), AT_MS)
  metadb.user.pause(metadb.episode(0, 1, 3), 600_000, 2_400_000, AT_MS)

  // Films and series are numbered separately: both can have the same number.
  t.match((await bench.read('watchlist')).rows, [
    { type: 'movie', ids: { tmdb: '900000' }, added_at: AT, native: { list_item_id: String } },
    { type: 'show', ids: { tmdb: '900000' } },
  ])
  const history = await bench.read('history', { plays: true })
  t.same(
    history.rows.map(({ type, watched_at, native }) => [type, watched_at, native?.event_id]),
    [
      ['movie', '2026-01-06T20:00:00Z', plays[1]],
      ['movie', AT, plays[0]],
      ['episode', AT, plays[2]],
    ],
  )
  t.match(history.rows[2], { season: 1, episode: 2, show_ids: { tmdb: '900000' }, ids: {} })
  t.match(history.end, { complete: true, account: /^key-[0-9a-f]{20}$/, unreadable: [{ reason: 'whole_show' }] })
  t.same(
    (await bench.read('history')).rows.map(({ type, native }) => [type, native]),
    [
      ['movie', undefined],
      ['episode', undefined],
    ],
  )
  t.match((await bench.read('progress')).rows, [
    { type: 'episode', progress_ms: 600_000, duration_ms: 2_400_000, progress_at: AT, native: { item_id: String } },
  ])
  t.equal(await codeOf(bench.read('ratings')), 'PLH_UNSUPPORTED', 'ratings cannot be listed')
})

t.test('a long list is read completely, in pages, and twice', async (t) => {
  await using bench = await startBench({ pageRows: 10 })
  const { metadb } = bench
  for (let index = 0; index < 28; index += 1) metadb.user.watch(metadb.movie(index), AT_MS + index * 1_000)
  bench.asked()
  const { rows, end } = await bench.read('history', { plays: true })
  t.equal(rows.length, 28)
  t.match(end, { complete: true, semantics: 'present' })
  t.equal(bench.asked(), 6)
})

t.test(
  'a list in which a row moved to an already read page is not complete, although the total is right',
  async (t) => {
    await using bench = await startBench({ pageRows: 10 })
    const { metadb } = bench
    const list = metadb.user.makeList('Watchlist', 'watchlist')
    for (let index = 0; index < 20; index += 1) metadb.user.addToList(list, metadb.movie(index))
    let isFirst = true
    metadb.faults.add({
      kind: 'slow',
      match: ({ path, query }) => {
        if (path.endsWith('/items') && query.get('page') === '2' && isFirst) {
          isFirst = false
          metadb.user.removeFromList(list, metadb.movie(0))
          metadb.user.addToList(list, metadb.movie(20))
        }
        return false
      },
    })
    t.match((await bench.read('watchlist')).end, { complete: false, reason: 'changed_while_reading' })
    t.match((await bench.read('watchlist')).end, { complete: true })
  },
)

t.test('no fault of the service looks like an empty or a short list', async (t) => {
  const faults = {
    error: { kind: 'status', status: 500 },
    gone: { kind: 'status', status: 404 },
    html: { kind: 'html', status: 200 },
    empty: { kind: 'empty' },
    cut: { kind: 'truncate' },
    reset: { kind: 'reset' },
  } as const
  for (const feature of ['watchlist', 'history', 'progress'] as const) {
    for (const [name, fault] of Object.entries(faults)) {
      for (const page of ['1', '2']) {
        await using bench = await startBench({ pageRows: 5 })
        const { metadb } = bench
        const list = metadb.user.makeList('Watchlist', 'watchlist')
        for (let index = 0; index < 8; index += 1) {
          metadb.user.addToList(list, metadb.movie(index))
          metadb.user.watch(metadb.movie(index))
          metadb.user.pause(metadb.movie(index), 600_000, 6_000_000)
        }
        metadb.faults.add({ ...fault, match: ({ query }) => query.get('page') === page })
        t.match(await codeOf(bench.read(feature)), /^PLH_(?:UPSTREAM|NOT_FOUND)/, `${feature}: ${name} on page ${page}`)
      }
    }
  }
})

t.test('the watchlist is the list in the settings, with that name, or of that kind, and never a guess', async (t) => {
  const ids = async (settings: object, lists: readonly (readonly [string, 'watchlist' | 'custom'])[]) => {
    await using bench = await startBench({ settings: { ...settings } })
    lists.forEach(([name, type], index) =>
      bench.metadb.user.addToList(bench.metadb.user.makeList(name, type), bench.metadb.movie(index)),
    )
    try {
      return (await bench.read('watchlist')).rows.map(({ ids: { tmdb } }) => tmdb).join()
    } catch (error) {
      return String((error as { wire?: string }).wire)
    }
  }
  t.equal(
    await ids({}, [
      ['Other', 'watchlist'],
      ['Watchlist', 'custom'],
    ]),
    '900001',
    'by name',
  )
  t.equal(
    await ids({}, [
      ['Films', 'custom'],
      ['Later', 'watchlist'],
    ]),
    '900001',
    'by kind',
  )
  t.equal(
    await ids({}, [
      ['Films', 'custom'],
      ['WATCHLIST', 'custom'],
    ]),
    '900001',
    'by a name in another case',
  )
  t.equal(
    await ids({ watchlist_name: 'Films' }, [
      ['Films', 'custom'],
      ['Later', 'watchlist'],
    ]),
    '900000',
  )
  t.equal(
    await ids({}, [
      ['One', 'watchlist'],
      ['Two', 'watchlist'],
    ]),
    'watchlist_ambiguous',
  )
  t.equal(await ids({ watchlist_list_id: 'nowhere' }, [['Watchlist', 'watchlist']]), 'watchlist_missing')
  t.equal(await ids({}, [['Films', 'custom']]), '', 'none is an empty watchlist')
})

t.test('a list is created when the first item is written, and a deleted one is not recreated', async (t) => {
  await using bench = await startBench()
  const { metadb } = bench
  t.match(await bench.read('watchlist'), { rows: [], end: { complete: true } })
  t.equal(metadb.user.account.lists.length, 0, 'reading makes nothing')
  t.same(await bench.write('watchlist', 'add', [itemOf(metadb.movie(0)), itemOf(metadb.show(0))]), [
    'applied',
    'applied',
  ])
  t.match(metadb.user.account.lists, [{ name: 'Watchlist', type: 'watchlist', isPublic: false, rows: { length: 2 } }])
  metadb.user.deleteList(metadb.user.account.lists[0]!.id)
  t.equal(await codeOf(bench.read('watchlist')), 'PLH_NOT_FOUND')
  t.equal(await codeOf(bench.write('watchlist', 'add', [itemOf(metadb.movie(1))])), 'PLH_NOT_FOUND')
  metadb.user.makeList('Watchlist', 'watchlist')
  t.equal(await codeOf(bench.read('watchlist')), 'PLH_NOT_FOUND', 'another list of that name may be another list')
  t.equal(metadb.user.account.lists.length, 1)

  await using careful = await startBench({ settings: { watchlist_auto_create: false } })
  t.equal(await codeOf(careful.write('watchlist', 'add', [itemOf(careful.metadb.movie(0))])), 'PLH_NOT_FOUND')
  t.equal(careful.metadb.user.account.lists.length, 0)
})

t.test('items of the watchlist are written once and removed by their row', async (t) => {
  for (const conflicts of ['status', 'words'] as const) {
    await using bench = await startBench({ conflicts })
    const { metadb } = bench
    const works = [metadb.movie(0), metadb.movie(1), metadb.show(0)]
    t.same(
      await bench.write(
        'watchlist',
        'add',
        works.map((work) => itemOf(work)),
      ),
      Array(3).fill('applied'),
    )
    t.same(
      await bench.write(
        'watchlist',
        'add',
        works.map((work) => itemOf(work)),
      ),
      Array(3).fill('already'),
      conflicts,
    )
    const { rows } = await bench.read('watchlist')
    t.same(await bench.write('watchlist', 'remove', [rows[0]!, itemOf(works[1]!)]), ['applied', 'rejected:row_unknown'])
    t.same(await bench.write('watchlist', 'remove', [rows[0]!]), ['already'])
    t.same(
      metadb.user.account.lists[0]!.rows.map(({ work }) => work),
      works.slice(1),
    )
    t.same(
      await bench.write('watchlist', 'add', [
        { type: 'movie', ids: { tmdb: '5' } },
        { type: 'movie', ids: { imdb: 'tt0113277' }, title: 'Heat' },
      ]),
      ['not_found:not_found', 'unsupported:missing_ids'],
    )
  }
})

t.test(
  'plays are written with their own time, removed one by one, and unwatching removes all of one episode and of no other',
  async (t) => {
    await using bench = await startBench()
    const { metadb } = bench
    const [movie, first, second] = [metadb.movie(0), metadb.episode(0, 1, 1), metadb.episode(0, 1, 2)]
    t.same(
      await bench.write('history', 'add', [
        itemOf(movie, { watched_at: AT }),
        itemOf(movie, { watched_at: '2026-01-06T20:00:00Z' }),
        itemOf(first, { watched_at: AT }),
        itemOf(first, { watched_at: '2026-02-01T20:00:00Z' }),
        itemOf(second, { watched_at: AT }),
        itemOf(movie),
        itemOf(movie, { watched_at: '2099-01-01T00:00:00Z' }),
        { type: 'episode', ids: { tmdb: '3000001' }, watched_at: AT },
      ]),
      [
        ...Array(5).fill('applied'),
        'rejected:missing_watched_at',
        'rejected:watched_in_future',
        'unsupported:missing_ids',
      ],
    )
    t.same(metadb.user.account.plays.map(({ work, atMs }) => [work.tmdb_id, work.episode, atMs])[0], [
      900000,
      undefined,
      AT_MS,
    ])

    const { rows } = await bench.read('history', { plays: true })
    const old = rows.find(({ type, watched_at: at }) => type === 'movie' && at === AT)!
    t.same(await bench.write('history', 'remove', [old, itemOf(movie)], { plays: true }), [
      'applied',
      'rejected:exact_play_unknown',
    ])
    t.same(await bench.write('history', 'remove', [old], { plays: true }), ['already'])
    t.same(
      await bench.write('history', 'remove', [itemOf(first, { watched_at: AT })]),
      ['failed:changed_since_read'],
      'it was watched again since',
    )
    t.equal(metadb.user.account.plays.length, 4)
    metadb.faults.add({ kind: 'status', status: 500, times: 1, match: '/api/external/watched' })
    t.same(
      await bench.write('history', 'remove', [itemOf(first, { watched_at: '2026-02-01T20:00:00Z' })]),
      ['failed:http_500'],
      'what cannot be looked at stays',
    )
    t.equal(metadb.user.account.plays.length, 4)
    t.same(await bench.write('history', 'remove', [itemOf(first, { watched_at: '2026-02-01T20:00:00Z' })]), ['applied'])
    t.same(
      metadb.user.account.plays.map(({ work }) => [work.media_type, work.episode]),
      [
        ['movie', undefined],
        ['tv', 2],
      ],
    )
    t.same(await bench.write('history', 'remove', [itemOf(first), itemOf(metadb.show(0))]), [
      'already',
      'unsupported:unsupported_type',
    ])
    t.equal(metadb.user.account.plays.length, 2)
    t.equal(
      metadb.requests.filter(({ method, path }) => method === 'DELETE' && path.endsWith('/watched')).length,
      0,
      'plays never leave unnamed',
    )
  },
)

t.test('positions need their length, and their result at the service is reported', async (t) => {
  await using bench = await startBench()
  const { metadb } = bench
  const position = (progress_ms: number, duration_ms = 6_000_000) => ({ progress_ms, duration_ms })
  t.same(
    await bench.write('progress', 'add', [
      itemOf(metadb.movie(0), position(600_000)),
      itemOf(metadb.movie(1), position(1_000)),
      itemOf(metadb.movie(2), position(5_900_000)),
      itemOf(metadb.movie(3), { progress_ms: 600_000 }),
      itemOf(metadb.episode(0, 1, 1), { progress_percent: 25, duration_ms: 2_400_000 }),
    ]),
    ['applied', 'rejected:position_too_small', 'unknown:completed_by_service', 'rejected:duration_missing', 'applied'],
  )
  t.same(
    metadb.user.account.positions.map(({ positionMs }) => positionMs),
    [600_000, 600_000],
  )
  t.same(await bench.write('progress', 'update', [itemOf(metadb.movie(0), position(900_000))]), ['applied'])
  const { rows } = await bench.read('progress')
  t.same(await bench.write('progress', 'remove', [rows[0]!, itemOf(metadb.movie(0))]), [
    'applied',
    'rejected:row_unknown',
  ])
  t.equal(metadb.user.account.positions.length, 1)
})

t.test('a lost response is unknown, and a play is not sent twice', async (t) => {
  for (const [fault, expected] of [
    [{ kind: 'reset' }, 'unknown'],
    [{ kind: 'status', status: 502 }, 'unknown'],
    [{ kind: 'status', status: 500 }, 'unknown'],
    [{ kind: 'html', status: 200 }, 'unknown'],
    [{ kind: 'status', status: 401 }, 'failed'],
    [{ kind: 'status', status: 422 }, 'rejected'],
  ] as const) {
    await using bench = await startBench({ settings: { max_retries: 3 } })
    bench.metadb.faults.add({ ...fault, match: '/api/external/watched' })
    const outcomes = await bench.write('history', 'add', [itemOf(bench.metadb.movie(0), { watched_at: AT })])
    t.match(outcomes, [new RegExp(`^${expected}`)], `${fault.kind}: ${outcomes}`)
    t.equal(bench.metadb.count('/api/external/watched'), 1)
    t.ok(bench.metadb.user.account.plays.length <= 1)
  }
})

t.test('if the service asks to wait, nothing more is sent', async (t) => {
  await using bench = await startBench({ requestsPer10s: 2, settings: { timeout: 1 } })
  const items = [0, 1, 2, 3, 4, 5].map((index) => itemOf(bench.metadb.movie(index), { watched_at: AT }))
  const outcomes = await bench.write('history', 'add', items)
  t.equal(outcomes.filter((outcome) => outcome === 'applied').length, 2)
  t.ok(outcomes.filter((outcome) => outcome.startsWith('rate_limited')).length === 4, String(outcomes))
  t.ok(bench.metadb.requests.length <= 4)
})

t.test('two profiles are two accounts', async (t) => {
  await using bench = await startBench({ usernames: ['ada', 'bob'] })
  const { metadb, provider } = bench
  const instance = await provider.createProfile({})
  await provider.saveProfile(instance, { base_url: metadb.url, api_key: metadb.userNamed('bob').apiKey })
  metadb.user.watch(metadb.movie(0))
  metadb.userNamed('bob').watch(metadb.movie(1))
  const [ada, bob] = [await bench.read('history'), await bench.read('history', {}, instance)]
  t.match([ada.rows[0]?.ids.tmdb, bob.rows[0]?.ids.tmdb], ['900000', '900001'])
  t.not(ada.end.account, bob.end.account)
})
