// Writes: exactly the requested values to exactly the intended work, with a result per item.
import { createTestClock } from '@playhead/sdk/testing'
import t from 'tap'
import type { Item } from '@playhead/sdk'
import { addressesOf, itemOf, startBench } from './support.ts'

t.test('titles are added to the watchlist, by either id, ten changes per request', async (t) => {
  await using bench = await startBench({ movies: 60 })
  const { anilist } = bench
  const films = anilist.films.slice(0, 50)
  const items = films.map((film, index) => {
    const item = itemOf(film)
    return index % 2 === 0 || film.idMal === null ? item : { ...item, ids: { mal: String(film.idMal) } }
  })
  const { outcomes } = await bench.send('watchlist', 'add', items)
  t.ok(outcomes.every(({ outcome }) => outcome === 'applied'))
  t.ok(bench.asked() <= 10, 'a look and a change for ten')
  for (const [index, film] of films.entries()) {
    const entry = anilist.user.entry(film)
    t.match(entry, { status: 'PLANNING', scoreRaw: 0 })
    t.equal(outcomes[index]?.native?.item_id, String(entry?.id))
  }
  t.same(
    await bench.write('watchlist', 'add', items),
    items.map(() => 'already'),
  )
  t.ok(bench.asked() <= 5)
  t.equal((await bench.read('watchlist')).rows.length, 50)
})

t.test('a title that a person watches, finished or dropped is never planned again', async (t) => {
  await using bench = await startBench()
  const { anilist } = bench
  for (const [index, status] of (['CURRENT', 'COMPLETED', 'DROPPED', 'PAUSED', 'REPEATING'] as const).entries()) {
    anilist.user.save(anilist.films[index]!, { status, scoreRaw: 90 })
    t.same(await bench.write('watchlist', 'add', [itemOf(anilist.films[index]!)]), ['rejected:already_on_list'], status)
    t.match(anilist.user.entry(anilist.films[index]!), { status, scoreRaw: 90 })
  }
})

t.test('a title is removed from the watchlist only while its entry contains nothing but the plan', async (t) => {
  await using bench = await startBench()
  const { anilist } = bench
  const [plain, ...others] = anilist.films
  anilist.user.save(plain!, { status: 'PLANNING' })
  const kept = [
    { scoreRaw: 10 },
    { progress: 1 },
    { repeat: 1 },
    { notes: 'from Bob' },
    { startedAt: { year: 2024, month: null, day: null } },
  ]
  kept.forEach((change, index) => void anilist.user.save(others[index]!, { status: 'PLANNING', ...change }))
  const { rows } = await bench.read('watchlist')
  t.equal(rows.length, 6)
  t.same(await bench.write('watchlist', 'remove', rows), ['applied', ...kept.map(() => 'rejected:entry_in_use')])
  t.equal(anilist.user.entry(plain!), undefined)
  kept.forEach((change, index) => t.match(anilist.user.entry(others[index]!), { status: 'PLANNING', ...change }))
})

t.test('changes since the read are checked before any removal', async (t) => {
  await using bench = await startBench()
  const { anilist } = bench
  const [begun, gone, anew] = anilist.films
  for (const film of [begun, gone, anew]) anilist.user.save(film!, { status: 'PLANNING' })
  const { rows } = await bench.read('watchlist')
  anilist.user.save(begun!, { status: 'CURRENT' })
  anilist.user.remove(gone!)
  anilist.user.remove(anew!)
  anilist.user.save(anew!, { status: 'PLANNING' })
  t.same(await bench.write('watchlist', 'remove', rows), ['already', 'already', 'failed:changed_since_read'])
  t.match(anilist.user.entry(begun!), { status: 'CURRENT' })
  t.match(anilist.user.entry(anew!), { status: 'PLANNING' })
})

