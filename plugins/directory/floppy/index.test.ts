// Floppy against its stand-in: whose token it is, what its rows mean, and what a write leaves alone.
import t from 'tap'
import { type Item, type PlayheadError, providerCapability, type ReadRequest, type WriteRequest } from '@playhead/sdk'
import { collectRead, type Provider } from '@playhead/sdk/provider'
import { createTestAccounts, createTestClock, createTestHost, startServer } from '@playhead/sdk/testing'
import plugin from './index.ts'
import { type Owner, startFloppy } from './stand-in.ts'

const manifest = new URL('./plugin.json', import.meta.url)
const AT = '2025-01-06T01:00:00Z'
const LATER = '2025-02-06T01:00:00Z'
const TOKEN = 'flp_of_ann_0a1b2c3d4e5f'
const like = (expected: object) => expected as PlayheadError
const MATRIX: Item = { type: 'movie', ids: { tmdb: '603' }, title: 'The Matrix' }
const WIRE: Item = { type: 'show', ids: { tmdb: '1438' }, title: 'The Wire' }
const wirePart = (season: number, episode: number): Item => ({
  ...{ type: 'episode', ids: {}, show_ids: { tmdb: '1438' }, series_title: 'The Wire', season, episode },
})
const watched = (item: Item, at = AT): Item => ({ ...item, watched: true, watched_at: at })

async function open() {
  const floppy = await startFloppy()
  const [ann, bob] = floppy.owners as readonly [Owner, Owner]
  const capabilities = { accounts: createTestAccounts() }
  const host = await createTestHost({ plugin, manifest, capabilities, clock: createTestClock() })
  const provider = host.capability<Provider>(providerCapability('FLOPPY'))
  const wire = floppy.show('1438', { title: 'The Wire' })
  return {
    ...{ floppy, ann, bob, host, provider, wire },
    matrix: floppy.movie('603', { title: 'The Matrix' }),
    part: (season: number, episode: number) => floppy.episode(wire, season, episode),
    save(payload: object = {}) {
      const whole = { server: floppy.url, api_token: TOKEN, ...payload }
      return host.inject({ method: 'POST', url: '/api/floppy/save', payload: whole })
    },
    smallPages: () => host.changeConfig({ page_size: 10 }),
    sent: () => floppy.requests.filter(({ method }) => method !== 'GET').map(({ method, path }) => `${method} ${path}`),
    read: (feature: ReadRequest['feature'], more: Partial<ReadRequest> = {}) =>
      collectRead(provider.read('default', { feature, ...more })),
    async write(
      feature: WriteRequest['feature'],
      op: WriteRequest['op'],
      items: Item[],
      current?: Item,
    ): Promise<readonly string[]> {
      const rows = items.map((item, index) => ({
        ...{ key: String(index), item },
        ...(current === undefined ? {} : { current }),
      }))
      const { outcomes } = await provider.write('default', { feature, op, items: rows })
      return outcomes.map(({ outcome, reason }) => (reason === undefined ? outcome : `${outcome}: ${reason}`))
    },
    async [Symbol.asyncDispose]() {
      await host.close()
      await floppy.close()
    },
  }
}

async function signedIn() {
  const bench = await open()
  const answer = await bench.save()
  if (answer.statusCode !== 200) throw new Error(answer.body)
  return bench
}

t.test('the token goes to Floppy alone, and is kept once it is accepted', async (t) => {
  await using bench = await open()
  const { floppy, save } = bench
  t.match(await save({ server: '' }), { statusCode: 400, body: /missing_server/ })
  t.match(await save({ server: 'http://' }), { statusCode: 400, body: /invalid_server/ })
  t.match(await save({ api_token: '' }), { statusCode: 400, body: /token_required/ })
  t.match(await save({ api_token: 'flp_wrong' }), { statusCode: 401, body: /invalid_token/ })
  floppy.isOld = true
  t.match(await save(), { statusCode: 400, body: /version_too_old/ })
  floppy.isOld = false
  for (const reply of [
    { status: 404 },
    { json: { version: '0.25.0' } },
    { headers: { 'content-type': 'text/html' }, body: '<!doctype html>' },
  ]) {
    await using other = await startServer(() => reply)
    t.match(await save({ server: other.url }), { statusCode: 400, body: /wrong_product/ })
    t.ok(other.requests.every(({ headers }) => headers['x-api-key'] === undefined))
  }
  t.match(await bench.provider.profiles(), [{ configured: false }])
  t.match((await save({ server: `${floppy.url}/settings/integrations?tab=1` })).json(), {
    ok: true,
    server: floppy.url,
  })
  t.match(await bench.provider.probe('default'), { status: 'ok' })
  t.notMatch(JSON.stringify(bench.host.logs), /flp_/)
})

