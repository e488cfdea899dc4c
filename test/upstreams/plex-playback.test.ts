// Playback at the Plex stand-in: the effect of a session on the server, its socket and its webhooks.
import { once } from 'node:events'
import t from 'tap'
import { startUpstream } from './base/index.ts'
import { startPlex } from './plex.ts'

t.test('a session is visible in the list, in frames, in webhooks, and in the play log from 90 % on', async (t) => {
  const payloads: Record<string, any>[] = []
  await using receiver = await startUpstream({
    name: 'receiver',
    async handler(request) {
      const form = await new Response(new Uint8Array(await request.body()), {
        headers: { 'content-type': String(request.headers['content-type']) },
      }).formData()
      payloads.push(JSON.parse(String(form.get('payload'))))
      t.type(form.get('thumb'), File)
      return { status: 200, json: { ok: true } }
    },
  })
  await using plex = await startPlex({ movies: 2, shows: 1 })
  const film = [...plex.state.items.values()].find(({ type }) => type === 'movie')!
  const address = `${plex.server.url.replace('http', 'ws')}/:/websockets/notifications`
  const socket = new WebSocket(`${address}?X-Plex-Token=${plex.serverToken()}`)
  const frames: any[] = []
  socket.addEventListener('message', ({ data }) => frames.push(JSON.parse(String(data)).NotificationContainer))
  await once(socket, 'open')
  plex.webhooks(receiver.url)

  const session = await plex.playback.start({ userId: 'friend', item: film, deviceId: 'tv', deviceName: 'Hall' })
  await session.at(600_000)
  await session.pause()
  await session.resume()
  const answer = await fetch(`${plex.server.url}/status/sessions`, {
    headers: { 'X-Plex-Token': plex.serverToken(), accept: 'application/json' },
  })
  t.match(((await answer.json()) as any).MediaContainer.Metadata, [
    {
      sessionKey: session.key,
      viewOffset: 600_000,
      User: { id: '900003' },
      Player: { machineIdentifier: 'tv', title: 'Hall', state: 'playing' },
    },
  ])
  await session.finish()
  t.same(
    payloads.map(({ event }) => event),
    ['playback.started', 'media.play', 'media.pause', 'media.resume', 'media.scrobble', 'media.stop'],
  )
  t.match(payloads[2], {
    user: false,
    Account: { id: 900_003, title: 'neighbour' },
    Player: { uuid: 'tv', title: 'Hall' },
    Metadata: { ratingKey: film.ratingKey, viewOffset: 600_000, duration: film.durationMs },
  })
  t.notOk('viewOffset' in payloads[4]!['Metadata'])
  t.equal(plex.state.plays.length, 1)
  t.equal(plex.state.playStates.get(900_003)?.get(film.ratingKey)?.viewCount, 1)
  t.equal(plex.state.sessions.size, 0)
  t.same(
    plex.deliveries.map(({ status }) => status),
    [200, 200, 200, 200, 200, 200],
  )
  await plex.actions.rate('owner', film.ratingKey, 8)
  t.match(payloads.at(-1), { event: 'media.rate', user: true, Account: { id: 1 }, Metadata: { userRating: 8 } })
  const states = frames.flatMap(({ type, PlaySessionStateNotification: rows }) =>
    type === 'playing' ? rows.map((row: any) => row.state) : [],
  )
  t.same(states, ['playing', 'playing', 'paused', 'playing', 'playing', 'stopped'])
  t.ok(frames.some(({ type }) => type === 'timeline'))

  plex.sockets.refuse(403)
  const refused = new WebSocket(`${address}?X-Plex-Token=${plex.serverToken()}`)
  await once(refused, 'close')
  plex.sockets.drop()
  if (socket.readyState !== WebSocket.CLOSED) await once(socket, 'close')
  t.equal(plex.sockets.count(), 0)
})

t.test('a guest can play, and only the owner of a server gets a socket', async (t) => {
  await using plex = await startPlex({ movies: 2, shows: 0 })
  const [film] = [...plex.state.items.keys()]
  await plex.playback.start({ userId: 555_000, userName: 'sample_user', item: film!, deviceId: 'web' })
  const answer = await fetch(`${plex.server.url}/status/sessions`, {
    headers: { 'X-Plex-Token': plex.serverToken(), accept: 'application/json' },
  })
  t.match(((await answer.json()) as any).MediaContainer.Metadata, [{ User: { id: '555000', title: 'sample_user' } }])
  const address = `${plex.server.url.replace('http', 'ws')}/:/websockets/notifications`
  for (const token of ['', plex.serverToken('friend')])
    await once(new WebSocket(`${address}?X-Plex-Token=${token}`), 'close')
  // A client may retry once after a 401.
  const statuses = plex.server.requests.filter(({ path }) => path.endsWith('notifications')).map((one) => one.status)
  t.same([...new Set(statuses)], [401, 403])
})
