// Contents of Plex webhooks: events, ids, attribution, ratings.
import { createHmac } from 'node:crypto'
import t from 'tap'
import { type Playback, type Rating, SHOW, startReceiver, webhookBodies, withMetadata } from './webhook-bodies.ts'

t.test('the events of players become actions with position, device and user', async (t) => {
  const { parse, bodies, plex } = await startReceiver(t)
  t.strictSame(await parse(bodies.A1), {
    type: 'playback',
    event: 'media.play',
    action: 'start',
    session: {
      key: 'player-lr-01',
      item: {
        type: 'movie',
        title: 'The Tin Meridian',
        year: 2031,
        ids: { imdb: 'tt99001001', tmdb: '9900101', tvdb: '990101', guid: 'plex://movie/0000000000000000000a1001' },
        library_id: '3',
        native: { item_id: '41001' },
      },
      state: 'playing',
      positionMs: 0,
      durationMs: 6_720_000,
      account: { id: '1', name: 'harbourmaster', uuid: 'ab34cd56ef789001', relation: 'own' },
      deviceId: 'player-lr-01',
      device: 'Living Room TV',
      server: plex.state.machineIdentifier,
    },
  })
  t.match(await parse(bodies.A2), { action: 'pause', session: { state: 'paused', positionMs: 2_352_000 } })
  t.match(await parse(bodies.A3), {
    action: 'start',
    session: {
      positionMs: 1_080_000,
      item: {
        type: 'episode',
        title: 'Low Water',
        series_title: 'Harbour Nine',
        season: 2,
        episode: 3,
        ids: { imdb: 'tt99002013', tmdb: '9902013', tvdb: '9902013' },
        show_ids: { imdb: 'tt99002000', tmdb: '9902000', tvdb: '992000', guid: SHOW },
      },
    },
  })
  const counted = (await parse(bodies.A4)) as Playback
  t.match(counted, { action: 'stop', session: { completed: true, state: 'playing' } })
  t.notOk('positionMs' in counted.session, 'no position is made up')
  const stopped = (await parse(bodies.A5)) as Playback
  t.match(stopped, { action: 'stop', session: { positionMs: 2_619_000, durationMs: 2_700_000 } })
  t.notOk('completed' in stopped.session)
  t.match(await parse(bodies.A10), { type: 'ignored', event: 'playback.started', reason: 'unsupported_event' })
  t.match(await parse(bodies.A7), { type: 'ignored', event: 'media.play', reason: 'unsupported_media_type' })
  t.notMatch(JSON.stringify(await Promise.all(Object.values(bodies).map((body) => parse(body)))), /203\.0\.113|198\.51/)
})

t.test('the show of an episode is requested once, and its ids are never those of the episode', async (t) => {
  const { parse, bodies, plex } = await startReceiver(t)
  await parse(bodies.A3)
  const asked = plex.server.count()
  const { item } = ((await parse(bodies.A4)) as Playback).session
  t.equal(plex.server.count(), asked)
  t.strictSame(item.ids, { tvdb: '9902013', guid: 'plex://episode/0000000000000000000b2013' })
  t.match(item.show_ids, { tvdb: '992000' })

  const special = ((await parse(bodies.A6)) as Playback).session
  t.match(special, { positionMs: 600_000, account: { id: '7001234', relation: 'other' } })
  t.strictSame(special.item.ids, {})
  t.strictSame(special.item.show_ids, { tvdb: '990300' })
  t.match(special.item, { season: 0, episode: 2 })
  t.equal(plex.server.count(), asked, 'its body says what the show is')

  const guid = 'com.plexapp.agents.themoviedb://9902000?lang=en'
  const bare = await parse(withMetadata(bodies.A6, { guid, grandparentGuid: undefined }))
  t.strictSame((bare as Playback).session.item.ids, {})
  t.match((bare as Playback).session.item.show_ids, { tmdb: '9902000' })
})

