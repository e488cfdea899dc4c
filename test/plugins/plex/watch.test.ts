// slow: the whole service, or very many cases
// Following the sessions of a Plex server: over its socket with all socket failures, and by polling.
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { type PlaySession, PlayheadError, type WatchOptions, type WatchPart } from '@playhead/sdk'
import { startWorld, type World } from './world.ts'

const MINUTE_MS = 60_000

interface Watch {
  readonly parts: WatchPart[]
  /** Resolves with the first matching part from `from` on. */
  until(fits: (part: WatchPart) => boolean, from?: number): Promise<WatchPart>
  /** The position after the last part. */
  mark(): number
  /** Settles with the result of the stream. */
  readonly ended: Promise<unknown>
  stop(): void
}

function watch(test: { teardown(fn: () => void): void }, { provider }: World, options: WatchOptions = {}): Watch {
  const end = new AbortController()
  const parts: WatchPart[] = []
  const ended = (async () => {
    for await (const part of provider.watch!('default', options, end.signal)) parts.push(part)
    return undefined
  })().catch((error: unknown) => error)
  test.teardown(() => end.abort())
  return {
    parts,
    ended,
    stop: () => end.abort(),
    mark: () => parts.length,
    async until(fits, from = 0) {
      for (let tries = 0; tries < 1_500; tries += 1) {
        const found = parts.slice(from).find(fits)
        if (found !== undefined) return found
        await sleep(10)
      }
      throw new Error(`it did not come: ${JSON.stringify(parts.slice(from))}`)
    },
  }
}

const lists =
  (...keys: string[]) =>
  (part: WatchPart) =>
    part.type === 'sessions' && JSON.stringify(part.sessions.map(({ key }) => key)) === JSON.stringify(keys)
const tells = (key: string, state: PlaySession['state'], positionMs?: number) => (part: WatchPart) =>
  part.type === 'session' &&
  part.session.key === key &&
  part.session.state === state &&
  (positionMs === undefined || part.session.positionMs === positionMs)

async function settled(t: Parameters<typeof startWorld>[0], options: Parameters<typeof startWorld>[1] = {}) {
  const world = await startWorld(t, options)
  // Saves the address of the server, which opens another session.
  await world.provider.playing!('default')
  return world
}

t.test('playback of several people on several players is reported live', async (t) => {
  const world = await settled(t)
  const { plex, ofType } = world
  const [film] = ofType('movie')
  const episode = ofType('episode')[0]!
  const before = await plex.playback.start({ userId: 'managed', item: film!, deviceId: 'kid', positionMs: MINUTE_MS })
  const watching = watch(t, world, { libraries: true })
  await watching.until(lists(before.key))
  t.match(watching.parts[0], { type: 'connected', by: 'push', others: true })
  t.match(watching.parts[1], {
    sessions: [{ positionMs: MINUTE_MS, account: { id: '900002', relation: 'other' }, libraries: ['1'] }],
  })
  plex.sockets.garbage()

  const play = await plex.playback.start({ userId: 'owner', item: episode, deviceId: 'tv', deviceName: 'Hall' })
  await watching.until(lists(before.key, play.key))
  await play.at(5 * MINUTE_MS)
  t.match(await watching.until(tells(play.key, 'playing', 5 * MINUTE_MS)), {
    session: {
      item: { type: 'episode', title: episode.title, show_ids: {} },
      durationMs: episode.durationMs,
      account: { id: '1', relation: 'own' },
      deviceId: 'tv',
      device: 'Hall',
      server: plex.state.machineIdentifier,
      libraries: ['2'],
    },
  })
  await play.pause()
  await watching.until(tells(play.key, 'paused', 5 * MINUTE_MS))
  await play.resume()
  await play.buffer()
  await watching.until(tells(play.key, 'buffering'))
  await play.seek(10 * MINUTE_MS)
  await watching.until(tells(play.key, 'buffering', 10 * MINUTE_MS))
  await play.stop()
  t.match(await watching.until(tells(play.key, 'stopped')), { session: { positionMs: 10 * MINUTE_MS } })
  await before.at(2 * MINUTE_MS)
  await watching.until(tells(before.key, 'playing', 2 * MINUTE_MS))
  watching.stop()
  t.match(await watching.ended, { code: 'PLH_ABORTED' })
  while (plex.sockets.count() > 0) await sleep(10)
  t.equal(plex.server.count('/status/sessions'), 3, 'one at the start, one for the new session, and the one before')
})

