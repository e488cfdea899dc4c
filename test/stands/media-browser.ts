// Jellyfin and Emby: how profiles sign in, and accounts of their stand-ins. Both have AniList ids, as from their anime
// plugins.
import { startEmby } from '../upstreams/emby.ts'
import { type Jellyfin, startJellyfin } from '../upstreams/jellyfin.ts'
import { signIn } from '../upstreams/media-browser/ask.ts'
import { addShow } from '../upstreams/media-browser/populate.ts'
import type { MediaServer } from '../upstreams/media-browser/server.ts'
import type { Item } from '../upstreams/media-browser/world.ts'
import { anilistId } from './anilist.ts'
import { type Client, expectOk } from './client.ts'
import { codeOf, type Flow, stateNamed } from './flows.ts'
import { freshNames, isPlainWrite, type Stand, type StandOptions, USERNAMES } from './stand.ts'
import { episodeName, itemOf, movieName, partsOf, showName, SIZE, type WorkName } from './works.ts'

export type Product = 'jellyfin' | 'emby'
export const SERVERS = {
  jellyfin: { provider: 'MEDIAB', section: 'mediaB' },
  emby: { provider: 'MEDIAC', section: 'mediaC' },
} as const
const PASSWORD = 'secret'
/** Of a user of a stand. */
export const serverPassword = (name: string): string => `the-password-of-${name}`
const USERS = USERNAMES.map((name, index) => ({ name, password: serverPassword(name), administrator: index !== 1 }))
const ALL = ['tmdb', 'imdb', 'tvdb'] as const

/** With user name and password. */
export async function signInToServer(
  client: Client,
  product: Product,
  { url: server }: { readonly url: string },
  { user = 'sam', password = PASSWORD, instance = 'default' } = {},
): Promise<void> {
  const path = `/api/${SERVERS[product].section}/login?instance=${instance}`
  await expectOk(client, path, { server, username: user, password })
}

export function quickConnect(jellyfin: Jellyfin): Flow {
  const base = '/api/mediaB/quickconnect'
  return {
    method: 'quick_connect',
    start: (client, instance) =>
      codeOf(client, `${base}/start?instance=${instance}`, { member: 'code', body: { server: jellyfin.url } }),
    async poll(client, instance) {
      const { state, reason } = (await client.json(`${base}/poll?instance=${instance}`)).body
      return stateNamed(state) ?? (reason === 'expired' ? 'expired' : 'missing')
    },
    cancel: async (client, instance) => void (await expectOk(client, `${base}/cancel?instance=${instance}`)),
    approve(code, name = jellyfin.world.users[0]?.name ?? '') {
      if (!jellyfin.approveQuickConnect(code, name)) throw new Error(`${jellyfin.name} does not know the code ${code}`)
    },
    // A restarted server remembers no codes.
    expire: () => jellyfin.actions.restart({ startingRequests: 0 }),
  }
}

export const jellyfinStand = async (options: StandOptions = {}): Promise<Stand<Jellyfin>> => {
  const jellyfin = await startJellyfin(optionsOf(options))
  return { ...standOf(jellyfin, 'jellyfin', options), flows: [quickConnect(jellyfin)] }
}

export const embyStand = async (options: StandOptions = {}): Promise<Stand<MediaServer>> =>
  standOf(await startEmby(optionsOf(options)), 'emby', options)

function optionsOf({ limits: _limits, moreShows: _more, nowMs: _clock, ...options }: StandOptions) {
  return { ...SIZE, ...options, users: USERS }
}

function standOf<Server extends MediaServer>(
  server: Server,
  product: Product,
  { moreShows = [] }: StandOptions,
): Stand<Server> {
  const { actions, world } = server
  const library = world.libraries.find(({ collectionType }) => collectionType === 'tvshows')!
  for (const show of moreShows) addShow(world, library, show, 0)
  const nextName = freshNames()
  const names = serverNames(server)
  const ids = new Map([...names].map(([id, name]) => [name, id]))
  for (const [id, name] of names)
    if (!name.startsWith('episode')) Object.assign(world.items.get(id)!.providerIds, { AniList: anilistId(name) })
  const idOf = (work: WorkName) => ids.get(work)!

  return {
    server,
    ...SERVERS[product],
    upstreams: [server],
    settings: {},
    account() {
      const user = nextName()
      return {
        async signIn() {
          const { token, userId } = await signIn(server, user, serverPassword(user))
          return { server: server.url, access_token: token, user_id: userId, username: user }
        },
        put(feature, { work, atMs = world.nowMs(), percent = 0 }) {
          if (feature === 'watchlist') actions.setFavourite(user, idOf(work), true)
          if (feature === 'history') actions.markPlayed(user, idOf(work), atMs)
          if (feature === 'progress')
            actions.setPosition(user, idOf(work), (partsOf(work).runtimeMs * percent) / 100, atMs)
        },
        remove(feature, work) {
          if (feature === 'watchlist') actions.setFavourite(user, idOf(work), false)
          if (feature === 'history') actions.markUnplayed(user, idOf(work))
          if (feature === 'progress') actions.setPosition(user, idOf(work), 0)
        },
        marks: (feature) =>
          [...names].flatMap(([id, work]) => {
            const data = actions.userData(user, id)
            if (data === undefined) return []
            const atMs = data.lastPlayedAtMs
            if (feature === 'watchlist') return data.favourite ? [{ work }] : []
            if (feature === 'history')
              return data.played ? Array.from({ length: data.playCount }, () => ({ work, atMs })) : []
            const { runtimeTicks = 0 } = world.items.get(id) ?? {}
            return data.positionTicks > 0 ? [{ work, atMs, percent: (data.positionTicks / runtimeTicks) * 100 }] : []
          }),
        revoke() {
          for (const token of [...world.tokens.values()])
            if (token.user?.name === user) world.tokens.delete(token.value)
        },
      }
    },
    itemOf(work) {
      const item = itemOf(work, { movie: ALL, show: ALL, episode: ALL })
      return item.type === 'episode' ? item : { ...item, ids: { ...item.ids, anilist: anilistId(work) } }
    },
    tellsDuration: true,
    isWrite: (request) => isPlainWrite(request) && !request.path.includes('Authenticate'),
    [Symbol.asyncDispose]: () => server.close(),
  }
}

/** Names of the library, by the ids of its items. */
export function serverNames(server: MediaServer): ReadonlyMap<string, WorkName> {
  const nameOf = ({ type, providerIds, seriesId, parentIndex, index }: Item): WorkName | undefined => {
    const ids = serverIds(providerIds)
    if (type === 'Movie' || type === 'Series')
      return Object.keys(ids).length === 0 ? undefined : (type === 'Movie' ? movieName : showName)(ids)
    return type === 'Episode'
      ? episodeName(serverIds(server.world.items.get(seriesId ?? '')?.providerIds ?? {}), parentIndex, index)
      : undefined
  }
  return new Map(
    server.items().flatMap((item) => {
      const name = nameOf(item)
      return name === undefined ? [] : [[item.id, name] as const]
    }),
  )
}

/** Ids of an item in our schemes; servers spell them as they like, and some are empty. */
export function serverIds(providerIds: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(providerIds).flatMap(([name, id]) => (id === '' ? [] : [[name.toLowerCase(), id]])),
  )
}