t.test('a token that may not write reads, and says what it lacks', async (t) => {
  await using bench = await signedIn()
  const { floppy, ann, matrix } = bench
  floppy.readOnly.add(TOKEN)
  floppy.enter(ann, matrix, { status: 0 })
  t.match(await bench.read('watchlist'), { rows: [MATRIX], end: { complete: true } })
  t.match(await bench.write('watchlist', 'add', [WIRE]), [/forbidden|permission/])
  t.match(await bench.provider.probe('default'), { status: 'ok' })
  t.equal(ann.entries.length, 1)
  floppy.withoutPositions.add(TOKEN)
  t.match(await bench.save(), { statusCode: 403, body: /missing_permission/ })
})

t.test('a token that ends in the middle, and that of another user, write nothing', async (t) => {
  await using bench = await signedIn()
  const { floppy, ann, bob, matrix } = bench
  for (let id = 1; id < 30; id += 1) floppy.enter(ann, floppy.movie(String(id)), { status: 0 })
  await bench.smallPages()
  const endsAfter = (pages: number) => {
    floppy.faults.clear()
    let left = pages
    floppy.faults.add({ kind: 'status', status: 403, match: ({ path }) => path.includes('media/movie') && --left < 0 })
  }
  endsAfter(2)
  await t.rejects(bench.read('watchlist'), like({ code: 'PLH_AUTH_FAILED' }))
  endsAfter(1)
  t.match(await bench.write('watchlist', 'remove', [{ ...MATRIX, ids: { tmdb: '1' } }]), [/^failed/])
  floppy.faults.clear()
  const { account } = await bench.provider.probe('default')
  floppy.enter(bob, matrix, { status: 0 })
  ann.tokens.clear()
  t.match(await bench.provider.probe('default'), { status: 'auth_failed' })
  t.match(await bench.write('history', 'add', [watched(MATRIX)]), [/^failed/])
  t.match(await bench.write('progress', 'add', [{ ...MATRIX, progress_ms: 60_000 }]), [/^failed/])
  t.same(bench.sent(), [])
  t.equal((await bench.save({ api_token: [...bob.tokens][0] })).statusCode, 200)
  const other = await bench.provider.probe('default')
  t.match(other, { status: 'ok', account: /^127\.0\.0\.1:\d+\/.{22}$/ })
  t.not(other.account, account, 'lists of Ann are not compared with those of Bob')
  t.match((await bench.read('watchlist')).rows, [MATRIX])
})

