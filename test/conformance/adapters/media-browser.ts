// Jellyfin and Emby for the conformance kit: what a user does at the server, whichever of the two it is.
import type { Feature } from '@playhead/sdk'
import type { Adapter, FlowScript, Person, Simulator } from '@playhead/sdk/testing/conformance'
import type { MediaServer, MediaServerOptions } from '../../upstreams/media-browser/server.ts'
import type { Item as ServerItem } from '../../upstreams/media-browser/world.ts'
import { idsOf, pastTimes, postOk, stockOf, unknownFilm, valued } from './support.ts'

const NAMES = ['sam', 'kim'] as const
const PASSWORDS = ['the-password-of-sam', 'the-password-of-kim'] as const

export function mediaBrowserAdapter<Server extends MediaServer>(
  base: string,
  startServer: (options: MediaServerOptions) => Promise<Server>,
  flowsOf: (server: Server) => readonly FlowScript[] = () => [],
): Adapter {
  return {
    async start({ size }): Promise<Simulator> {
      const users = NAMES.map((name, index) => ({
        name,
        password: PASSWORDS[index] as string,
        administrator: index === 0,
      }))
      const server = await startServer({ movies: Math.ceil(size * 1.1) + 8, shows: 2, users })
      const stock = stockOf(filmsOf(server))
      const nextTime = pastTimes()
      const seeded: Record<string, ServerItem[]> = {}
      const seededOf = (person: Person, feature: Feature) => (seeded[`${person} ${feature}`] ??= [])

      return {
        services: [server],
        config: { max_retries: 2 },
        async signIn(host, instance, person) {
          await postOk(host, `${base}/login?instance=${instance}`, {
            server: server.url,
            username: NAMES[person],
            password: PASSWORDS[person],
          })
        },
        async signInWrongly(host, instance) {
          const payload = { server: server.url, username: 'sam', password: 'not-the-password' }
          await host.inject({ method: 'POST', url: `${base}/login?instance=${instance}`, payload })
        },
        seed(person, feature, count) {
          for (const film of stock.take(count)) {
            mark(server, NAMES[person], feature, film, nextTime())
            seededOf(person, feature).push(film)
          }
        },
        takeOff(person, feature) {
          const film = seededOf(person, feature).shift()
          if (film !== undefined) unmark(server, NAMES[person], feature, film)
        },
        fresh: (feature, count) =>
          stock.take(count).map((film) => valued(feature, asItem(film), { durationMs: durationOf(film) })),
        unknown: unknownFilm,
        count: (person, feature) =>
          server.items('Movie').filter(({ id }) => has(server, NAMES[person], feature, id)).length,
        play(person) {
          const [film] = stock.take(1) as readonly [ServerItem]
          const positionMs = Math.floor(durationOf(film) / 3)
          const id = server.actions.startPlaying(NAMES[person], film.id, positionMs)
          return { item: asItem(film), positionMs, stop: () => server.actions.stopPlaying(id) }
        },
        secrets: () => [...PASSWORDS, 'not-the-password', ...server.world.tokens.keys()],
        revoke(person) {
          for (const token of [...server.world.tokens.values()])
            if (token.user?.name === NAMES[person]) server.world.tokens.delete(token.value)
        },
        flows: flowsOf(server),
        close: () => server.close(),
      }
    },
  }
}

/** Films that can be told from all others by their ids. */
function filmsOf(server: MediaServer): readonly ServerItem[] {
  const times = new Map<string, number>()
  const films = server.items('Movie')
  for (const { providerIds } of films)
    for (const id of Object.entries(providerIds)) times.set(String(id), (times.get(String(id)) ?? 0) + 1)
  return films.filter(({ providerIds }) => {
    const ids = Object.entries(providerIds)
    return ids.length > 0 && ids.every((id) => times.get(String(id)) === 1)
  })
}

function mark(
  { actions }: MediaServer,
  user: string,
  feature: Feature,
  { id, runtimeTicks = 0 }: ServerItem,
  atMs: number,
): void {
  if (feature === 'history') actions.markPlayed(user, id, atMs)
  else if (feature === 'progress') actions.setPosition(user, id, runtimeTicks / 10_000 / 4, atMs)
  else actions.setFavourite(user, id, true)
}

function unmark({ actions }: MediaServer, user: string, feature: Feature, { id }: ServerItem): void {
  if (feature === 'history') actions.markUnplayed(user, id)
  else if (feature === 'progress') actions.setPosition(user, id, 0)
  else actions.setFavourite(user, id, false)
}

function has({ actions }: MediaServer, user: string, feature: Feature, id: string): boolean {
  const data = actions.userData(user, id)
  if (feature === 'history') return data?.played === true
  return feature === 'progress' ? (data?.positionTicks ?? 0) > 0 : data?.favourite === true
}

function asItem({ name, year, providerIds }: ServerItem) {
  const ids = idsOf(Object.fromEntries(Object.entries(providerIds).map(([scheme, id]) => [scheme.toLowerCase(), id])))
  return { type: 'movie' as const, title: name, ids, ...(year === undefined ? {} : { year }) }
}

function durationOf({ runtimeTicks = 60_000_000_000 }: ServerItem): number {
  return runtimeTicks / 10_000
}
