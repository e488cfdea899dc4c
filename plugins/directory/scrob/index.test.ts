// Scrob against its stand-in: whose key it is, what its rows mean, and what a write leaves alone.
import t from 'tap'
import { type Item, type PlayheadError, providerCapability, type ReadRequest, type WriteRequest } from '@playhead/sdk'
import { collectRead, type Provider } from '@playhead/sdk/provider'
import { createTestAccounts, createTestClock, createTestHost, startServer } from '@playhead/sdk/testing'
import plugin from './index.ts'
import { type Owner, startScrob } from './stand-in.ts'

const manifest = new URL('./plugin.json', import.meta.url)
const AT = '2025-01-06T01:00:00'
const like = (expected: object) => expected as PlayheadError
const MATRIX: Item = { type: 'movie', ids: { tmdb: '603' }, title: 'The Matrix' }
const WIRE = { tmdb: 1_438, tvdb: 79_126, title: 'The Wire' }
const wirePart = (season: number, episode: number): Item => ({
  ...{ type: 'episode', ids: {}, show_ids: { tmdb: '1438' }, series_title: 'The Wire', season, episode },
})

async function open() {
  const scrob = await startScrob()
  const [ann, bob] = scrob.owners as readonly [Owner, Owner]
  const capabilities = { accounts: createTestAccounts() }
  const host = await createTestHost({ plugin, manifest, capabilities, clock: createTestClock() })
  const provider = host.capability<Provider>(providerCapability('SCROB'))
  return {
    ...{ scrob, ann, bob, host, provider },
    matrix: scrob.movie(603, 'The Matrix'),
    save(payload: object = {}) {
      const whole = { server: scrob.url, username: 'ann', api_key: ann.apiKey, ...payload }
      return host.inject({ method: 'POST', url: '/api/scrob/save', payload: whole })
    },
    smallPages: () => host.changeConfig({ page_size: 10 }),
    read: (feature: ReadRequest['feature'], more: Partial<ReadRequest> = {}) =>
      collectRead(provider.read('default', { feature, ...more })),
    async write(
      feature: WriteRequest['feature'],
      op: WriteRequest['op'],
      items: Item[],
      more: Partial<WriteRequest> = {},
    ) {
      const rows = items.map((item, index) => ({ key: String(index), item }))
      const { outcomes } = await provider.write('default', { feature, op, items: rows, ...more })
      return outcomes.map(({ outcome, reason }) => (reason === undefined ? outcome : `${outcome}: ${reason}`))
    },
    async [Symbol.asyncDispose]() {
      await host.close()
      await scrob.close()
    },
  }
}

async function signedIn() {
  const bench = await open()
  const answer = await bench.save()
  if (answer.statusCode !== 200) throw new Error(answer.body)
  return bench
}

t.test('the key is that of the named user, and goes to Scrob alone', async (t) => {
  await using bench = await open()
  const { scrob, ann, bob, save } = bench
  t.match(await save({ server: '' }), { statusCode: 400, body: /missing_server/ })
  t.match(await save({ username: '' }), { statusCode: 400, body: /missing_credentials/ })
  t.match(await save({ api_key: '' }), { statusCode: 400, body: /missing_credentials/ })
  t.match(await save({ api_key: 'the-key-of-nobody' }), { statusCode: 401, body: /invalid_api_key/ })
  bob.isPrivate = false
  t.match(await save({ username: 'bob' }), { statusCode: 400, body: /other_user/ }, 'the key of Ann is not of Bob')
  t.match(await save({ username: 'an' }), { statusCode: 400, body: /other_user/ }, 'a part of a name is no name')
  for (const reply of [{ status: 404 }, { json: {} }, { headers: { 'content-type': 'text/html' }, body: '<html>' }]) {
    await using other = await startServer(() => reply)
    t.match(await save({ server: other.url }), { statusCode: 400, body: /wrong_product/ })
    t.ok(other.requests.every(({ headers }) => headers['x-api-key'] === undefined))
  }
  t.match(await bench.provider.profiles(), [{ configured: false }])
  t.match((await save({ server: `${scrob.url}/connections?tab=1`, username: 'Ann' })).json(), {
    ...{ ok: true, server: scrob.url, name: 'ann' },
  })
  const account = `${new URL(scrob.url).host}/${ann.id}`
  t.match(await bench.provider.probe('default'), { status: 'ok', account, user: { name: 'ann' } })
  t.notMatch(JSON.stringify(bench.host.logs), new RegExp(ann.apiKey))
})

