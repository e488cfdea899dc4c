// Stremio against its stand-in: sign-in, the bits of watched episodes, reads and writes.
import { deflateSync } from 'node:zlib'
import t from 'tap'
import { type Item, type PlayheadError, providerCapability, type WriteRequest } from '@playhead/sdk'
import { collectRead, type Provider } from '@playhead/sdk/provider'
import { createTestAccounts, createTestClock, createTestHost } from '@playhead/sdk/testing'
import { bitsOf, decodeWatched, encodeWatched, hasAny } from './bitfield.ts'
import plugin from './index.ts'
import { type Account, startStremio } from './stand-in.ts'

const manifest = new URL('./plugin.json', import.meta.url)
const MATRIX = 'tt0133093'
const WIRE = 'tt0306414'
const AT = '2025-01-06T01:00:00Z'
const matrix: Item = { type: 'movie', ids: { imdb: MATRIX } }
const wire = (season: number, episode: number): Item => ({
  ...{ type: 'episode', ids: {}, show_ids: { imdb: WIRE }, season, episode },
})
const like = (expected: object) => expected as PlayheadError

async function open() {
  const stremio = await startStremio()
  stremio.addMovie(MATRIX, 'The Matrix')
  stremio.addSeries(WIRE, [2, 13, 12], 'The Wire')
  const [ann, bob] = stremio.accounts as readonly [Account, Account]
  const host = await createTestHost({
    plugin,
    manifest,
    config: { api_url: stremio.url, videos_url: stremio.url },
    capabilities: { accounts: createTestAccounts() },
    clock: createTestClock(),
  })
  const provider = host.capability<Provider>(providerCapability('STREMIO'))
  return {
    stremio,
    ann,
    bob,
    host,
    provider,
    login: (payload: object = { email: ann.email, password: ann.password }, instance = 'default') =>
      host.inject({ method: 'POST', url: `/api/stremio/login?instance=${instance}`, payload }),
    read: (feature: WriteRequest['feature'], instance = 'default') => collectRead(provider.read(instance, { feature })),
    async write(feature: WriteRequest['feature'], op: WriteRequest['op'], ...items: Item[]) {
      const rows = items.map((item, index) => ({ key: String(index), item }))
      const { outcomes } = await provider.write('default', { feature, op, items: rows })
      return outcomes.map(({ outcome, reason }) => (reason === undefined ? outcome : `${outcome}: ${reason}`))
    },
    async [Symbol.asyncDispose]() {
      await host.close()
      await stremio.close()
    },
  }
}

async function signedIn() {
  const bench = await open()
  const answer = await bench.login()
  if (answer.statusCode !== 200) throw new Error(answer.body)
  return bench
}

/** The watched episodes of a read, as `1x2`. */
const numbers = (rows: readonly Item[]) => rows.map(({ season, episode }) => `${season}x${episode}`).join(' ')

t.test('the bits of a field belong to the videos of a list', async (t) => {
  const list = (...ids: string[]) => ids.map((id) => ({ id: `tt2934286:${id}` }))
  const nine = list('1:1', '1:2', '1:3', '1:4', '1:5', '1:6', '1:7', '1:8', '1:9')
  const five = (await decodeWatched('tt2934286:1:5:5:eJyTZwAAAEAAIA=='))!
  t.same(bitsOf(five, nine), [true, true, true, true, true, false, false, false, false])
  t.same(bitsOf(five, [...list('0:1', '0:2'), ...nine])?.slice(0, 4), [false, false, true, true], 'specials came')
  t.same(bitsOf(five, nine.slice(2)), [true, true, true, false, false, false, false], 'the first ones left')
  t.equal(bitsOf(five, nine.slice(5)), undefined, 'without the anchor nothing is known')
  t.notOk(hasAny((await decodeWatched('undefined:1:eJwDAAAAAAE='))!))
  const bits = nine.map((_, index) => index === 1 || index === 7)
  const text = await encodeWatched(bits, nine)
  t.match(text, /^tt2934286:1:8:8:/)
  t.same(bitsOf((await decodeWatched(text))!, nine), bits)
  const huge = deflateSync(new Uint8Array(10_000_000)).toString('base64')
  for (const bad of ['', 'tt1:1:1', 'tt1:1:1:%%%', 'tt1:1:1:AAAA', 7, null, `tt1:1:1:${huge}`])
    t.equal(await decodeWatched(bad), undefined, String(bad).slice(0, 20))
})

