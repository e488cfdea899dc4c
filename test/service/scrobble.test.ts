// Playback in the whole service: a person plays, and the tracker has it once, whatever reports it.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { expectOk, signInToJellyfin, signInToTrakt, runToEnd, untilTrue } from '../demo/sign-in.ts'
import { startService } from '../harness.ts'
import { startJellyfin } from '../upstreams/jellyfin.ts'
import { startTrakt } from '../upstreams/trakt.ts'

const users = [
  { name: 'sam', password: 'secret', administrator: true },
  { name: 'kim', password: 'secret' },
]

async function startWorld() {
  const [jellyfin, trakt] = await Promise.all([
    startJellyfin({ movies: 12, shows: 2, users }),
    startTrakt({ movies: 12, shows: 2 }),
  ])
  return { jellyfin, trakt, close: () => Promise.all([jellyfin.close(), trakt.close()]) }
}

type World = Awaited<ReturnType<typeof startWorld>>
type Service = Awaited<ReturnType<typeof startService>>

async function connect(service: Service, { jellyfin, trakt }: World): Promise<void> {
  await signInToJellyfin(service, jellyfin)
  await signInToTrakt(service, trakt)
}

/** Follows Jellyfin for Trakt, and waits until it is connected. */
async function follow(service: Service): Promise<void> {
  await expectOk(service, '/api/scrobbler/settings', {
    sources: { watcher: true, webhook: true },
    watch_autostart: true,
  })
  await expectOk(service, '/api/scrobbler/routes', { provider: 'MEDIAB', sink: 'TRACKA' })
  await expectOk(service, '/api/watch/start')
  await connected(service)
}

async function connected(service: Service): Promise<void> {
  await untilTrue('the watcher', async () => {
    const { body } = await service.json('/api/watch/status')
    return body.groups[0]?.connected === true
  })
}

const known = (service: Service) =>
  untilTrue('the session is known', async () => {
    const { body } = await service.json('/api/watch/currently_watching')
    return body.streams.some(({ method }: any) => method === 'watcher')
  })
const plays = ({ trakt }: World) => trakt.user.plays()
const delivered = (service: Service, count: number) =>
  untilTrue(`${count} deliveries`, async () => {
    const { body } = await service.json('/api/scrobbler/queue?view=all')
    return body.items.filter(({ state, completed }: any) => state === 'done' && completed).length >= count
  })
const MINUTE_MS = 60_000

t.test('a film that is played is at the tracker once, and the next sync leaves it so', async (t) => {
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

t.test('another person of the server goes nowhere, and the log says why', async (t) => {
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
  'a plugin that is replaced, switched off and on, or a service that starts again in mid-film loses nothing',
  async (t) => {
    const world = await startWorld()
    const directory = await mkdtemp(join(tmpdir(), 'playhead-test-'))
    t.teardown(async () => {
      await world.close()
      await rm(directory, { recursive: true, force: true, maxRetries: 10 })
    })
    const [film, second, third, fourth, fifth] = world.jellyfin.items('Movie')
    const lengthOf = (item: typeof film) => (item!.runtimeTicks ?? 0) / 10_000
    const play = (item: typeof film, share: number) =>
      world.jellyfin.playback.start({
        userId: 'sam',
        item: item!,
        deviceId: 'tv',
        deviceName: 'TV',
        positionMs: Math.round(lengthOf(item) * share),
      })
    let player: Awaited<ReturnType<typeof play>>
    let cookie = ''
    {
      await using service = await startService({ shipped: true, watch: false, directory })
      cookie = service.cookie()
      await connect(service, world)
      await follow(service)
      const { webhooks } = await expectOk(service, '/api/scrobbler/webhooks/profile', {
        provider: 'MEDIAB',
        provider_instance: 'default',
        sinks: ['TRACKA'],
      })
      const { pathname, search } = new URL(webhooks[0].endpoint_url)
      const address = `${pathname}${search}`

      player = await play(film, 0.7)
      await untilTrue('the tracker shows it', async () => world.trakt.user.watching() !== undefined)
      await expectOk(service, '/api/plugins/scrobble/reload')
      await expectOk(service, '/api/plugins/jellyfin/reload')
      await expectOk(service, '/api/watch/start')
      await connected(service)
      await player.finish()
      await delivered(service, 1)
      t.equal(plays(world).length, 1, 'reloaded')

      // Off: only webhooks arrive, and they are kept.
      await expectOk(service, '/api/watch/stop')
      for (const [off, item, count] of [
        ['webhooks', second, 2],
        ['scrobble', fourth, 3],
      ] as const) {
        await expectOk(service, `/api/plugins/${off}/disable`)
        const silence = world.jellyfin.webhooks(`${service.url}${address}`)
        player = await play(item, 0.5)
        await player.finish()
        t.equal(plays(world).length, count - 1)
        silence()
        await expectOk(service, `/api/plugins/${off}/enable`)
        await delivered(service, count)
        t.equal(plays(world).length, count, `${off}: kept`)
      }

      await expectOk(service, '/api/watch/start')
      await connected(service)
      player = await play(third, 0.6)
      await known(service)
    }
    {
      await using service = await startService({ shipped: true, watch: false, directory, withoutAccount: true })
      service.setCookie(cookie)
      await connected(service)
      await player.finish()
      await delivered(service, 4)
      t.equal(plays(world).length, 4, 'started again')
      player = await play(fifth, 0.6)
      await known(service)
    }
    await player.finish()
    await using service = await startService({ shipped: true, watch: false, directory, withoutAccount: true })
    service.setCookie(cookie)
    await delivered(service, 5)
    t.equal(plays(world).length, 5, 'ended while the service was down')
  },
)

t.test(
  'a version that is replaced while it sends gives its queue on at once, and the play is there once',
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