t.test('a key that goes to another user, or ends in the middle, reads and writes nothing', async (t) => {
  await using bench = await signedIn()
  const { scrob, ann, bob, matrix } = bench
  for (let minute = 10; minute < 40; minute += 1) scrob.watch(ann, matrix, `2025-01-06T01:${minute}:00`)
  await bench.smallPages()
  const key = ann.apiKey
  const reading = bench.provider.read('default', { feature: 'history', plays: true })[Symbol.asyncIterator]()
  t.match(await reading.next(), { value: { type: 'rows' } })
  ann.apiKey = 'the-second-key-of-ann'
  await t.rejects(
    async () => {
      while ((await reading.next()).done !== true);
    },
    like({ code: 'PLH_AUTH_FAILED' }),
  )
  t.match(await bench.provider.probe('default'), { status: 'auth_failed' })
  bob.apiKey = key
  t.match(await bench.provider.probe('default'), { reasonCode: 'user_changed' })
  await t.rejects(bench.read('ratings'), like({ code: 'PLH_AUTH_FAILED', wire: 'user_changed' }))
  t.match(await bench.write('watchlist', 'add', [MATRIX]), [/^failed/])
  t.match(await bench.write('history', 'add', [{ ...MATRIX, watched_at: `${AT}Z` }]), [/^failed/])
  t.match(await bench.write('ratings', 'add', [{ ...MATRIX, rating: 8 }]), [/^failed/])
  t.same([bob.events, bob.ratings, bob.lists[0]!.items], [[], [], []])
})

t.test('times are UTC, episodes have the ids that are theirs, and what has none is listed', async (t) => {
  await using bench = await signedIn()
  const { scrob, ann, bob, matrix } = bench
  scrob.watch(ann, matrix, '2025-01-06T01:00:00.123456')
  scrob.watch(ann, matrix, '2025-03-30T02:30:00')
  scrob.watch(ann, matrix, null)
  scrob.watch(ann, scrob.episode(WIRE, 0, 3, { tmdb_id: 63_000 }), AT)
  scrob.watch(ann, scrob.episode(WIRE, 9, 1, { tmdb_id: 333_000, tvdb_sourced: true }), AT)
  scrob.watch(ann, scrob.episode({ ...WIRE, tmdb: null, tvdb: null }, 9, 2, { tmdb_id: 5, tvdb_sourced: true }), AT)
  scrob.watch(ann, scrob.movie(null, 'Home video'), AT)
  scrob.watch(ann, { ...matrix, type: 'person' }, AT)
  scrob.watch(bob, matrix, '2025-06-06T01:00:00')
  const { rows, end } = await bench.read('history', { plays: true })
  const facts = ({ ids, show_ids: show, season, episode, watched_at: at }: Item) => [
    ...[ids, show, season === undefined ? undefined : `${season}x${episode}`, at],
  ]
  t.same(rows.map(facts), [
    [{ tmdb: '603' }, undefined, undefined, '2025-03-30T02:30:00Z'],
    [{ tmdb: '603' }, undefined, undefined, '2025-01-06T01:00:00.123Z'],
    [{}, { tvdb: '79126' }, '9x1', '2025-01-06T01:00:00Z'],
    [{ tmdb: '63000' }, { tmdb: '1438', tvdb: '79126' }, '0x3', '2025-01-06T01:00:00Z'],
  ])
  t.match(end, { complete: true, unreadable: [{ title: 'Home video' }, { reason: 'missing_ids' }] })
  const latest = (await bench.read('history')).rows
  t.same(
    latest.filter(({ type }) => type === 'movie').map(({ watched_at: at, native }) => [at, native]),
    [['2025-03-30T02:30:00Z', undefined]],
  )
  ann.events = ann.events.filter(({ media, watched_at: at }) => media === matrix && at === null)
  t.match((await bench.read('history')).rows, [{ watched: true, ids: { tmdb: '603' } }])
  t.equal((await bench.read('history')).rows[0]?.watched_at, undefined, 'no time is invented')
})

