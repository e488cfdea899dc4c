// Plex: how profiles sign in, and accounts of its stand-in. Each is the owner of a server of its own, unless people of
// one server are asked for.
import type { CatalogueShow } from '../upstreams/base/index.ts'
import { type Item, type Plex, startPlex, type Who } from '../upstreams/plex.ts'
import { codeOf, type Flow, type FlowState } from './flows.ts'
import { type Account, isPlainWrite, type Stand, type StandOptions } from './stand.ts'
import { episodeName, itemOf, movieName, partsOf, seasonName, showName, SIZE, type WorkName } from './works.ts'

const ALL = ['tmdb', 'imdb', 'tvdb'] as const
// A friend would see one section only.
const HOUSEHOLD: readonly Who[] = ['owner', 'managed']
/** Marking, rating and reporting are GET requests of the media server. */
const WRITE = /^\/:\/(un)?scrobble|^\/:\/(rate|progress|timeline)|^\/actions\//

export const plexAddresses = (plex: Plex) => ({ cloud_url: plex.cloud.url, server_url: plex.server.url })

export function plexPin(plex: Plex): Flow {
  return {
    method: 'device_pin',
    start: (client, instance) => codeOf(client, `/api/mediaA/pin/new?instance=${instance}`, { member: 'code' }),
    async poll(client, instance) {
      const { body } = await client.json(`/api/mediaA/inspect?instance=${instance}`)
      return (body.sign_in ?? (body.connected === true ? 'authorized' : 'missing')) as FlowState
    },
    cancel: 'disconnect',
    approve: (code) => plex.actions.approvePin(code),
    expire(code) {
      for (const pin of plex.state.pins.values()) if (pin.code === code) pin.expiresAtMs = 0
    },
  }
}

interface PlexStandOptions extends StandOptions {
  /** Accounts are people of one server. */
  readonly household?: boolean
}

