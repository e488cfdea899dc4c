// slow: the service as a process, killed and started again
// Playback in the whole service: the tracker has each play once, regardless of how it was reported.
import t from 'tap'
import { expectOk, runToEnd, untilTrue } from '../demo/sign-in.ts'
import { startService } from '../harness.ts'
import { connect, connected, delivered, follow, MINUTE_MS, plays, startWorld } from './scrobble-world.ts'

t.test('a played film is at the tracker once, and the next sync leaves it unchanged', async (t) => {
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
  const [film] = world.jellyfin.items('Movie').filter(({ runtimeTicks }) => (runtimeTicks ?? 0) > 0)
  const lengthMs = (film!.runtimeTicks ?? 0) / 10_000
  const player = await world.jellyfin.playback.start({
    userId: 'sam',
    item: film!,
    deviceId: 'tv',
    deviceName: 'Living room',
    positionMs: lengthMs * 0.5,
  })
  await untilTrue('the session is shown', async () => {
    const { body } = await service.json('/api/watch/currently_watching')
    return body.streams[0]?.method === 'watcher' && body.streams[0]?.state === 'playing'
  })
  await player.at(lengthMs * 0.5 + 5_000)
  await untilTrue('the tracker shows it', async () => world.trakt.user.watching() !== undefined)
  await player.finish()
  await delivered(service, 1)
  t.equal(plays(world).length, before + 1)

  const summary = await runToEnd(service)
  t.equal(summary.result, 'ok')
  t.equal(plays(world).length, before + 1, 'the sync knows the play')
  const { body } = await service.json('/api/activity/recent')
  t.match(body.items?.[0] ?? body[0], { kind: 'scrobble', target: 'tracka', method: 'watcher' })
  const events = await service.json('/api/events/recent?domain=scrobble')
  t.match(events.body.items, [{ status: 'completed', source_provider: 'MEDIAB', destination_provider: 'TRACKA' }])
})

t.test('playback of another person of the server is ignored, and the log states why', async (t) => {
  const world = await startWorld()
  t.teardown(() => world.close())
  await using service = await startService({ shipped: true, watch: false })
  await connect(service, world)
  await follow(service)
  const [film] = world.jellyfin.items('Movie')
  const lengthMs = (film!.runtimeTicks ?? 0) / 10_000
  const player = await world.jellyfin.playback.start({
    userId: 'kim',
    item: film!,
    deviceId: 'tablet',
    deviceName: 'Tablet',
    positionMs: 0,
  })
  await player.at(lengthMs * 0.95)
  await player.finish()
  const own = await world.jellyfin.playback.start({ userId: 'sam', item: film!, deviceId: 'tv', deviceName: 'TV' })
  await untilTrue('the tracker shows the own one', async () => world.trakt.user.watching() !== undefined)
  t.same(plays(world), [])
  const { body } = await service.json('/api/watch/currently_watching')
  t.notMatch(JSON.stringify(body), /kim/)
  await own.stop()
})

t.test(
  'webhooks and the watcher together make one play; a tracker that is down gets it later with its own time',
  async (t) => {
    const world = await startWorld()
    t.teardown(() => world.close())
    await using service = await startService({ shipped: true, watch: false })
    await connect(service, world)
    await follow(service)
    const { webhooks } = await expectOk(service, '/api/scrobbler/webhooks/profile', {
      provider: 'MEDIAB',
      provider_instance: 'default',
      sinks: ['TRACKA'],
    })
    const url = new URL(webhooks[0].endpoint_url)
    world.jellyfin.webhooks(`${service.url}${url.pathname}${url.search}`)
    const [film] = world.jellyfin.items('Movie')
    const lengthMs = (film!.runtimeTicks ?? 0) / 10_000
    world.trakt.faults.add({ match: /^\/scrobble/, kind: 'status', status: 503 })
    const startedAtMs = Date.now()
    const player = await world.jellyfin.playback.start({
      userId: 'sam',
      item: film!,
      deviceId: 'tv',
      deviceName: 'TV',
      positionMs: lengthMs * 0.8,
    })
    await player.at(lengthMs * 0.8 + 5_000)
    await player.finish()
    await untilTrue('the play waits', async () => {
      const { body } = await service.json('/api/scrobbler/queue')
      return body.items.some(({ completed, state }: any) => completed && state !== 'queued')
    })
    t.same(plays(world), [])
    world.trakt.faults.clear()
    const { body: queue } = await service.json('/api/scrobbler/queue')
    for (const { id } of queue.items) await service.json(`/api/scrobbler/queue/${id}/retry`, { json: {} })
    await delivered(service, 1)
    const [play, ...more] = plays(world)
    t.same(more, [])
    t.ok(play!.watchedAtMs >= startedAtMs - MINUTE_MS && play!.watchedAtMs <= Date.now() + MINUTE_MS)
  },
)

t.test(
  'a version that is replaced while it sends passes its queue on at once, and the play is there once',
  async (t) => {
    const world = await startWorld()
    t.teardown(() => world.close())
    await using service = await startService({ shipped: true, watch: false })
    await connect(service, world)
    await follow(service)
    const [film] = world.jellyfin.items('Movie')
    const lengthMs = (film!.runtimeTicks ?? 0) / 10_000
    world.trakt.faults.add({ match: '/scrobble/stop', kind: 'lag', delayMs: 700 })
    const player = await world.jellyfin.playback.start({
      userId: 'sam',
      item: film!,
      deviceId: 'tv',
      deviceName: 'TV',
      positionMs: lengthMs * 0.95,
    })
    await untilTrue('the tracker shows it', async () => world.trakt.user.watching() !== undefined)
    await player.finish()
    await untilTrue('the play is sent', async () => plays(world).length === 1)
    await expectOk(service, '/api/plugins/scrobble/reload')
    await connected(service)
    await delivered(service, 1)
    t.equal(plays(world).length, 1)
    t.notMatch(service.log.join(''), /release of a replaced version failed|version before still delivers/)
  },
)