t.test('the sign-in keeps the key of a session, and not the password', async (t) => {
  await using bench = await open()
  const { ann, host } = bench
  t.match(await bench.login({ email: ann.email, password: 'wrong-words' }), { statusCode: 401, body: /invalid_cred/ })
  t.match(await bench.login({ email: 'eve@example.org', password: 'x' }), { statusCode: 401, body: /invalid_cred/ })
  t.match(await bench.login({ email: ann.email }), { statusCode: 400, body: /missing_credentials/ })
  t.match(await bench.provider.profiles(), [{ configured: false }])
  t.match((await bench.login()).json(), { ok: true, email: ann.email })
  t.match(await bench.provider.probe('default'), { status: 'ok', account: ann.id, user: { name: ann.email } })
  t.notMatch(JSON.stringify([host.ctx.config, host.logs]), /the-password-of|wrong-words/)
  await host.inject({ method: 'POST', url: '/api/stremio/disconnect', payload: {} })
  t.equal(ann.keys.size, 0, 'the session is ended at Stremio')
})

t.test('a session that ended is a refused sign-in, never an empty library', async (t) => {
  await using bench = await signedIn()
  bench.stremio.addToLibrary(bench.ann, MATRIX)
  bench.ann.keys.clear()
  t.match(await bench.provider.probe('default'), { status: 'auth_failed' })
  await t.rejects(bench.read('watchlist'), like({ code: 'PLH_AUTH_FAILED' }))
})

t.test('plays and positions of a title do not depend on whether it is in the library', async (t) => {
  await using bench = await signedIn()
  const { stremio, ann } = bench
  stremio.addMovie('tt0078748', 'Alien')
  stremio.addToLibrary(ann, WIRE)
  stremio.watch(ann, MATRIX, AT)
  stremio.stopAt(ann, 'tt0078748', 'tt0078748', 600_000, AT)
  stremio.mark(ann, WIRE, 1, 2)
  stremio.mark(ann, WIRE, 0, 1)
  stremio.stopAt(ann, WIRE, `${WIRE}:1:5`, 1, AT)
  t.match((await bench.read('watchlist')).rows, [{ type: 'show', ids: { imdb: WIRE }, title: 'The Wire' }])
  t.equal((await bench.read('watchlist')).rows.length, 1)
  const history = await bench.read('history')
  t.match(
    history.rows.find(({ type }) => type === 'movie'),
    { ids: { imdb: MATRIX }, watched: true, watched_at: '2025-01-06T01:00:00Z' },
  )
  t.equal(numbers(history.rows.filter(({ type }) => type === 'episode')), '0x1 1x2')
  t.ok(
    history.rows.every(({ type, watched_at: at }) => type === 'movie' || at === undefined),
    'episodes have no time',
  )
  const progress = await bench.read('progress')
  t.match(progress.rows, [{ ids: { imdb: 'tt0078748' }, progress_ms: 600_000, duration_ms: 5_400_000 }])
  t.equal(progress.rows.length, 1, 'the next episode is not a position')
  stremio.removeFromLibrary(ann, WIRE)
  t.equal((await bench.read('watchlist')).rows.length, 0)
  t.equal((await bench.read('history')).rows.length, 3)
})

t.test('the last episode of a show has a time, and keeps it when others follow', async (t) => {
  await using bench = await signedIn()
  const { stremio, ann } = bench
  const times = async () =>
    (await bench.read('history')).rows
      .map(({ episode, watched_at: at }) => `${episode} ${at?.slice(8, 10) ?? '-'}`)
      .join()
  stremio.mark(ann, WIRE, 1, 1)
  stremio.play(ann, WIRE, 1, 2, '2025-03-02T20:00:00.123Z')
  t.equal(await times(), '1 -,2 02')
  stremio.play(ann, WIRE, 1, 3, '2025-03-03T20:00:00.123Z', `${WIRE}:1:4`)
  t.equal(await times(), '1 -,2 02,3 03')
  stremio.stopAt(ann, WIRE, `${WIRE}:1:4`, 600_000, '2025-03-04T20:00:00.123Z')
  stremio.mark(ann, WIRE, 1, 2, false)
  t.equal(await times(), '1 -,3 03', 'an episode that was stopped was not watched')
  stremio.mark(ann, WIRE, 1, 2)
  t.equal(await times(), '1 -,2 -,3 03', 'a mark that is set again has another time')
  const released = stremio.catalogue.get(WIRE)!.videos.find(({ id }) => id === `${WIRE}:1:5`)!.released!
  stremio.play(ann, WIRE, 1, 5, released)
  t.match(await times(), /5 -$/, 'the release of an episode is not the time of a play')
})