t.test('pages that repeat, that end early, and that change meanwhile are not a whole history', async (t) => {
  await using bench = await signedIn()
  const { scrob, ann, matrix } = bench
  for (let minute = 10; minute < 35; minute += 1) scrob.watch(ann, matrix, `2025-01-06T01:${minute}:00`)
  await bench.smallPages()
  t.match(await bench.read('history', { plays: true }), { rows: { length: 25 }, end: { complete: true } })

  async function whileReading(change: () => void) {
    const parts = bench.provider.read('default', { feature: 'history', plays: true })[Symbol.asyncIterator]()
    await parts.next()
    change()
    for (;;) {
      const { value, done } = await parts.next()
      if (done === true || value.type === 'end') return value?.type === 'end' ? value.end.reason : undefined
    }
  }
  t.equal(await whileReading(() => ann.events.shift()), 'changed_while_reading')
  t.equal(await whileReading(() => scrob.watch(ann, matrix, '2025-02-01T00:00:00')), 'changed_while_reading')
  const swap = () => {
    ann.events.shift()
    scrob.watch(ann, matrix, '2025-02-02T00:00:00')
  }
  t.equal(await whileReading(swap), 'repeated_page')
  // A proxy that drops the query, and a server that counts plays that it does not give.
  for (const [total, pages, reason] of [
    [25, 99, 'repeated_page'],
    [1e15, 99, 'repeated_page'],
    [25, 1, 'total_mismatch'],
    [1e15, 1, 'total_mismatch'],
    [0, 1, 'total_mismatch'],
  ] as const) {
    await using odd = await startServer(({ path, query, headers }) => {
      if (path.endsWith('has-users')) return { json: { has_users: true } }
      if (path.endsWith('search'))
        return { json: { results: [{ id: 7, username: 'ann', is_self: headers['x-api-key'] === 'k' }] } }
      const media = { type: 'movie', tmdb_id: 603, title: 'The Matrix' }
      const results = Number(query.get('page')) > pages ? [] : [{ id: 1, user_id: 7, watched_at: AT, media }]
      return { json: { total_results: total, results } }
    })
    t.equal((await bench.save({ server: odd.url, api_key: 'k' })).statusCode, 200)
    t.match((await bench.read('history', { plays: true })).end, { complete: false, reason })
  }
})

t.test('a play is added once, without a zone, and without a time that is not known', async (t) => {
  await using bench = await signedIn()
  const { scrob, ann } = bench
  const played = { ...MATRIX, watched_at: '2025-01-06T01:00:00Z' }
  t.same(await bench.write('history', 'add', [played, played]), ['applied', 'already'])
  t.same(await bench.write('history', 'add', [{ ...MATRIX, watched_at: '2025-01-06T01:00:40Z' }]), ['already'])
  t.same(await bench.write('history', 'add', [{ ...MATRIX, watched_at: '2024-01-06T01:00:00Z' }]), ['already'])
  const plays = { plays: true }
  t.same(await bench.write('history', 'add', [{ ...MATRIX, watched_at: '2024-01-06T01:00:00Z' }], plays), ['applied'])
  t.same(await bench.write('history', 'add', [{ ...MATRIX, watched_at: '2999-01-06T01:00:00Z' }], plays), [
    'rejected: watched_in_future',
  ])
  t.same(await bench.write('history', 'add', [wirePart(0, 1), wirePart(1, 2)]), ['applied', 'applied'])
  t.same(await bench.write('history', 'add', [wirePart(1, 2), { ...wirePart(1, 3), show_ids: { tvdb: '79126' } }]), [
    'already',
    'unsupported: missing_ids',
  ])
  t.same(
    ann.events.map(({ media, watched_at: at }) => [media.type, media.season_number, media.episode_number, at]),
    [
      ['movie', null, null, '2025-01-06T01:00:00'],
      ['movie', null, null, '2024-01-06T01:00:00'],
      ['episode', 0, 1, null],
      ['episode', 1, 2, null],
    ],
  )
  scrob.tmdb = () => false
  t.same(await bench.write('history', 'add', [wirePart(7, 1)]), ['not_found: not_found'])
  scrob.faults.add({ kind: 'html', status: 200, match: ({ method }) => method === 'POST' })
  t.match(await bench.write('history', 'add', [wirePart(8, 1)]), [/^unknown/], 'a page of a proxy confirms nothing')
})

