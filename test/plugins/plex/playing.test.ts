// What plays now on a Plex server: told to its owner, of the owner alone.
import t from 'tap'
import { startWorld } from './world.ts'

const MINUTE_MS = 60_000

t.test('the owner hears of the own film and episode with all ids, and of nobody else', async (t) => {
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
  t.equal(told.length, 2)
  const idsOf = (guids: readonly string[]) => Object.fromEntries(guids.map((guid) => guid.split('://')))
  t.match(told[0], {
    key: first,
    state: 'playing',
    positionMs: 10 * MINUTE_MS,
    durationMs: film!.durationMs,
    device: 'Living room',
    server: plex.state.machineIdentifier,
    account: { id: '900001', relation: 'own' },
    item: { type: 'movie', title: film!.title, year: film!.year, ids: { ...idsOf(film!.guids), guid: film!.guid } },
  })
  t.match(told[1], {
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
  t.notOk('positionMs' in told[1]!, 'no position is made up')
  t.ok(told.every(({ item }) => item.progress_ms === undefined && item.watched_at === undefined))

  // What the first look found out about the server was saved, which opened another session.
  await provider.playing!('default')
  const asked = plex.server.count()
  await provider.playing!('default')
  t.equal(plex.server.count(), asked + 1, 'the ids were asked for once')
  plex.actions.stopPlaying(first)
  plex.actions.stopPlaying(second)
  t.same(await provider.playing!('default'), [])
})

t.test('what cannot be, and what is being done with no film and no episode, is left out', async (t) => {
  const { plex, provider, ofType } = await startWorld(t)
  const [film, other] = ofType('movie')
  const key = plex.actions.startPlaying('owner', film!.ratingKey, film!.durationMs! + 1)
  plex.actions.startPlaying('owner', other!.ratingKey, 0, { state: 'stopped' })
  plex.actions.startPlaying('owner', ofType('season')[0]!.ratingKey, 0)
  t.same(await provider.playing!('default'), [])
  plex.actions.reportPlaying(key, { offsetMs: film!.durationMs!, state: 'paused' })
  t.match(await provider.playing!('default'), [{ state: 'paused', positionMs: film!.durationMs }])
})

t.test('numbers that come as texts are read, and a title that is not in the library is told as it is', async (t) => {
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

for (const who of ['friend', 'managed'] as const) {
  t.test(
    `who does not own the server (${who}) hears that it is not for them, and the server is not asked`,
    async (t) => {
      const { plex, provider, ofType } = await startWorld(
        t,
        who === 'friend' ? { who } : { config: { account_id: 900_002, home_pin: '1234' } },
      )
      plex.actions.startPlaying(who, ofType('movie')[0]!.ratingKey, MINUTE_MS)
      await t.rejects(provider.playing!('default'), { code: 'PLH_UNSUPPORTED', wire: 'playing_owner_only' })
      t.equal(plex.server.count('/status/sessions'), 0)
    },
  )
}

t.test('a server that refuses its owner says so, and one that fails is not silent', async (t) => {
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
