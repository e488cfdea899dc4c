// slow: the whole service, or very many cases
// Following sessions: over the socket where the server sends them, by polling where it does not, and the plays that the server
// counts as watched.
import t from 'tap'
import type { PlaySession, Provider, WatchPart } from '@playhead/sdk'
import type { MediaServer } from '../../upstreams/media-browser/server.ts'
import { CAPABILITIES, PRODUCTS, startHost } from './support.ts'
import { QUICK, type Watching, watching } from './watching.ts'

const MINUTE_MS = 60_000
const SOCKET = { jellyfin: '/socket', emby: '/embywebsocket' }

const isPoll = (part: WatchPart) => part.type === 'connected' && part.by === 'poll'
const isPush = (part: WatchPart) => part.type === 'connected' && part.by === 'push'
const isDone = (part: WatchPart) => part.type === 'session' && part.session.completed === true
const shows = (test: (sessions: readonly PlaySession[]) => boolean) => (part: WatchPart) =>
  part.type === 'sessions' && test(part.sessions)
const playsItem = (id: string, state?: PlaySession['state']) =>
  shows((all) =>
    all.some(({ item, state: is }) => item.native?.item_id === id && (state === undefined || is === state)),
  )
const nothing = shows((all) => all.length === 0)
const heardOf = ({ parts }: Watching) => parts.length