t.test('music and trailers are not reported, and not requested repeatedly', async (t) => {
  const world = await settled(t)
  const { plex, ofType } = world
  const watching = watch(t, world)
  await watching.until(lists())
  const music = await plex.playback.start({
    userId: 'owner',
    item: ofType('movie')[0]!,
    deviceId: 'radio',
    row: { type: 'track' },
  })
  await watching.until(lists(), watching.mark())
  const asked = plex.server.count('/status/sessions')
  for (let step = 1; step <= 20; step += 1) await music.at(step * 1_000)
  await music.stop()
  await sleep(50)
  t.equal(plex.server.count('/status/sessions'), asked)
  t.notOk(watching.parts.some(({ type }) => type === 'session'))
})

t.test('a library scan that sends thousands of events costs no request and hides no player', async (t) => {
  const world = await settled(t)
  const { plex, ofType } = world
  const film = ofType('movie')[0]!
  const play = await plex.playback.start({ userId: 'owner', item: film, deviceId: 'tv' })
  const watching = watch(t, world)
  await watching.until(lists(play.key))
  const asked = plex.server.requests.length
  const scan = (n: number) => [
    { type: 'timeline', size: 1, TimelineEntry: [{ itemID: String(n), sectionID: '1', state: n % 10, type: 1 }] },
    {
      type: 'activity',
      size: 1,
      ActivityNotification: [{ event: 'updated', uuid: 'scan', Activity: { progress: n } }],
    },
    { type: 'status', size: 1, StatusNotification: [{ title: 'PlaySessionStateNotification', description: `${n}` }] },
    { type: 'progress', size: 1, ProgressNotification: [{ message: `Scanning ${n}` }] },
  ]
  for (let n = 1; n <= 2_000; n += 1) {
    for (const NotificationContainer of scan(n)) plex.sockets.send({ NotificationContainer })
    if (n % 100 === 0) await play.at(n * 1_000)
  }
  await watching.until(tells(play.key, 'playing', 2_000_000))
  await play.stop()
  await watching.until(tells(play.key, 'stopped'))
  t.equal(plex.server.requests.length, asked)
  t.equal(watching.parts.filter(({ type }) => type === 'connected').length, 1)
})

t.test('a lost connection ends the stream with an error, and the next one starts with all sessions', async (t) => {
  const world = await settled(t)
  const { plex, ofType } = world
  const play = await plex.playback.start({ userId: 'owner', item: ofType('movie')[0]!, deviceId: 'tv' })
  for (const cut of ['drop', 'close'] as const) {
    const watching = watch(t, world)
    await watching.until(lists(play.key))
    plex.sockets[cut]()
    t.match(await watching.ended, { code: 'PLH_UPSTREAM', details: { reason: 'connection_lost' } })
  }
  await play.stop()
  await watch(t, world).until(lists())
})

t.test('a server that refuses sockets is polled', async (t) => {
  const world = await settled(t)
  const { plex, ofType } = world
  plex.sockets.refuse(404)
  const play = await plex.playback.start({ userId: 'friend', item: ofType('movie')[0]!, deviceId: 'tv' })
  const watching = watch(t, world)
  await watching.until(lists(play.key))
  t.match(watching.parts[0], { type: 'connected', by: 'poll', others: true, reason: 'socket_refused' })
  await play.stop()
  await watching.until(lists())
})

t.test('a proxy that cuts every socket is detected', async (t) => {
  const world = await settled(t)
  const { plex } = world
  for (let time = 0; time < 3; time += 1) {
    const watching = watch(t, world)
    await watching.until(lists())
    plex.sockets.drop()
    t.match(await watching.ended, { code: 'PLH_UPSTREAM' })
  }
  const watching = watch(t, world)
  t.match(await watching.until(({ type }) => type === 'connected'), { by: 'poll', reason: 'socket_lost' })
})

t.test('errors: no owner, no server, no credentials', async (t) => {
  const { provider, plex, host } = await settled(t)
  const first = async () => {
    for await (const part of provider.watch!('default')) return part
    return undefined
  }
  plex.server.faults.add({ match: /status.sessions|websockets/, kind: 'status', status: 500 })
  await t.rejects(first(), { code: 'PLH_UPSTREAM' })
  plex.server.faults.clear()
  plex.server.faults.add({ match: '/status/sessions', kind: 'status', status: 403 })
  await t.rejects(first(), { code: 'PLH_UNSUPPORTED', wire: 'playing_owner_only' })
  await host.changeConfig({ account_token: '' })
  await t.rejects(first(), { code: 'PLH_NOT_READY', wire: 'not_configured' })
  const friend = await startWorld(t, { who: 'friend' })
  const watching = watch(t, friend)
  const error = await watching.ended
  t.type(error, PlayheadError)
  t.match(error, { code: 'PLH_UNSUPPORTED', wire: 'playing_owner_only' })
  t.equal(friend.plex.server.count(/sessions|websockets/), 0)
})
