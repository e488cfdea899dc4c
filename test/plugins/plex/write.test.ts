// slow: the whole service, or very many cases
// Writes to Plex: the right item, the right time, and a verified outcome.
import type { Item } from '@playhead/sdk'
import t from 'tap'
import { asItem, startWorld, type World } from './world.ts'

const AT_MS = Date.UTC(2024, 4, 1, 20)
const HOUR_MS = 3_600_000
const iso = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}Z`

/** The server's play state of the owner. */
function stateOf({ plex }: World, ratingKey: string | undefined, account = 900_001) {
  return plex.state.playStates.get(account)?.get(ratingKey ?? '')
}
const items = (world: World, type: 'movie' | 'show' | 'season' | 'episode', more: Partial<Item> = {}) =>
  world.ofType(type).map((item) => asItem(world.plex, item, more))

t.test('plays are stored with the time at which they happened', async (t) => {
  const world = await startWorld(t)
  const { plex, write, read, ofType } = world
  const watched = [...items(world, 'movie').slice(0, 3), ...items(world, 'episode').slice(0, 4)].map((item, index) => ({
    ...item,
    watched_at: iso(AT_MS + index * HOUR_MS),
  }))
  t.same(
    await write('history', 'add', watched),
    watched.map(() => 'applied'),
  )
  t.equal(stateOf(world, ofType('movie')[1]?.ratingKey)?.lastViewedAtMs, AT_MS + HOUR_MS)
  t.same(
    (await read('history')).rows.map(({ watched_at: at }) => at).sort(),
    watched.map(({ watched_at: at }) => at),
  )
  t.equal(plex.server.count('/:/scrobble'), 0, 'nothing is marked as played now')
  t.same(
    await write('history', 'add', watched),
    watched.map(() => 'already'),
  )
})

for (const stampsReports of [false, true]) {
  t.test(`a play of this moment needs no verification (the server stamps plays: ${stampsReports})`, async (t) => {
    const world = await startWorld(t, { stampsReports })
    const [first, second] = items(world, 'movie')
    const atMs = Math.floor(Date.now() / 1_000) * 1_000
    t.same(await world.write('history', 'add', [{ ...first!, watched_at: iso(atMs) }]), ['applied'])
    const { lastViewedAtMs = 0 } = stateOf(world, world.ofType('movie')[0]?.ratingKey) ?? {}
    t.ok(Math.abs(lastViewedAtMs - atMs) <= 30_000, 'the play has its time')
    const older = await world.write('history', 'add', [{ ...second!, watched_at: iso(AT_MS) }])
    t.same(older, [stampsReports ? 'rejected date_not_kept' : 'applied'], 'an older one is still proved')
  })
}

t.test('a hundred plays cost one request each and a few more to verify', async (t) => {
  const world = await startWorld(t, { movies: 100, shows: 1, cloudTitles: 1 })
  const watched = items(world, 'movie', { watched_at: iso(AT_MS) }).filter(({ ids }) => Object.keys(ids).length > 0)
  await world.read('history')
  const before = world.plex.server.requests.length
  t.same(new Set(await world.write('history', 'add', watched)), new Set(['applied']))
  const asked = world.plex.server.requests.length - before - watched.length
  t.ok(asked <= 20, `${asked} more`)
  t.equal(world.plex.server.count(/^\/(?:hubs|library\/all)/), 0, 'nothing is searched for')
})

t.test('a server that stamps plays with the current time is detected by one play, which is undone', async (t) => {
  const world = await startWorld(t, { stampsReports: true })
  const { plex, write, host, ofType } = world
  const [first] = ofType('movie')
  plex.actions.setOffset('owner', first?.ratingKey ?? '', 600_000, AT_MS)
  const watched = items(world, 'movie', { watched_at: iso(AT_MS) })
  const outcomes = await write('history', 'add', watched)
  t.equal(outcomes[0], 'rejected date_not_kept')
  t.same(new Set(outcomes.slice(1)), new Set(['unsupported date_not_kept']))
  t.equal(plex.server.count('/:/timeline'), 2, 'one play, and the position that was there before')
  t.match(stateOf(world, first?.ratingKey), { viewCount: 0, viewOffsetMs: 600_000 })
  t.ok(host.logs.some(({ text }) => text?.includes('removed again')))
  t.same(
    new Set(await write('history', 'add', watched)),
    new Set(['unsupported date_not_kept']),
    'and it is not tried again',
  )
})

t.test(
  'plays without a time, from the future, of unknown films and of missing episodes are refused, each with its reason',
  async (t) => {
    const world = await startWorld(t)
    const [movie] = items(world, 'movie')
    const [episode] = items(world, 'episode')
    const at = { watched_at: iso(AT_MS) }
    t.same(
      await world.write('history', 'add', [
        movie as Item,
        { ...(movie as Item), watched_at: iso(Date.now() + HOUR_MS) },
        { type: 'movie', ids: { tmdb: '987654' }, title: movie?.title ?? '', ...at },
        { ...(episode as Item), ids: {}, episode: 99, ...at },
        { type: 'movie', ids: {}, title: movie?.title ?? '', ...at },
        { type: 'show', ids: { tmdb: '1' }, ...at },
        { ...(movie as Item), ids: { ...movie?.ids, imdb: 'tt7777777' }, ...at },
      ]),
      [
        'rejected missing_watched_at',
        'rejected time_in_future',
        'not_found not_in_library',
        'not_found episode_missing',
        'unsupported missing_ids',
        'unsupported unsupported_type',
        'rejected ambiguous_identity',
      ],
    )
    t.equal(
      world.plex.server.count(({ method }) => method !== 'GET'),
      0,
    )
  },
)

t.test('a play with a lost response is verified, not repeated', async (t) => {
  const world = await startWorld(t)
  const [first, second] = items(world, 'movie', { watched_at: iso(AT_MS) })
  await world.write('history', 'add', [second as Item])
  world.plex.server.faults.add({ match: '/:/timeline', kind: 'reset' })
  t.same(await world.write('history', 'add', [first as Item]), ['applied'])
  t.equal(stateOf(world, world.ofType('movie')[0]?.ratingKey)?.viewCount, 1)
})

t.test('a second play of a film is one more row, and is removed alone', async (t) => {
  const world = await startWorld(t)
  const { write, read, ofType } = world
  const [movie] = items(world, 'movie')
  const play = (ms: number): Item => ({ ...(movie as Item), watched_at: iso(ms) })
  for (const ms of [AT_MS, AT_MS + HOUR_MS])
    t.same(await write('history', 'add', [play(ms)], { plays: true }), ['applied'])
  const { rows } = await read('history', { plays: true })
  t.same(rows.map(({ watched_at: at }) => at).sort(), [iso(AT_MS), iso(AT_MS + HOUR_MS)])
  const last = rows.find(({ watched_at: at }) => at === iso(AT_MS + HOUR_MS)) as Item
  t.same(await write('history', 'remove', [last], { plays: true }), ['applied'])
  const left = (await read('history', { plays: true })).rows
  t.same(
    left.map(({ watched_at: at }) => at),
    [iso(AT_MS)],
    'the mark does not bring the removed play back',
  )
  t.equal(stateOf(world, ofType('movie')[0]?.ratingKey)?.viewCount, 2)
  t.same(await write('history', 'remove', [last], { plays: true }), ['already'])
  t.same(
    await write('history', 'remove', [{ ...last, native: { item_id: last.native?.item_id } } as Item], { plays: true }),
    ['rejected exact_play_unknown'],
  )
})

t.test('a play that is written to every copy of a work is one play, and is removed from all of them', async (t) => {
  const world = await startWorld(t)
  const { plex, write, read, ofType } = world
  const { ratingKey, addedAtMs: _movieAddedAtMs, ...film } = ofType('movie')[0]!
  const copy = plex.actions.addItem(film)
  const { ratingKey: episodeKey, addedAtMs: _episodeAddedAtMs, ...episode } = ofType('episode')[0]!
  const copyOfEpisode = plex.actions.addItem(episode)
  const keys = [ratingKey, copy.ratingKey, episodeKey, copyOfEpisode.ratingKey]
  const works = [items(world, 'movie')[0]!, items(world, 'episode')[0]!]
  const watched = works.map((item) => ({ ...item, watched_at: iso(AT_MS) }))
  // Another film at the same second, and a second play of the first copy a minute later, are separate plays.
  const other = { ...items(world, 'movie')[1]!, watched_at: iso(AT_MS) }
  t.same(await write('history', 'add', [...watched, other], { plays: true }), ['applied', 'applied', 'applied'])
  plex.actions.watch('owner', ratingKey, AT_MS + 60_000)
  plex.actions.watch('owner', ratingKey, AT_MS + 60_000)
  t.equal(plex.state.plays.filter((play) => keys.includes(play.ratingKey)).length, 6)
  const plays = (await read('history', { plays: true })).rows
  const timesOf = (key: string) =>
    plays.filter(({ ids }) => ids.tmdb === works[0]!.ids.tmdb && key === 'film').map(({ watched_at: at }) => at)
  t.same(timesOf('film').toSorted(), [iso(AT_MS), iso(AT_MS + 60_000), iso(AT_MS + 60_000)])
  t.equal(plays.length, 5)

  const written = plays.filter(({ watched_at: at, ids }) => at === iso(AT_MS) && ids.tmdb !== other.ids.tmdb)
  t.same(await write('history', 'remove', written, { plays: true }), ['applied', 'applied'])
  t.same(
    plex.state.plays.filter((play) => keys.includes(play.ratingKey)).map((play) => play.ratingKey),
    [ratingKey, ratingKey],
    'other plays stay',
  )
  for (const key of keys.slice(1)) t.notOk(stateOf(world, key)?.viewCount, 'a copy without a play is not watched')
})

t.test('removing the only play of a film leaves it unwatched, with its position', async (t) => {
  const world = await startWorld(t)
  const { plex, write, read, ofType } = world
  const key = ofType('movie')[0]?.ratingKey ?? ''
  plex.actions.watch('owner', key, AT_MS)
  plex.actions.setOffset('owner', key, 700_000, AT_MS + HOUR_MS)
  t.same(await write('history', 'remove', (await read('history', { plays: true })).rows, { plays: true }), ['applied'])
  t.match(stateOf(world, key), { viewCount: 0, viewOffsetMs: 700_000 })
  t.same((await read('history', { plays: true })).rows, [])
})

t.test('removing a film from the history marks every copy as unwatched', async (t) => {
  const world = await startWorld(t)
  const { plex, write, read, ofType } = world
  const { ratingKey, addedAtMs: _addedAtMs, ...film } = ofType('movie')[0] as ReturnType<World['ofType']>[number]
  const copy = plex.actions.addItem({ ...film, title: 'The same in another edition' })
  for (const key of [ratingKey, copy.ratingKey]) plex.actions.watch('owner', key, AT_MS)
  const { rows } = await read('history')
  t.same(await write('history', 'remove', rows.slice(0, 1)), ['applied'])
  t.same((await read('history')).rows, [])
  t.same(await write('history', 'remove', rows.slice(0, 1)), ['already'])
})

t.test('what a person changed since the read is neither removed nor overwritten', async (t) => {
  const world = await startWorld(t)
  const { plex, write, read, ofType } = world
  const [first = '', second = ''] = ofType('movie').map(({ ratingKey }) => ratingKey)
  for (const key of [first, second]) {
    plex.actions.watch('owner', key, AT_MS)
    await plex.actions.rate('owner', key, 4, AT_MS)
    plex.actions.setOffset('owner', key, 700_000, AT_MS)
  }
  const [ratings, positions] = [(await read('ratings')).rows, (await read('progress')).rows]
  await plex.actions.rate('owner', first, 9, AT_MS + HOUR_MS)
  plex.actions.setOffset('owner', first, 1_700_000, AT_MS + HOUR_MS)
  for (const [feature, rows] of [['ratings', ratings] as const, ['progress', positions] as const])
    t.same(await write(feature, 'remove', rows), ['failed changed_since_read', 'applied'], feature)
  for (const key of [first, second]) plex.actions.setOffset('owner', key, 0, AT_MS + HOUR_MS)
  const { rows } = await read('history')
  plex.actions.watch('owner', first, AT_MS + 24 * HOUR_MS)
  t.same(await write('history', 'remove', rows), ['failed changed_since_read', 'applied'])
  t.equal(stateOf(world, first)?.viewCount, 2)
})

t.test('ratings are written, changed and removed, for all four kinds', async (t) => {
  const world = await startWorld(t)
  const { write, read } = world
  const rated = (['movie', 'show', 'season', 'episode'] as const).map((kind): Item => {
    const [first] = world.ofType(kind)
    if (first === undefined) throw new Error(`no ${kind}`)
    const show = world.ofType('show')[0]
    const season: Item = {
      type: 'season',
      ids: {},
      season: 1,
      show_ids: Object.fromEntries((show?.guids ?? []).map((guid) => guid.split('://'))),
    }
    return { ...(kind === 'season' ? season : asItem(world.plex, first)), rating: 7, rated_at: iso(AT_MS) }
  })
  t.same(await write('ratings', 'add', rated), ['applied', 'applied', 'applied', 'applied'])
  const { rows } = await read('ratings')
  t.same(
    rows.map(({ type, rating, rated_at: at }) => [type, rating, at]),
    rated.map(({ type }) => [type, 7, iso(AT_MS)]),
  )
  t.same(
    await write(
      'ratings',
      'update',
      rated.slice(0, 1).map((item) => ({ ...item, rating: 9 })),
    ),
    ['applied'],
  )
  t.same(await write('ratings', 'remove', rows.slice(1)), ['applied', 'applied', 'applied'])
  t.same(
    (await read('ratings')).rows.map(({ rating }) => rating),
    [9],
  )
  t.same(await write('ratings', 'add', [asItem(world.plex, world.ofType('movie')[0] as never)]), [
    'rejected invalid_rating',
  ])
})

t.test('a rating that the server accepts and does not store is no success', async (t) => {
  const world = await startWorld(t)
  world.plex.server.faults.add({ match: '/:/rate', kind: 'empty', times: 1 })
  t.same(
    await world.write('ratings', 'add', items(world, 'movie', { rating: 7 }).slice(0, 2)).then((all) => all.toSorted()),
    ['applied', 'rejected write_not_visible'],
  )
})

t.test('positions are written with their time, and a position near either end is refused', async (t) => {
  const world = await startWorld(t)
  const { write, read, ofType } = world
  const [first, second, third, fourth] = items(world, 'movie', { progress_at: iso(AT_MS) })
  const durationMs = ofType('movie')[0]?.durationMs ?? 0
  t.same(
    await write('progress', 'add', [
      { ...(first as Item), progress_ms: 1_200_000 },
      { ...(second as Item), progress_percent: 50 },
      { ...(third as Item), progress_ms: 30_000 },
      { ...(fourth as Item), progress_percent: 95 },
    ]),
    ['applied', 'applied', 'rejected position_too_small', 'rejected would_complete'],
  )
  const { rows } = await read('progress')
  t.match(rows[0], { progress_ms: 1_200_000, duration_ms: durationMs, progress_at: iso(AT_MS) })
  t.equal(rows.length, 2)
  t.same(
    await write('progress', 'update', [
      { ...(first as Item), progress_ms: 1_500_000, progress_at: iso(AT_MS + HOUR_MS) },
    ]),
    ['applied'],
  )
  t.match((await read('progress')).rows[0], { progress_ms: 1_500_000, progress_at: iso(AT_MS + HOUR_MS) })
})

t.test('removing a position keeps the watched mark', async (t) => {
  const world = await startWorld(t)
  const { plex, write, read, ofType } = world
  const key = ofType('movie')[0]?.ratingKey ?? ''
  plex.actions.watch('owner', key, AT_MS)
  plex.actions.setOffset('owner', key, 700_000, AT_MS + HOUR_MS)
  t.same(await write('progress', 'remove', (await read('progress')).rows), ['applied'])
  t.same((await read('progress')).rows, [])
  t.equal(stateOf(world, key)?.viewCount, 1)
  t.equal(plex.server.count('/:/unscrobble'), 0)
})

t.test('a position that cannot be removed without the watched mark stays', async (t) => {
  const world = await startWorld(t)
  const { plex, write, read, ofType } = world
  const [watched, begun] = ofType('movie').map(({ ratingKey }) => ratingKey) as [string, string]
  plex.actions.watch('owner', watched, AT_MS)
  for (const key of [watched, begun]) plex.actions.setOffset('owner', key, 700_000, AT_MS)
  plex.server.faults.add({ match: '/:/progress', kind: 'empty' })
  t.same((await write('progress', 'remove', (await read('progress')).rows)).toSorted(), [
    'applied',
    'rejected progress_remove_unconfirmed',
  ])
  t.equal(stateOf(world, watched)?.viewCount, 1)
})

t.test('an overloaded server defers the rest, and an unreachable one fails them', async (t) => {
  const world = await startWorld(t)
  await world.read('ratings')
  world.plex.server.faults.add({
    match: '/:/rate',
    kind: 'status',
    status: 429,
    headers: { 'retry-after': '1' },
    times: 1,
  })
  const outcomes = await world.write('ratings', 'add', items(world, 'movie', { rating: 7 }))
  t.ok(outcomes.includes('rate_limited rate_limited'), outcomes.join())
  world.plex.server.faults.add({ match: '/:/rate', kind: 'status', status: 503 })
  t.same(
    new Set(await world.write('ratings', 'add', items(world, 'movie', { rating: 3 }).slice(0, 2))),
    new Set(['failed http_503']),
  )
})

t.test('a row whose key now belongs to another film changes neither film', async (t) => {
  const world = await startWorld(t)
  const { plex, write, read, ofType } = world
  const film = ofType('movie')[0] as ReturnType<World['ofType']>[number]
  plex.actions.watch('owner', film.ratingKey, AT_MS)
  const { rows } = await read('history')
  plex.state.items.set(film.ratingKey, {
    ...film,
    guid: 'plex://movie/00000000000000000000ffff',
    guids: ['tmdb://999999'],
    addedAtMs: Date.now(),
  })
  await read('history')
  t.same(await write('history', 'remove', rows), ['not_found not_in_library'])
  t.equal(stateOf(world, film.ratingKey)?.viewCount, 1)
})

t.test('when the token is revoked midway the rest fails, with the reason', async (t) => {
  const world = await startWorld(t)
  await world.read('ratings')
  world.plex.server.faults.add({ match: '/:/rate', kind: 'lag', delayMs: 20, times: 1 })
  const writing = world.write('ratings', 'add', items(world, 'movie', { rating: 7 }))
  while (world.plex.server.count('/:/rate') === 0) await new Promise(setImmediate)
  world.plex.actions.expireTokens()
  const outcomes = await writing
  t.ok(
    outcomes.every((outcome) => outcome === 'failed unauthorized' || outcome === 'unknown not_verified'),
    outcomes.join(),
  )
  t.ok(outcomes.includes('failed unauthorized'))
})

t.test('an id that two different films of the library have identifies neither of them', async (t) => {
  const world = await startWorld(t)
  const film = world.ofType('movie')[0] as ReturnType<World['ofType']>[number]
  const tmdb = film.guids.find((guid) => guid.startsWith('tmdb')) ?? ''
  world.plex.actions.addItem({
    type: 'movie',
    sectionKey: '1',
    guid: 'plex://movie/00000000000000000000ffff',
    guids: [tmdb, 'imdb://tt7777777'],
    title: 'Another',
  })
  t.same(await world.write('ratings', 'add', [{ type: 'movie', ids: { tmdb: tmdb.slice(7) }, rating: 7 }]), [
    'rejected ambiguous_identity',
  ])
  t.equal(world.plex.server.count('/:/rate'), 0)
})