t.test('a play of an episode that Scrob has without its show is known by the id of the episode', async (t) => {
  await using bench = await signedIn()
  const { scrob, ann } = bench
  const { show: _none, ...alone } = scrob.episode(WIRE, 1, 4, { tmdb_id: 63_001 })
  const orphan = { ...alone, season_number: null, episode_number: null }
  scrob.media.splice(-1, 1, orphan)
  scrob.watch(ann, orphan, AT)
  t.match((await bench.read('history')).end, { unreadable: [{ reason: 'episode_missing' }] })
  const item = { ...wirePart(1, 4), ids: { tmdb: '63001' } }
  t.same(await bench.write('history', 'add', [{ ...item, watched_at: `${AT}Z` }]), ['already'])
  t.same(await bench.write('history', 'add', [{ ...item, watched_at: '2025-05-06T01:00:00Z' }]), ['applied'])
  t.match((await bench.read('history', { plays: true })).rows, [
    { season: 1, episode: 4 },
    { season: 1, episode: 4 },
  ])
})

t.test('a play whose answer is lost is not sent again', async (t) => {
  await using bench = await signedIn()
  const { scrob, ann } = bench
  scrob.faults.add({ kind: 'reset', match: ({ method }) => method === 'POST', times: 1 })
  t.match(await bench.write('history', 'add', [{ ...MATRIX, watched_at: `${AT}Z` }]), [/^unknown/])
  t.equal(ann.events.length, 1)
  t.same(await bench.write('history', 'add', [{ ...MATRIX, watched_at: `${AT}Z` }]), ['already'])
  t.equal(ann.events.length, 1)
})

t.test('one play is removed, or all of a work that was not watched since', async (t) => {
  await using bench = await signedIn()
  const { scrob, ann, bob, matrix } = bench
  scrob.watch(ann, matrix, AT)
  scrob.watch(ann, matrix, '2025-02-06T01:00:00')
  const foreign = scrob.watch(bob, matrix, AT)
  const plays = (await bench.read('history', { plays: true })).rows
  t.same(await bench.write('history', 'remove', [plays[1]!], { plays: true }), ['applied'])
  t.same(await bench.write('history', 'remove', [plays[1]!], { plays: true }), ['already'])
  t.same(
    ann.events.map(({ watched_at: at }) => at),
    ['2025-02-06T01:00:00'],
  )
  t.same(await bench.write('history', 'remove', [MATRIX], { plays: true }), ['rejected: exact_play_unknown'])
  const alien = { ...plays[1]!, native: { event_id: String(foreign.id) } }
  await bench.write('history', 'remove', [alien], { plays: true })
  const [row] = (await bench.read('history')).rows
  scrob.watch(ann, matrix, '2025-03-06T01:00:00')
  t.same(await bench.write('history', 'remove', [row!]), ['failed: changed_since_read'])
  const [now] = (await bench.read('history')).rows
  t.same(await bench.write('history', 'remove', [now!]), ['applied'])
  t.same(await bench.write('history', 'remove', [now!]), ['already'])
  t.same([ann.events.length, bob.events.length], [0, 1])
})

