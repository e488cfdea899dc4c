// slow: the service as a process, killed and started again
// Playback while plugins are reloaded or off, and while the service restarts or is down.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { expectOk, untilTrue } from '../demo/sign-in.ts'
import { startService } from '../harness.ts'
import { connect, connected, delivered, follow, known, plays, startWorld } from './scrobble-world.ts'

t.test('a plugin that is replaced or toggled, or a restart, in the middle of a film loses nothing', async (t) => {
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

    // Off: only webhooks arrive, and they are queued.
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
})
