// Plex for the conformance kit: the cloud with the watchlists, and the media server with everything else.
import type { Feature, Item } from '@playhead/sdk'
import type { Adapter, Person } from '@playhead/sdk/testing/conformance'
import { type CloudItem, type Item as LibraryItem, type Plex, startPlex, type Who } from '../../upstreams/plex.ts'
import { cancelByDisconnecting, connect, pastTimes, postOk, stockOf, unknownFilm, valued } from './support.ts'

const PEOPLE: readonly [Who, Who] = ['owner', 'friend']

const adapter: Adapter = {
  async start({ size }) {
    const movies = Math.ceil(size * 1.1) + 8
    const plex = await startPlex({ movies, shows: 2, cloudTitles: movies })
    const stock = stockOf(
      [...plex.state.items.values()].filter(({ type, guids }) => type === 'movie' && guids.length > 0),
    )
    const nextTime = pastTimes()
    const seeded: Record<string, LibraryItem[]> = {}
    const seededOf = (person: Person, feature: Feature) => (seeded[`${person} ${feature}`] ??= [])
    const config = { cloud_url: plex.cloud.url, max_retries: 2, timeout: 20, watchlist_page_size: 30 }

    return {
      services: [plex.cloud, plex.server],
      config,
      async signIn(host, instance, person) {
        await connect(host, 'MEDIAA', instance, { ...config, account_token: plex.accountToken(PEOPLE[person]) })
      },
      seed(person, feature, count) {
        for (const film of stock.take(count)) {
          put(plex, PEOPLE[person], feature, film, nextTime())
          seededOf(person, feature).push(film)
        }
      },
      takeOff(person, feature) {
        const film = seededOf(person, feature).shift()
        if (film !== undefined) takeOff(plex, PEOPLE[person], feature, film)
      },
      fresh: (feature, count) =>
        stock.take(count).map((film) => valued(feature, asItem(film), { durationMs: film.durationMs ?? 6_000_000 })),
      unknown: unknownFilm,
      count: (person, feature) => countOf(plex, PEOPLE[person], feature),
      play(person) {
        const [film] = stock.take(1) as readonly [LibraryItem]
        const positionMs = Math.floor((film.durationMs ?? 0) / 3)
        const key = plex.actions.startPlaying(PEOPLE[person], film.ratingKey, positionMs)
        return { item: asItem(film), positionMs, stop: () => plex.actions.stopPlaying(key) }
      },
      secrets: () => [...plex.state.tokens.keys()],
      revoke: (person) => plex.actions.expireTokens(PEOPLE[person]),
      // Marking, rating and reporting are GET requests of the media server.
      isWrite: ({ method, path }) =>
        /^\/:\/(un)?scrobble|^\/:\/(rate|progress|timeline)|^\/actions\//.test(path) ||
        !['GET', 'HEAD'].includes(method),
      flows: [
        {
          method: 'device_pin',
          async start(host, instance) {
            return { code: String((await postOk(host, `/api/mediaA/pin/new?instance=${instance}`))['code']) }
          },
          async poll(host, instance) {
            const { sign_in: state } = (await host.inject(`/api/mediaA/inspect?instance=${instance}`)).json() as {
              sign_in: string | null
            }
            return (state ?? 'missing') as 'pending' | 'missing'
          },
          cancel: cancelByDisconnecting('MEDIAA'),
          approve: (code) => plex.actions.approvePin(code),
          expire(code) {
            for (const pin of plex.state.pins.values()) if (pin.code === code) pin.expiresAtMs = 0
          },
        },
      ],
      close: () => plex.close(),
    }
  },
}

export default adapter

function asItem({ title, guids, year }: LibraryItem): Item {
  return {
    type: 'movie',
    title,
    ids: Object.fromEntries(guids.map((guid) => guid.split('://'))),
    ...(year === undefined ? {} : { year }),
  }
}

function hexOf(plex: Plex, { guid }: LibraryItem): string {
  const hex = guid.split('/').at(-1) ?? ''
  return (plex.state.cloud.get(hex) as CloudItem).hex
}

function put(plex: Plex, who: Who, feature: Feature, film: LibraryItem, atMs: number): void {
  const { actions } = plex
  if (feature === 'history') actions.watch(who, film.ratingKey, atMs)
  else if (feature === 'ratings') actions.rate(who, film.ratingKey, 7, atMs)
  else if (feature === 'progress') actions.setOffset(who, film.ratingKey, Math.floor((film.durationMs ?? 0) / 4), atMs)
  else actions.addToWatchlist(who, hexOf(plex, film), atMs)
}

function takeOff(plex: Plex, who: Who, feature: Feature, film: LibraryItem): void {
  const { actions } = plex
  if (feature === 'ratings') actions.rate(who, film.ratingKey, null)
  else if (feature === 'progress') actions.setOffset(who, film.ratingKey, 0)
  else if (feature === 'watchlist') actions.removeFromWatchlist(who, hexOf(plex, film))
  else {
    // Taken out of the log and marked as not seen, as a person does both.
    const { state } = plex
    state.plays.splice(0, state.plays.length, ...state.plays.filter(({ ratingKey }) => ratingKey !== film.ratingKey))
    for (const states of state.playStates.values()) states.delete(film.ratingKey)
  }
}

function countOf({ state }: Plex, who: Who, feature: Feature): number {
  const account = state.accounts.find(({ role }) => role === who)
  if (account === undefined) return 0
  if (feature === 'watchlist') return state.watchlists.get(account.id)?.size ?? 0
  const states = [...(state.playStates.get(account.id)?.values() ?? [])]
  if (feature === 'history') return states.filter(({ viewCount }) => viewCount > 0).length
  return states.filter(
    ({ userRating, viewOffsetMs }) => (feature === 'ratings' ? userRating : viewOffsetMs) !== undefined,
  ).length
}