t.test('a row means what Floppy means by it', async (t) => {
  await using bench = await signedIn()
  const { floppy, ann, bob, matrix } = bench
  const enter = (id: string, more: object) => floppy.enter(ann, floppy.movie(id), more)
  floppy.enter(ann, matrix, { status: 3, end_date: '2025-03-30T02:30:00+02:00' })
  floppy.enter(bob, matrix, { status: 3, end_date: LATER })
  enter('10', { status: 3, start_date: AT })
  enter('11', { status: 1, end_date: AT })
  enter('12', { status: 4, end_date: AT })
  enter('13', { status: 0, end_date: AT, created_at: '2025-01-01T12:00:00+02:00' })
  enter('14', { status: 1 })
  floppy.enter(ann, floppy.movie('1', { source: 'manual', title: 'Home video' }), { status: 3, end_date: AT, score: 7 })
  floppy.enter(ann, bench.part(0, 3), { status: 3, end_date: AT })
  floppy.enter(ann, floppy.episode(floppy.show('79126', { source: 'tvdb' }), 9, 1), { status: 3, end_date: AT })
  const { rows, end } = await bench.read('history')
  t.same(
    rows
      .map(({ ids, show_ids: show, season, episode, watched_at: at }) =>
        [ids.tmdb ?? JSON.stringify(show), season, episode, at].join(' '),
      )
      .toSorted(),
    [
      '10   ',
      '11   2025-01-06T01:00:00Z',
      '603   2025-03-30T00:30:00Z',
      '{"tmdb":"1438"} 0 3 2025-01-06T01:00:00Z',
      '{"tvdb":"79126"} 9 1 2025-01-06T01:00:00Z',
    ],
    'no time is invented, and what was dropped or is planned was not watched',
  )
  t.match(end, { complete: true, unreadable: [{ reason: 'missing_ids', title: 'Home video' }] })
  t.match((await bench.read('watchlist')).rows, [{ ids: { tmdb: '13' }, added_at: '2025-01-01T10:00:00Z' }])
  t.match(await bench.read('ratings'), { rows: { length: 0 }, end: { unreadable: [{ title: 'Home video' }] } })
})

t.test('titles of one name are two, and several plays of one are its latest', async (t) => {
  await using bench = await signedIn()
  const { floppy, ann } = bench
  floppy.enter(ann, floppy.movie('1', { title: 'Crash' }), { status: 0 })
  floppy.enter(ann, floppy.movie('2', { title: 'Crash' }), { status: 0 })
  t.equal((await bench.read('watchlist')).rows.length, 2)
  t.same(await bench.write('watchlist', 'remove', [{ type: 'movie', ids: { tmdb: '2' }, title: 'Crash' }]), ['applied'])
  t.match((await bench.read('watchlist')).rows, [{ ids: { tmdb: '1' } }])

  // A Floppy that has a row for each play.
  const item = { source: 'tmdb', media_id: '1438', title: 'The Target', season_number: 1, episode_number: 1 }
  const ends = ['2025-01-01T10:00:00Z', '2025-05-01T10:00:00.5Z', '2025-05-01T10:00:00Z', null]
  const results = ends.map((end, at) => ({
    ...{ id: 7, consumption_id: at, item, tracked: true, status: 3, score: null, end_date: end },
  }))
  await using odd = await startOdd((type) => (type === 'episode' ? { total: 4, results } : { total: 0, results: [] }))
  t.equal((await bench.save({ server: odd.url })).statusCode, 200)
  t.match((await bench.read('history')).rows, [{ season: 1, episode: 1, watched_at: '2025-05-01T10:00:00.500Z' }])
})

/** A server that answers the lists in its own way. */
function startOdd(
  listOf: (type: string, offset: number) => { total: number; results: readonly object[]; offset?: number },
) {
  return startServer(({ path, query }) => {
    if (path.endsWith('/info/')) return { json: { version: 'v26.11', track_time: true, timezone: 'UTC' } }
    const offset = Number(query.get('offset') ?? 0)
    if (query.get('limit') === '1') return { json: { pagination: { total: 0, offset }, results: [] } }
    const { results, ...more } = listOf(path.split('/').at(-2)!, offset)
    return { json: { pagination: { offset, next: 'http://203.0.113.1/', ...more }, results } }
  })
}

