// slow: the service as a process, killed and started again
// An evening of failures in the whole service: Jellyfin and Emby send webhooks three times, out of order, from unknown senders
// and truncated; and a film is watched twice while the tracker is down.
import { connect as connectTo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { expectOk, runToEnd, signInToEmby, signInToTrakt, untilTrue } from '../demo/sign-in.ts'
import { startService } from '../harness.ts'
import { FIXTURES, sceneOf } from '../plugins/jellyfin-and-emby/webhook-bodies.ts'
import { startEmby } from '../upstreams/emby.ts'
import { connect, delivered, follow, plays, type Service, startWorld } from './scrobble-world.ts'

async function webhookPath(service: Service, provider: string, filters: object = {}): Promise<string> {
  const { webhooks } = await expectOk(service, '/api/scrobbler/webhooks/profile', {
    provider,
    provider_instance: 'default',
    sinks: ['TRACKA'],
    filters,
  })
  const url = new URL(webhooks.find((one: any) => one.provider === provider).endpoint_url)
  return `${url.pathname}${url.search}`
}

t.test('webhooks of Jellyfin and Emby are decided as people expect', async (t) => {
  const world = await startWorld()
  await using emby = await startEmby({ movies: 4, shows: 1, users: [{ name: 'sam', password: 'secret' }] })
  t.teardown(() => world.close())
  await using service = await startService({ shipped: true, watch: false })
  await connect(service, world)
  await signInToEmby(service, emby)
  const everybody = { username_whitelist: ['*'] }
  const paths = {
    jellyfin: await webhookPath(service, 'MEDIAB', everybody),
    emby: await webhookPath(service, 'MEDIAC', everybody),
  }
  const scenes = { jellyfin: sceneOf(world.jellyfin), emby: sceneOf(emby) }
  async function send(product: 'jellyfin' | 'emby', name: string, change: object = {}): Promise<any> {
    const body = FIXTURES[product].find((one) => one.name.startsWith(`${name}:`))!.body(scenes[product])
    return (await service.json(paths[product], { json: { ...body, ...change } })).body
  }
  const queued = [{ target: 'TRACKA', queued: true }]
  t.match(await send('jellyfin', 'B2'), { action: 'pause', progress: 40, targets: queued })
  t.match(await send('jellyfin', 'B3'), { action: 'start', progress: 40.04, targets: queued })
  t.match(await send('jellyfin', 'B4'), { ignored: true, reason: 'unchanged' })
  t.match(await send('jellyfin', 'B5'), { action: 'start', progress: 70, targets: queued })
  t.match(await send('jellyfin', 'B7'), { action: 'stop', progress: 12, targets: queued })
  const begun = await send('jellyfin', 'B1', { DeviceId: 'another' })
  t.ok(begun.action === 'start' && begun.progress < 0.1, 'ticks are ticks')
  t.match(await send('jellyfin', 'B7', { DeviceId: 'another' }), { suppressed: true, reason: 'instant_stop' })
  t.match(await send('jellyfin', 'B8'), { ignored: true, reason: 'unsupported_media_type' })
  t.match(await send('jellyfin', 'B9'), { ignored: true, reason: 'unsupported_event' })
  t.match(await send('jellyfin', 'B6', { DeviceId: 'first seen at its end' }), { action: 'stop', progress: 100 })
  t.match(await send('emby', 'C1'), { action: 'start', progress: 0, targets: queued })
  t.match(await send('emby', 'C2'), { action: 'pause', progress: 40, targets: queued })
  const tomas = { User: { Name: 'tomas', Id: '33330000aaaa4444bbbb5555cccc0004' } }
  t.match(
    await send('emby', 'C3', tomas),
    { action: 'start', progress: 40.04 },
    'a state of his own on the same device',
  )
  const again = await send('emby', 'C2')
  t.ok(again.dedup === true || again.debounced === true, 'which does not disturb hers')
  t.match(await send('emby', 'C3'), { action: 'start', progress: 40.04, targets: queued })
  t.match(await send('emby', 'C8'), { ignored: true, reason: 'unsupported_event' })
  t.match(await send('emby', 'C9'), { ignored: true, reason: 'unsupported_event' })
})

/** Short enough to play in a test. */
const LENGTH_MS = 20_000

t.test(
  'a film watched twice in an evening is two plays, however often it is reported, and the sync adds none',
  async (t) => {
    const world = await startWorld()
    t.teardown(() => world.close())
    await using service = await startService({ shipped: true, watch: false })
    await connect(service, world)
    await expectOk(service, '/api/pairs', {
      name: 'Jellyfin to Trakt',
      source: 'MEDIAB',
      target: 'TRACKA',
      mode: 'one_way',
      enabled: true,
      features: { history: { enabled: true, add: true, remove: true } },
    })
    await runToEnd(service)
    const before = plays(world).length
    await follow(service)
    const path = await webhookPath(service, 'MEDIAB')
    // Three copies of each webhook, which overtake each other.
    for (let copy = 0; copy < 3; copy += 1) world.jellyfin.webhooks(`${service.url}${path}`)
    const [film] = world.jellyfin.items('Movie')
    Object.assign(film!, { runtimeTicks: LENGTH_MS * 10_000 })
    const start = (share: number) =>
      world.jellyfin.playback.start({
        userId: 'sam',
        item: film!,
        deviceId: 'tv',
        deviceName: 'TV',
        positionMs: LENGTH_MS * share,
      })

    // Seek back and forth, and stop at 92 %.
    const first = await start(0)
    await sleep(2_500)
    await first.at(LENGTH_MS * 0.5)
    await first.at(LENGTH_MS * 0.2)
    await strangers(service, path)
    await sleep(2_500)
    await first.at(LENGTH_MS * 0.7)
    await sleep(1_500)
    await first.at(LENGTH_MS * 0.92)
    await first.stop()
    await delivered(service, 1)
    t.equal(plays(world).length, before + 1)

    // A rewatch at once, to the credits; the plugin is reloaded meanwhile, and the tracker is down at the end.
    const second = await start(0)
    await sleep(2_500)
    await second.at(LENGTH_MS * 0.5)
    await expectOk(service, '/api/plugins/scrobble/reload')
    await untilTrue('the watcher follows again', async () => {
      const { body } = await service.json('/api/watch/status')
      return body.groups[0]?.connected === true
    })
    await sleep(2_500)
    await second.at(LENGTH_MS * 0.93)
    world.trakt.faults.add({ match: /^\/scrobble/, kind: 'status', status: 503 })
    await second.finish()
    await untilTrue('the play waits', async () => {
      const { body } = await service.json('/api/scrobbler/queue')
      return body.items.some(({ completed, attempts }: any) => completed && attempts > 0)
    })
    t.equal((await runToEnd(service)).result, 'ok')
    t.equal(plays(world).length, before + 1, 'a run does not add what waits')
    world.trakt.faults.clear()
    world.trakt.faults.add({
      match: /^\/scrobble/,
      kind: 'status',
      status: 429,
      headers: { 'retry-after': '1' },
      times: 1,
    })
    const { body: queue } = await service.json('/api/scrobbler/queue')
    for (const { id } of queue.items) await service.json(`/api/scrobbler/queue/${id}/retry`, { json: {} })
    await delivered(service, 2)
    t.equal(plays(world).length, before + 2, 'watched twice')
    t.equal((await runToEnd(service)).result, 'ok')
    t.equal(plays(world).length, before + 2, 'the sync knows both')
    const { body: activity } = await service.json('/api/activity/history?limit=100')
    t.equal(activity.items.filter(({ kind }: any) => kind === 'scrobble').length, 2)
  },
)

t.test(
  'plays that wait for an account are delivered when it is signed in again, and never to another one',
  async (t) => {
    const world = await startWorld()
    t.teardown(() => world.close())
    await using service = await startService({ shipped: true, watch: false })
    await connect(service, world)
    await follow(service)
    const films = world.jellyfin.items('Movie')
    const watch = async (n: number, deviceId: string) => {
      const positionMs = ((films[n]!.runtimeTicks ?? 0) / 10_000) * 0.95
      const player = await world.jellyfin.playback.start({
        userId: 'sam',
        item: films[n]!,
        deviceId,
        deviceName: deviceId,
        positionMs,
      })
      await untilTrue('it is shown', async () => {
        const { body } = await service.json('/api/watch/currently_watching')
        return body.streams.some(({ device }: any) => device === deviceId)
      })
      await player.finish()
    }
    const waiting = (count: number) =>
      untilTrue('plays wait', async () => {
        const { body } = await service.json('/api/scrobbler/queue')
        return body.items.filter(({ completed, reason }: any) => completed && reason !== null).length === count
      })
    world.trakt.faults.add({ kind: 'status', status: 401 })
    await watch(0, 'tv')
    await waiting(1)
    world.trakt.faults.clear()
    await signInToTrakt(service, world.trakt)
    await delivered(service, 1)
    t.equal(plays(world).length, 1, 'signed in again')

    world.trakt.faults.add({ match: /^\/scrobble/, kind: 'status', status: 503 })
    await watch(1, 'tablet')
    await waiting(1)
    await signInToTrakt(service, world.trakt, { username: 'kim' })
    await untilTrue('it is given up', async () => {
      const { body } = await service.json('/api/scrobbler/queue?view=failed')
      return body.items.some(({ reason }: any) => reason === 'account_changed')
    })
    world.trakt.faults.clear()
    await watch(2, 'phone')
    await delivered(service, 2)
    t.equal(plays(world).length, 1)
    t.equal(world.trakt.userNamed('kim').plays().length, 1, 'only what was watched since')
  },
)

/** Invalid requests: a guessed token, half a body, no body, and the token of another server. */
async function strangers(service: Service, path: string): Promise<void> {
  const body = JSON.stringify({ NotificationType: 'PlaybackStop', PlayedToCompletion: true })
  await service.json('/webhook/mediaB?profile=abcdefghijklmnopqrstuvwxyz012345', { method: 'POST', body })
  await service.json(path.replace('mediaB', 'mediaC'), { method: 'POST', body })
  await service.json(path, { method: 'POST', body: body.slice(0, 20) })
  await service.json(path, { method: 'POST' })
  const { hostname, port } = new URL(service.url)
  const socket = connectTo({ host: hostname, port: Number(port) })
  socket.on('error', () => {})
  socket.write(
    `POST ${path} HTTP/1.1\r\nhost: ${hostname}\r\ncontent-length: ${body.length}\r\n\r\n${body.slice(0, 30)}`,
  )
  await sleep(200)
  socket.destroy()
}
