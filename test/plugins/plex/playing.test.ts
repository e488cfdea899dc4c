// Current playback on a Plex server: all sessions for its owner, each with its user.
import { relationOf } from '../../../plugins/providers/plex/playback/attribution.ts'
import type { Who as Person } from '../../../plugins/providers/plex/playback/known-user.ts'
import fc, { runsOf } from '../../fast-check.ts'
import t from 'tap'
import { startWorld } from './world.ts'

const MINUTE_MS = 60_000

t.test('the owner sees the sessions of all users, their films and episodes with all ids', async (t) => {
  const { plex, provider, ofType } = await startWorld(t)
  const [film, other] = ofType('movie')
  const episode = ofType('episode')[2]!
  const show = ofType('show')[0]!
  const first = plex.actions.startPlaying('owner', film!.ratingKey, 10 * MINUTE_MS)
  plex.actions.startPlaying('managed', other!.ratingKey, MINUTE_MS)
  plex.actions.startPlaying('friend', other!.ratingKey, MINUTE_MS)
  const second = plex.actions.startPlaying('owner', episode.ratingKey, undefined, {
    state: 'buffering',
    device: 'Tablet',
  })
  const told = await provider.playing!('default')
  t.same(
    told.map(({ account }) => [account.id, account.name, account.relation]),
    [
      ['1', 'sample_user', 'own'],
      ['900002', 'Kid', 'other'],
      ['900003', 'neighbour', 'other'],
      ['1', 'sample_user', 'own'],
    ],
  )
  const idsOf = (guids: readonly string[]) => Object.fromEntries(guids.map((guid) => guid.split('://')))
  t.match(told[0], {
    key: first,
    state: 'playing',
    positionMs: 10 * MINUTE_MS,
    durationMs: film!.durationMs,
    device: 'Living room',
    server: plex.state.machineIdentifier,
    account: { id: '1', uuid: 'ab34cd56ef789001' },
    deviceId: `player-${first}`,
    item: { type: 'movie', title: film!.title, year: film!.year, ids: { ...idsOf(film!.guids), guid: film!.guid } },
  })
  t.match(told[3], {
    key: second,
    state: 'buffering',
    device: 'Tablet',
    item: {
      type: 'episode',
      title: episode.title,
      series_title: show.title,
      season: 1,
      episode: episode.index,
      ids: idsOf(episode.guids),
      show_ids: idsOf(show.guids),
    },
  })
  t.notOk('positionMs' in told[3]!, 'no position is made up')
  t.ok(told.every(({ item }) => item.progress_ms === undefined && item.watched_at === undefined))

  // The first read saved the discovered server address, which opened another session.
  await provider.playing!('default')
  const asked = plex.server.count()
  await provider.playing!('default')
  t.equal(plex.server.count(), asked + 1, 'the ids were asked for once')
  for (const { key } of told) plex.actions.stopPlaying(key)
  t.same(await provider.playing!('default'), [])
})

t.test('impossible sessions, and those of neither film nor episode, are omitted', async (t) => {
  const { plex, provider, ofType } = await startWorld(t)
  const [film, other] = ofType('movie')
  const key = plex.actions.startPlaying('owner', film!.ratingKey, film!.durationMs! + 1)
  plex.actions.startPlaying('owner', other!.ratingKey, 0, { state: 'stopped' })
  plex.actions.startPlaying('owner', ofType('season')[0]!.ratingKey, 0)
  t.same(await provider.playing!('default'), [])
  plex.actions.reportPlaying(key, { offsetMs: film!.durationMs!, state: 'paused' })
  t.match(await provider.playing!('default'), [{ state: 'paused', positionMs: film!.durationMs }])
})

t.test('numbers as strings are read, and a title that is not in the library is reported unchanged', async (t) => {
  const { plex, provider } = await startWorld(t)
  const live = {
    sessionKey: 7,
    ratingKey: '99999',
    type: 'episode',
    title: 'The one',
    grandparentTitle: 'The show',
    parentIndex: '2',
    index: '3',
    duration: '60000',
    viewOffset: '1000',
    User: { id: 1 },
    Player: { product: 'A player', state: 'playing' },
  }
  const answer = JSON.stringify({
    MediaContainer: { size: 2, Metadata: [live, { ...live, sessionKey: 8, type: 'clip' }] },
  })
  plex.server.faults.add({
    match: '/status/sessions',
    kind: 'spoil',
    instead: true,
    send: (response) => void response.setHeader('content-type', 'application/json').end(answer),
  })
  t.match(await provider.playing!('default'), [
    {
      key: '7',
      positionMs: 1_000,
      durationMs: 60_000,
      device: 'A player',
      item: { type: 'episode', title: 'The one', series_title: 'The show', season: 2, episode: 3, ids: {} },
    },
  ])
})