t.test('a server that fails, hangs or has another work leaves the report unchanged', async (t) => {
  const { parse, bodies, plex } = await startReceiver(t)
  plex.server.faults.add({ match: /metadata/, kind: 'status', status: 500, times: 1 })
  t.strictSame(((await parse(bodies.A3)) as Playback).session.item.show_ids, { guid: SHOW })
  plex.server.faults.add({ match: /metadata/, kind: 'hang', times: 1 })
  const late = (await parse(bodies.A3)) as Playback
  t.match(late.session.item, { ids: { tvdb: '9902013' }, show_ids: { guid: SHOW } })
  const other = await parse(withMetadata(bodies.A3, { grandparentGuid: 'plex://show/ffffffffffffffffffffffff' }))
  t.notOk((other as Playback).session.item.show_ids?.tvdb, 'the key belongs to another show')
  const film = [...plex.state.items.values()].find(({ type }) => type === 'movie')!
  const reused = withMetadata(bodies.A1, { ratingKey: film.ratingKey, Guid: [] })
  t.strictSame(((await parse(reused)) as Playback).session.item.ids, { guid: 'plex://movie/0000000000000000000a1001' })
})

t.test('ids that the body lacks come from the library', async (t) => {
  const { parse, bodies, ofType } = await startReceiver(t)
  const film = ofType('movie')[0]!
  const bare = withMetadata(bodies.A1, { ratingKey: film.ratingKey, guid: film.guid, Guid: undefined })
  const { item } = ((await parse(bare)) as Playback).session
  t.match(item.ids, Object.fromEntries(film.guids.map((guid) => guid.split('://'))))
})

t.test('libraries and files are reported on request; files in the body are not trusted', async (t) => {
  const { parse, bodies, ofType } = await startReceiver(t)
  const needs = { libraries: true, files: true }
  t.match(await parse(bodies.A8, { needs }), {
    session: {
      libraries: ['3'],
      files: {
        paths: ['/media/placeholder/Glass Ferry (2033)/Glass Ferry (2033) {edition-Trailer}.mp4'],
        trusted: false,
      },
    },
  })
  const film = ofType('movie')[0]!
  const real = withMetadata(bodies.A1, { ratingKey: film.ratingKey, guid: film.guid, librarySectionID: undefined })
  t.match(await parse(real, { needs }), { session: { libraries: ['1'], files: { paths: [/\.mkv$/], trusted: true } } })
  const plain = (await parse(bodies.A8)) as Playback
  t.notOk('libraries' in plain.session || 'files' in plain.session)
})

t.test('live television is marked and has no ids', async (t) => {
  const { parse, bodies } = await startReceiver(t)
  const { session } = (await parse(bodies.A9)) as Playback
  t.match(session, { live: true, positionMs: 60_000 })
  t.strictSame(session.item.ids, {})
  t.strictSame(session.item.show_ids ?? {}, {})
  t.match(await parse(withMetadata(bodies.A9, { live: undefined })), { session: { live: true } })
})

t.test('another server of the same account: its keys and sections have no meaning here', async (t) => {
  const { parse, plex } = await startReceiver(t)
  const neighbour = plex.state.machineIdentifier.split('').reverse().join('')
  const asked = plex.server.count()
  for (const [server, relation] of [
    [neighbour, 'other'],
    ['a1f0c0ffee00000000000000000000000000beef', 'unknown'],
  ] as const) {
    const { session } = (await parse(webhookBodies(server).A3, { needs: { libraries: true, files: true } })) as Playback
    t.match(session.account, { relation, elsewhere: true })
    t.strictSame(session.item.show_ids, { guid: SHOW })
    t.notOk(session.item.native ?? session.item.library_id ?? session.libraries ?? session.files)
    t.equal(session.server, server)
  }
  t.equal(plex.server.count(), asked)
})

t.test('the person is identified by ids: the owner, a home user, and everyone else', async (t) => {
  const owner = await startReceiver(t)
  const people = [
    [{ id: 1, title: 'x' }, 'own', 'other'],
    [{ id: '900001', title: 'x' }, 'own', 'other'],
    [{ id: 900_002, title: 'sample_user' }, 'other', 'own'],
    [{ id: 900_003, title: 'Kid' }, 'other', 'other'],
    [{ id: 123_456_789, title: 'sample_user' }, 'other', 'other'],
    [{ id: 0, title: 'sample_user' }, 'unknown', 'unknown'],
    [{ title: 'sample_user' }, 'unknown', 'unknown'],
    [{ title: 'sample_user', uuid: 'AB34CD56EF789001' }, 'own', 'other'],
    [{ id: 1, thumb: 'https://plex.tv/users/ab34cd56ef789003/avatar?c=1' }, 'unknown', 'other'],
    [undefined, 'unknown', 'unknown'],
    [7, 'unknown', 'unknown'],
  ] as const
  const relation = async ({ parse, bodies }: typeof owner, Account: unknown) =>
    ((await parse({ ...bodies.A2, user: true, Account })) as Playback).session.account.relation
  for (const [account, expected] of people)
    t.equal(await relation(owner, account), expected, `owner: ${JSON.stringify(account)}`)
  for (const Account of [{ id: 1 }, { id: 900_001 }, { uuid: 'ab34cd56ef789001' }])
    t.match(await owner.parse({ ...owner.bodies.A2, Account }), {
      session: { account: { id: '1', uuid: 'ab34cd56ef789001' } },
    })
  const home = await startReceiver(t, { config: { account_id: 900_002, home_pin: '1234' } })
  for (const [account, , expected] of people)
    t.equal(await relation(home, account), expected, `home user: ${JSON.stringify(account)}`)
  const shared = await startReceiver(t, { who: 'friend' })
  t.equal(await relation(shared, { id: 1 }), 'other')
  t.equal(await relation(shared, { id: 900_003 }), 'own')
})

