// Kodi against its stand-in: sign-in, reads, writes and what is playing.
import t from 'tap'
import { type Item, type PlayheadError, providerCapability, type WatchPart, type WriteRequest } from '@playhead/sdk'
import { collectRead, type Provider } from '@playhead/sdk/provider'
import { createTestAccounts, createTestClock, createTestHost, startServer } from '@playhead/sdk/testing'
import plugin from './index.ts'
import { type BoxOptions, type KodiBox, startKodi } from './stand-in.ts'
import { fromLocal, toLocal } from './times.ts'

const manifest = new URL('./plugin.json', import.meta.url)
const MATRIX = { imdb: 'tt0133093', tmdb: '603' }
const WIRE = { tvdb: '79126', imdb: 'tt0306414' }
const matrix: Item = { type: 'movie', ids: MATRIX }
const wire = (season: number, episode: number): Item => ({ type: 'episode', ids: {}, show_ids: WIRE, season, episode })

/** The plugin in a test host, and a box. */
async function open(options: BoxOptions = {}) {
  const box = await startKodi(options)
  const capabilities = { accounts: createTestAccounts() }
  // Pauses before another try take no time.
  const host = await createTestHost({ plugin, manifest, capabilities, clock: createTestClock() })
  const provider = host.capability<Provider>(providerCapability('KODI'))
  const login = async (body: object = {}, instance = 'default', at: KodiBox = box) => {
    const payload = { server: at.url, username: at.username, password: at.password, ...body }
    return host.inject({ method: 'POST', url: `/api/kodi/login?instance=${instance}`, payload })
  }
  return {
    box,
    host,
    provider,
    login,
    read: (feature: WriteRequest['feature'], instance = 'default') => collectRead(provider.read(instance, { feature })),
    async write(feature: WriteRequest['feature'], op: WriteRequest['op'], ...items: Item[]) {
      const rows = items.map((item, index) => ({ key: String(index), item }))
      const { outcomes } = await provider.write('default', { feature, op, items: rows })
      return outcomes.map(({ outcome, reason }) => (reason === undefined ? outcome : `${outcome}: ${reason}`))
    },
    async [Symbol.asyncDispose]() {
      await host.close()
      await box.close()
    },
  }
}

async function signedIn(options?: BoxOptions) {
  const bench = await open(options)
  const answer = await bench.login()
  if (answer.statusCode !== 200) throw new Error(answer.body)
  return bench
}

const like = (expected: object) => expected as PlayheadError

t.test('times are local times of the box', async (t) => {
  t.equal(fromLocal('2024-07-01 21:04:05', 'Europe/Berlin'), '2024-07-01T19:04:05Z')
  t.equal(fromLocal('2024-01-01 00:30:00', 'Europe/Berlin'), '2023-12-31T23:30:00Z')
  t.equal(fromLocal('2024-10-27 02:30:00', 'Europe/Berlin'), '2024-10-27', 'the repeated hour has two')
  for (const text of ['', '0000-00-00 00:00:00', '1601-01-01 00:00:00', '2024-02-31 10:00:00'])
    t.equal(fromLocal(text, 'Europe/Berlin'), undefined, text)
  t.equal(toLocal(Date.parse('2024-07-01T19:04:05.900Z'), 'Europe/Berlin'), '2024-07-01 21:04:05')
})

t.test('the zone is that of the box, or the entered one; without any nothing is saved', async (t) => {
  await using named = await open({ zone: 'Europe/Berlin' })
  t.match((await named.login()).json(), { ok: true, name: 'Living room', time_zone: 'Europe/Berlin' })
  await using bench = await open({ zone: '' })
  t.match(await bench.login(), { statusCode: 400, body: /time_zone_needed/ })
  t.match(await bench.login({ time_zone: 'Mars/Base' }), { statusCode: 400, body: /invalid_time_zone/ })
  t.match(await bench.provider.profiles(), [{ configured: false }])
  t.match((await bench.login({ time_zone: 'Asia/Tokyo' })).json(), { ok: true, time_zone: 'Asia/Tokyo' })
  const movie = bench.box.addMovie({ uniqueid: MATRIX })
  Object.assign(bench.box.marksOf(movie.file), { playcount: 1, lastplayed: '2024-07-01 21:04:05' })
  t.match((await bench.read('history')).rows, [{ watched_at: '2024-07-01T12:04:05Z' }])
  bench.box.zone = 'Europe/Berlin'
  await bench.provider.probe('default')
  t.match((await bench.read('history')).rows, [{ watched_at: '2024-07-01T19:04:05Z' }], 'the box knows better')
  t.match(await bench.provider.profiles(), [{ configured: true }])
})

