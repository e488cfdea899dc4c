// Ryot against its stand-in: sign-in, whose data are read, and what a write leaves alone.
import t from 'tap'
import { type Item, type PlayheadError, providerCapability, type ReadRequest, type WriteRequest } from '@playhead/sdk'
import { collectRead, type Provider } from '@playhead/sdk/provider'
import { createTestAccounts, createTestClock, createTestHost, startServer } from '@playhead/sdk/testing'
import plugin from './index.ts'
import { type Owner, startRyot } from './stand-in.ts'

const manifest = new URL('./plugin.json', import.meta.url)
const AT = '2025-01-06T01:00:00Z'
const like = (expected: object) => expected as PlayheadError

async function open() {
  const ryot = await startRyot()
  const [ann, bob] = ryot.owners as readonly [Owner, Owner]
  const matrix = ryot.addTitle('MOVIE', '603', { title: 'The Matrix' })
  const wire = ryot.addTitle('SHOW', '1438', { title: 'The Wire' })
  const capabilities = { accounts: createTestAccounts() }
  const host = await createTestHost({ plugin, manifest, capabilities, clock: createTestClock() })
  const provider = host.capability<Provider>(providerCapability('RYOT'))
  return {
    ryot,
    ann,
    bob,
    matrix,
    wire,
    host,
    provider,
    login: (payload: object = {}) =>
      host.inject({
        method: 'POST',
        url: '/api/ryot/login',
        payload: { server: ryot.url, username: 'ann', password: ann.password, ...payload },
      }),
    read: (feature: ReadRequest['feature'], more: Partial<ReadRequest> = {}) =>
      collectRead(provider.read('default', { feature, ...more })),
    async write(feature: WriteRequest['feature'], op: WriteRequest['op'], items: Item[], plays = false) {
      const rows = items.map((item, index) => ({ key: String(index), item }))
      const { outcomes } = await provider.write('default', { feature, op, items: rows, ...(plays ? { plays } : {}) })
      return outcomes.map(({ outcome, reason }) => (reason === undefined ? outcome : `${outcome}: ${reason}`))
    },
    async [Symbol.asyncDispose]() {
      await host.close()
      await ryot.close()
    },
  }
}

async function signedIn() {
  const bench = await open()
  const answer = await bench.login()
  if (answer.statusCode !== 200) throw new Error(answer.body)
  return bench
}

const MATRIX: Item = { type: 'movie', ids: { tmdb: '603' }, title: 'The Matrix' }
const wirePart = (season: number, episode: number): Item => ({
  ...{ type: 'episode', ids: {}, show_ids: { tmdb: '1438' }, series_title: 'The Wire', season, episode },
})

t.test('name and password become a token, or a token is entered; nothing else is stored', async (t) => {
  await using bench = await open()
  const { ann, ryot, host } = bench
  t.match(await bench.login({ password: 'wrong-words' }), { statusCode: 401, body: /invalid_credentials/ })
  t.match(await bench.login({ username: 'eve' }), { statusCode: 401, body: /invalid_credentials/ })
  t.match(await bench.login({ password: '' }), { statusCode: 400, body: /missing_credentials/ })
  t.match(await bench.login({ server: '' }), { statusCode: 400, body: /missing_server/ })
  await using other = await startServer(() => ({ status: 404 }))
  t.match(await bench.login({ server: other.url }), { statusCode: 502, body: /not_ryot/ })
  t.ok(
    other.requests.every(({ body, headers }) => !body.includes('password') && headers.authorization === undefined),
    'no secret is sent before Ryot answered',
  )
  ryot.version = 'v9.2.2'
  t.match(await bench.login(), { statusCode: 400, body: /version_too_old/ })
  ryot.version = 'v9.6.2'
  t.match(await bench.provider.profiles(), [{ configured: false }])
  ann.hasSecondFactor = true
  t.match(await bench.login(), { statusCode: 400, body: /two_factor/ })
  ann.tokens.add('the-token-of-ann')
  t.match(await bench.login({ api_token: 'another' }), { statusCode: 401, body: /invalid_credentials/ })
  const answer = await bench.login({
    server: `${ryot.url}/media/1?tab=history`,
    api_token: 'the-token-of-ann',
    password: '',
  })
  t.match(answer.json(), { ok: true, name: 'ann', server: ryot.url })
  t.match(await bench.provider.probe('default'), { status: 'ok', user: { name: 'ann' }, extras: { version: 'v9.6.2' } })
  t.notMatch(JSON.stringify([host.ctx.config, host.logs]), /the-password-of|wrong-words/)
})