t.test('a movie that was watched and is being watched again has a time for neither', async (t) => {
  await using bench = await signedIn()
  bench.stremio.watch(bench.ann, MATRIX, AT)
  bench.stremio.stopAt(bench.ann, MATRIX, MATRIX, 600_000, '2025-02-01T10:00:00Z')
  t.equal((await bench.read('history')).rows[0]?.watched_at, undefined)
  t.equal((await bench.read('progress')).rows[0]?.progress_at, undefined)
  t.same(await bench.write('history', 'remove', matrix), ['applied'])
  t.equal((await bench.read('progress')).rows[0]?.progress_at, undefined, 'nor is that of the play left to it')
})

t.test('a write keeps every field that is not of its feature, also unknown ones', async (t) => {
  await using bench = await signedIn()
  const { stremio, ann } = bench
  const title = stremio.mark(ann, WIRE, 1, 1)
  Object.assign(title, { ofAnAddOn: { kept: true }, _mtime: '2099-01-01T00:00:00.000Z' })
  Object.assign(title.state, { ofTomorrow: 7, overallTimeWatched: 99, timesWatched: 3, noNotif: true })
  const before = structuredClone(title)
  t.same(await bench.write('history', 'add', wire(1, 3), wire(2, 1), wire(1, 1)), ['applied', 'applied', 'already'])
  const after = ann.titles.get(WIRE)!
  t.same(stremio.watchedVideos(after), [`${WIRE}:1:1`, `${WIRE}:1:3`, `${WIRE}:2:1`])
  t.ok(after._mtime > before._mtime, 'later than a device with a fast clock')
  t.same(
    { ...after, _mtime: '', state: { ...after.state, watched: '' } },
    { ...before, _mtime: '', state: { ...before.state, watched: '' } },
  )
  t.same(await bench.write('watchlist', 'add', { type: 'show', ids: { imdb: WIRE } }), ['applied'])
  t.same(await bench.write('watchlist', 'remove', { type: 'show', ids: { imdb: WIRE } }), ['applied'])
  t.match(ann.titles.get(WIRE), { removed: true, temp: false, ofAnAddOn: { kept: true }, state: { ofTomorrow: 7 } })
  t.same(stremio.watchedVideos(ann.titles.get(WIRE)!).length, 3)
})

t.test('a title that the account lacks is made as the apps make it, and one that Cinemeta lacks is not', async (t) => {
  await using bench = await signedIn()
  const { stremio, ann } = bench
  t.same(
    await bench.write('history', 'add', { ...matrix, watched_at: AT }, { ...wire(1, 5), watched_at: AT }, wire(9, 9)),
    ['applied', 'applied', 'not_found: episode_missing'],
  )
  t.match(ann.titles.get(MATRIX), {
    ...{ name: 'The Matrix', type: 'movie', removed: true, temp: true },
    state: { timesWatched: 1, lastWatched: '2025-01-06T01:00:00.000Z' },
  })
  t.same(stremio.watchedVideos(ann.titles.get(WIRE)!), [`${WIRE}:1:5`])
  for (const unknown of [{ status: 404, body: 'no' }, { json: {} }, { json: { meta: {} } }, { json: { meta: null } }]) {
    stremio.unknown = unknown
    t.same(await bench.write('watchlist', 'add', { type: 'movie', ids: { imdb: 'tt9999999' } }), [
      'not_found: not_found',
    ])
  }
  t.same(await bench.write('watchlist', 'add', { type: 'show', ids: { imdb: MATRIX } }), ['rejected: other_kind'])
  t.equal(ann.titles.size, 2)
})

t.test('a play without a time is not written to a movie, which would keep another time for it', async (t) => {
  await using bench = await signedIn()
  t.same(await bench.write('history', 'add', matrix), ['rejected: missing_watched_at'])
  t.same(await bench.write('history', 'add', wire(1, 1)), ['applied'])
})

