// Reads of Plex: every row with its identity, and completeness only with proof.
import type { Item } from '@playhead/sdk'
import t from 'tap'
import { startWorld, type World } from './world.ts'

const AT_MS = Date.UTC(2026, 4, 1, 20)
const HOUR_MS = 3_600_000
const iso = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}Z`
const keyOf = ({ ofType }: Pick<World, 'ofType'>, type: 'movie' | 'show' | 'season' | 'episode', index = 0) =>
  ofType(type)[index]?.ratingKey ?? ''
const native = (rows: readonly Item[]) => rows.map((row) => row.native?.item_id).sort()

t.test(
  'watched films and episodes come with their ids, the ids of their show and the time of the last play',
  async (t) => {
    const { plex, read, ofType } = await startWorld(t)
    plex.actions.watch('owner', keyOf({ ofType }, 'movie'), AT_MS)
    plex.actions.watch('owner', keyOf({ ofType }, 'episode'), AT_MS - 60_000)
    plex.actions.watch('managed', keyOf({ ofType }, 'movie', 1), AT_MS)
    const { rows, end } = await read('history')
    t.match(end, { complete: true, semantics: 'present', account: `${plex.state.machineIdentifier}/900001` })
    t.equal(end.gone, undefined)
    t.equal(rows.length, 2, 'and nothing of another user')
    const [movie, show] = [ofType('movie')[0], ofType('show')[0]]
    t.match(
      rows.find(({ type }) => type === 'movie'),
      {
        title: movie?.title,
        ids: { guid: movie?.guid },
        watched: true,
        watched_at: iso(AT_MS),
        library_id: '1',
        native: { item_id: movie?.ratingKey },
      },
    )
    t.match(
      rows.find(({ type }) => type === 'episode'),
      {
        season: 1,
        episode: 1,
        series_title: show?.title,
        show_ids: { tmdb: show?.guids.find((id) => id.startsWith('tmdb'))?.slice(7) },
        watched_at: iso(AT_MS - 60_000),
      },
    )
  },
)

t.test('starting a film again does not change the time at which it was watched', async (t) => {
  const { plex, read, ofType } = await startWorld(t)
  plex.actions.watch('owner', keyOf({ ofType }, 'movie'), AT_MS)
  plex.actions.setOffset('owner', keyOf({ ofType }, 'movie'), 600_000, AT_MS + HOUR_MS)
  t.match((await read('history')).rows, [{ watched_at: iso(AT_MS) }])
  const asked = plex.server.count('/status/sessions/history/all')
  t.match((await read('history')).rows, [{ watched_at: iso(AT_MS) }])
  t.equal(
    plex.server.count('/status/sessions/history/all'),
    asked + 1,
    'asked once more by the session that the first read made, and then known',
  )
  await read('history')
  t.equal(plex.server.count('/status/sessions/history/all'), asked + 1)
  t.same(
    (await read('progress')).rows.map(({ progress_ms: ms, progress_at: at }) => [ms, at]),
    [[600_000, iso(AT_MS + HOUR_MS)]],
  )
})

t.test('every play is a row with its own id, and a manual mark is a row without one', async (t) => {
  const { plex, host, read, ofType } = await startWorld(t)
  const [first, second] = [keyOf({ ofType }, 'movie'), keyOf({ ofType }, 'movie', 1)]
  for (const at of [AT_MS, AT_MS + HOUR_MS]) plex.actions.watch('owner', first, at)
  plex.actions.watch('owner', keyOf({ ofType }, 'episode', 2), AT_MS)
  plex.actions.watch('managed', first, AT_MS)
  await fetch(`${plex.server.url}/:/scrobble?identifier=com.plexapp.plugins.library&key=${second}`, {
    method: 'PUT',
    headers: { 'x-plex-token': plex.serverToken() },
  })
  const { rows, end } = await read('history', { plays: true })
  t.equal(end.complete, true)
  const plays = rows.filter((row) => row.native?.event_id !== undefined)
  t.same(
    plays
      .filter(({ type }) => type === 'movie')
      .map((row) => row.watched_at)
      .sort(),
    [iso(AT_MS), iso(AT_MS + HOUR_MS)],
  )
  t.equal(new Set(plays.map((row) => row.native?.event_id)).size, 3)
  t.match(
    plays.find(({ type }) => type === 'episode'),
    { season: 1, episode: 3, show_ids: {} },
  )
  t.same(native(rows.filter((row) => row.native?.event_id === undefined)), [second])

  await host.changeConfig({ history: { include_marked_watched: false } })
  t.equal((await read('history', { plays: true })).rows.length, 3)
  t.same(
    native((await read('history')).rows),
    [keyOf({ ofType }, 'episode', 2), first].sort(),
    'one row per item, and only of what was played',
  )
})

t.test('ratings come for all four kinds, on the scale from 1 to 10', async (t) => {
  const { plex, read, ofType } = await startWorld(t)
  const rated = (['movie', 'show', 'season', 'episode'] as const).map((kind) => keyOf({ ofType }, kind))
  for (const [index, key] of rated.entries()) plex.actions.rate('owner', key, 7.5 + index * 0.5, AT_MS)
  const { rows, end } = await read('ratings')
  t.equal(end.complete, true)
  t.same(
    rows.map(({ type, rating }) => [type, rating]),
    [
      ['movie', 8],
      ['show', 8],
      ['season', 9],
      ['episode', 9],
    ],
  )
  t.ok(rows.every(({ rated_at: at }) => at === iso(AT_MS)))
  t.match(rows[2], { season: 1, show_ids: {} })
  t.same(
    (await read('ratings', { kinds: ['movie'] })).rows.map(({ type }) => type),
    ['movie'],
  )
  t.same(
    (await read('ratings', { libraries: ['2'] })).rows.map(({ library_id: id }) => id),
    ['2', '2', '2'],
  )
})

t.test('the watchlist is read to its end, and missing external ids are requested at once', async (t) => {
  const { plex, read } = await startWorld(t, { cloudTitles: 125 })
  const titles = [...plex.state.cloud.keys()]
  titles.forEach((hex, index) => plex.actions.addToWatchlist('owner', hex, index === 0 ? null : AT_MS - index * 1_000))
  const { rows, end } = await read('watchlist')
  t.equal(end.complete, true)
  t.equal(rows.length, 250)
  const known = rows.filter(({ ids }) => ids.tmdb !== undefined || ids.imdb !== undefined)
  t.ok(known.length > 240)
  t.equal(
    rows.filter(({ added_at: at }) => at === undefined).length,
    1,
    'a time that the cloud does not tell is not made up',
  )
  t.equal(plex.cloud.count('/library/sections/watchlist/all'), 3)
  const asked = plex.cloud.count(/^\/library\/metadata\//)
  t.ok(asked <= 3, `${asked} questions for 25 rows`)
  await read('watchlist')
  t.equal(plex.cloud.count(/^\/library\/metadata\//), asked, 'what is known is not asked for again')
})

t.test('copies of one film are one row, the one watched last', async (t) => {
  const { plex, read, ofType } = await startWorld(t)
  const { ratingKey, addedAtMs: _addedAtMs, ...film } = ofType('movie')[0] as ReturnType<World['ofType']>[number]
  const copy = plex.actions.addItem(film)
  plex.actions.watch('owner', ratingKey, AT_MS + HOUR_MS)
  plex.actions.watch('owner', copy.ratingKey, AT_MS)
  const { rows, end } = await read('history')
  t.match(rows, [{ watched_at: iso(AT_MS + HOUR_MS), native: { item_id: ratingKey } }])
  t.equal(end.complete, true)
  t.equal((await read('history', { plays: true })).rows.length, 2)
})

t.test('a repeated read costs few requests, for any number of plays', async (t) => {
  const { plex, read, ofType } = await startWorld(t, { movies: 1_500, shows: 40, cloudTitles: 1 })
  for (const { ratingKey } of ofType('movie')) plex.actions.watch('owner', ratingKey, AT_MS)
  for (const { ratingKey } of ofType('show')) plex.actions.watch('owner', ratingKey, AT_MS)
  const expected = 1_500 + ofType('episode').length
  t.equal((await read('history')).rows.length, expected)
  const [server, cloud] = [plex.server.requests.length, plex.cloud.requests.length]
  const again = await read('history')
  t.equal(again.rows.length, expected)
  t.equal(again.end.complete, true)
  const asked = plex.server.requests.length - server + plex.cloud.requests.length - cloud
  t.ok(asked <= 10, `${asked} requests`)
})

t.test('a read without proof of completeness says so or fails; it never is a short list', async (t) => {
  const { plex, read, ofType } = await startWorld(t, { movies: 2_300, shows: 1, cloudTitles: 1 })
  for (const { ratingKey } of ofType('movie')) plex.actions.watch('owner', ratingKey, AT_MS)
  t.equal((await read('history')).rows.length, 2_300)
  const filtered =
    (start: string) =>
    ({ query }: { query: URLSearchParams }) =>
      query.get('unwatched') === '0' && query.get('X-Plex-Container-Start') === start
  for (const fault of [
    { kind: 'status', status: 500 },
    { kind: 'empty' },
    { kind: 'html', status: 200 },
    { kind: 'truncate' },
  ] as const) {
    plex.server.faults.add({ match: filtered('2000'), ...fault })
    await t.rejects(read('history'), { code: /^PLH_UPSTREAM/ }, fault.kind)
    plex.server.faults.clear()
  }
  plex.server.faults.add({ match: filtered('1000'), kind: 'slow', delayMs: 300 })
  const reading = read('history')
  while (!plex.server.requests.some((request) => filtered('1000')(request) && request.status === 0))
    await new Promise(setImmediate)
  plex.actions.removeItem(keyOf({ ofType }, 'movie', 5))
  const { end } = await reading
  t.match(end, { complete: false, reason: 'changed_while_reading' })
})

t.test('a revoked token ends the read, and causes no empty list', async (t) => {
  const { plex, read } = await startWorld(t)
  await read('history')
  plex.actions.expireTokens()
  for (const feature of ['watchlist', 'history', 'ratings', 'progress'] as const)
    await t.rejects(read(feature), { code: 'PLH_AUTH_FAILED' }, feature)
})

t.test('a server token that was replaced is requested again', async (t) => {
  const { plex, read, settings, ofType } = await startWorld(t)
  plex.actions.watch('owner', keyOf({ ofType }, 'movie'), AT_MS)
  await read('history')
  const before = settings()['pms_token']
  for (const token of plex.state.tokens.values()) if (token.host === 'server') token.expired = true
  t.equal((await read('history')).rows.length, 1)
  t.not(settings()['pms_token'], before)
})

t.test('an account without a watchlist and a signed-out one have different errors', async (t) => {
  const { plex, read } = await startWorld(t)
  plex.cloud.faults.add({ match: /watchlist/, kind: 'status', status: 401 })
  await t.rejects(read('watchlist'), { code: 'PLH_FORBIDDEN', wire: 'watchlist_unavailable' })
})

t.test('a watchlist that is truncated, or changes during the read, is not complete', async (t) => {
  const { plex, read } = await startWorld(t, { cloudTitles: 150 })
  for (const hex of plex.state.cloud.keys()) plex.actions.addToWatchlist('owner', hex, AT_MS)
  const page =
    (start: string) =>
    ({ path, query }: { path: string; query: URLSearchParams }) =>
      path.startsWith('/library/sections/watchlist') && query.get('X-Plex-Container-Start') === start
  for (const fault of [
    { kind: 'status', status: 504 },
    { kind: 'empty' },
    { kind: 'html', status: 200 },
    { kind: 'truncate' },
  ] as const) {
    plex.cloud.faults.add({ match: page('200'), ...fault })
    await t.rejects(read('watchlist'), { code: /^PLH_UPSTREAM/ }, fault.kind)
    plex.cloud.faults.clear()
  }
  plex.cloud.faults.add({ match: ({ path }) => path.startsWith('/library/metadata/'), kind: 'status', status: 500 })
  await t.rejects(read('watchlist'), { code: 'PLH_UPSTREAM' }, 'ids that could not be asked for')
  plex.cloud.faults.clear()
  plex.cloud.faults.add({ match: page('100'), kind: 'slow', delayMs: 300 })
  const reading = read('watchlist')
  while (!plex.cloud.requests.some((request) => page('100')(request) && request.status === 0))
    await new Promise(setImmediate)
  plex.actions.removeFromWatchlist('owner', [...plex.state.cloud.keys()][0] ?? '')
  t.match((await reading).end, { complete: false })
  t.match((await read('watchlist')).end, { complete: true })
})