t.test('reviews of others are not the ratings of the user, and the newest with a rating counts', async (t) => {
  await using bench = await signedIn()
  const { ryot, ann, bob, matrix, wire } = bench
  ryot.rate(bob, matrix.id, 20, '2025-09-01T00:00:00Z')
  ryot.rate(ann, matrix.id, 85, '2025-01-01T00:00:00Z')
  ryot.rate(ann, matrix.id, 95, '2025-02-01T00:00:00Z', { textOriginal: 'Better' })
  ryot.rate(ann, wire.id, 60, '2025-02-01T00:00:00Z', { showExtraInformation: { season: 1, episode: 2 } })
  ryot.rate(ann, wire.id, 70, '2025-02-01T00:00:00Z', { showExtraInformation: { season: 2, episode: null } })
  t.same(
    (await bench.read('ratings')).rows.map(({ type, season, episode, rating }) => [type, season, episode, rating]),
    [
      ['movie', undefined, undefined, 10],
      ['episode', 1, 2, 6],
      ['season', 2, undefined, 7],
    ],
  )
})

t.test('a rating is sent in the scale of the user, and keeps the text and the comments of a review', async (t) => {
  await using bench = await signedIn()
  const { ryot, ann, matrix, wire, provider } = bench
  for (const [scale, sent] of [
    ['OUT_OF_TEN', '8'],
    ['OUT_OF_FIVE', '4'],
    ['OUT_OF_HUNDRED', '80'],
  ] as const) {
    ann.reviewScale = scale
    ann.reviews.length = 0
    await provider.probe('default')
    t.same(await bench.write('ratings', 'add', [{ ...MATRIX, rating: 8 }]), ['applied'])
    t.match([ryot.requests.at(-1)?.body, ann.reviews], [new RegExp(`"rating":"${sent}"`), [{ rating: '80' }]], scale)
  }
  t.same(await bench.write('ratings', 'update', [{ ...MATRIX, rating: 8 }]), ['already'])
  t.same(await bench.write('ratings', 'update', [{ ...MATRIX, rating: 9 }]), ['applied'])
  t.equal(ann.reviews.length, 1)
  const text = ryot.rate(ann, wire.id, 70, AT, { textOriginal: 'Slow at first', comments: [{ id: 'c1' }] })
  const show: Item = { type: 'show', ids: { tmdb: '1438' }, title: 'The Wire' }
  t.same(await bench.write('ratings', 'add', [{ ...show, rating: 10, rated_at: '2024-01-01T00:00:00Z' }]), ['applied'])
  t.match([text.rating, text.textOriginal, text.comments.length], ['70', 'Slow at first', 1])
  t.equal((await bench.read('ratings')).rows.find(({ type }) => type === 'show')?.rating, 10)
  t.same(await bench.write('ratings', 'remove', [show]), ['rejected: has_comments'])
  text.comments.length = 0
  t.same(await bench.write('ratings', 'remove', [show]), ['applied'])
  t.same([text.rating, text.textOriginal], [null, 'Slow at first'])
  t.equal(matrix.identifier, '603')
})

t.test('a play is confirmed once the job of Ryot was done, and unknown if it was not', async (t) => {
  await using bench = await signedIn()
  const { ryot, ann, matrix } = bench
  t.same(
    await bench.write('history', 'add', [
      { ...MATRIX, watched_at: AT },
      { ...wirePart(0, 1), watched_at: AT },
    ]),
    ['applied', 'applied'],
  )
  t.match(ann.seen, [
    { metadataId: matrix.id, finishedOn: '2025-01-06T01:00:00.000Z' },
    { showExtraInformation: { season: 0, episode: 1 } },
  ])
  t.same(await bench.write('history', 'add', [{ ...MATRIX, watched_at: AT }]), ['already'])
  t.same(await bench.write('history', 'add', [MATRIX]), ['already'])
  t.same(await bench.write('history', 'add', [{ ...MATRIX, watched_at: '2024-01-06T01:00:00Z' }]), ['already'])
  t.same(await bench.write('history', 'add', [{ ...MATRIX, watched_at: '2024-01-06T01:00:00Z' }], true), ['applied'])
  t.equal((await bench.read('history')).rows.length, 2)
  const plays = (await bench.read('history', { plays: true })).rows
  t.equal(plays.length, 3)
  t.same(await bench.write('history', 'remove', [plays.find(({ watched_at: at }) => at?.startsWith('2024'))!], true), [
    'applied',
  ])
  t.equal(ann.seen.length, 2)
  t.same(await bench.write('history', 'add', [wirePart(1, 7)]), ['applied'])
  t.match(ann.seen.at(-1), { finishedOn: null, showExtraInformation: { season: 1, episode: 7 } }, 'no time is invented')
  t.same(await bench.write('history', 'remove', [wirePart(1, 7), wirePart(1, 8)]), ['applied', 'already'])
  ryot.jobMs = 60_000
  t.same(await bench.write('watchlist', 'add', [MATRIX]), ['unknown: not_confirmed'])
})