t.test('a show has one position: the later one stays', async (t) => {
  await using bench = await signedIn()
  const { stremio, ann } = bench
  stremio.stopAt(ann, WIRE, `${WIRE}:1:3`, 600_000, AT)
  const at = (progress_at: string) => ({ progress_ms: 300_000, duration_ms: 2_700_000, progress_at })
  t.same(await bench.write('progress', 'add', { ...wire(1, 2), ...at('2025-01-05T01:00:00Z') }), [
    'rejected: one_position_per_show',
  ])
  t.same(await bench.write('progress', 'remove', wire(1, 2)), ['already'])
  t.match((await bench.read('progress')).rows, [{ season: 1, episode: 3, progress_ms: 600_000 }])
  t.same(await bench.write('progress', 'add', { ...wire(1, 4), ...at('2025-01-07T01:00:00Z') }), ['applied'])
  t.match((await bench.read('progress')).rows, [
    { season: 1, episode: 4, progress_ms: 300_000, progress_at: '2025-01-07T01:00:00Z' },
  ])
  t.same(await bench.write('progress', 'remove', wire(1, 4)), ['applied'])
  t.equal((await bench.read('progress')).rows.length, 0)
})

t.test('a title with a position that leaves the library can still be continued', async (t) => {
  await using bench = await signedIn()
  bench.stremio.addToLibrary(bench.ann, MATRIX)
  bench.stremio.stopAt(bench.ann, MATRIX, MATRIX, 600_000, AT)
  t.same(await bench.write('watchlist', 'remove', matrix), ['applied'])
  t.match(bench.ann.titles.get(MATRIX), { removed: true, temp: true, state: { timeOffset: 600_000 } })
})

t.test('an episode that leaves the list of Cinemeta is no removal', async (t) => {
  await using bench = await signedIn()
  const { stremio, ann } = bench
  const series = stremio.catalogue.get(WIRE)!
  for (const episode of [1, 2, 3]) stremio.mark(ann, WIRE, 1, episode)
  t.equal(numbers((await bench.read('history')).rows), '1x1 1x2 1x3')
  // Later the list has lost its first episode, and an app stores what it knows.
  series.videos = series.videos.filter(({ id }) => id !== `${WIRE}:1:1`)
  t.equal(numbers((await bench.read('history')).rows), '1x1 1x2 1x3', 'the same bits are of the same list')
  stremio.mark(ann, WIRE, 1, 4)
  stremio.mark(ann, WIRE, 0, 2, false)
  for (const _ of [1, 2]) {
    const { rows, end } = await bench.read('history')
    t.equal(numbers(rows), '1x2 1x3 1x4')
    t.equal(numbers(end.gone ?? []), '1x1')
    t.equal(end.complete, true)
  }
  stremio.mark(ann, WIRE, 1, 2, false)
  const { rows, end } = await bench.read('history')
  t.equal(numbers(rows), '1x3 1x4')
  t.equal(numbers(end.gone ?? []), '1x1', 'an episode that a person takes off is removed')
})

t.test('a write by a longer list keeps the episodes of the shorter one', async (t) => {
  await using bench = await signedIn()
  const { stremio, ann } = bench
  for (const episode of [1, 3]) stremio.mark(ann, WIRE, 1, episode)
  t.equal(numbers((await bench.read('history')).rows), '1x1 1x3')
  const series = stremio.catalogue.get(WIRE)!
  // A special, and an episode in the middle.
  series.videos.push({ id: `${WIRE}:0:3`, season: 0, episode: 3 }, { id: `${WIRE}:1:2b`, season: 1, episode: 2 })
  t.same(await bench.write('history', 'add', wire(1, 4)), ['applied'])
  t.same(stremio.watchedVideos(ann.titles.get(WIRE)!), [`${WIRE}:1:1`, `${WIRE}:1:3`, `${WIRE}:1:4`])
  t.equal(numbers((await bench.read('history')).rows), '1x1 1x3 1x4')
})

t.test('a write by a list with a new special marks no other episode', async (t) => {
  await using bench = await signedIn()
  const { stremio, ann } = bench
  stremio.mark(ann, WIRE, 0, 1)
  stremio.play(ann, WIRE, 1, 1, '2025-03-02T20:00:00.123Z')
  await bench.read('history')
  // Within the hour.
  stremio.catalogue.get(WIRE)!.videos.push({ id: `${WIRE}:0:3`, season: 0, episode: 3 })
  t.same(await bench.write('history', 'add', wire(1, 3)), ['applied'])
  t.same(
    stremio.watchedVideos(ann.titles.get(WIRE)!),
    ['0:1', '1:1', '1:3'].map((part) => `${WIRE}:${part}`),
    'as devices read it',
  )
  const { rows, end } = await bench.read('history')
  t.equal(numbers(rows), '0x1 1x1 1x3')
  t.match([end.complete, rows[1]?.watched_at], [true, '2025-03-02T20:00:00.123Z'])
})