for (const product of PRODUCTS) {
  t.test(`${product}: the server sends the playback of people`, async (t) => {
    await using watch = await watching(product)
    const { server } = watch
    const [film, other] = server.items('Movie')
    t.match(await watch.until(() => true), { type: 'connected', by: 'push', others: true })
    await watch.until(nothing)
    const reads = server.count('/Sessions')
    const play = await server.playback.start({ userId: 'kim', item: film!, deviceId: 'tv', deviceName: 'TV' })
    t.match(await watch.until(playsItem(film!.id, 'playing')), {
      sessions: [{ key: play.key, deviceId: 'tv', account: { name: 'kim', relation: 'other' } }],
    })
    await play.at(10 * MINUTE_MS)
    await watch.until(shows(([one]) => one?.positionMs === 10 * MINUTE_MS))
    await play.pause()
    await watch.until(playsItem(film!.id, 'paused'))
    await play.next(other!)
    await watch.until(playsItem(other!.id, 'playing'))
    const from = heardOf(watch)
    await play.stop(MINUTE_MS)
    await watch.until(nothing, from)
    t.equal(server.count('/Sessions'), reads, 'nothing was polled')
    t.notOk(watch.parts.some(isDone))
    const socket = server.requests.find(({ path }) => path === SOCKET[product])!
    t.equal(socket.query.has('api_key'), product === 'emby')
    t.ok(socket.query.get('deviceId'))
    t.ok(server.push.heard.some((text) => text.includes('KeepAlive')))
  })

  t.test(`${product}: a play that the server counts as watched is reported once`, async (t) => {
    await using watch = await watching(product)
    const { server } = watch
    const [film, other, third] = server.items('Movie')
    await watch.until(nothing)
    const tv = { userId: 'sam', deviceId: 'tv', deviceName: 'TV' }
    for (const userId of ['sam', 'kim']) {
      const from = heardOf(watch)
      const play = await server.playback.start({ ...tv, userId, item: film! })
      await watch.until(playsItem(film!.id), from)
      await play.at((film!.runtimeTicks! / 10_000) * 0.93)
      await play.finish()
      t.match(await watch.until(isDone, from), {
        session: { key: play.key, item: { native: { item_id: film!.id } }, account: { name: userId }, completed: true },
      })
      await watch.until(nothing, from)
    }

    // Watched before, and again without its end: the old mark is not a new play.
    for (const one of [other, third]) server.actions.markPlayed('sam', one!.id, Date.UTC(2024, 0, 1))
    const aborted = await server.playback.start({ ...tv, item: other! })
    await watch.until(playsItem(other!.id))
    let from = heardOf(watch)
    await aborted.at((other!.runtimeTicks! / 10_000) * 0.79)
    await watch.until(
      shows(([one]) => (one?.positionMs ?? 0) > 0),
      from,
    )
    from = heardOf(watch)
    await aborted.stop((other!.runtimeTicks! / 10_000) * 0.8)
    await watch.until(nothing, from)

    const again = await server.playback.start({ ...tv, item: third! })
    await watch.until(playsItem(third!.id))
    from = heardOf(watch)
    await again.at(10 * MINUTE_MS)
    await again.stop()
    await watch.until(nothing, from)
    t.equal(watch.parts.filter(isDone).length, 2)

    from = heardOf(watch)
    const whole = await server.playback.start({ ...tv, item: third! })
    await watch.until(playsItem(third!.id), from)
    await whole.at((third!.runtimeTicks! / 10_000) * 0.85)
    await whole.finish()
    t.match(await watch.until(isDone, from), { session: { item: { native: { item_id: third!.id } } } })
    from = heardOf(watch)
    await server.playback.start({ ...tv, item: other!, deviceId: 'phone' })
    await watch.until(playsItem(other!.id), from)
    t.equal(watch.parts.filter(isDone).length, 3)
  })

  t.test(`${product}: marked by hand during playback, and the end of one of several episodes`, async (t) => {
    await using watch = await watching(product)
    const { server } = watch
    const [film] = server.items('Movie')
    const [first, second] = server.items('Episode')
    await watch.until(nothing)
    const tv = { userId: 'sam', deviceId: 'tv', deviceName: 'TV' }
    server.actions.markUnplayed('sam', film!.id)
    const play = await server.playback.start({ ...tv, item: film! })
    await watch.until(playsItem(film!.id))
    server.actions.markPlayed('sam', film!.id, Date.now())
    t.match(await watch.until(isDone), { session: { key: play.key, state: 'playing', completed: true } })
    await play.next(first!)
    await watch.until(playsItem(first!.id))
    const from = heardOf(watch)
    await play.at(first!.runtimeTicks! / 10_000 - 1_000)
    await play.next(second!)
    const done = await watch.until(isDone, from)
    t.match(done, { session: { key: play.key, item: { native: { item_id: first!.id } } } })
    await watch.until(playsItem(second!.id), from)
    t.equal(watch.parts.filter(isDone).length, 2)
  })

  t.test(`${product}: completed plays are also reported with a key, which receives no user data`, async (t) => {
    await using watch = await watching(product, { byKey: true, user: 'kim' })
    const { server } = watch
    const [film] = server.items('Movie')
    t.match(await watch.until(() => true), { by: 'push', others: true })
    for (const userId of ['sam', 'kim']) {
      const from = heardOf(watch)
      const play = await server.playback.start({ userId, item: film!, deviceId: 'tv', deviceName: 'TV' })
      await play.at((film!.runtimeTicks! / 10_000) * 0.7)
      await watch.until(
        shows(([one]) => (one?.positionMs ?? 0) > 0),
        from,
      )
      await play.finish()
      const relation = userId === 'kim' ? 'own' : 'other'
      t.match(await watch.until(isDone, from), { session: { state: 'stopped', account: { name: userId, relation } } })
    }
  })

  t.test(`${product}: libraries and files are included`, async (t) => {
    await using watch = await watching(product, { options: { libraries: true, files: true } })
    const [film] = watch.server.items('Movie')
    await watch.until(nothing)
    await watch.server.playback.start({ userId: 'sam', item: film!, deviceId: 'tv', deviceName: 'TV' })
    t.match(await watch.until(playsItem(film!.id)), {
      sessions: [{ libraries: [film!.libraryId], files: { paths: [film!.path], trusted: true } }],
    })
  })

  t.test(`${product}: a broken socket is replaced by polling, and restored`, async (t) => {
    await using watch = await watching(product, { times: { ...QUICK, checkMs: 60_000 } })
    const { server } = watch
    const [film] = server.items('Movie')
    await watch.until(nothing)
    await server.playback.start({ userId: 'sam', item: film!, deviceId: 'tv', deviceName: 'TV' })
    await watch.until(playsItem(film!.id))
    for (const broken of ['drop', 'close', 'text', 'rows', 'bytes'] as const) {
      const from = heardOf(watch)
      const socket = server.push.open[0]!
      if (broken === 'drop') socket.drop()
      else if (broken === 'close') socket.close(1_001)
      else if (broken === 'text') socket.send('{"MessageType":')
      else if (broken === 'rows') socket.send('{"MessageType":"Sessions","Data":[{"Id":7}]}')
      else socket.sendBytes(Buffer.from('what is this?'))
      const reason = broken === 'drop' || broken === 'close' ? 'socket_lost' : 'socket_invalid'
      t.match(await watch.until(isPoll, from), { others: true, reason }, broken)
      await watch.until(playsItem(film!.id), from)
      await watch.until(isPush, from)
      t.notOk(watch.parts.slice(from).some(nothing), 'a lost connection says nothing about the sessions')
    }
  })

  t.test(`${product}: a socket that is refused`, async (t) => {
    const refuse = (status: number) => (server: MediaServer) =>
      server.faults.add({ match: SOCKET[product], kind: 'status', status, times: 2 })
    for (const status of [403, 404, 400, 502]) {
      await using watch = await watching(product, { times: QUICK, before: refuse(status) })
      t.match(await watch.until(() => true), { type: 'connected', by: 'poll', reason: 'socket_refused', others: true })
      const [film] = watch.server.items('Movie')
      const play = await watch.server.playback.start({ userId: 'sam', item: film!, deviceId: 'tv', deviceName: 'TV' })
      await watch.until(playsItem(film!.id))
      await watch.until(isPush)
      t.same(
        watch.parts.flatMap((part) => (part.type === 'connected' ? part.by : [])),
        ['poll', 'push'],
      )
      let from = heardOf(watch)
      await play.at((film!.runtimeTicks! / 10_000) * 0.6)
      await watch.until(
        shows(([one]) => (one?.positionMs ?? 0) > 0),
        from,
      )
      from = heardOf(watch)
      await play.finish()
      t.match(await watch.until(isDone, from), {
        session: { item: { native: { item_id: film!.id } }, account: { relation: 'own' } },
      })
    }
  })

  t.test(`${product}: a play that ends while sessions are polled`, async (t) => {
    const before = (server: MediaServer) => server.faults.add({ match: SOCKET[product], kind: 'status', status: 404 })
    await using watch = await watching(product, { before })
    const { server } = watch
    const [film] = server.items('Movie')
    const play = await server.playback.start({ userId: 'kim', item: film!, deviceId: 'tv', deviceName: 'TV' })
    await play.at((film!.runtimeTicks! / 10_000) * 0.9)
    await watch.until(playsItem(film!.id))
    await play.finish()
    t.match(await watch.until(isDone), { session: { state: 'stopped', account: { name: 'kim' } } })
    await watch.until(nothing)
  })

  t.test(`${product}: a silent socket is detected`, async (t) => {
    await using watch = await watching(product, {
      times: QUICK,
      before: (server) => void (server.push.sendsSessions = false),
    })
    const { server } = watch
    const [film] = server.items('Movie')
    await watch.until(nothing)
    const play = await server.playback.start({ userId: 'sam', item: film!, deviceId: 'tv', deviceName: 'TV' })
    await watch.until(playsItem(film!.id))
    await play.pause()
    await watch.until(playsItem(film!.id, 'paused'))
    t.match(await watch.until(isPoll), { reason: 'socket_silent' })
  })

  t.test(`${product}: a flood of messages`, async (t) => {
    await using watch = await watching(product)
    const { server } = watch
    const [film] = server.items('Movie')
    await watch.until(nothing)
    const play = await server.playback.start({ userId: 'sam', item: film!, deviceId: 'tv', deviceName: 'TV' })
    const [socket] = server.push.open
    for (let count = 0; count < 3_000; count += 1) {
      socket!.send('{"MessageType":"ScheduledTasksInfo","Data":[]}')
      if (count % 10 === 0) await play.at(count * 1_000)
    }
    await watch.until(shows(([one]) => one?.positionMs === 2_990_000))
    await play.stop()
    const from = watch.parts.findLastIndex(playsItem(film!.id))
    await watch.until(nothing, from)
    t.equal(watch.parts.filter(({ type }) => type === 'connected').length, 1)
  })

  t.test(`${product}: a user who is no administrator gets only their own sessions, which is reported`, async (t) => {
    await using watch = await watching(product, { user: 'kim' })
    const { server } = watch
    const [film, other] = server.items('Movie')
    const first = await watch.until(() => true)
    t.match(
      first,
      product === 'jellyfin'
        ? { by: 'poll', others: false, reason: 'socket_needs_administrator' }
        : { by: 'push', others: false },
    )
    await server.playback.start({ userId: 'sam', item: film!, deviceId: 'tv', deviceName: 'TV' })
    await server.playback.start({ userId: 'kim', item: other!, deviceId: 'tv', deviceName: 'TV' })
    t.match(await watch.until(playsItem(other!.id)), { sessions: [{ account: { relation: 'own' } }] })
    t.notOk(watch.parts.some(playsItem(film!.id)))
    if (product === 'jellyfin') t.equal(server.count(SOCKET.jellyfin), 0, 'it would receive nothing')
  })

  t.test(`${product}: a missing server, an invalid token, and an end`, async (t) => {
    {
      await using watch = await watching(product, { times: QUICK })
      await watch.until(nothing)
      watch.server.actions.expireTokens()
      watch.server.push.open[0]!.drop()
      await t.rejects(watch.over, { code: 'PLH_AUTH_FAILED' })
    }
    {
      await using watch = await watching(product, { times: QUICK })
      await watch.until(nothing)
      await watch.server.close()
      await t.rejects(watch.over, { code: 'PLH_UPSTREAM' })
    }
    await using watch = await watching(product)
    await watch.until(nothing)
    watch.stop()
    await t.rejects(watch.over)
    while (watch.server.push.open.length > 0) await new Promise((resolve) => setImmediate(resolve))
    await using host = await startHost(product)
    const provider = host.capability<Provider>(CAPABILITIES[product]) as unknown as Provider
    const followed = async () => {
      for await (const part of provider.watch!('default')) t.fail(part)
    }
    await t.rejects(followed(), { code: 'PLH_NOT_READY', wire: 'not_configured' })
    t.match((await provider.describe()).playback, { watch: 'push' })
  })
}
