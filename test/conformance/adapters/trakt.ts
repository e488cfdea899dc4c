// Trakt for the conformance kit.
import type { Feature, Item } from '@playhead/sdk'
import type { Adapter, Person } from '@playhead/sdk/testing/conformance'
import { startTrakt, type Trakt } from '../../upstreams/trakt.ts'
import { connect, idsOf, pastTimes, postOk, providerOf, stockOf, unknownFilm, valued } from './support.ts'

const NAMES = ['ada', 'bob'] as const

const UNSEEN = 'clients see nothing of a code but that it was accepted'

const adapter: Adapter = {
  leaveOut: { 'sign-in.flow-denied': UNSEEN, 'sign-in.flow-expired': UNSEEN, 'sign-in.flow-cancelled': UNSEEN },
  async start({ size }) {
    const trakt = await startTrakt({
      rateLimits: false,
      usernames: NAMES,
      plan: 'vip',
      movies: Math.ceil(size * 1.1) + 8,
      shows: 3,
    })
    const known = trakt.catalogue.movies.flatMap((movie, index) =>
      Object.keys(idsOf(movie.ids)).length > 0 ? [index] : [],
    )
    const stock = stockOf(known)
    const nextTime = pastTimes()
    const seeded: Record<string, number[]> = {}
    const seededOf = (person: Person, feature: Feature) => (seeded[`${person} ${feature}`] ??= [])
    const tokens = new Set<string>()
    let dropped = 0
    const config = {
      api_url: trakt.url,
      oauth_url: trakt.url,
      client_id: trakt.clientId,
      client_secret: trakt.clientSecret,
      rate_limit: { get_per_sec: 0, post_per_sec: 0 },
    }

    return {
      services: [trakt],
      config,
      async signIn(host, instance, person) {
        const { access_token, refresh_token, created_at, expires_in } = trakt.signIn(NAMES[person])
        tokens.add(access_token).add(refresh_token)
        await connect(host, 'TRACKA', instance, {
          ...config,
          access_token,
          refresh_token,
          expires_at: created_at + expires_in,
        })
      },
      seed(person, feature, count) {
        for (const index of stock.take(count)) {
          put(trakt, NAMES[person], feature, index, nextTime())
          seededOf(person, feature).push(index)
        }
      },
      takeOff(person, feature) {
        const index = seededOf(person, feature).shift()
        if (index !== undefined) takeOff(trakt, NAMES[person], feature, index)
      },
      fresh: (feature, count) =>
        stock
          .take(count)
          .map((index) =>
            valued(feature, movieItem(trakt, index), {
              durationMs: (trakt.catalogue.movies[index]?.runtimeMinutes ?? 90) * 60_000,
            }),
          ),
      unknown: unknownFilm,
      count: (person, feature) => countOf(trakt, NAMES[person], feature),
      drop(person) {
        const user = trakt.userNamed(NAMES[person])
        const ids = idsOf(trakt.catalogue.shows[dropped]?.ids ?? {})
        const show = trakt.show(dropped++)
        user.drop(show)
        return { item: { type: 'show', ids }, resume: () => user.drop(show, false) }
      },
      secrets: () => [trakt.clientSecret, ...tokens],
      expire: (person) => trakt.userNamed(NAMES[person]).expireTokens(),
      revoke: (person) => trakt.userNamed(NAMES[person]).revokeTokens(),
      isRefresh: ({ path }) => path === '/oauth/token',
      isWrite: ({ method, path }) => method !== 'GET' && !path.startsWith('/oauth/'),
      flows: [
        {
          method: 'device_code',
          async start(host, instance) {
            const { ok, user_code: code, error } = await postOk(host, `/api/trackA/pin/new?instance=${instance}`)
            if (ok !== true) throw new Error(String(error))
            return { code: String(code) }
          },
          // Clients see in the status of the account when the code was accepted.
          async poll(host, instance) {
            const profile = (await providerOf(host, 'TRACKA').profiles()).find(({ id }) => id === instance)
            return profile?.configured === true ? 'authorized' : 'pending'
          },
          approve: (code) => trakt.approve(code),
        },
      ],
      close: () => trakt.close(),
    }
  },
}

export default adapter

function movieItem(trakt: Trakt, index: number): Item {
  const movie = trakt.catalogue.movies[index]
  return { type: 'movie', title: movie?.title ?? '', ids: idsOf(movie?.ids ?? {}) }
}

function put(trakt: Trakt, name: string, feature: Feature, index: number, atMs: number): void {
  const [user, movie] = [trakt.userNamed(name), trakt.movie(index)]
  if (feature === 'history') user.watch(movie, atMs)
  else if (feature === 'ratings') user.rate(movie, 7, atMs)
  else if (feature === 'progress') user.pause(movie, 25, atMs)
  else user.addToWatchlist(movie, atMs)
}

function takeOff(trakt: Trakt, name: string, feature: Feature, index: number): void {
  const [user, movie] = [trakt.userNamed(name), trakt.movie(index)]
  if (feature === 'history') user.unwatch(movie)
  else if (feature === 'ratings') user.rate(movie, undefined)
  else if (feature === 'progress') user.pause(movie, undefined)
  else user.removeFromWatchlist(movie)
}

function countOf(trakt: Trakt, name: string, feature: Feature): number {
  const { watchlist, plays, ratings, paused } = trakt.userNamed(name).account
  if (feature === 'history') return plays.length
  if (feature === 'ratings') return ratings.size
  return feature === 'progress' ? paused.size : watchlist.length
}
