import type { Feature, Item, ItemKind } from '@playhead/sdk'
import type { Adapter, Person } from '@playhead/sdk/testing/conformance'
import type { Entry } from '../../upstreams/trakt/catalogue.ts'
import { startTrakt, type Trakt } from '../../upstreams/trakt.ts'
import { redirectFlow } from './redirect.ts'
import { catalogueOf, DROPPED, durationOf, entryStock, itemOf } from './entries.ts'
import { connect, idsOf, pastTimes, postOk, providerOf, unknownFilm } from './support.ts'

const NAMES = ['ada', 'bob'] as const
const ALL = ['movie', 'episode', 'show', 'season'] as const
const PLAYED = ['movie', 'episode'] as const
const KINDS: { readonly [feature in Feature]?: readonly ItemKind[] } = {
  watchlist: ALL,
  ratings: ALL,
  history: PLAYED,
  progress: PLAYED,
}
const UNSEEN = 'clients see nothing of a code but that it was accepted'

const adapter: Adapter = {
  leaveOut: { 'sign-in.flow-cancelled': UNSEEN },
  async start({ size }) {
    const trakt = await startTrakt({ rateLimits: false, usernames: NAMES, plan: 'vip', catalogue: catalogueOf(size) })
    const stock = entryStock(trakt.catalogue, KINDS)
    const { take } = stock
    const nextTime = pastTimes()
    const seeded: Record<string, Entry[]> = {}
    const seededOf = (person: Person, feature: Feature) => (seeded[`${person} ${feature}`] ??= [])
    const tokens = new Set<string>()
    let dropped = DROPPED
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
        for (const entry of take(feature, count)) {
          put(trakt, NAMES[person], feature, entry, nextTime())
          seededOf(person, feature).push(entry)
        }
      },
      takeOff(person, feature) {
        const entry = seededOf(person, feature).shift()
        if (entry !== undefined) takeOff(trakt, NAMES[person], feature, entry)
      },
      fresh: stock.fresh,
      episodes: stock.episodes,
      rows: (person, feature) => rowsOf(trakt, NAMES[person], feature),
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
        redirectFlow({
          start: '/api/trackA/authorize',
          back: '/callback/trackA',
          secure: true,
          approve: (address) => trakt.consent(address).href,
        }),
      ],
      close: () => trakt.close(),
    }
  },
}

export default adapter

function rowsOf(trakt: Trakt, name: string, feature: Feature): readonly Item[] {
  const { watchlist, plays, ratings, paused } = trakt.userNamed(name).account
  const at = (ms: number) => new Date(ms).toISOString()
  if (feature === 'history')
    return plays.map(({ entry, watchedAtMs }) => ({ ...itemOf(entry), watched: true, watched_at: at(watchedAtMs) }))
  if (feature === 'ratings')
    return [...ratings.values()].map(({ entry, rating, ratedAtMs }) => ({
      ...itemOf(entry),
      rating,
      rated_at: at(ratedAtMs),
    }))
  if (feature === 'progress')
    return [...paused.values()].map(({ entry, progress, pausedAtMs }) => ({
      ...itemOf(entry),
      progress_ms: (durationOf(entry) * progress) / 100,
      duration_ms: durationOf(entry),
      progress_at: at(pausedAtMs),
    }))
  return watchlist.map(({ entry, listedAtMs }) => ({ ...itemOf(entry), added_at: at(listedAtMs) }))
}

function put(trakt: Trakt, name: string, feature: Feature, entry: Entry, atMs: number): void {
  const user = trakt.userNamed(name)
  if (feature === 'history') user.watch(entry, atMs)
  else if (feature === 'ratings') user.rate(entry, 7, atMs)
  else if (feature === 'progress') user.pause(entry, 25, atMs)
  else user.addToWatchlist(entry, atMs)
}

function takeOff(trakt: Trakt, name: string, feature: Feature, entry: Entry): void {
  const user = trakt.userNamed(name)
  if (feature === 'history') user.unwatch(entry)
  else if (feature === 'ratings') user.rate(entry, undefined)
  else if (feature === 'progress') user.pause(entry, undefined)
  else user.removeFromWatchlist(entry)
}

function countOf(trakt: Trakt, name: string, feature: Feature): number {
  const { watchlist, plays, ratings, paused } = trakt.userNamed(name).account
  if (feature === 'history') return plays.length
  if (feature === 'ratings') return ratings.size
  return feature === 'progress' ? paused.size : watchlist.length
}
