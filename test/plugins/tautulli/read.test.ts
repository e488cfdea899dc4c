// Reads of plays from Tautulli: what counts as a play, the work of a play, and the cost of the second read.
import t from 'tap'
import { codeOf, startBench } from './support.ts'

const AT_MS = Date.UTC(2026, 6, 1, 20, 15)
const HOUR_MS = 3_600_000

t.test(
  'a film and an episode watched to the end are plays, with the ids of the work and the time of the stop',
  async (t) => {
    await using bench = await startBench()
    const { tautulli } = bench
    const film = tautulli.movie(0)
    tautulli.play(film, { atMs: AT_MS })
    tautulli.play(tautulli.episode(0, 1, 2), { atMs: AT_MS - HOUR_MS })
    tautulli.play(tautulli.movie(9), { atMs: AT_MS - 2 * HOUR_MS })
    const { rows, end } = await bench.read()
    t.match(rows, [
      {
        type: 'movie',
        title: film.title,
        ids: { tmdb: '900000', imdb: 'tt9900000' },
        watched: true,
        watched_at: '2026-07-01T20:15:00Z',
      },
      {
        type: 'episode',
        show_ids: { tmdb: '900000', imdb: 'tt8800000', tvdb: '8300000' },
        season: 1,
        episode: 2,
        watched_at: '2026-07-01T19:15:00Z',
      },
      { type: 'movie', ids: { imdb: 'tt9900009' } },
    ])
    t.match(end, { complete: true, semantics: 'present', account: `${tautulli.serverId}/*`, checkpoint: String })
  },
)

t.test('aborted and running playback and television are no plays; numbers may be strings', async (t) => {
  await using bench = await startBench()
  const { tautulli } = bench
  for (const percent of [1, 30, 60, 84]) tautulli.play(tautulli.movie(1), { percent })
  tautulli.play(tautulli.movie(2), { live: true })
  tautulli.startPlaying(tautulli.movie(3))
  tautulli.play(tautulli.movie(4), { percent: 85, atMs: AT_MS })
  for (const writesText of [false, true]) {
    Object.assign(tautulli.quirks, { writesText })
    const { rows, end } = await bench.read({ plays: true })
    t.match(rows, [{ ids: { tmdb: '900004' }, watched_at: '2026-07-01T20:15:00Z', native: { event_id: String } }])
    t.match(end, { complete: true })
  }
})

t.test(
  'the parts of a paused viewing are one play; two viewings are two, or one row with the later time',
  async (t) => {
    await using bench = await startBench()
    const { tautulli } = bench
    const first = tautulli.play(tautulli.movie(1), { percent: 40, atMs: AT_MS - HOUR_MS })
    tautulli.play(tautulli.movie(1), { percent: 97, atMs: AT_MS, after: first })
    tautulli.play(tautulli.movie(1), { atMs: AT_MS + HOUR_MS })
    t.strictSame(
      (await bench.read({ plays: true })).rows.map(({ watched_at: at }) => at),
      ['2026-07-01T21:15:00Z', '2026-07-01T20:15:00Z'],
    )
    t.strictSame(
      (await bench.read()).rows.map(({ watched_at: at, native }) => [at, native]),
      [['2026-07-01T21:15:00Z', undefined]],
    )
  },
)

t.test('plays of items without ids are reported, and never guessed', async (t) => {
  await using bench = await startBench()
  const { tautulli } = bench
  tautulli.play(tautulli.movie(1))
  tautulli.play(tautulli.movie(40))
  tautulli.deleteItem(tautulli.movie(1))
  tautulli.play(tautulli.episode(0, 1, 1))
  tautulli.deleteItem(tautulli.show(0))
  tautulli.deleteItem(tautulli.episode(0, 1, 1))
  const { rows, end } = await bench.read()
  t.strictSame(rows, [])
  t.strictSame(
    end.unreadable?.map(({ reason }) => reason),
    ['ids_unknown', 'ids_unknown', 'ids_unknown'],
  )
  t.match(end, { complete: true })
})