t.test('a job that Ryot has not done yet is not sent again', async (t) => {
  await using bench = await signedIn()
  const { ryot, ann } = bench
  const play = { ...MATRIX, watched_at: AT }
  const other = { ...MATRIX, watched_at: '2025-02-06T01:00:00Z' }
  const sent = () => ryot.requests.filter(({ body }) => body.includes('deployBulkMetadataProgressUpdate')).length
  const open = 'unknown: not_confirmed'
  ryot.jobMs = 60_000
  t.same(await bench.write('history', 'add', [play, other], true), [open, open])
  t.same(await bench.write('history', 'add', [play, other], true), [open, open])
  await bench.host.reload()
  t.same(await bench.write('history', 'add', [play], true), [open])
  t.equal(sent(), 1, 'neither after a restart')
  ryot.see(ann, bench.matrix.id, AT)
  t.same(await bench.write('history', 'add', [play, other], true), ['already', open])
  ann.seen.length = 0
  ryot.jobMs = 0
  t.same(await bench.write('history', 'add', [play, other], true), ['applied', open], 'one that was seen is sent again')
})

t.test('a play that Ryot refused may be sent again', async (t) => {
  await using bench = await signedIn()
  const { ryot, ann } = bench
  const play = { ...MATRIX, watched_at: AT }
  for (const token of ann.tokens) ryot.readOnly.add(token)
  t.same(await bench.write('history', 'add', [play], true), ['rejected: read_only'])
  ryot.readOnly.clear()
  t.same(await bench.write('history', 'add', [play], true), ['applied'])
})

t.test('a scale that this plugin does not know gets no rating', async (t) => {
  await using bench = await signedIn()
  const { ann, provider } = bench
  ann.reviewScale = 'OUT_OF_FOUR'
  await provider.probe('default')
  t.same(await bench.write('ratings', 'add', [{ ...MATRIX, rating: 8 }]), ['rejected: unknown_scale'])
  t.equal(ann.reviews.length, 0)
})

t.test('a work is found by its name and taken by its id alone', async (t) => {
  await using bench = await signedIn()
  const { ryot, ann } = bench
  const remake = ryot.addTitle('MOVIE', '604', { title: 'The Matrix' })
  t.same(await bench.write('watchlist', 'add', [{ ...MATRIX, ids: { tmdb: '604' } }]), ['applied'])
  t.same([...ann.watchlist.keys()], [remake.id])
  t.same(await bench.write('watchlist', 'add', [{ ...MATRIX, ids: { tmdb: '605' } }]), ['not_found: not_found'])
  t.same(await bench.write('watchlist', 'add', [{ type: 'movie', ids: { tmdb: '607' } }]), ['not_found: not_found'])
  const row: Item = { ...MATRIX, ids: { tmdb: '604' }, native: { item_id: 'met_merged' } }
  await bench.host.reload()
  t.same(await bench.write('watchlist', 'remove', [row]), ['applied'], 'also if it has another id since')
  t.equal(ann.watchlist.size, 0)
})

t.test('positions, plays without an episode and titles without ids', async (t) => {
  await using bench = await signedIn()
  const { ryot, ann, matrix, wire } = bench
  ryot.stop(ann, matrix.id, 42.5, AT)
  ryot.stop(ann, wire.id, 100, AT, { season: 1, episode: 1 })
  ryot.see(ann, wire.id, AT)
  ryot.see(ann, ryot.addTitle('MOVIE', 'met_1', { source: 'CUSTOM', title: 'Home video' }).id, AT)
  ryot.see(ann, ryot.addTitle('BOOK', 'OL1M', { source: 'OPENLIBRARY' }).id, AT)
  t.same((await bench.read('progress')).rows, [
    {
      ...{ ...MATRIX, year: 1999, native: { item_id: matrix.id } },
      ...{ progress_percent: 42.5, progress_at: '2025-01-06T01:00:00Z' },
    },
  ])
  const { rows, end } = await bench.read('history')
  t.same(rows, [])
  t.same(end.unreadable, [
    { reason: 'missing_ids', title: 'Home video' },
    { reason: 'episode_missing', title: 'The Wire' },
  ])
})

t.test('a session that ended, and a token for reading', async (t) => {
  await using bench = await signedIn()
  const { ryot, ann } = bench
  for (const token of ann.tokens) ryot.readOnly.add(token)
  t.same(await bench.write('watchlist', 'add', [MATRIX]), ['rejected: read_only'])
  ann.tokens.clear()
  t.match(await bench.provider.probe('default'), { status: 'auth_failed' })
  await t.rejects(bench.read('history'), like({ code: 'PLH_AUTH_FAILED' }))
})
