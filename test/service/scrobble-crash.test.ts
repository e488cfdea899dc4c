// slow: the service as a process, killed and started again
// kill -9 during playback while the tracker fails: finally every play exists once.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { expectOk, signInToJellyfin, signInToTrakt, untilTrue } from '../demo/sign-in.ts'
import { clientOf, spawnService } from './process.ts'
import { killAgainAndAgain } from './scrobble-kills.ts'
import { plays, startWorld } from './scrobble-world.ts'

const ACCOUNT = { username: 'ada', password: 'correct horse battery' }
/** Short enough to play in a test; a rewatch takes a quarter of it. */
const LENGTH_MS = 16_000

t.setTimeout(900_000)

t.test('every play reaches the tracker once, and nothing else, although the service is killed', (t) =>
  killAgainAndAgain(t, 2),
)

t.test('a kill between the start and the stop of a film, known only from webhooks, twice in a row', async (t) => {
  const world = await startWorld()
  t.teardown(() => world.close())
  const data = join(t.testdir(), 'data')
  let service = await spawnService(data)
  t.teardown(() => service.kill('SIGKILL'))
  await service.post('/api/app-auth/credentials', { enabled: true, ...ACCOUNT })
  let client = await clientOf(service, ACCOUNT)
  await signInToJellyfin(client, world.jellyfin)
  await signInToTrakt(client, world.trakt)
  const { webhooks } = await expectOk(client, '/api/scrobbler/webhooks/profile', {
    provider: 'MEDIAB',
    provider_instance: 'default',
    sinks: ['TRACKA'],
  })
  const { pathname, search } = new URL(webhooks[0].endpoint_url)
  let silence = world.jellyfin.webhooks(`${service.url}${pathname}${search}`)
  const [film] = world.jellyfin.items('Movie')
  Object.assign(film!, { runtimeTicks: LENGTH_MS * 10_000 })
  const before = plays(world).length
  const read = async (path: string) => (await client.json(path)).body
  for (const count of [1, 2]) {
    const player = await world.jellyfin.playback.start({
      userId: 'sam',
      item: film!,
      deviceId: 'tv',
      deviceName: 'TV',
      positionMs: 0,
    })
    const beganMs = Date.now()
    await untilTrue('its start was answered', async () =>
      (await read('/api/watch/currently_watching')).streams.some(({ device }: any) => device === 'TV'),
    )
    await service.kill('SIGKILL')
    silence()
    service = await spawnService(data)
    client = await clientOf(service, ACCOUNT)
    silence = world.jellyfin.webhooks(`${service.url}${pathname}${search}`)
    // An earlier end would not be explained by playback.
    await sleep(Math.max(0, beganMs + LENGTH_MS * 0.6 - Date.now()))
    await player.finish()
    await untilTrue(`play ${count}`, async () => {
      const { items } = await read('/api/scrobbler/queue?view=all')
      return items.filter(({ completed, state }: any) => completed && state === 'done').length === count
    })
    t.equal(plays(world).length, before + count)
  }
})