t.test('a rating is rounded, removed by null and zero, and never guessed', async (t) => {
  const { parse, bodies, plex } = await startReceiver(t)
  t.match(await parse(bodies.R1, { needs: { libraries: true } }), {
    type: 'rating',
    event: 'media.rate',
    rating: 8,
    item: { type: 'movie', ids: { tmdb: '9900101' } },
    account: { relation: 'own' },
    server: plex.state.machineIdentifier,
    libraries: ['3'],
  })
  t.match(await parse(bodies.R2), { type: 'rating', rating: null })
  const episode = (await parse(bodies.R3)) as Rating
  t.equal(episode.rating, 9)
  t.strictSame(episode.item.ids, { tvdb: '9902013', guid: 'plex://episode/0000000000000000000b2013' })
  const values: [unknown, unknown][] = [
    [0.4, 1],
    [4.5, 5],
    [7, 7],
    ['8.0', 8],
    [10, 10],
    [0, null],
    [-1, null],
    [11, 'parse_error'],
    ['best', 'parse_error'],
    [true, 'parse_error'],
    [{}, 'parse_error'],
    [undefined, 'unsupported_event'],
  ]
  for (const [given, expected] of values) {
    const report = await parse(withMetadata(bodies.R1, { userRating: given }))
    t.equal(report.type === 'rating' ? report.rating : (report as { reason?: string }).reason, expected, String(given))
  }
  const outside = { Metadata: { ...bodies.R1.Metadata, userRating: undefined } }
  t.match(await parse({ ...bodies.R1, ...outside, userRating: 6 }), { rating: 6 })
  t.match(await parse({ ...bodies.R1, ...outside, rating: '6.0' }), { rating: 6 })
  t.match(await parse(withMetadata(bodies.R1, { type: 'show' })), { type: 'rating', item: { type: 'show' } })
  t.match(await parse(withMetadata(bodies.R1, { type: 'season' })), { reason: 'unsupported_media_type' })
  t.match(await parse(bodies.A1, { purpose: 'ratings' }), { reason: 'unsupported_event' })
  t.match(await parse(bodies.R1, { purpose: 'ratings' }), { rating: 8 })
})

t.test('with a secret, only signed bodies count', async (t) => {
  const { parse, bodies, host, plex } = await startReceiver(t)
  await host.changeConfig({ webhook_secret: 'the shared secret' })
  const body = Buffer.from(JSON.stringify(bodies.A1))
  const sign = (secret: string) => createHmac('sha1', secret).update(body).digest('base64')
  const signed = (signature: string) => parse(bodies.A1, { body, headers: { 'x-plex-signature': signature } })
  t.match(await signed(sign('the shared secret')), { action: 'start' })
  for (const signature of ['', sign('another'), sign('the shared secret').slice(1)])
    t.strictSame(await signed(signature), { type: 'ignored', reason: 'invalid_signature' })
  t.match(await parse(bodies.A1), { reason: 'invalid_signature' })
  t.match(
    await parse(bodies.A1, { body: Buffer.from('other'), headers: { 'x-plex-signature': sign('the shared secret') } }),
    { reason: 'invalid_signature' },
  )
  t.ok(plex)
})