t.test('pages that repeat, end early, or are of another place are not a whole list', async (t) => {
  await using bench = await signedIn()
  const { floppy, ann } = bench
  for (let id = 1; id <= 25; id += 1) floppy.enter(ann, floppy.movie(String(id)), { status: 0 })
  await bench.smallPages()
  t.match(await bench.read('watchlist'), { rows: { length: 25 }, end: { complete: true } })
  const rowsAt = (first: number, count: number) =>
    Array.from({ length: count }, (_, at) => ({
      ...{ id: first + at, consumption_id: first + at, tracked: true, status: 0, score: null },
      item: { source: 'tmdb', media_id: String(first + at + 1), title: `Movie ${first + at}` },
    }))
  for (const [name, total, page, reason] of [
    ['drops the query', 25, () => rowsAt(0, 10), 'changed_while_reading'],
    ['repeats its last row', 25, (at: number) => rowsAt(Math.min(at, 9), at < 9 ? 10 : 1), 'repeated_page'],
    ['ends early', 25, (at: number) => (at === 0 ? rowsAt(0, 10) : []), 'changed_while_reading'],
    ['counts what it does not give', 1e15, (at: number) => (at === 0 ? rowsAt(0, 10) : []), 'changed_while_reading'],
    [
      ...['has a row on two pages', 12],
      (at: number) => (at === 0 ? rowsAt(0, 10) : [...rowsAt(9, 1), ...rowsAt(2, 2)]),
      'changed_while_reading',
    ],
    ['counts too few', 3, () => rowsAt(0, 10), 'total_mismatch'],
  ] as const) {
    await using odd = await startOdd((type, at) =>
      type === 'movie' ? { total, results: page(at) } : { total: 0, results: [] },
    )
    t.equal((await bench.save({ server: odd.url })).statusCode, 200)
    t.match((await bench.read('watchlist')).end, { complete: false, reason }, name)
    t.match(await bench.write('watchlist', 'remove', [MATRIX]), [/^failed/], name)
    t.ok(odd.requests.every(({ method }) => method === 'GET'))
  }
  await using elsewhere = await startOdd(() => ({ total: 25, offset: 5, results: rowsAt(0, 10) }))
  t.equal((await bench.save({ server: elsewhere.url })).statusCode, 200)
  await t.rejects(bench.read('watchlist'), like({ code: 'PLH_UPSTREAM_INVALID' }))
  floppy.faults.add({ kind: 'html', status: 200 })
  await bench.save({ server: floppy.url })
  await t.rejects(bench.read('watchlist'), 'a page of a proxy is no list')
})

t.test('a list that changes while it is read is not whole', async (t) => {
  await using bench = await signedIn()
  const { floppy, ann } = bench
  for (let id = 1; id <= 25; id += 1) floppy.enter(ann, floppy.movie(String(id)), { status: 0 })
  await bench.smallPages()
  for (const change of [
    () => ann.entries.shift(),
    () => floppy.enter(ann, floppy.movie('99'), { status: 0 }),
    () => {
      ann.entries.shift()
      floppy.enter(ann, floppy.movie('98'), { status: 0 })
    },
  ]) {
    let pages = 0
    floppy.faults.add({
      kind: 'status',
      status: 500,
      match({ path }) {
        if (path.includes('media/movie') && ++pages === 2) change()
        return false
      },
    })
    t.match((await bench.read('watchlist')).end, { complete: false, reason: 'changed_while_reading' })
    floppy.faults.clear()
  }
})

t.test('a movie is watched once, also if the answer is lost', async (t) => {
  await using bench = await signedIn()
  const { floppy, ann, matrix } = bench
  floppy.faults.add({ kind: 'reset', match: ({ method }) => method === 'POST', times: 1 })
  t.same(await bench.write('history', 'add', [watched(MATRIX), watched(MATRIX)]), ['applied', 'already'])
  t.match(ann.entries, [{ status: 3, end_date: AT, plays: [{ end_date: AT }] }])
  t.same(await bench.write('history', 'add', [watched(MATRIX, LATER)]), ['already'], 'one time for each title')
  t.equal(ann.entries[0]!.plays.length, 1)
  t.same(
    await bench.write('history', 'add', [
      MATRIX,
      watched(MATRIX, '2999-01-01T00:00:00Z'),
      watched({ ...MATRIX, ids: { imdb: 'tt0133093' } }),
      watched({ ...MATRIX, ids: { tmdb: '99999' } }),
    ]),
    ['rejected: missing_watched_at', 'rejected: watched_in_future', 'unsupported: missing_ids', 'not_found: not_found'],
  )
  t.equal(ann.entries.length, 1, 'a play without a time would be of now')

  // A movie that was dropped, with a score and notes.
  ann.entries.length = 0
  const entry = floppy.enter(ann, matrix, { status: 4, score: 7.5, notes: 'With Bob' })
  t.same(await bench.write('history', 'add', [watched(MATRIX, '2025-01-06T03:00:00+02:00')]), ['applied'])
  t.match(entry, { status: 3, score: 7.5, notes: 'With Bob', end_date: AT })
})