t.test('libraries and files are reported on request, from the library', async (t) => {
  const { plex, provider, ofType } = await startWorld(t)
  const film = ofType('movie')[0]!
  const cut = plex.actions.addItem({
    type: 'movie',
    sectionKey: '1',
    title: 'Placeholder',
    guid: 'plex://movie/0000000000000000000c0001',
    guids: [],
    durationMs: 6_000_000,
    file: String.raw`\\nas\films\Placeholder {edition-Trailer}.mp4`,
    edition: 'Trailer',
  })
  await plex.playback.start({ userId: 'owner', item: film, deviceId: 'tv' })
  await plex.playback.start({ userId: 'friend', item: cut, deviceId: 'phone' })
  t.notOk((await provider.playing!('default')).some((one) => 'libraries' in one || 'files' in one))
  t.match(await provider.playing!('default', { libraries: true, files: true }), [
    { libraries: ['1'], files: { paths: [/Silent|\.mkv$/], editions: [], trusted: true } },
    {
      libraries: ['1'],
      files: {
        paths: [String.raw`\\nas\films\Placeholder {edition-Trailer}.mp4`],
        editions: ['Trailer'],
        trusted: true,
      },
    },
  ])
  const asked = plex.server.count(/metadata/)
  await provider.playing!('default', { libraries: true, files: true })
  t.equal(plex.server.count(/metadata/), asked, 'the files were asked for once')
})

t.test('live television is marked and has no ids; trailers, music and extras are omitted', async (t) => {
  const { plex, provider, ofType } = await startWorld(t)
  const [film, other] = ofType('movie')
  const episode = ofType('episode')[0]!
  const live = { live: '1', guid: 'tv.plex.xmltv://episode/channel-12/190012', ratingKey: 'live', Guid: undefined }
  await plex.playback.start({ userId: 'owner', item: episode, deviceId: 'tv', row: live })
  const rows = [{ type: 'clip', subtype: 'trailer' }, { type: 'track' }, { extraType: 1 }, { subtype: 'trailer' }]
  for (const [index, row] of rows.entries())
    await plex.playback.start({ userId: 'owner', item: index % 2 === 0 ? film! : other!, deviceId: `d${index}`, row })
  const told = await provider.playing!('default')
  t.match(told, [{ live: true, item: { type: 'episode', title: episode.title } }])
  t.equal(told.length, 1)
  t.same(told[0]?.item.ids, {})
})

t.test('a key that was reassigned to another work has no ids of the old one', async (t) => {
  const { plex, provider, ofType } = await startWorld(t)
  const [film, other] = ofType('movie')
  // The first read saves the server's address, which opens another session.
  await provider.playing!('default')
  await plex.playback.start({ userId: 'owner', item: film!, deviceId: 'tv' })
  t.match(await provider.playing!('default'), [{ item: { title: film!.title } }])
  plex.state.items.set(film!.ratingKey, { ...other!, ratingKey: film!.ratingKey })
  const [session] = await provider.playing!('default')
  t.equal(session?.item.title, other!.title)
  t.same(session?.item.ids, { guid: other!.guid })
})

t.test('the episode of a legacy agent has the ids of its show as show ids', async (t) => {
  const { plex, provider, ofType } = await startWorld(t)
  const [show] = ofType('show')
  const season = ofType('season').find(({ parentKey }) => parentKey === show!.ratingKey)!
  for (const [index, guid] of [
    'com.plexapp.agents.thetvdb://990300/0/2?lang=en',
    'com.plexapp.agents.thetvdb://990300?lang=en',
  ].entries()) {
    const special = plex.actions.addItem({
      type: 'episode',
      sectionKey: '2',
      title: 'Special',
      guid,
      guids: [],
      index: 40 + index,
      parentKey: season.ratingKey,
    })
    const play = await plex.playback.start({ userId: 'owner', item: special, deviceId: 'tv' })
    const [session] = await provider.playing!('default')
    t.same(session?.item.ids, {})
    await play.stop()
  }
})