t.test('an unreachable cloud: the user of the profile is cached, but not that of another sign-in', async (t) => {
  const { parse, bodies, plex, host } = await startReceiver(t)
  plex.cloud.faults.add({ kind: 'status', status: 500 })
  t.match(await parse(bodies.A1), { action: 'start', session: { account: { id: '1', relation: 'unknown' } } })
  plex.cloud.faults.clear()
  t.match(await parse(bodies.A1), { session: { account: { relation: 'own' } } })
  plex.cloud.faults.add({ kind: 'status', status: 500 })
  // Opens another session, as a restart does.
  await host.changeConfig({ timeout: 6 })
  t.match(await parse(bodies.A1), { session: { account: { relation: 'own' } } })
  await host.changeConfig({ account_token: plex.accountToken('friend') })
  t.match(await parse(bodies.A1), { session: { account: { relation: 'unknown' } } })
  plex.cloud.faults.clear()
  t.match(await parse(bodies.A1), { session: { account: { relation: 'other' } } })
})

t.test('a position beyond the end is unknown, and the event counts', async (t) => {
  const { parse, bodies } = await startReceiver(t)
  for (const viewOffset of [7_000_000, -5, 1.5, 'abc', null, {}, 1e20]) {
    const report = (await parse(withMetadata(bodies.A2, { viewOffset }, { event: 'media.stop' }))) as Playback
    t.equal(report.action, 'stop')
    t.notOk('positionMs' in report.session, String(viewOffset))
  }
  t.match(await parse(withMetadata(bodies.A2, { viewOffset: '2352000', duration: '6720000' })), {
    session: { positionMs: 2_352_000, durationMs: 6_720_000 },
  })
})

t.test('a position that a webhook lacks is requested where it is needed and one session matches', async (t) => {
  const { parse, bodies, plex } = await startReceiver(t)
  const { viewOffset: _unknown, ...metadata } = bodies.A3.Metadata
  const bare = { ...bodies.A3, Metadata: { ...metadata, duration: 2_700_000 } }
  const positionOf = async (needs: object, body: object = bare) =>
    ((await parse(body, { needs })) as Playback).session.positionMs
  const player = { userId: 'owner', item: '52013', positionMs: 600_000 }
  await plex.playback.start({ ...player, deviceId: 'another-player' })
  t.equal(await positionOf({ position: true }), undefined, 'another player')
  const session = await plex.playback.start({ ...player, deviceId: 'player-ph-02' })
  t.equal(await positionOf({ position: true }), 600_000)
  t.equal(await positionOf({}), undefined, 'not wanted')
  t.equal(await positionOf({ position: true }, { ...bare, event: 'media.stop' }), undefined, 'it is over')
  await session.stop()
  t.equal(await positionOf({ position: true }), undefined, 'gone')
})

t.test('an answer that comes while the process is stopped is not late', async (t) => {
  const { parse, bodies, plex } = await startReceiver(t)
  const { viewOffset: _unknown, ...metadata } = bodies.A3.Metadata
  const bare = { ...bodies.A3, Metadata: { ...metadata, duration: 2_700_000 } }
  await plex.playback.start({ userId: 'owner', item: '52013', positionMs: 600_000, deviceId: 'player-ph-02' })
  await parse(bare)
  // Longer than each of the limits of a webhook.
  const stopped: string[] = []
  const stop = ({ path }: { readonly path: string }) => {
    if (/metadata|sessions/.test(path)) {
      stopped.push(path)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_200)
    }
    return false
  }
  plex.server.faults.add({ match: stop, kind: 'hang' })
  const report = (await parse(
    { ...bare, Metadata: { ...bare.Metadata, ratingKey: '52013' } },
    { needs: { position: true } },
  )) as Playback
  t.ok(stopped.length > 0)
  t.equal(report.session.positionMs, 600_000)
})

t.test('guids of HAMA and XBMCnfo name the show of an episode, and a movie', async (t) => {
  const { parse, bodies } = await startReceiver(t)
  for (const [show, ids] of [
    ['com.plexapp.agents.hama://tvdb-8300000', { tvdb: '8300000' }],
    ['com.plexapp.agents.hama://anidb-11347', { anidb: '11347' }],
    ['com.plexapp.agents.xbmcnfotv://8300000', { tvdb: '8300000' }],
  ] as const) {
    const guids = { guid: `${show}/0/2?lang=en`, grandparentGuid: `${show}?lang=en` }
    const { item } = ((await parse(withMetadata(bodies.A6, guids))) as Playback).session
    t.strictSame([item.ids, item.show_ids, item.season, item.episode], [{}, ids, 0, 2], show)
  }
  const film = withMetadata(bodies.A1, { guid: 'com.plexapp.agents.xbmcnfo://tt9900005?lang=en', Guid: undefined })
  t.strictSame(((await parse(film)) as Playback).session.item.ids, { imdb: 'tt9900005' })
})