export async function plexStand({
  limits: _limits,
  nowMs: _clock,
  household = false,
  ...options
}: PlexStandOptions = {}): Promise<Stand<Plex>> {
  const { moreShows = [], ...size } = { ...SIZE, ...options }
  const kept = new AsyncDisposableStack()
  const houses: Plex[] = []
  const start = async () => {
    const plex = kept.use(await startPlex({ ...size, cloudTitles: size.movies, house: houses.length }))
    for (const show of moreShows) addShow(plex, show)
    houses.push(plex)
    return plex
  }
  const first = await start()
  let used = 0
  return {
    server: first,
    provider: 'MEDIAA',
    section: 'mediaA',
    get upstreams() {
      return houses.flatMap(({ cloud, server }) => [cloud, server])
    },
    settings: { cloud_url: first.cloud.url },
    flows: [plexPin(first)],
    async account() {
      const turn = used++
      if (household) return accountOf(first, HOUSEHOLD[turn]!, { cloud_url: first.cloud.url })
      const plex = turn === 0 ? first : await start()
      return accountOf(plex, 'owner', plexAddresses(plex))
    },
    itemOf: (work) => itemOf(work, { movie: ALL, show: ALL, episode: ALL }),
    tellsDuration: true,
    isWrite: (request) => isPlainWrite(request) || WRITE.test(request.path),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

function accountOf(plex: Plex, who: Who, addresses: object): Account {
  const { state, actions } = plex
  const { id } = state.accounts.find(({ role }) => role === who)!
  const names = plexNames(plex)
  const keys = new Map([...names].map(([key, name]) => [name, key]))
  const keyOf = (work: WorkName) => keys.get(work)!
  const cloudName = ({ type, guids }: { readonly type: 'movie' | 'show'; readonly guids: readonly string[] }) =>
    (type === 'movie' ? movieName : showName)(plexIds({ guids }))
  const hexes = new Map([...state.cloud.values()].map((item) => [cloudName(item), item.hex]))
  const hexOf = (work: WorkName) => hexes.get(work)!
  const played = () =>
    [...(state.playStates.get(id) ?? [])].flatMap(([key, data]) =>
      names.has(key) ? [{ work: names.get(key)!, data, item: state.items.get(key)! }] : [],
    )
  return {
    signIn: () => ({ ...addresses, account_token: plex.accountToken(who) }),
    put(feature, { work, atMs = state.now(), rating = null, percent = 0 }) {
      if (feature === 'watchlist') actions.addToWatchlist(who, hexOf(work), atMs)
      if (feature === 'history') actions.watch(who, keyOf(work), atMs)
      if (feature === 'ratings') void actions.rate(who, keyOf(work), rating, atMs)
      if (feature === 'progress')
        actions.setOffset(who, keyOf(work), Math.floor((partsOf(work).runtimeMs * percent) / 100), atMs)
    },
    remove(feature, work) {
      if (feature === 'ratings') void actions.rate(who, keyOf(work), null)
      else if (feature === 'progress') actions.setOffset(who, keyOf(work), 0)
      else if (feature === 'watchlist') actions.removeFromWatchlist(who, hexOf(work))
      else {
        // Taken out of the log and marked as not seen, as a person does both.
        const key = keyOf(work)
        state.plays.splice(0, state.plays.length, ...state.plays.filter(({ ratingKey }) => ratingKey !== key))
        for (const states of state.playStates.values()) states.delete(key)
      }
    },
    marks(feature) {
      switch (feature) {
        case 'watchlist':
          return [...(state.watchlists.get(id) ?? [])].map(([hex, atMs]) => ({
            work: cloudName(state.cloud.get(hex)!),
            atMs: atMs ?? undefined,
          }))
        case 'history':
          return played().flatMap(({ work, data: { viewCount, lastViewedAtMs: atMs } }) =>
            Array.from({ length: viewCount }, () => ({ work, atMs })),
          )
        case 'ratings':
          return played().flatMap(({ work, data: { userRating: rating, lastRatedAtMs: atMs } }) =>
            rating === undefined ? [] : [{ work, rating, atMs }],
          )
        default:
          return played().flatMap(({ work, data: { viewOffsetMs, lastViewedAtMs: atMs }, item: { durationMs = 0 } }) =>
            viewOffsetMs === undefined ? [] : [{ work, percent: (viewOffsetMs / durationMs) * 100, atMs }],
          )
      }
    },
    revoke: () => actions.expireTokens(who),
  }
}

/** Names of the library, by rating key. */
export function plexNames({ state }: Plex): ReadonlyMap<string, WorkName> {
  const parent = ({ parentKey }: Item) => state.items.get(parentKey ?? '')!
  const nameOf = (item: Item): WorkName => {
    if (item.type === 'movie') return movieName(plexIds(item))
    if (item.type === 'show') return showName(plexIds(item))
    return item.type === 'season'
      ? seasonName(plexIds(parent(item)), item.index)
      : episodeName(plexIds(parent(parent(item))), parent(item).index, item.index)
  }
  return new Map([...state.items.values()].map((item) => [item.ratingKey, nameOf(item)]))
}

export function plexIds({ guids }: { readonly guids: readonly string[] }) {
  return Object.fromEntries(guids.map((guid) => guid.split('://')))
}

/** Puts a show into the library. */
function addShow({ actions }: Plex, { title, year, ids, premieredAtMs, episodes }: CatalogueShow): void {
  const guids = (given: object) => Object.entries(given).map(([scheme, id]) => `${scheme}://${id}`)
  const add = (item: Omit<Parameters<typeof actions.addItem>[0], 'sectionKey'>) =>
    actions.addItem({ sectionKey: '2', ...item }, premieredAtMs).ratingKey
  const guid = (type: string, serial: number) =>
    `plex://${type}/aa${String(ids.tmdb! * 1_000 + serial).padStart(22, '0')}`
  const show = add({ type: 'show', guid: guid('show', 0), guids: guids(ids), title, year, premieredAtMs })
  const seasons = new Map<number, string>()
  for (const [serial, { season, number, title: name, runtimeMs, airedAtMs, ids: own }] of episodes.entries()) {
    const parentKey = seasons.getOrInsertComputed(season, () =>
      add({
        type: 'season',
        guid: guid('season', season),
        guids: [],
        title: season === 0 ? 'Specials' : `Season ${season}`,
        index: season,
        parentKey: show,
      }),
    )
    add({
      type: 'episode',
      guid: guid('episode', serial),
      guids: guids(own),
      title: name,
      durationMs: runtimeMs,
      premieredAtMs: airedAtMs,
      index: number,
      parentKey,
    })
  }
}