t.test(
  'ratings are written to existing entries, changed, and removed, and no other field of the entry changes',
  async (t) => {
    await using bench = await startBench()
    const { anilist } = bench
    const [watched, planned, none] = anilist.films
    anilist.user.save(watched!, { status: 'COMPLETED', notes: 'good' })
    anilist.user.save(planned!, { status: 'PLANNING' })
    const items = [watched, planned, none].map((film) => itemOf(film!, { rating: 7 }))
    t.same(await bench.write('ratings', 'add', items), ['applied', 'applied', 'rejected:not_on_list'])
    t.match(anilist.user.entry(watched!), { status: 'COMPLETED', scoreRaw: 70, notes: 'good' })
    t.match(anilist.user.entry(planned!), { status: 'PLANNING', scoreRaw: 70 })
    t.equal(anilist.user.entry(none!), undefined)
    t.same(await bench.write('ratings', 'update', [itemOf(watched!, { rating: 9 })]), ['applied'])
    t.equal(anilist.user.entry(watched!)?.scoreRaw, 90)
    t.same(await bench.write('ratings', 'remove', items), ['failed:changed_since_read', 'applied', 'already'])
    t.equal(anilist.user.entry(watched!)?.scoreRaw, 90, 'a rating that was changed since it was read stays')
    t.same(await bench.write('ratings', 'remove', [itemOf(watched!, { rating: 9 })]), ['applied'])
    t.match(anilist.user.entry(watched!), { status: 'COMPLETED', scoreRaw: 0, notes: 'good' })
    t.same(await bench.write('ratings', 'add', [itemOf(watched!)]), ['rejected:missing_rating'])
  },
)

t.test('a finer score with the same rating is kept', async (t) => {
  await using bench = await startBench()
  const [film] = bench.anilist.films
  bench.anilist.user.save(film!, { status: 'COMPLETED', scoreRaw: 75 })
  t.same(await bench.write('ratings', 'update', [itemOf(film!, { rating: 8 })]), ['already'])
  t.equal(bench.anilist.user.entry(film!)?.scoreRaw, 75)
})

t.test('titles other than anime, or without a known id, are refused without a request', async (t) => {
  await using bench = await startBench()
  const items: Item[] = [
    {
      type: 'movie',
      title: bench.anilist.films[0]!.title.romaji,
      year: 2000,
      ids: { tmdb: '900000', imdb: 'tt9900000' },
    },
    { type: 'show', ids: { tvdb: '1' } },
    { type: 'episode', ids: { anilist: '1' }, show_ids: { anilist: '100001' }, season: 1, episode: 1 },
  ]
  t.same(await bench.write('watchlist', 'add', items), [
    'unsupported:missing_ids',
    'unsupported:missing_ids',
    'unsupported:unsupported_type',
  ])
  t.equal(bench.asked(), 0)
})

t.test('contradicting ids, another kind of work and two items for one work are never guessed', async (t) => {
  await using bench = await startBench()
  const { anilist } = bench
  const [film, other] = anilist.films
  const [series] = anilist.series
  t.same(
    await bench.write('watchlist', 'add', [
      { type: 'anime', film: true, ids: { anilist: String(film!.id), mal: '4711' } },
      { type: 'movie', ids: { anilist: String(series!.id) } },
      { type: 'show', ids: { mal: String(film!.idMal) } },
      { type: 'movie', ids: { anilist: '1' } },
      { type: 'movie', ids: { mal: '999999' } },
      itemOf(other!),
      { type: 'movie', ids: { mal: String(other!.idMal) } },
    ]),
    [
      'rejected:ambiguous_ids',
      'rejected:kind_mismatch',
      'rejected:kind_mismatch',
      'not_found:not_found',
      'not_found:not_found',
      'applied',
      'rejected:duplicate_target',
    ],
  )
  t.equal(anilist.user.account.entries.size, 1)
})

