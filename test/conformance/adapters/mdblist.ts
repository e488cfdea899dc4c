// MDBList for the conformance kit.
import type { Feature, Item } from '@playhead/sdk'
import type { Adapter, Person } from '@playhead/sdk/testing/conformance'
import { type Mdblist, startMdblist } from '../../upstreams/mdblist.ts'
import { seededCatalogue } from '../../upstreams/trakt/seeded.ts'
import { cancelByDisconnecting, connect, idsOf, pastTimes, postOk, stockOf, unknownFilm, valued } from './support.ts'

const NAMES = ['ada', 'bob'] as const
const STATES = ['pending', 'authorized', 'denied', 'expired', 'failed'] as const
const DEVICE_LIFETIME_MS = 300_000

const adapter: Adapter = {
  async start({ size }) {
    const movies = Math.ceil(size * 1.1) + 8
    const mdblist = await startMdblist({
      usernames: NAMES,
      notFound: 'echoes',
      plan: { requests: 1_000_000 },
      movies,
      shows: 3,
    })
    const catalogue = seededCatalogue(1, movies, 3)
    // Positions are named by imdb ids.
    const stock = stockOf(catalogue.movies.flatMap((movie, index) => (movie.ids.imdb == null ? [] : [index])))
    const nextTime = pastTimes()
    const seeded: Record<string, number[]> = {}
    const seededOf = (person: Person, feature: Feature) => (seeded[`${person} ${feature}`] ??= [])
    const tokens = new Set<string>()
    let dropped = 0
    const config = {
      api_url: mdblist.url,
      client_id: mdblist.clientId,
      rate_limit: { get_per_sec: 0, post_per_sec: 0 },
    }
    const movieItem = (index: number): Item => {
      const movie = catalogue.movies[index]
      return { type: 'movie', title: movie?.title ?? '', ids: idsOf(movie?.ids ?? {}) }
    }

    return {
      services: [mdblist],
      config,
      async signIn(host, instance, person) {
        const { access_token, refresh_token, expires_in } = mdblist.signIn(NAMES[person])
        tokens.add(access_token).add(refresh_token)
        const expires_at = Math.floor(mdblist.nowMs() / 1_000) + expires_in
        await connect(host, 'LISTA', instance, {
          ...config,
          auth_method: 'device_code',
          access_token,
          refresh_token,
          expires_at,
        })
      },
      async signInWrongly(host, instance) {
        await host.inject({
          method: 'POST',
          url: `/api/listA/save?instance=${instance}`,
          payload: { auth_method: 'api_key', api_key: 'nobodys-key' },
        })
      },
      seed(person, feature, count) {
        for (const index of stock.take(count)) {
          put(mdblist, NAMES[person], feature, index, nextTime())
          seededOf(person, feature).push(index)
        }
      },
      takeOff(person, feature) {
        const index = seededOf(person, feature).shift()
        if (index !== undefined) takeOff(mdblist, NAMES[person], feature, index)
      },
      fresh: (feature, count) =>
        stock
          .take(count)
          .map((index) =>
            valued(feature, movieItem(index), { durationMs: (catalogue.movies[index]?.runtimeMinutes ?? 90) * 60_000 }),
          ),
      unknown: unknownFilm,
      count: (person, feature) => countOf(mdblist, NAMES[person], feature),
      drop(person) {
        const user = mdblist.userNamed(NAMES[person])
        const ids = idsOf(catalogue.shows[dropped]?.ids ?? {})
        const show = mdblist.show(dropped++)
        user.drop(show)
        return { item: { type: 'show', ids }, resume: () => user.drop(show, false) }
      },
      secrets: () => [...NAMES.map((name) => mdblist.userNamed(name).apiKey), ...tokens],
      expire: (person) => mdblist.userNamed(NAMES[person]).expireTokens(),
      revoke: (person) => mdblist.userNamed(NAMES[person]).revokeTokens(),
      isRefresh: ({ path }) => path === '/oauth/token/',
      isWrite: ({ method, path }) => method !== 'GET' && !path.startsWith('/oauth/'),
      flows: [
        {
          method: 'device_code',
          async start(host, instance) {
            const { ok, user_code: code, error } = await postOk(host, `/api/listA/device/start?instance=${instance}`)
            if (ok !== true) throw new Error(String(error))
            return { code: String(code) }
          },
          async poll(host, instance) {
            const answer = await host.inject({
              method: 'POST',
              url: `/api/listA/device/poll?instance=${instance}`,
              payload: {},
            })
            const { state } = answer.json() as { readonly state?: string }
            return STATES.find((one) => one === state) ?? 'missing'
          },
          cancel: cancelByDisconnecting('LISTA'),
          approve: (code) => mdblist.approve(code),
          deny: (code) => mdblist.deny(code),
          expire: () => mdblist.advance(DEVICE_LIFETIME_MS),
        },
      ],
      close: () => mdblist.close(),
    }
  },
}

export default adapter

function put(mdblist: Mdblist, name: string, feature: Feature, index: number, atMs: number): void {
  const [user, movie] = [mdblist.userNamed(name), mdblist.movie(index)]
  if (feature === 'history') user.watch(movie, atMs)
  else if (feature === 'ratings') user.rate(movie, 7, atMs)
  else if (feature === 'progress') user.pause(movie, 25, atMs)
  else user.addToWatchlist(movie, atMs)
}

function takeOff(mdblist: Mdblist, name: string, feature: Feature, index: number): void {
  const [user, movie] = [mdblist.userNamed(name), mdblist.movie(index)]
  if (feature === 'history') user.unwatch(movie)
  else if (feature === 'ratings') user.rate(movie, null)
  else if (feature === 'progress') user.pause(movie, undefined)
  else user.removeFromWatchlist(movie)
}

function countOf(mdblist: Mdblist, name: string, feature: Feature): number {
  const { watchlist, plays, ratings, paused } = mdblist.userNamed(name).account
  if (feature === 'history') return plays.length
  if (feature === 'ratings') return [...ratings.values()].filter(({ rating }) => rating !== null).length
  return feature === 'progress' ? paused.size : watchlist.size
}
