import type { Feature, Item, ItemKind } from '@playhead/sdk'
import type { Adapter, Person } from '@playhead/sdk/testing/conformance'
import { type Mdblist, startMdblist } from '../../upstreams/mdblist.ts'
import type { Entry } from '../../upstreams/trakt/catalogue.ts'
import { catalogueOf, DROPPED, durationOf, entryStock, itemOf } from './entries.ts'
import { cancelByDisconnecting, connect, idsOf, pastTimes, postOk, unknownFilm } from './support.ts'

const NAMES = ['ada', 'bob'] as const
const STATES = ['pending', 'authorized', 'denied', 'expired', 'failed'] as const
const ALL = ['movie', 'episode', 'show', 'season'] as const
const PLAYED = ['movie', 'episode'] as const
const KINDS: { readonly [feature in Feature]?: readonly ItemKind[] } = {
  watchlist: ['movie', 'show'],
  ratings: ALL,
  history: PLAYED,
  progress: PLAYED,
}
const DEVICE_LIFETIME_MS = 300_000

const adapter: Adapter = {
  async start({ size }) {
    const catalogue = catalogueOf(size)
    const mdblist = await startMdblist({
      usernames: NAMES,
      notFound: 'echoes',
      plan: { requests: 1_000_000 },
      catalogue,
    })
    // Positions need imdb ids.
    const stock = entryStock(catalogue, KINDS, ({ imdb }) => imdb !== undefined)
    const nextTime = pastTimes()
    const seeded: Record<string, Entry[]> = {}
    const seededOf = (person: Person, feature: Feature) => (seeded[`${person} ${feature}`] ??= [])
    const tokens = new Set<string>()
    let dropped = DROPPED
    const config = {
      api_url: mdblist.url,
      client_id: mdblist.clientId,
      rate_limit: { get_per_sec: 0, post_per_sec: 0 },
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
        for (const index of stock.take(feature, count)) {
          put(mdblist, NAMES[person], feature, index, nextTime())
          seededOf(person, feature).push(index)
        }
      },
      takeOff(person, feature) {
        const index = seededOf(person, feature).shift()
        if (index !== undefined) takeOff(mdblist, NAMES[person], feature, index)
      },
      fresh: stock.fresh,
      episodes: stock.episodes,
      rows: (person, feature) => rowsOf(mdblist, NAMES[person], feature),
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

function put(mdblist: Mdblist, name: string, feature: Feature, entry: Entry, atMs: number): void {
  const user = mdblist.userNamed(name)
  if (feature === 'history') user.watch(entry, atMs)
  else if (feature === 'ratings') user.rate(entry, 7, atMs)
  else if (feature === 'progress') user.pause(entry, 25, atMs)
  else user.addToWatchlist(entry, atMs)
}

function takeOff(mdblist: Mdblist, name: string, feature: Feature, entry: Entry): void {
  const user = mdblist.userNamed(name)
  if (feature === 'history') user.unwatch(entry)
  else if (feature === 'ratings') user.rate(entry, null)
  else if (feature === 'progress') user.pause(entry, undefined)
  else user.removeFromWatchlist(entry)
}

function countOf(mdblist: Mdblist, name: string, feature: Feature): number {
  const { watchlist, plays, ratings, paused } = mdblist.userNamed(name).account
  if (feature === 'history') return plays.length
  if (feature === 'ratings') return [...ratings.values()].filter(({ rating }) => rating !== null).length
  return feature === 'progress' ? paused.size : watchlist.size
}

function rowsOf(mdblist: Mdblist, name: string, feature: Feature): readonly Item[] {
  const { watchlist, plays, ratings, paused } = mdblist.userNamed(name).account
  const at = (ms: number) => new Date(ms).toISOString()
  if (feature === 'history')
    return plays.map(({ entry, watchedAtMs }) => ({ ...itemOf(entry), watched: true, watched_at: at(watchedAtMs) }))
  if (feature === 'ratings')
    return [...ratings.values()].flatMap(({ entry, rating, atMs }) =>
      rating === null ? [] : [{ ...itemOf(entry), rating, rated_at: at(atMs) }],
    )
  if (feature === 'progress')
    return [...paused.values()].map(({ entry, progress, atMs }) => ({
      ...itemOf(entry),
      progress_ms: (durationOf(entry) * progress) / 100,
      duration_ms: durationOf(entry),
      progress_at: at(atMs),
    }))
  return [...watchlist.values()].map(({ entry, atMs }) => ({ ...itemOf(entry), added_at: at(atMs) }))
}