t.test('a failed sign-in says what to do at the box', async (t) => {
  await using bench = await open()
  const { box } = bench
  const refused = await bench.login({ password: 'wrong-words' })
  t.match(refused, { statusCode: 401, body: /invalid_credentials/ })
  t.notMatch(JSON.stringify(bench.host.logs), /wrong-words|the-password/)
  const gone = await startServer(() => ({ status: 200 }))
  await gone.close()
  t.match(await bench.login({ server: gone.url }), { statusCode: 502, body: /Allow remote control via HTTP/ })
  await using other = await startServer(() => ({ status: 404 }))
  t.match(await bench.login({ server: other.url }), { statusCode: 502, body: /it is not Kodi/ })
  t.match(await bench.login({ server: '' }), { statusCode: 400, body: /missing_server/ })
  box.permissions = { ReadData: false }
  t.match(await bench.login(), { statusCode: 403, body: /forbidden/ })
  await using old = await open({ version: 6 })
  t.match(await old.login(), { statusCode: 400, body: /version_too_old/ })
  t.match(await bench.provider.profiles(), [{ configured: false }])
})

t.test('the address of the web page of Kodi is one, and a box without a password needs none', async (t) => {
  await using bench = await open({ username: '', password: '' })
  const { host } = new URL(bench.box.url)
  const { statusCode, body } = await bench.login({ server: `${host}/index.html#movies`, username: '', password: '' })
  t.equal(statusCode, 200, body)
  t.equal((await bench.provider.probe('default')).status, 'ok')
  t.equal(bench.box.requests[0]?.headers.authorization, undefined)
})

t.test('two files of one film are one row, and both get each mark', async (t) => {
  await using bench = await signedIn()
  const { box } = bench
  const first = box.addMovie({ uniqueid: MATRIX })
  const second = box.addMovie({ uniqueid: { unknown: MATRIX.imdb } })
  const other = box.addMovie({ uniqueid: { imdb: MATRIX.imdb, tmdb: '604' } })
  box.marksOf(first.file).playcount = 2
  box.marksOf(first.file).lastplayed = '2024-01-05 20:00:00'
  t.match((await bench.read('history')).rows, [{ ids: MATRIX, watched_at: '2024-01-06T01:00:00Z' }])
  const play = { ...matrix, watched_at: '2024-03-01T18:00:00Z' }
  t.same(await bench.write('history', 'add', play), ['applied'])
  t.same(
    [first, second, other].map(({ file }) => [box.marksOf(file).playcount, box.marksOf(file).lastplayed]),
    [
      [2, '2024-03-01 13:00:00'],
      [1, '2024-03-01 13:00:00'],
      [0, ''],
    ],
  )
  t.same(await bench.write('history', 'add', play), ['already'])
  t.same(await bench.write('history', 'add', { ...play, watched_at: '2023-01-01T00:00:00Z' }), ['already'])
  t.same(await bench.write('ratings', 'add', { ...matrix, rating: 9 }), ['applied'])
  t.match((await bench.read('ratings')).rows, [{ ids: MATRIX, rating: 9 }])
  t.same(
    [first, second, other].map(({ userrating }) => userrating),
    [9, 9, 0],
  )
  t.same(await bench.write('history', 'remove', matrix), ['applied'])
  t.same((await bench.read('history')).rows, [])
  t.equal((await bench.read('ratings')).rows.length, 1)
})

t.test('a play without a time is not written, because Kodi would give it one', async (t) => {
  await using bench = await signedIn()
  bench.box.addMovie({ uniqueid: MATRIX })
  t.same(await bench.write('history', 'add', matrix), ['rejected: missing_watched_at'])
  t.same(bench.box.calls('VideoLibrary.SetMovieDetails'), [])
})

t.test('of a title that was watched and is being watched again neither mark has a time', async (t) => {
  await using bench = await signedIn()
  const movie = bench.box.addMovie({ uniqueid: MATRIX })
  const marks = bench.box.marksOf(movie.file)
  Object.assign(marks, { playcount: 1, lastplayed: '2024-01-05 20:00:00', position: 600, total: 8_160 })
  const [watched] = (await bench.read('history')).rows
  t.match([watched?.watched, watched?.watched_at], [true, undefined])
  const [begun] = (await bench.read('progress')).rows
  t.match([begun?.progress_ms, begun?.duration_ms, begun?.progress_at], [600_000, 8_160_000, undefined])
  t.same(
    await bench.write('progress', 'update', { ...matrix, progress_ms: 900_000, progress_at: '2024-05-05T10:00:00Z' }),
    ['applied'],
  )
  t.same([marks.position, marks.lastplayed], [900, '2024-01-05 20:00:00'], 'the time of the play stays')
  t.same(await bench.write('progress', 'remove', matrix), ['applied'])
  t.match((await bench.read('history')).rows, [{ watched_at: '2024-01-06T01:00:00Z' }])
})

