// Plex for the conformance kit: the cloud with the watchlists, and the media server with everything else.
import type { Feature, Item, ItemKind } from '@playhead/sdk'
import type { Adapter, Person } from '@playhead/sdk/testing/conformance'
import { type CloudItem, type Item as LibraryItem, type Plex, startPlex, type Who } from '../../upstreams/plex.ts'
import {
  cancelByDisconnecting,
  connect,
  mixedStock,
  pastTimes,
  postOk,
  showWithSpecials,
  unknownFilm,
  valued,
} from './support.ts'

// A friend sees only one section.
const PEOPLE: readonly [Who, Who] = ['owner', 'managed']
const SHOWS = 28
const SPECIALS = showWithSpecials()
const PLAYED = ['movie', 'episode'] as const
const KINDS: { readonly [feature in Feature]?: readonly ItemKind[] } = {
  watchlist: ['movie', 'show'],
  history: PLAYED,
  ratings: ['movie', 'episode', 'show', 'season'],
  progress: PLAYED,
}

const adapter: Adapter = {
  async start({ size }) {
    const movies = Math.ceil(size * 1.1) + 8
    const plex = await startPlex({ movies, shows: SHOWS, cloudTitles: movies })
    const whole = addSpecials(plex)
    const all = [...plex.state.items.values()]
    const known = all.filter(({ guids }) => guids.length > 0)
    const ofSpecials = new Set(whole.map(({ ratingKey }) => ratingKey))
    const stock = mixedStock<LibraryItem>({
      movie: known.filter(({ type }) => type === 'movie'),
      show: known.filter(({ type, title }) => type === 'show' && title !== SPECIALS.title),
      season: all.filter((one) => one.type === 'season' && (parentOf(plex, one)?.guids.length ?? 0) > 0),
      episode: [
        ...known.filter((one) => one.type === 'episode' && parentOf(plex, one)?.index === 0),
        ...known.filter(
          (one) => one.type === 'episode' && !ofSpecials.has(one.ratingKey) && parentOf(plex, one)?.index !== 0,
        ),
      ],
    })
    const take = (feature: Feature, count: number) => stock.take(KINDS[feature] ?? ['movie'], count)
    const asItem = (one: LibraryItem) => itemOf(plex, one)
    const nextTime = pastTimes()
    const seeded: Record<string, LibraryItem[]> = {}
    const seededOf = (person: Person, feature: Feature) => (seeded[`${person} ${feature}`] ??= [])
    const config = { cloud_url: plex.cloud.url, max_retries: 2, timeout: 12, watchlist_page_size: 30 }

    return {
      services: [plex.cloud, plex.server],
      config,
      async signIn(host, instance, person) {
        await connect(host, 'MEDIAA', instance, { ...config, account_token: plex.accountToken(PEOPLE[person]) })
      },
      seed(person, feature, count) {
        for (const film of take(feature, count)) {
          put(plex, PEOPLE[person], feature, film, nextTime())
          seededOf(person, feature).push(film)
        }
      },
      takeOff(person, feature) {
        const film = seededOf(person, feature).shift()
        if (film !== undefined) takeOff(plex, PEOPLE[person], feature, film)
      },
      fresh: (feature, count) =>
        take(feature, count).map((film) => valued(feature, asItem(film), { durationMs: film.durationMs ?? 6_000_000 })),
      episodes: (feature, count) =>
        whole.splice(0, count).map((one) => valued(feature, asItem(one), { durationMs: one.durationMs ?? 6_000_000 })),
      rows: (person, feature) => rowsOf(plex, PEOPLE[person], feature),
      unknown: unknownFilm,
      count: (person, feature) => countOf(plex, PEOPLE[person], feature),
      play(person) {
        const [film] = take('history', 1) as readonly [LibraryItem]
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

/** Adds the show to the library; returns the episodes of its first season. */
function addSpecials({ actions }: Plex): LibraryItem[] {
  const guids = (ids: object) => Object.entries(ids).map(([scheme, id]) => `${scheme}://${id}`)
  const base = { sectionKey: '2' }
  const { title, year, ids, premieredAtMs, episodes } = SPECIALS
  const show = actions.addItem(
    {
      ...base,
      type: 'show',
      guid: 'plex://show/aa0000000000000000000001',
      guids: guids(ids),
      title,
      year,
      premieredAtMs,
    },
    premieredAtMs,
  )
  const seasons = [0, 1].map((index) =>
    actions.addItem(
      {
        ...base,
        type: 'season',
        guid: `plex://season/aa000000000000000000010${index}`,
        guids: [],
        title: index === 0 ? 'Specials' : 'Season 1',
        index,
        parentKey: show.ratingKey,
      },
      premieredAtMs,
    ),
  )
  const added = episodes.map((one, at) =>
    actions.addItem(
      {
        ...base,
        type: 'episode',
        guid: `plex://episode/aa00000000000000000002${String(at).padStart(2, '0')}`,
        guids: guids(one.ids),
        title: one.title,
        durationMs: one.runtimeMs,
        premieredAtMs: one.airedAtMs,
        index: one.number,
        parentKey: seasons[one.season]!.ratingKey,
      },
      premieredAtMs,
    ),
  )
  return added.filter(({ parentKey }) => parentKey === seasons[1]!.ratingKey)
}

function parentOf({ state }: Plex, { parentKey }: LibraryItem): LibraryItem | undefined {
  return parentKey === undefined ? undefined : state.items.get(parentKey)
}

function itemOf(plex: Plex, one: LibraryItem): Item {
  const { type, title, year, index } = one
  const ids = idsIn(one)
  if (type === 'movie' || type === 'show') return { type, title, ids, ...(year === undefined ? {} : { year }) }
  const season = type === 'season' ? one : parentOf(plex, one)
  const show = season === undefined ? undefined : parentOf(plex, season)
  const about = {
    series_title: show?.title ?? '',
    show_ids: show === undefined ? {} : idsIn(show),
    season: season?.index ?? 0,
  }
  return type === 'season'
    ? { type: 'season', ids, ...about }
    : { type: 'episode', title, ids, ...about, episode: index ?? 0 }
}

function idsIn({ guids }: { readonly guids: readonly string[] }): Item['ids'] {
  return Object.fromEntries(guids.map((guid) => guid.split('://')))
}

function rowsOf(plex: Plex, who: Who, feature: Feature): readonly Item[] {
  const { state } = plex
  const id = state.accounts.find(({ role }) => role === who)?.id ?? 0
  const at = (ms: number) => new Date(ms).toISOString()
  if (feature === 'watchlist')
    return [...(state.watchlists.get(id) ?? [])].flatMap(([hex, atMs]) => {
      const found = state.cloud.get(hex)
      if (found === undefined) return []
      const { type, title, year } = found
      return [
        {
          type,
          title,
          ...(year === undefined ? {} : { year }),
          ids: idsIn(found),
          ...(atMs === null ? {} : { added_at: at(atMs) }),
        } as Item,
      ]
    })
  return [...(state.playStates.get(id) ?? [])].flatMap(([ratingKey, one]): Item[] => {
    const own = state.items.get(ratingKey)
    if (own === undefined) return []
    const item = itemOf(plex, own)
    const { viewCount, lastViewedAtMs, viewOffsetMs, userRating, lastRatedAtMs } = one
    if (feature === 'history')
      return viewCount === 0
        ? []
        : [{ ...item, watched: true, ...(lastViewedAtMs === undefined ? {} : { watched_at: at(lastViewedAtMs) }) }]
    if (feature === 'ratings')
      return userRating === undefined
        ? []
        : [{ ...item, rating: userRating, ...(lastRatedAtMs === undefined ? {} : { rated_at: at(lastRatedAtMs) }) }]
    return viewOffsetMs === undefined
      ? []
      : [
          {
            ...item,
            progress_ms: viewOffsetMs,
            ...(own.durationMs === undefined ? {} : { duration_ms: own.durationMs }),
            ...(lastViewedAtMs === undefined ? {} : { progress_at: at(lastViewedAtMs) }),
          },
        ]
  })
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
    // Removed from the log and marked as unwatched, as a person does both.
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