t.test(
  'a renamed show is known by its episode, and a key that was reassigned to another item is not believed',
  async (t) => {
    await using bench = await startBench()
    const { tautulli } = bench
    tautulli.play(tautulli.episode(0, 1, 1))
    tautulli.rename(tautulli.show(0), 'Renamed')
    t.match((await bench.read()).rows, [{ show_ids: { tmdb: '900000' } }])
    const film = tautulli.movie(3)
    tautulli.play(film)
    Object.assign(film, { guid: 'plex://movie/another' })
    const before = await bench.read()
    t.equal(before.rows.length, 2)
    const row = { ...film, guid: 'plex://movie/once' }
    tautulli.play(row as typeof film)
    t.match((await bench.read()).end.unreadable, [{ reason: 'item_changed' }])
  },
)

t.test(
  'ids are requested once: for a show, not for each of its episodes, and not again at the next read',
  async (t) => {
    await using bench = await startBench()
    const { tautulli } = bench
    for (const number of [1, 2, 3, 4]) tautulli.play(tautulli.episode(0, 1, number))
    for (const index of [0, 1, 2]) tautulli.play(tautulli.movie(index))
    bench.asked()
    await bench.read()
    t.ok(bench.asked() <= 3 + 4, 'the server, the people, one page, one show, three films')
    await bench.read()
    t.ok(bench.asked() <= 3)
  },
)

t.test('1200 plays are read in three pages, and the next time only the new ones', async (t) => {
  await using bench = await startBench()
  const { tautulli } = bench
  for (let index = 0; index < 1_200; index += 1)
    tautulli.play(tautulli.movie(index % 25), { atMs: AT_MS - index * HOUR_MS })
  const first = await bench.read({ plays: true })
  t.equal(first.rows.length, 1_200)
  t.match(first.end, { complete: true })
  bench.asked()
  tautulli.play(tautulli.movie(30), { atMs: AT_MS + HOUR_MS })
  const second = await bench.read({ plays: true, since: first.end.checkpoint as string })
  t.ok(bench.asked() <= 4)
  t.match(second.end, { semantics: 'delta', complete: true, deleted: [] })
  t.ok(second.rows.some(({ ids }) => ids.tmdb === '900030'))
  for (const change of [{ account: 'other/*' }, { fullAtMs: 0 }, { newest: 'x' }]) {
    const since = JSON.stringify({ ...(JSON.parse(first.end.checkpoint as string) as object), ...change })
    t.match((await bench.read({ since })).end, { semantics: 'present' }, JSON.stringify(change))
  }
})

t.test('a film that was paused overnight ends after the read that it started before, and is not missed', async (t) => {
  await using bench = await startBench({ settings: { history: { per_page: 5 } } })
  const { tautulli } = bench
  for (let index = 0; index < 30; index += 1)
    tautulli.play(tautulli.movie(index % 20), { atMs: AT_MS - index * 6 * HOUR_MS })
  const first = await bench.read({ plays: true })
  tautulli.play(tautulli.movie(33), { atMs: AT_MS - 20 * HOUR_MS })
  const second = await bench.read({ plays: true, since: first.end.checkpoint as string })
  t.match(second.end, { semantics: 'delta', complete: true })
  t.ok(second.rows.some(({ ids }) => ids.tmdb === '900033'))
})

t.test('an incomplete read says so, and a failing page fails the read', async (t) => {
  await using bench = await startBench({ settings: { history: { per_page: 10 }, max_retries: 0 } })
  const { tautulli } = bench
  for (let index = 0; index < 35; index += 1)
    tautulli.play(tautulli.movie(index % 20), { atMs: AT_MS - index * HOUR_MS })
  tautulli.quirks.ignoresStart = true
  t.match((await bench.read()).end, { complete: false, reason: 'repeated_page' })
  tautulli.quirks.ignoresStart = false
  for (const [kind, code] of [
    ['status', 'PLH_UPSTREAM'],
    ['empty', 'PLH_UPSTREAM_INVALID'],
    ['html', 'PLH_UPSTREAM'],
    ['reset', 'PLH_UPSTREAM'],
  ] as const) {
    let pages = 0
    tautulli.faults.add({ match: ({ path }) => path === '/api/v2' && (pages += 1) >= 5, kind })
    t.match(await codeOf(bench.read()), code, kind)
    tautulli.faults.clear()
  }
  let asked = 0
  const interfere = () => {
    if ((asked += 1) === 4) tautulli.play(tautulli.movie(0), { atMs: AT_MS + HOUR_MS })
    return false
  }
  tautulli.faults.add({ match: interfere, kind: 'status' })
  t.match((await bench.read()).end, { complete: false })
})

