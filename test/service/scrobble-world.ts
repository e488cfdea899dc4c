// Jellyfin and Trakt, and a service that scrobbles Jellyfin to Trakt.
import { expectOk, signInToJellyfin, signInToTrakt, untilTrue } from '../demo/sign-in.ts'
import type { startService } from '../harness.ts'
import { startJellyfin } from '../upstreams/jellyfin.ts'
import { startTrakt } from '../upstreams/trakt.ts'

const users = [
  { name: 'sam', password: 'secret', administrator: true },
  { name: 'kim', password: 'secret' },
]

export async function startWorld() {
  const [jellyfin, trakt] = await Promise.all([
    startJellyfin({ movies: 12, shows: 2, users }),
    startTrakt({ movies: 12, shows: 2, usernames: ['ada', 'kim'] }),
  ])
  return { jellyfin, trakt, close: () => Promise.all([jellyfin.close(), trakt.close()]) }
}

export type World = Awaited<ReturnType<typeof startWorld>>
export type Service = Awaited<ReturnType<typeof startService>>

export async function connect(service: Service, { jellyfin, trakt }: World): Promise<void> {
  await signInToJellyfin(service, jellyfin)
  await signInToTrakt(service, trakt)
}

/** Scrobbles Jellyfin to Trakt, and waits until the watcher is connected. */
export async function follow(service: Service): Promise<void> {
  await expectOk(service, '/api/scrobbler/settings', {
    sources: { watcher: true, webhook: true },
    watch_autostart: true,
  })
  await expectOk(service, '/api/scrobbler/routes', { provider: 'MEDIAB', sink: 'TRACKA' })
  await expectOk(service, '/api/watch/start')
  await connected(service)
}

export async function connected(service: Service): Promise<void> {
  await untilTrue('the watcher', async () => {
    const { body } = await service.json('/api/watch/status')
    return body.groups[0]?.connected === true
  })
}

export const known = (service: Service) =>
  untilTrue('the session is known', async () => {
    const { body } = await service.json('/api/watch/currently_watching')
    return body.streams.some(({ method }: any) => method === 'watcher')
  })
export const plays = ({ trakt }: World) => trakt.user.plays()
export const delivered = (service: Service, count: number) =>
  untilTrue(`${count} deliveries`, async () => {
    const { body } = await service.json('/api/scrobbler/queue?view=all')
    return body.items.filter(({ state, completed }: any) => state === 'done' && completed).length >= count
  })
export const MINUTE_MS = 60_000