t.test('a single failing change fails alone', async (t) => {
  for (const [status, expected] of [
    [400, 'rejected:http_400'],
    [404, 'not_found:not_found'],
    [403, 'failed:service_unavailable'],
    [500, 'unknown:http_500'],
  ] as const) {
    for (const errorsWith200 of [false, true]) {
      if (status === 403 && !errorsWith200) continue
      await using bench = await startBench({ errorsWith200, errorsWithPath: status === 400 })
      bench.anilist.breakField('SaveMediaListEntry', status, { after: 1 })
      const outcomes = await bench.write(
        'watchlist',
        'add',
        bench.anilist.films.slice(0, 3).map((film) => itemOf(film)),
      )
      t.same(outcomes, ['applied', expected, 'applied'], `${status} ${errorsWith200}`)
    }
  }
})

t.test('changes answered with only an error are unknown', async (t) => {
  for (const fault of [
    { kind: 'status', status: 500 },
    { kind: 'html', status: 502 },
    { kind: 'html', status: 200 },
    { kind: 'truncate' },
  ] as const) {
    await using bench = await startBench()
    let requests = 0
    bench.anilist.faults.add({ ...fault, match: () => (requests += 1) > 1 })
    const [outcome] = await bench.write('watchlist', 'add', [itemOf(bench.anilist.films[0]!)])
    t.match(outcome, /^unknown:/, JSON.stringify(fault))
  }
})

t.test('a lost response is unknown, and unsent changes did not happen', async (t) => {
  await using bench = await startBench({ movies: 40 })
  const items = bench.anilist.films.slice(0, 30).map((film) => itemOf(film))
  let requests = 0
  bench.anilist.faults.add({ kind: 'reset', match: () => (requests += 1) === 4 })
  t.same(await bench.write('watchlist', 'add', items), [
    ...Array(10).fill('applied'),
    ...Array(10).fill('unknown:connection_lost'),
    ...Array(10).fill('failed:connection_lost'),
  ])
  t.equal(bench.anilist.user.account.entries.size, 20)
  t.equal(bench.asked(), 4)
})

t.test('when reading the entries fails, nothing was written', async (t) => {
  for (const fault of [
    { kind: 'status', status: 500 },
    { kind: 'reset' },
    { kind: 'truncate' },
    { kind: 'status', status: 403 },
    { kind: 'html' },
  ] as const) {
    await using bench = await startBench({ clock: createTestClock() })
    bench.anilist.faults.add(fault)
    const [outcome] = await bench.write('watchlist', 'add', [itemOf(bench.anilist.films[0]!)])
    t.match(outcome, /^failed:/, JSON.stringify(fault))
  }
})

t.test('a rating is sent again after a temporary failure, a new entry is not', async (t) => {
  await using bench = await startBench({ clock: createTestClock() })
  const [film, other] = bench.anilist.films
  bench.anilist.user.save(film!, { status: 'COMPLETED' })
  const failSecond = () => {
    let requests = 0
    bench.anilist.faults.add({ kind: 'status', status: 502, times: 1, match: () => (requests += 1) === 2 })
  }
  failSecond()
  t.same(await bench.write('ratings', 'add', [itemOf(film!, { rating: 5 })]), ['applied'])
  failSecond()
  t.same(await bench.write('watchlist', 'add', [itemOf(other!)]), ['unknown:http_502'])
})

t.test('a read after a write shows the write', async (t) => {
  await using bench = await startBench()
  t.equal((await bench.read('watchlist')).rows.length, 0)
  await bench.write('watchlist', 'add', [itemOf(bench.anilist.films[0]!)])
  t.equal((await bench.read('watchlist')).rows.length, 1)
})

t.test('two profiles write to their own accounts', async (t) => {
  await using bench = await startBench({ names: ['ada', 'bob'] })
  const { anilist, provider } = bench
  const instance = await provider.createProfile({})
  await provider.saveProfile(instance, { ...addressesOf(anilist), access_token: anilist.signIn('bob') })
  await Promise.all([
    bench.write('watchlist', 'add', [itemOf(anilist.films[0]!)]),
    bench.write('watchlist', 'add', [itemOf(anilist.films[1]!)], { instance }),
  ])
  t.same(
    ['ada', 'bob'].map((name) => [...anilist.userNamed(name).account.entries.values()].map(({ media }) => media.id)),
    [[anilist.films[0]!.id], [anilist.films[1]!.id]],
  )
})