t.test('what a device loses because the list changed is no removal', async (t) => {
  await using bench = await signedIn()
  const { stremio, ann } = bench
  const series = stremio.catalogue.get(WIRE)!
  for (const episode of [1, 2, 3]) stremio.mark(ann, WIRE, 1, episode)
  stremio.mark(ann, WIRE, 0, 1)
  t.equal(numbers((await bench.read('history')).rows), '0x1 1x1 1x2 1x3')
  series.videos.push({ id: `${WIRE}:0:3`, season: 0, episode: 3 })
  stremio.mark(ann, WIRE, 1, 4)
  stremio.mark(ann, WIRE, 1, 2, false)
  const moved = await bench.read('history')
  t.equal(numbers(moved.rows), '0x2 1x1 1x3 1x4', 'the device counts with the new list')
  t.match([moved.end.complete, numbers(moved.end.gone ?? [])], [true, '0x1'])
  // The anchor leaves the list: the device begins with no bits at all.
  series.videos = series.videos.filter(({ id }) => id !== `${WIRE}:1:4`)
  stremio.mark(ann, WIRE, 1, 5)
  for (const _ of [1, 2]) {
    const { rows, end } = await bench.read('history')
    t.match([end.complete, numbers(rows), numbers(end.gone ?? [])], [true, '1x5', '0x1 0x2 1x1 1x3 1x4'])
  }
})

t.test('while Cinemeta fails nothing is read with a list that may be another', async (t) => {
  await using bench = await signedIn()
  const { stremio, ann } = bench
  stremio.mark(ann, WIRE, 1, 1)
  t.equal((await bench.read('history')).end.complete, true)
  stremio.mark(ann, WIRE, 1, 2)
  stremio.faults.add({ kind: 'status', status: 500, match: ({ path }) => path.startsWith('/meta/') })
  t.match((await bench.read('history')).end, { complete: false, reason: 'videos_unavailable' })
})

t.test('while Cinemeta fails a history is incomplete, unless the list is known', async (t) => {
  await using bench = await signedIn()
  const { stremio, ann } = bench
  stremio.watch(ann, MATRIX, AT)
  stremio.mark(ann, WIRE, 1, 1)
  const isCinemeta = ({ path }: { readonly path: string }) => path.startsWith('/meta/')
  stremio.faults.add({ kind: 'status', status: 500, match: isCinemeta })
  const during = await bench.read('history')
  t.match(during.end, { complete: false, reason: 'videos_unavailable' })
  t.equal(during.rows.length, 1)
  t.match(await bench.write('history', 'add', wire(1, 2)), ['failed: videos_unavailable'])
  stremio.faults.clear()
  t.equal((await bench.read('history')).end.complete, true)
  stremio.faults.add({ kind: 'status', status: 500, match: isCinemeta })
  t.equal(numbers((await bench.read('history')).rows.slice(1)), '1x1')
})

t.test('titles of add-ons are listed as unreadable, and channels are left out', async (t) => {
  await using bench = await signedIn()
  const { stremio, ann } = bench
  const add = (id: string, type: string) => {
    const title = structuredClone(stremio.addToLibrary(ann, MATRIX))
    ann.titles.delete(MATRIX)
    ann.titles.set(id, { ...title, _id: id, type, name: id })
  }
  add('kitsu:12', 'series')
  add('trailers:1', 'movie')
  add('yt_id:UCabc', 'channel')
  add('tmdb:603', 'movie')
  const { rows, end } = await bench.read('watchlist')
  t.same(
    rows.map(({ type, ids }) => [type, ids]),
    [
      ['show', { kitsu: '12' }],
      ['movie', { tmdb: '603' }],
    ],
  )
  t.match([end.complete, end.unreadable], [true, [{ reason: 'unknown_id', title: 'trailers:1' }]])
})