t.test('a file of two episodes is marked once both were watched, and its position belongs to none', async (t) => {
  await using bench = await signedIn()
  const { box } = bench
  const show = box.addShow({ uniqueid: WIRE })
  const one = box.addEpisode({ tvshowid: show.id, season: 1, episode: 1, file: '/s/both.mkv' })
  box.addEpisode({ tvshowid: show.id, season: 1, episode: 2, file: '/s/both.mkv' })
  const at = { watched_at: '2024-03-01T18:00:00Z' }
  t.same(await bench.write('history', 'add', { ...wire(1, 1), ...at }), ['rejected: shared_file'])
  t.equal(box.marksOf(one.file).playcount, 0)
  t.match(await bench.write('history', 'add', { ...wire(1, 1), ...at }, { ...wire(1, 2), ...at }), ['applied', /a/])
  t.same(
    (await bench.read('history')).rows.map(({ episode }) => episode),
    [1, 2],
  )
  t.same(await bench.write('history', 'remove', wire(1, 2)), ['rejected: shared_file'])
  t.same(await bench.write('progress', 'add', { ...wire(1, 1), progress_ms: 60_000 }), ['rejected: shared_file'])
  Object.assign(box.marksOf(one.file), { position: 60, total: 2_700 })
  const { rows, end } = await bench.read('progress')
  t.same([rows, end.unreadable?.map(({ reason }) => reason)], [[], ['shared_file', 'shared_file']])
})

t.test('episodes are found by their show or by ids of their own, never by a title', async (t) => {
  await using bench = await signedIn()
  const { box } = bench
  const show = box.addShow({ title: 'The Wire', uniqueid: WIRE })
  const bare = box.addShow({ title: 'Without ids', uniqueid: {} })
  const first = box.addEpisode({ tvshowid: show.id, season: 1, episode: 1, uniqueid: { tvdb: '333' } })
  const second = box.addEpisode({ tvshowid: bare.id, season: 1, episode: 1, uniqueid: { tvdb: '444' } })
  const rating = { rating: 8 }
  t.same(
    await bench.write(
      'ratings',
      'add',
      { ...wire(1, 1), ...rating },
      { type: 'episode', ids: { tvdb: '444' }, season: 1, episode: 1, ...rating },
      { ...wire(1, 1), ids: { tvdb: '999' }, ...rating },
      { ...wire(1, 9), ...rating },
      { ...wire(1, 1), show_ids: { tvdb: '1' }, series_title: 'The Wire', ...rating },
    ),
    ['applied', 'applied', 'not_found: episode_missing', 'not_found: episode_missing', 'not_found: not_in_library'],
  )
  t.same([first.userrating, second.userrating], [8, 8])
  t.match((await bench.read('ratings')).rows, [
    { ids: { tvdb: '333' }, show_ids: WIRE, season: 1, episode: 1, rating: 8 },
    { ids: { tvdb: '444' }, show_ids: undefined },
  ])
})

t.test('a title that leaves the library is no removal, a mark that is taken off is one', async (t) => {
  await using bench = await signedIn()
  const { box } = bench
  const kept = box.addMovie({ uniqueid: MATRIX, userrating: 7 })
  const lost = box.addMovie({ uniqueid: { imdb: 'tt0078748' }, userrating: 8 })
  const first = await bench.read('ratings')
  t.match([first.rows.length, first.end.complete, first.end.provesAbsence], [2, true, undefined])
  kept.userrating = 0
  box.movies.delete(lost.id)
  for (const turn of [1, 2]) {
    const { rows, end } = await bench.read('ratings')
    t.match(
      [rows, end],
      [[], { complete: true, provesAbsence: true, gone: [{ ids: { imdb: 'tt0078748' } }] }],
      `${turn}`,
    )
    t.equal(end.gone?.length, 1)
  }
  box.addMovie({ uniqueid: { imdb: 'tt0078748' }, userrating: 8 })
  const back = await bench.read('ratings')
  t.match([back.rows.length, back.end.gone], [1, undefined])
})

t.test('while Kodi scans, or after its profile changed, nothing is complete', async (t) => {
  await using bench = await signedIn()
  const { box, provider } = bench
  box.addMovie({ uniqueid: MATRIX, userrating: 7 })
  box.isScanning = true
  t.match((await bench.read('ratings')).end, { complete: false, reason: 'changed_while_reading' })
  box.isScanning = false
  const { account } = await provider.probe('default')
  for await (const part of provider.read('default', { feature: 'ratings' })) {
    box.profile = 'Children'
    if (part.type === 'end') t.match(part.end, { complete: false, reason: 'account_changed', account })
  }
  t.same(await bench.write('ratings', 'add', { ...matrix, rating: 5 }), ['failed: account_changed'])
  t.same(box.calls('VideoLibrary.SetMovieDetails'), [])
  t.not((await provider.probe('default')).account, account, 'each profile has a library of its own')
  t.same(await bench.write('ratings', 'add', { ...matrix, rating: 5 }), ['applied'])
})