// The owner of a server is 1 there and 900001 in the cloud; 900002 is a managed user, 900003 a shared user. A home user with
// their own account and a guest look the same.
const OWNER: Person = { id: '900001', uuid: 'aa01', isSelf: true }
const HOME_USER: Person = { id: '900002', uuid: 'aa02', isSelf: false }
const MATRIX: readonly (readonly [
  string,
  Person,
  boolean | undefined,
  string | undefined,
  string | undefined,
  string,
])[] = [
  ['the owner by the id of the server', OWNER, true, '1', undefined, 'own'],
  ['the owner by the id of the cloud', OWNER, true, '900001', undefined, 'own'],
  ['a home user', OWNER, true, '900002', undefined, 'other'],
  ['a shared user', OWNER, true, '900003', undefined, 'other'],
  ['a guest', OWNER, true, '987654321', undefined, 'other'],
  ['a user of an old server', OWNER, true, '7', undefined, 'other'],
  ['nobody named', OWNER, true, undefined, undefined, 'unknown'],
  ['the owner of another server', OWNER, false, '1', undefined, 'other'],
  ['the owner of an unknown server', OWNER, undefined, '1', undefined, 'unknown'],
  ['a user of an unknown old server', OWNER, undefined, '7', undefined, 'unknown'],
  ['the account, on an unknown server', OWNER, undefined, '900001', undefined, 'own'],
  ['the home user', HOME_USER, false, '900002', undefined, 'own'],
  ['the owner, for a home user', HOME_USER, false, '1', undefined, 'other'],
  ['the owner in the cloud, for a home user', HOME_USER, false, '900001', undefined, 'other'],
  ['another home user', HOME_USER, false, '900004', undefined, 'other'],
  ['a user of an old server, for a home user', HOME_USER, false, '7', undefined, 'unknown'],
  ['the owner, if the cloud lets a home user own the server', HOME_USER, true, '1', undefined, 'unknown'],
  ['the uuid alone', OWNER, true, undefined, 'aa01', 'own'],
  ['the uuid of somebody else', OWNER, true, undefined, 'aa02', 'other'],
  ['an id and a uuid that agree', OWNER, true, '1', 'aa01', 'own'],
  ['an id and a uuid that contradict each other', OWNER, true, '1', 'aa02', 'unknown'],
  ['a foreign id with the own uuid', OWNER, true, '900003', 'aa01', 'unknown'],
]
t.test('the user of a session is identified by ids alone', async (t) => {
  for (const [title, who, owns, id, uuid, relation] of MATRIX)
    t.equal(
      relationOf({ ...(id === undefined ? {} : { id }), ...(uuid === undefined ? {} : { uuid }) }, who, owns),
      relation,
      title,
    )
})

t.test(
  'rows of any shape are omitted or read, never attributed without an id, and never fail the others',
  async (t) => {
    const { plex, provider, ofType } = await startWorld(t)
    const [film, other] = ofType('movie')
    const names = [
      'sessionKey',
      'ratingKey',
      'type',
      'title',
      'guid',
      'year',
      'duration',
      'viewOffset',
      'User',
      'Player',
    ]
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.constantFrom(...names, 'Guid', 'live'), fc.jsonValue({ maxDepth: 2 })),
        async (row) => {
          const hostile = await plex.playback.start({ userId: 'friend', item: film!, deviceId: 'a', row })
          const good = await plex.playback.start({ userId: 'owner', item: other!, deviceId: 'b' })
          const found = await provider.playing!('default')
          await hostile.stop()
          await good.stop()
          if (!found.some(({ key }) => key === good.key)) throw new Error('the other session is missing')
          for (const { key, account } of found)
            if (key !== good.key && account.relation === 'own' && !isOwner(row['User'])) throw new Error('attributed')
        },
      ),
      { numRuns: runsOf(100) },
    )
  },
)

t.test('a guest with the name of the owner is another person', async (t) => {
  const { plex, provider, ofType } = await startWorld(t)
  await plex.playback.start({ userId: 555_000, userName: 'sample_user', item: ofType('movie')[0]!, deviceId: 'tv' })
  t.match(await provider.playing!('default'), [{ account: { id: '555000', name: 'sample_user', relation: 'other' } }])
})

for (const who of ['friend', 'managed'] as const) {
  t.test(`a user who does not own the server (${who}) gets a refusal, without a request to the server`, async (t) => {
    const { plex, provider, ofType } = await startWorld(
      t,
      who === 'friend' ? { who } : { config: { account_id: 900_002, home_pin: '1234' } },
    )
    plex.actions.startPlaying(who, ofType('movie')[0]!.ratingKey, MINUTE_MS)
    await t.rejects(provider.playing!('default'), { code: 'PLH_UNSUPPORTED', wire: 'playing_owner_only' })
    t.equal(plex.server.count('/status/sessions'), 0)
  })
}

t.test('a server that refuses its owner reports so, and a failing one gives an error', async (t) => {
  const { plex, provider, host } = await startWorld(t)
  const lay = (status: number) => plex.server.faults.add({ match: '/status/sessions', kind: 'status', status })
  t.same(await provider.playing!('default'), [])
  lay(403)
  await t.rejects(provider.playing!('default'), { code: 'PLH_UNSUPPORTED', wire: 'playing_owner_only' })
  plex.server.faults.clear()
  lay(500)
  await t.rejects(provider.playing!('default'), { code: 'PLH_UPSTREAM' })
  await host.changeConfig({ account_token: '' })
  await t.rejects(provider.playing!('default'), { code: 'PLH_NOT_READY', wire: 'not_configured' })
})

function isOwner(user: unknown): boolean {
  const { id } = (user ?? {}) as { id?: unknown }
  return ['1', '900001'].includes(String(id).trim())
}
