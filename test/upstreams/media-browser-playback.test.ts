// The Jellyfin and Emby stand-ins during playback: sessions, the WebSocket, user data, webhooks.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { askWith, signIn } from './media-browser/ask.ts'
import type { MediaServer } from './media-browser/server.ts'
import { startEmby } from './emby.ts'
import { startJellyfin } from './jellyfin.ts'

const MINUTE_MS = 60_000
const servers = { jellyfin: startJellyfin, emby: startEmby }
const socketPath = { jellyfin: '/socket', emby: '/embywebsocket' }

for (const product of ['jellyfin', 'emby'] as const) {
  t.test(`${product}: session access, including users who watch along`, async (t) => {
    await using server = await servers[product]({ movies: 3, shows: 1 })
    const [film, other] = server.items('Movie')
    const sam = await signIn(server)
    const kim = await signIn(server, 'kim')
    const anybody = askWith(server, server.actions.createApiKey())
    await server.playback.start({ userId: 'sam', item: film!, deviceId: 'tv', deviceName: 'TV', along: ['kim'] })
    await server.playback.start({ userId: 'sam', item: other!, deviceId: 'phone', deviceName: 'Phone' })
    const playing = async (ask: typeof anybody) =>
      ((await ask('GET', '/Sessions')).body as any[]).filter((row) => row.NowPlayingItem).map((row) => row.DeviceId)
    t.same(await playing(sam.ask), ['tv', 'phone'])
    t.same(await playing(anybody), ['tv', 'phone'])
    t.same(await playing(kim.ask), ['tv'])
  })

  t.test(`${product}: beyond 90 % an item is watched, before that it can be resumed`, async (t) => {
    await using server = await servers[product]({ movies: 3, shows: 1 })
    const [film, other] = server.items('Movie')
    const lengthMs = film!.runtimeTicks! / 10_000
    server.actions.markPlayed('sam', film!.id, Date.UTC(2024, 0, 1))
    const play = await server.playback.start({ userId: 'sam', item: film!, deviceId: 'tv', deviceName: 'TV' })
    t.match(server.actions.userData('sam', film!.id), { played: product === 'emby' })
    await play.at(lengthMs * 0.5)
    t.match(server.actions.userData('sam', film!.id), { positionTicks: lengthMs * 5_000 })
    await play.stop(lengthMs * 0.95)
    t.match(server.actions.userData('sam', film!.id), { played: true, positionTicks: 0 })
    const short = await server.playback.start({ userId: 'kim', item: other!, deviceId: 'tv', deviceName: 'TV' })
    await short.stop(lengthMs * 0.02)
    t.match(server.actions.userData('kim', other!.id), { played: false, positionTicks: 0 })
    t.same(server.world.sessions, [])
  })

  t.test(`${product}: the socket`, async (t) => {
    await using server = await servers[product]({ movies: 3, shows: 1 })
    const [film] = server.items('Movie')
    const { token, userId } = await signIn(server)
    const heard = await listen(server, `${socketPath[product]}?api_key=${token}&deviceId=d`)
    t.equal((await heard('ForceKeepAlive')).Data, 60)
    heard.say({ MessageType: 'KeepAlive' })
    await heard('KeepAlive')
    heard.say({ MessageType: 'SessionsStart', Data: '0,1500' })
    await heard('Sessions')
    const play = await server.playback.start({ userId: 'sam', item: film!, deviceId: 'tv', deviceName: 'TV' })
    t.match(await heard('UserDataChanged'), { Data: { UserId: userId, UserDataList: [{ ItemId: film!.id }] } })
    t.ok((await heard('Sessions')).Data.some((row: any) => row.NowPlayingItem?.Id === film!.id))
    await play.stop(film!.runtimeTicks! / 10_000)
    t.match(await heard('UserDataChanged'), { Data: { UserDataList: [{ Played: true }] } })
    server.push.open[0]!.drop()
    await heard.closed
    await t.rejects(listen(server, `${socketPath[product]}?api_key=wrong`))
  })

  t.test(`${product}: webhooks`, async (t) => {
    const received: { readonly type: string; readonly body: string }[] = []
    const sink = createServer((request, response) => {
      void Array.fromAsync(request as AsyncIterable<Buffer>).then((chunks) => {
        received.push({ type: String(request.headers['content-type']), body: Buffer.concat(chunks).toString() })
        response.end('{"ok":true}')
      })
    })
    await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve))
    t.teardown(() => sink.close())
    await using server = await servers[product]({ movies: 3, shows: 1 })
    const episode = server.items('Episode')[0]!
    server.webhooks(`http://127.0.0.1:${(sink.address() as AddressInfo).port}/hook`)
    const tv = { userId: 'sam', item: episode, deviceId: 'tv', deviceName: 'TV', along: ['kim'] }
    const play = await server.playback.start(tv)
    await play.at(MINUTE_MS)
    await play.pause()
    await play.stop(episode.runtimeTicks! / 10_000)
    const events = received.map(({ body }) => JSON.parse(body)).map((body) => body.NotificationType ?? body.Event)
    const each =
      product === 'jellyfin'
        ? ['PlaybackStart', 'PlaybackProgress', 'PlaybackProgress', 'PlaybackStop']
        : ['playback.start', 'playback.pause', 'playback.stop']
    t.same(
      events,
      each.flatMap((event) => [event, event]),
      'one for each user',
    )
    t.match(received[0]!.type, product === 'jellyfin' ? 'text/plain' : 'application/json')
    t.match(server.deliveries.at(-1), { status: 200, answer: '{"ok":true}' })
  })
}

interface Message {
  readonly MessageType: string
  readonly Data?: any
}

/** The next message of a type, in order, skipping others. */
async function listen({ url }: MediaServer, path: string) {
  const socket = new WebSocket(url.replace('http', 'ws') + path)
  const seen: Message[] = []
  let wake = () => {}
  socket.onmessage = ({ data }) => {
    seen.push(JSON.parse(String(data)) as Message)
    wake()
  }
  const closed = new Promise<void>((resolve) => (socket.onclose = () => resolve()))
  await new Promise<void>((resolve, reject) => {
    socket.onopen = () => resolve()
    socket.onerror = () => reject(new Error('refused'))
  })
  async function next(type: string): Promise<Message> {
    for (;;) {
      const at = seen.findIndex(({ MessageType }) => MessageType === type)
      if (at >= 0) return seen.splice(0, at + 1).at(-1)!
      await new Promise<void>((resolve) => (wake = resolve))
    }
  }
  return Object.assign(next, { closed, say: (message: Message) => socket.send(JSON.stringify(message)) })
}