t.test('a box that sleeps, or permits nothing, is never an empty one', async (t) => {
  await using bench = await signedIn()
  const { box, provider } = bench
  box.permissions = { ReadData: false }
  await t.rejects(bench.read('history'), like({ code: 'PLH_FORBIDDEN' }))
  box.permissions = { ReadData: true }
  box.addMovie({ uniqueid: MATRIX })
  t.same(await bench.write('ratings', 'add', { ...matrix, rating: 5 }), ['rejected: forbidden'])
  t.match(await provider.probe('default'), { status: 'degraded', reasonCode: 'read_only' })
  box.password = 'another'
  t.match(await provider.probe('default'), { status: 'auth_failed' })
  await box.close()
  t.match(await provider.probe('default'), { status: 'down', reasonCode: 'network' })
  await t.rejects(bench.read('history'), like({ code: 'PLH_UPSTREAM' }))
  t.match(await bench.write('ratings', 'remove', matrix), ['failed: refused'])
})

t.test('several boxes are several profiles', async (t) => {
  await using bench = await signedIn()
  await using second = await startKodi({ uuid: 'b0c5-0002', password: 'the-second-password' })
  const instance = await bench.provider.createProfile({})
  t.equal((await bench.login({}, instance, second)).statusCode, 200)
  second.addMovie({ uniqueid: MATRIX, userrating: 4 })
  t.equal((await bench.read('ratings')).rows.length, 0)
  t.equal((await bench.read('ratings', instance)).rows.length, 1)
})

t.test('another box at the same address is another account', async (t) => {
  await using bench = await signedIn()
  const { account } = await bench.provider.probe('default')
  await using second = await startKodi({ uuid: 'b0c5-0002' })
  await bench.host.changeConfig({ server: second.url, password: second.password })
  const after = await bench.provider.probe('default')
  t.equal(after.status, 'ok')
  t.not(after.account, account)
})

t.test('a player that stops between two requests is no failure', async (t) => {
  await using bench = await signedIn()
  const { box, provider } = bench
  const movie = box.addMovie({ uniqueid: MATRIX })
  box.playing = { kind: 'movie', id: movie.id, positionMs: 1_000, speed: 1 }
  t.match(await provider.playing!('default'), [{ item: { ids: MATRIX }, state: 'playing' }])
  box.movies.delete(movie.id)
  t.same(await provider.playing!('default'), [])
})

t.test('notifications of the box say when to look at what it plays', async (t) => {
  await using bench = await signedIn()
  const { box, host, provider } = bench
  await host.changeConfig({ events_server: box.eventsUrl })
  const show = box.addShow({ uniqueid: WIRE })
  const episode = box.addEpisode({ tvshowid: show.id, season: 1, episode: 1 })
  const end = new AbortController()
  const parts: AsyncIterator<WatchPart> = provider.watch!('default', {}, end.signal)[Symbol.asyncIterator]()
  const next = async () => (await parts.next()).value as WatchPart
  t.match(await next(), { type: 'connected', by: 'push', others: false })
  t.match(await next(), { type: 'sessions', sessions: [] })
  box.playing = { kind: 'episode', id: episode.id, positionMs: 61_500, speed: 1 }
  box.notify('VideoLibrary.OnUpdate', { id: episode.id, type: 'episode' })
  box.notify('Player.OnPlay', { item: { id: episode.id, type: 'episode' }, player: { playerid: 1, speed: 1 } })
  const item = { show_ids: WIRE, season: 1, episode: 1 }
  const session = { item, state: 'playing', positionMs: 61_500, durationMs: 2_700_000, account: { relation: 'own' } }
  t.match(await next(), { type: 'sessions', sessions: [session] })
  box.playing.speed = 0
  box.notify('Player.OnPause', { item: { id: episode.id, type: 'episode' }, player: { playerid: 1, speed: 0 } })
  t.match(await next(), { type: 'sessions', sessions: [{ state: 'paused' }] })
  box.playing = undefined
  box.notify('Player.OnStop', { item: { id: episode.id, type: 'episode' }, end: true })
  t.match(await next(), { type: 'session', session: { item, state: 'stopped', completed: true } })
  t.match(await next(), { type: 'sessions', sessions: [] })
  box.dropSockets()
  t.match(await next(), { type: 'connected', by: 'poll', reason: 'socket_lost' })
  t.match(await next(), { type: 'sessions', sessions: [] })
  end.abort()
  await t.rejects(parts.next())
})