t.test('a day is a play at noon, and the read shows no other', async (t) => {
  await using bench = await signedIn()
  t.same(await bench.write('history', 'add', [watched(MATRIX, '2025-01-06')]), ['applied'])
  t.match((await bench.read('history')).rows, [{ watched_at: /^2025-01-06T12:00:00/ }])
})

t.test('an episode whose answer is lost is not sent again', async (t) => {
  await using bench = await signedIn()
  const { floppy, ann } = bench
  bench.part(1, 1)
  floppy.faults.add({ kind: 'reset', match: ({ method }) => method === 'POST', times: 1 })
  const both = [watched(wirePart(1, 1)), watched(wirePart(1, 1), LATER)]
  t.match(await bench.write('history', 'add', both), [/^unknown/, /^unknown/])
  const plays = () => ann.entries.filter(({ title }) => title.media_type === 'episode')
  t.match(plays(), [{ end_date: AT }])
  t.same(await bench.write('history', 'add', both), ['already', 'already'])
  t.equal(plays().length, 1)
})

t.test('an episode that Floppy does not know deletes no plays', async (t) => {
  await using bench = await signedIn()
  const { floppy, ann } = bench
  bench.part(1, 1)
  const { season_number: _one, ...rest } = floppy.titles.at(-1)!
  // Floppy's service renumbered the season: the person's plays have a number that it does not list.
  const former = { ...rest, season_number: 1, episode_number: 9 }
  floppy.enter(ann, former, { status: 3, end_date: null })
  t.same(await bench.write('history', 'add', [watched(wirePart(1, 2)), watched(wirePart(1, 9))]), [
    'not_found: episode_missing',
    'already',
  ])
  t.match(await bench.write('history', 'add', [watched(wirePart(7, 1))]), [/^(?:failed|not_found)/])
  t.same([ann.entries.length, bench.sent()], [1, []])
})

t.test('a show is written where its entry is', async (t) => {
  await using bench = await signedIn()
  const { floppy, ann } = bench
  const show = floppy.show('79126', { source: 'tvdb', title: 'The Wire' })
  floppy.episode(show, 1, 1)
  floppy.enter(ann, show, { status: 1 })
  const item = { ...wirePart(1, 1), show_ids: { tmdb: '1438', tvdb: '79126' } }
  t.same(await bench.write('history', 'add', [watched(item)]), ['applied'])
  t.match(bench.sent(), [/tv\/tvdb\/79126\/1\/episodes\/1\/watch/])
  t.same(await bench.write('history', 'add', [watched(item, LATER)]), ['already'])

  const anime = floppy.show('30984', { isAnime: true })
  const entry = floppy.enter(ann, anime, { status: 0 })
  const part: Item = { type: 'episode', ids: {}, show_ids: { tmdb: '30984' }, season: 1, episode: 1 }
  const whole: Item = { type: 'show', ids: { tmdb: '30984' } }
  t.same(await bench.write('history', 'add', [watched(part)]), ['rejected: anime_library'])
  t.same(await bench.write('watchlist', 'add', [whole]), ['rejected: anime_library'])
  t.same(await bench.write('watchlist', 'remove', [whole]), ['rejected: anime_library'])
  t.same(await bench.write('ratings', 'add', [{ ...whole, rating: 8 }]), ['rejected: anime_library'])
  t.match(entry, { status: 0, score: null })
})