t.test('a title that changes while the library is read makes the read incomplete', async (t) => {
  await using bench = await signedIn()
  const { stremio, ann, provider } = bench
  stremio.addToLibrary(ann, MATRIX)
  for await (const part of provider.read('default', { feature: 'watchlist' })) {
    if (part.type === 'rows') stremio.addToLibrary(ann, WIRE)
    else t.match(part.end, { complete: false, reason: 'changed_while_reading' })
  }
  const { end } = await bench.read('watchlist')
  const asked = stremio.requests.length
  const again = await collectRead(provider.read('default', { feature: 'watchlist', since: end.checkpoint! }))
  t.equal(again.end.semantics, 'unchanged')
  t.equal(stremio.requests.length - asked, 1, 'one request says that nothing changed')
})

t.test('a mark that is taken off is a removal, a title that left the account is none', async (t) => {
  await using bench = await signedIn()
  const { stremio, ann } = bench
  stremio.addMovie('tt0078748', 'Alien')
  for (const id of [MATRIX, 'tt0078748']) stremio.watch(ann, id, AT)
  t.equal((await bench.read('history')).end.provesAbsence, undefined, 'nothing was seen before')
  const title = ann.titles.get(MATRIX)!
  title.state.timesWatched = 0
  stremio.change(ann, title)
  const { rows, end } = await bench.read('history')
  t.match([rows.length, end.complete, end.provesAbsence], [1, true, true])
  ann.titles.delete('tt0078748')
  for (const _ of [1, 2]) t.match((await bench.read('history')).end, { complete: true, provesAbsence: undefined })
})

t.test('a title that takes the place of another in the account, and leaves again, was not taken off', async (t) => {
  await using bench = await signedIn()
  const { stremio, ann } = bench
  stremio.addMovie('tt0078748', 'Alien')
  stremio.addMovie('tt0113277', 'Heat')
  const matrix = stremio.watch(ann, MATRIX, AT)
  stremio.watch(ann, 'tt0078748', AT)
  t.equal((await bench.read('history')).rows.length, 2)
  ann.titles.delete(MATRIX)
  stremio.watch(ann, 'tt0113277', AT)
  t.match((await bench.read('history')).end, { complete: true, provesAbsence: undefined })
  ann.titles.delete('tt0113277')
  stremio.change(ann, matrix)
  t.match((await bench.read('history')).end, { complete: true, provesAbsence: undefined })
})

t.test('a title that the account hides for a moment is neither replaced nor taken for removed', async (t) => {
  await using bench = await signedIn()
  const { stremio, ann } = bench
  const title = stremio.mark(ann, WIRE, 1, 1)
  let isHidden = (_path: string) => false
  stremio.faults.add({
    kind: 'status',
    status: 500,
    match({ path }) {
      if (isHidden(path)) ann.titles.delete(WIRE)
      else ann.titles.set(WIRE, title)
      return false
    },
  })
  isHidden = (path) => path.endsWith('datastoreGet')
  t.same(await bench.write('history', 'add', wire(1, 2)), ['failed: changed_since_read'])
  t.same(await bench.write('history', 'remove', wire(1, 1)), ['failed: changed_since_read'])
  t.same(stremio.watchedVideos(title), [`${WIRE}:1:1`])
  let asked = 0
  isHidden = (path) => path.endsWith('datastoreGet') && ++asked > 1
  t.same(await bench.write('history', 'remove', wire(1, 1)), ['failed: changed_since_read'])
})

t.test('times of another person who was signed in are not those of this one', async (t) => {
  await using bench = await signedIn()
  const { stremio, ann, bob } = bench
  stremio.play(ann, WIRE, 1, 1, AT)
  t.match((await bench.read('history')).rows, [{ watched_at: '2025-01-06T01:00:00Z' }])
  stremio.mark(bob, WIRE, 1, 1)
  t.equal((await bench.login({ email: bob.email, password: bob.password })).statusCode, 200)
  const { rows } = await bench.read('history')
  t.same([rows.length, rows[0]?.watched_at], [1, undefined])
})

t.test('two people are two accounts', async (t) => {
  await using bench = await signedIn()
  const { bob, provider, stremio } = bench
  const instance = await provider.createProfile({ settings: { api_url: stremio.url, videos_url: stremio.url } })
  t.equal((await bench.login({ email: bob.email, password: bob.password }, instance)).statusCode, 200)
  bench.stremio.addToLibrary(bob, MATRIX)
  t.equal((await bench.read('watchlist')).rows.length, 0)
  t.equal((await bench.read('watchlist', instance)).rows.length, 1)
  t.not((await provider.probe(instance)).account, (await provider.probe('default')).account)
})
