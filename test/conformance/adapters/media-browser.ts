// Jellyfin and Emby for the conformance kit: actions of a user at either server.
import type { Feature, Item, ItemKind } from '@playhead/sdk'
import type { Adapter, FlowScript, Person, Simulator } from '@playhead/sdk/testing/conformance'
import { addShow } from '../../upstreams/media-browser/populate.ts'
import type { MediaServer, MediaServerOptions } from '../../upstreams/media-browser/server.ts'
import type { Item as ServerItem } from '../../upstreams/media-browser/world.ts'
import { idsOf, mixedStock, pastTimes, postOk, showWithSpecials, unknownFilm, valued } from './support.ts'

const NAMES = ['sam', 'kim'] as const
const SHOWS = 28
const PLAYED = ['movie', 'episode'] as const
const KINDS: { readonly [feature in Feature]?: readonly ItemKind[] } = {
  watchlist: ['movie', 'show'],
  history: PLAYED,
  progress: PLAYED,
}
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
      const server = await startServer({ movies: Math.ceil(size * 1.1) + 8, shows: SHOWS, users })
      const library = server.world.libraries.find(({ collectionType }) => collectionType === 'tvshows')!
      const special = addShow(server.world, library, showWithSpecials(), 0)
      const all = server.items('Episode').filter(({ virtual }) => virtual !== true)
      const isSpecial = ({ seriesId }: ServerItem) => seriesId === special.id
      const stock = mixedStock<ServerItem>({
        movie: uniqueOf(server.items('Movie')),
        show: uniqueOf(server.items('Series')).filter(({ id }) => id !== special.id),
        episode: [
          ...all.filter((one) => isSpecial(one) && one.parentIndex === 0),
          ...uniqueOf(all.filter((one) => !isSpecial(one))),
        ],
      })
      const take = (feature: Feature, count: number) => stock.take(KINDS[feature] ?? ['movie'], count)
      const whole = all.filter((one) => isSpecial(one) && one.parentIndex !== 0)
      const asItem = (one: ServerItem) => itemOf(server, one)
      const shown = (feature: Feature) =>
        (feature === 'watchlist' ? (['Movie', 'Series'] as const) : (['Movie', 'Episode'] as const)).flatMap((type) =>
          server.items(type),
        )
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
          for (const film of take(feature, count)) {
            mark(server, NAMES[person], feature, film, nextTime())
            seededOf(person, feature).push(film)
          }
        },
        takeOff(person, feature) {
          const film = seededOf(person, feature).shift()
          if (film !== undefined) unmark(server, NAMES[person], feature, film)
        },
        episodes: (feature, count) =>
          whole.splice(0, count).map((one) => valued(feature, asItem(one), { durationMs: durationOf(one) })),
        rows: (person, feature) =>
          shown(feature)
            .filter(({ id }) => has(server, NAMES[person], feature, id))
            .map((one) => rowOf(server, NAMES[person], feature, one)),
        fresh: (feature, count) =>
          take(feature, count).map((film) => valued(feature, asItem(film), { durationMs: durationOf(film) })),
        unknown: unknownFilm,
        count: (person, feature) => shown(feature).filter(({ id }) => has(server, NAMES[person], feature, id)).length,
        play(person) {
          const [film] = take('history', 1) as readonly [ServerItem]
          const positionMs = Math.floor(durationOf(film) / 3)
          const id = server.actions.startPlaying(NAMES[person], film.id, positionMs)
          return { item: asItem(film), positionMs, stop: () => server.actions.stopPlaying(id) }
        },
        typed: () => [...PASSWORDS, 'not-the-password'],
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

/** Films with ids that no other film has. */
function uniqueOf(films: readonly ServerItem[]): readonly ServerItem[] {
  const times = new Map<string, number>()
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

function itemOf(
  server: MediaServer,
  { type, name, year, seriesId, index, parentIndex, providerIds }: ServerItem,
): Item {
  const ids = idsIn(providerIds)
  if (type === 'Episode') {
    const series = server.world.items.get(seriesId ?? '')
    const about = { series_title: series?.name ?? '', show_ids: idsIn(series?.providerIds ?? {}) }
    return { type: 'episode', title: name, ids, ...about, season: parentIndex ?? 0, episode: index ?? 0 }
  }
  return { type: type === 'Series' ? 'show' : 'movie', title: name, ids, ...(year === undefined ? {} : { year }) }
}

function rowOf(server: MediaServer, user: string, feature: Feature, one: ServerItem): Item {
  const item = itemOf(server, one)
  const { lastPlayedAtMs, positionTicks = 0 } = server.actions.userData(user, one.id) ?? {}
  if (feature === 'watchlist') return item
  const at = lastPlayedAtMs === undefined ? undefined : new Date(lastPlayedAtMs).toISOString()
  if (feature === 'history') return { ...item, watched: true, ...(at === undefined ? {} : { watched_at: at }) }
  return {
    ...item,
    progress_ms: positionTicks / 10_000,
    duration_ms: durationOf(one),
    ...(at === undefined ? {} : { progress_at: at }),
  }
}

function idsIn(providerIds: Readonly<Record<string, string>>): Item['ids'] {
  return idsOf(Object.fromEntries(Object.entries(providerIds).map(([scheme, id]) => [scheme.toLowerCase(), id])))
}

function durationOf({ runtimeTicks = 60_000_000_000 }: ServerItem): number {
  return runtimeTicks / 10_000
}