t.test('a log longer than the settings allow is not read partially', async (t) => {
  await using bench = await startBench({ settings: { history: { per_page: 1, max_pages: 3 } } })
  for (const index of [0, 1, 2]) bench.tautulli.play(bench.tautulli.movie(index), { atMs: AT_MS + index })
  t.match((await bench.read()).end, { complete: true })
  bench.tautulli.play(bench.tautulli.movie(3))
  t.match(await codeOf(bench.read()), 'PLH_UPSTREAM_INVALID')
})

t.test('with several users one has to be selected, and only their plays are read', async (t) => {
  await using bench = await startBench({ users: [9_001, 9_002] })
  const { tautulli, provider } = bench
  tautulli.play(tautulli.movie(0), { user: 9_001 })
  tautulli.play(tautulli.movie(1), { user: 9_002 })
  t.equal(await codeOf(bench.read()), 'PLH_NOT_READY user_required')
  t.match(await provider.probe('default'), {
    status: 'ok',
    features: { history: false },
    extras: { user_required: true },
  })
  for (const [user, films] of [
    ['9002', ['900001']],
    ['*', ['900001', '900000']],
  ] as const) {
    await bench.host.changeConfig({ history: { user_id: user } })
    t.strictSame((await bench.read()).rows.map(({ ids }) => ids.tmdb).toSorted(), films.toSorted())
    t.match(await provider.probe('default'), { status: 'ok', account: `${tautulli.serverId}/${user}` })
  }
})

t.test('nothing can be written', async (t) => {
  await using bench = await startBench()
  for (const op of ['add', 'update', 'remove'] as const) {
    t.match(await codeOf(bench.provider.write('default', { feature: 'history', op, items: [] })), 'PLH_UNSUPPORTED')
  }
  for (const feature of ['watchlist', 'ratings', 'progress'] as const)
    t.match(await codeOf(bench.read({ feature })), 'PLH_UNSUPPORTED')
})

t.test(
  'rows that the log did not group are one play when they end closer together than the item is long',
  async (t) => {
    await using bench = await startBench({ settings: { history: { per_page: 3 } } })
    const { tautulli } = bench
    const MINUTE_MS = 60_000
    const first = tautulli.play(tautulli.movie(3), { percent: 88, atMs: AT_MS })
    const read = async (since?: string) => {
      const { rows, end } = await bench.read({ plays: true, ...(since === undefined ? {} : { since }) })
      return {
        end,
        plays: rows.map(({ ids, watched_at: at, native }) => `${ids.tmdb} ${at} ${native?.event_id}`).sort(),
      }
    }
    const one = `900003 2026-07-01T20:15:00Z ${first}`
    const before = await read()
    t.same(before.plays, [one])
    tautulli.play(tautulli.movie(3), { percent: 88, atMs: AT_MS + 10 * MINUTE_MS })
    const other = tautulli.play(tautulli.movie(4), { percent: 100, atMs: AT_MS + 15 * MINUTE_MS })
    tautulli.play(tautulli.movie(3), { percent: 100, atMs: AT_MS + 20 * MINUTE_MS })
    t.same(
      (await read()).plays,
      [one, `900004 2026-07-01T20:30:00Z ${other}`],
      'the first of them, however many there are',
    )
    const delta = await read(before.end.checkpoint as string)
    t.same(delta.plays, [one, `900004 2026-07-01T20:30:00Z ${other}`])
    const again = tautulli.play(tautulli.movie(3), { atMs: AT_MS + 2 * HOUR_MS })
    t.same((await read()).plays.length, 3, 'a second viewing takes as long as the first')
    t.ok((await read()).plays.includes(`900003 2026-07-01T22:15:00Z ${again}`))
    t.equal((await bench.read()).rows.length, 2, 'by item')
  },
)