t.test('a rating keeps its review, half points, and what a person changed since', async (t) => {
  await using bench = await signedIn()
  const { scrob, ann, matrix } = bench
  const row = scrob.rate(ann, matrix, 7.5, AT, { review: 'Better the second time' })
  scrob.rate(ann, scrob.series(1_438, 'The Wire'), 9, AT, { season_number: 2 })
  scrob.rate(ann, scrob.series(1_438), 4, AT, { season_number: 2, episode_order: 'tvdb' })
  scrob.rate(ann, scrob.episode(WIRE, 1, 1), 5, AT)
  scrob.rate(ann, scrob.series(1_438), null, AT, { review: 'Not yet' })
  scrob.rate(ann, scrob.movie(null, 'Home video'), 3, AT)
  const { rows, end } = await bench.read('ratings')
  t.same(
    rows.map(({ type, season, rating }) => [type, season, rating]),
    [
      ['movie', undefined, 8],
      ['season', 2, 9],
    ],
  )
  t.match(end, { complete: true, unreadable: [{ reason: 'missing_ids', title: 'Home video' }] })
  const rated = (rating: number): Item => ({ ...MATRIX, rating })
  const update = async (rating: number, current: number) =>
    (
      await bench.provider.write('default', {
        ...{ feature: 'ratings', op: 'update' },
        items: [{ key: 'a', item: rated(rating), current: rated(current) }],
      })
    ).outcomes[0]?.reason
  t.same(await bench.write('ratings', 'add', [rated(8)]), ['already'])
  t.equal(row.rating, 7.5)
  t.same(await bench.write('ratings', 'add', [rated(3)]), ['failed: changed_since_read'])
  t.equal(await update(9, 6), 'changed_since_read')
  t.equal(await update(9, 8), undefined)
  t.match([row.rating, row.review], [9, 'Better the second time'])
  t.same(await bench.write('ratings', 'remove', [rated(9)]), ['rejected: has_review'])
  row.review = ' '
  t.same(await bench.write('ratings', 'remove', [rated(8)]), ['failed: changed_since_read'])
  t.same(await bench.write('ratings', 'remove', [rated(9)]), ['applied'])
  t.same(await bench.write('ratings', 'remove', [rated(9)]), ['already'])
  const season: Item = { type: 'season', ids: {}, show_ids: { tmdb: '1438' }, season: 2, rating: 9 }
  t.same(await bench.write('ratings', 'remove', [season]), ['applied'])
  t.same(
    ann.ratings.map(({ rating, episode_order: order }) => [rating, order]),
    [
      [4, 'tvdb'],
      [5, null],
      [null, null],
      [3, null],
    ],
  )
  const show: Item = { type: 'show', ids: { tmdb: '1438' }, rating: 10 }
  t.same(await bench.write('ratings', 'add', [show]), ['applied'])
  t.match(
    ann.ratings.find(({ review }) => review === 'Not yet'),
    { rating: 10 },
  )
})

t.test('the watchlist is the own list of that name', async (t) => {
  await using bench = await signedIn()
  const { scrob, ann, bob, matrix } = bench
  scrob.list(bob, scrob.movie(604, 'Other'), AT)
  const noted = scrob.list(ann, matrix, AT, { notes: 'With Bob' })
  scrob.list(ann, scrob.series(1_438, 'The Wire'), AT, { season_number: 2 })
  scrob.list(ann, scrob.movie(null, 'Home video'), AT)
  const { rows, end } = await bench.read('watchlist')
  t.match(rows, [{ type: 'movie', ids: { tmdb: '603' }, added_at: '2025-01-06T01:00:00Z' }])
  t.match([rows.length, end], [1, { complete: true, unreadable: [{ title: 'Home video' }] }])
  const show: Item = { type: 'show', ids: { tmdb: '1438' }, title: 'The Wire' }
  t.same(await bench.write('watchlist', 'add', [MATRIX, show]), ['already', 'applied'])
  t.same(await bench.write('watchlist', 'remove', [MATRIX, show]), ['rejected: has_notes', 'applied'])
  noted.notes = null
  t.same(await bench.write('watchlist', 'remove', [MATRIX, MATRIX, show]), ['applied', 'already', 'already'])
  t.same(
    ann.lists[0]!.items.map(({ season_number: season, media }) => [media.title, season]),
    [
      ['The Wire', 2],
      ['Home video', null],
    ],
    'the season stays',
  )
  ann.lists.push({ id: 99, name: 'watchlist ', privacy: 'private', items: [] })
  t.match((await bench.read('watchlist')).end, { complete: false, reason: 'watchlist_ambiguous' })
  t.same(await bench.write('watchlist', 'add', [MATRIX]), ['rejected: watchlist_ambiguous'])
  ann.lists.length = 0
  t.match((await bench.read('watchlist')).end, { complete: false, reason: 'watchlist_missing' })
  // A list of another user that is public.
  ann.lists.push(...bob.lists)
  await t.rejects(bench.read('watchlist'), like({ wire: 'user_changed' }))
  t.equal(bob.lists[0]!.items.length, 1)
})