t.test('only a title that is planned and has nothing else is taken off', async (t) => {
  await using bench = await signedIn()
  const { floppy, ann, matrix, wire } = bench
  t.same(await bench.write('watchlist', 'add', [MATRIX, WIRE, MATRIX, { ...MATRIX, ids: { tmdb: '99999' } }]), [
    'applied',
    'applied',
    'rejected: duplicate_target',
    'not_found: not_found',
  ])
  t.same(await bench.write('watchlist', 'add', [MATRIX]), ['already'])
  const { rows } = await bench.read('watchlist')
  t.same(rows.map(({ type }) => type).toSorted(), ['movie', 'show'])
  const [film, series] = ['movie', 'show'].map((type) => rows.find((row) => row.type === type)!) as [Item, Item]
  const own = ann.entries.find(({ title }) => title === matrix)!
  for (const more of [{ score: 0 }, { score: 7 }, { notes: 'With Bob' }, { start_date: AT }, { end_date: AT }]) {
    Object.assign(own, more)
    t.same(await bench.write('watchlist', 'remove', [film]), ['rejected: entry_in_use'])
    Object.assign(own, { score: null, notes: '', start_date: null, end_date: null })
  }
  own.status = 1
  t.same(await bench.write('watchlist', 'remove', [film]), ['already'])
  t.same(await bench.write('watchlist', 'add', [film]), ['rejected: already_on_list'])
  own.status = 0
  t.same(await bench.write('watchlist', 'remove', [{ ...film, native: { item_id: '1' } }]), [
    'failed: changed_since_read',
  ])
  const season = floppy.enter(ann, { ...wire, id: 1, media_type: 'season', season_number: 1 }, { status: 3, score: 9 })
  t.same(await bench.write('watchlist', 'remove', [film, series]), ['applied', 'rejected: entry_in_use'])
  ann.entries = ann.entries.filter((one) => one !== season)
  t.same(await bench.write('watchlist', 'remove', [film, series]), ['already', 'applied'])
  t.equal(ann.entries.length, 0)
})

t.test('an entry without a status, which the lists leave out, stays the only one', async (t) => {
  await using bench = await signedIn()
  const { floppy, ann, matrix } = bench
  const own = floppy.enter(ann, matrix, { status: null, score: 7 })
  t.same(await bench.write('watchlist', 'add', [MATRIX]), ['rejected: already_on_list'])
  t.same(await bench.write('ratings', 'add', [{ ...MATRIX, rating: 8 }]), ['rejected: not_on_list'])
  t.same(await bench.write('history', 'add', [watched(MATRIX)]), ['applied'])
  t.match(ann.entries, { length: 1 })
  t.match(own, { status: 3, score: 7, end_date: AT })
})

t.test('a play that has the number of an entry is not taken for it', async (t) => {
  await using bench = await signedIn()
  const { floppy, ann, matrix } = bench
  const own = floppy.enter(ann, matrix, { status: 0 })
  own.plays.push({ id: own.id, end_date: AT, external_id: null })
  t.match(await bench.write('watchlist', 'remove', [MATRIX]), [/^unknown/])
  t.same([ann.entries[0]?.plays.length, bench.sent()], [1, []])
})

t.test('a rating changes the score of an entry, and nothing else of it', async (t) => {
  await using bench = await signedIn()
  const { floppy, ann, matrix, wire } = bench
  const own = floppy.enter(ann, matrix, { status: 3, score: 7.5, end_date: AT, notes: 'Better the second time' })
  const zero = floppy.enter(ann, wire, { status: 1, score: 0 })
  const rated = (rating: number, item = MATRIX): Item => ({ ...item, rating })
  t.match((await bench.read('ratings')).rows, [{ ...rated(8), rated_at: undefined }])
  t.equal((await bench.read('ratings')).rows.length, 1, 'a score of 0 is none')
  t.same(await bench.write('ratings', 'add', [rated(8)]), ['already'])
  t.equal(own.score, 7.5)
  t.same(await bench.write('ratings', 'add', [rated(3)]), ['failed: changed_since_read'])
  t.same(await bench.write('ratings', 'update', [rated(3)], rated(6)), ['failed: changed_since_read'])
  t.same(await bench.write('ratings', 'update', [rated(3)], rated(8)), ['applied'])
  t.match(own, { score: 3, status: 3, end_date: AT, notes: 'Better the second time' })
  t.same(await bench.write('ratings', 'add', [rated(9, WIRE)]), ['rejected: rated_zero'])
  t.equal(zero.score, 0)
  t.same(await bench.write('ratings', 'add', [rated(9, { ...MATRIX, ids: { tmdb: '604' } })]), [
    'rejected: not_on_list',
  ])
  t.same(await bench.write('ratings', 'remove', [rated(9)]), ['failed: changed_since_read'])
  t.same(await bench.write('ratings', 'remove', [rated(3)]), ['applied'])
  t.same(await bench.write('ratings', 'remove', [rated(3)]), ['already'])
  t.match(own, { score: null, status: 3, end_date: AT })
  t.equal(ann.entries.length, 2)
})

