// Accounts of the stand-ins for Jellyfin and Emby. Both have AniList ids, as their anime plugins provide.
import { startEmby } from '../../upstreams/emby.ts'
import { startJellyfin } from '../../upstreams/jellyfin.ts'
import type { MediaServer } from '../../upstreams/media-browser/server.ts'
import type { Item } from '../../upstreams/media-browser/world.ts'
import { anilistId } from './anilist.ts'
import { isPlainWrite, lineOf, type Stand, type StandOptions } from './contract.ts'
import { USERNAMES } from './trakt.ts'
import { catalogueNames, episodeName, movieName, partsOf, showName, SIZE, type WorkName } from './works.ts'

const USERS = USERNAMES.map((name) => ({ name, password: 'secret', administrator: true }))

export const jellyfinStand = async ({ limits: _limits, ...options }: StandOptions = {}): Promise<Stand> =>
  standOf(await startJellyfin({ ...SIZE, ...options, users: USERS }), { provider: 'MEDIAB', section: 'mediaB' })

export const embyStand = async ({ limits: _limits, ...options }: StandOptions = {}): Promise<Stand> =>
  standOf(await startEmby({ ...SIZE, ...options, users: USERS }), { provider: 'MEDIAC', section: 'mediaC' })

function standOf(server: MediaServer, about: Pick<Stand, 'provider' | 'section'>): Stand {
  let used = 0
  const names = new Map(
    server.items().flatMap((item) => {
      const name = nameOf(server, item)
      return name === undefined ? [] : [[item.id, name] as const]
    }),
  )
  const ids = new Map([...names].map(([id, name]) => [name, id]))
  for (const [id, name] of names)
    if (!name.startsWith('episode'))
      Object.assign(server.world.items.get(id)!.providerIds, { AniList: anilistId(name) })
  const idOf = (work: WorkName) => ids.get(work)!

  return {
    ...about,
    async account() {
      const user = USERNAMES[used++]!
      const signIn = await fetch(`${server.url}/Users/AuthenticateByName`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-emby-authorization': `MediaBrowser Client="Test", Device="Test", DeviceId="test-${user}", Version="1"`,
          authorization: `MediaBrowser Client="Test", Device="Test", DeviceId="test-${user}", Version="1"`,
        },
        body: JSON.stringify({ Username: user, Pw: 'secret' }),
      })
      const {
        AccessToken: token,
        User: { Id: userId },
      } = (await signIn.json()) as { AccessToken: string; User: { Id: string } }
      const held = () =>
        [...names].flatMap(([id, work]) => {
          const data = server.actions.userData(user, id)
          return data === undefined
            ? []
            : [{ work, data, durationTicks: server.world.items.get(id)?.runtimeTicks ?? 0 }]
        })
      return {
        settings: { server: server.url, access_token: token, user_id: userId, username: user },
        tellsDuration: true,
        namesOf: (work) => ({
          ...catalogueNames(work, ['tmdb', 'imdb', 'tvdb']),
          ...(partsOf(work).kind === 'episode' ? {} : { anilist: anilistId(work) }),
        }),
        put(feature, { work, atMs, percent = 0 }) {
          if (feature === 'watchlist') server.actions.setFavourite(user, idOf(work), true)
          if (feature === 'history') server.actions.markPlayed(user, idOf(work), atMs)
          if (feature === 'progress')
            server.actions.setPosition(user, idOf(work), (partsOf(work).runtimeMs * percent) / 100, atMs)
        },
        holds: (feature) =>
          held().flatMap(({ work, data, durationTicks }) => {
            const atMs = data.lastPlayedAtMs ?? 0
            if (feature === 'watchlist') return data.favourite ? [work] : []
            if (feature === 'history')
              return data.played ? Array<string>(data.playCount).fill(lineOf(feature, { work, atMs })) : []
            return data.positionTicks > 0
              ? [lineOf(feature, { work, atMs, percent: (data.positionTicks / durationTicks) * 100 })]
              : []
          }),
        writes: () => server.count((request) => isPlainWrite(request) && !request.path.includes('Authenticate')),
      }
    },
    count: () => server.count(),
    [Symbol.asyncDispose]: () => server.close(),
  }

  function nameOf(
    { world }: MediaServer,
    { type, providerIds, seriesId, parentIndex, index }: Item,
  ): WorkName | undefined {
    const tmdb = tmdbOf(providerIds)
    if (type === 'Movie') return tmdb === undefined ? undefined : movieName(tmdb)
    if (type === 'Series') return tmdb === undefined ? undefined : showName(tmdb)
    return type === 'Episode'
      ? episodeName(tmdbOf(world.items.get(seriesId ?? '')?.providerIds ?? {}), parentIndex, index)
      : undefined
  }
}

function tmdbOf(providerIds: Readonly<Record<string, string>>): string | undefined {
  const found = Object.entries(providerIds).find(([name]) => name.toLowerCase() === 'tmdb')?.[1]
  return found === '' ? undefined : found
}