t.test('of several entries of a movie none is rated or taken off', async (t) => {
  await using bench = await signedIn()
  // The list shows the last one, and a score goes to the first.
  const entries = [7, null].map((score) => bench.floppy.enter(bench.ann, bench.matrix, { status: 2, score }))
  t.same(await bench.write('ratings', 'add', [{ ...MATRIX, rating: 8 }]), ['rejected: several_entries'])
  t.same(
    entries.map(({ score }) => score),
    [7, null],
  )
  // As rows of their own.
  const item = { source: 'tmdb', media_id: '603', title: 'The Matrix' }
  const results = [0, 1].map((at) => ({ id: 7, consumption_id: at, item, tracked: true, status: 0, score: null }))
  await using odd = await startOdd((type) => (type === 'movie' ? { total: 2, results } : { total: 0, results: [] }))
  t.equal((await bench.save({ server: odd.url })).statusCode, 200)
  t.equal((await bench.read('watchlist')).rows.length, 1)
  t.same(await bench.write('ratings', 'add', [{ ...MATRIX, rating: 8 }]), ['rejected: several_entries'])
  t.same(await bench.write('watchlist', 'remove', [MATRIX]), ['rejected: several_entries'])
  t.ok(odd.requests.every(({ method }) => method === 'GET'))
})

t.test('a position is compared with that of the read, and keeps its duration', async (t) => {
  await using bench = await signedIn()
  const { floppy, ann, bob, matrix } = bench
  floppy.stop(ann, matrix, 600)
  floppy.stop(bob, matrix, 900)
  floppy.stop(ann, bench.part(1, 1), 0)
  floppy.stop(ann, bench.part(1, 2), 60, { completed: true })
  floppy.stop(ann, bench.part(1, 3), 9_000, { duration_seconds: 3_600, updated_at: '2025-02-03T06:05:06+02:00' })
  floppy.stop(ann, bench.part(1, 4), 60, { duration_seconds: 0 })
  const { rows, end } = await bench.read('progress')
  t.same(
    rows
      .map(({ episode, progress_ms: at, duration_ms: length, progress_at: time }) => [
        ...[episode, at, length, time?.slice(0, 16)],
      ])
      .toSorted(),
    [
      [undefined, 600_000, 7_200_000, '2025-02-03T04:05'],
      [3, 3_600_000, 3_600_000, '2025-02-03T04:05'],
      [4, 60_000, undefined, '2025-02-03T04:05'],
    ],
  )
  t.match(end, { complete: true })
  const at = (seconds: number, item = MATRIX): Item => ({ ...item, progress_ms: seconds * 1_000 })
  t.same(await bench.write('progress', 'add', [at(600)]), ['already'])
  t.same(await bench.write('progress', 'add', [at(700)]), ['failed: changed_since_read'])
  t.same(await bench.write('progress', 'update', [at(700)], at(500)), ['failed: changed_since_read'])
  t.same(await bench.write('progress', 'update', [at(700)], at(600)), ['applied'])
  const mine = () => ann.positions.find(({ title }) => title === matrix)
  t.match(mine(), { position_seconds: 700, duration_seconds: 7_200 })
  t.same(await bench.write('progress', 'add', [{ ...MATRIX, progress_percent: 50 }]), ['rejected: missing_position'])
  t.same(await bench.write('progress', 'add', [at(60, { ...MATRIX, ids: { tmdb: '99999' } })]), [
    'not_found: not_found',
  ])
  t.same(await bench.write('progress', 'add', [at(60, wirePart(2, 1))]), ['not_found: not_found'])
  t.same(await bench.write('progress', 'remove', [at(600)]), ['failed: changed_since_read'])
  t.same(await bench.write('progress', 'remove', [at(700)]), ['applied'])
  t.same(await bench.write('progress', 'remove', [at(700)]), ['already'])
  t.same([mine(), bob.positions.length], [undefined, 1])
})
