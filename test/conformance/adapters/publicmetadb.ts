import type { Feature, Item, ItemKind } from '@playhead/sdk'
import type { Adapter, Person } from '@playhead/sdk/testing/conformance'
import { type Publicmetadb, startPublicmetadb } from '../../upstreams/publicmetadb.ts'
import type { Work } from '../../upstreams/publicmetadb/state.ts'
import type { Entry } from '../../upstreams/trakt/catalogue.ts'
import { catalogueOf, entryStock } from './entries.ts'
import { connect, pastTimes, unknownFilm } from './support.ts'

const NAMES = ['ada', 'bob'] as const
const PLAYED = ['movie', 'episode'] as const
const KINDS: { readonly [feature in Feature]?: readonly ItemKind[] } = {
  watchlist: ['movie', 'show'],
  history: PLAYED,
  progress: PLAYED,
}
const POSITION_MS = 900_000
const RUNTIME_MS = 6_000_000

const adapter: Adapter = {
  async start({ size }) {
    const catalogue = catalogueOf(size)
    const metadb = await startPublicmetadb({ usernames: NAMES, requestsPer10s: 1_000_000, catalogue })
    const lists = NAMES.map((name) => metadb.userNamed(name).makeList('Watchlist', 'watchlist'))
    const stock = entryStock(catalogue, KINDS, ({ tmdb }) => tmdb !== undefined)
    const nextTime = pastTimes()
    const seeded: Record<string, Entry[]> = {}
    const seededOf = (person: Person, feature: Feature) => (seeded[`${person} ${feature}`] ??= [])
    const config = { base_url: metadb.url, rate_limit: { get_per_sec: 20, post_per_sec: 3 } }
    return {
      services: [metadb],
      config,
      async signIn(host, instance, person) {
        await connect(host, 'METAB', instance, { ...config, api_key: metadb.userNamed(NAMES[person]).apiKey })
      },
      async signInWrongly(host, instance) {
        await host.inject({
          method: 'POST',
          url: `/api/metaB/save?instance=${instance}`,
          payload: { api_key: 'pm-nobody' },
        })
      },
      seed(person, feature, count) {
        for (const entry of stock.take(feature, count)) {
          put(metadb, NAMES[person], lists[person]!, feature, entry, nextTime())
          seededOf(person, feature).push(entry)
        }
      },
      takeOff(person, feature) {
        const entry = seededOf(person, feature).shift()
        if (entry === undefined) return
        const { account, removeFromList } = metadb.userNamed(NAMES[person])
        const wanted = workOf(entry)
        const isOther = ({ work }: { readonly work: Work }) => nameOf(work) !== nameOf(wanted)
        if (feature === 'history') account.plays = account.plays.filter(isOther)
        else if (feature === 'progress') account.positions = account.positions.filter(isOther)
        else removeFromList(lists[person]!, wanted)
      },
      fresh: (feature, count) => stock.fresh(feature, count).map(byTmdb),
      episodes: (feature, count) => stock.episodes(feature, count).map(byTmdb),
      rows: (person, feature) => rowsOf(metadb, NAMES[person], feature),
      unknown: unknownFilm,
      count: (person, feature) => {
        const { plays, positions, lists: all } = metadb.userNamed(NAMES[person]).account
        return feature === 'history' ? plays.length : feature === 'progress' ? positions.length : all[0]!.rows.length
      },
      secrets: () => NAMES.map((name) => metadb.userNamed(name).apiKey),
      revoke: (person) => metadb.userNamed(NAMES[person]).renewKey(),
      isWrite: ({ method }) => method !== 'GET',
      close: () => metadb.close(),
    }
  },
}

export default adapter

function workOf(entry: Entry): Work {
  if (entry.type === 'movie') return { tmdb_id: Number(entry.movie.ids.tmdb), media_type: 'movie' }
  const show = { tmdb_id: Number(entry.show.ids.tmdb), media_type: 'tv' } as const
  return entry.type === 'episode' ? { ...show, season: entry.episode.season, episode: entry.episode.number } : show
}

const nameOf = ({ tmdb_id: id, media_type: type, season, episode }: Work) => [type, id, season, episode].join(' ')

/** The service knows only TMDB numbers of films and shows. */
function byTmdb({ ids, show_ids: showIds, ...item }: Item): Item {
  const own = (given: Item['ids']): Item['ids'] => (given.tmdb === undefined ? {} : { tmdb: given.tmdb })
  return item.type === 'episode' ? { ...item, ids: {}, show_ids: own(showIds ?? {}) } : { ...item, ids: own(ids) }
}

function rowsOf(metadb: Publicmetadb, name: string, feature: Feature): readonly Item[] {
  const { plays, positions, lists } = metadb.userNamed(name).account
  const at = (ms: number) => new Date(ms).toISOString()
  const item = ({ tmdb_id: id, media_type: type, season, episode }: Work): Item =>
    type === 'movie'
      ? { type: 'movie', ids: { tmdb: String(id) } }
      : season === undefined || episode === undefined
        ? { type: 'show', ids: { tmdb: String(id) } }
        : { type: 'episode', ids: {}, show_ids: { tmdb: String(id) }, season, episode }
  if (feature === 'history')
    return plays.map(({ work, atMs }) => ({ ...item(work), watched: true, watched_at: at(atMs) }))
  if (feature === 'progress')
    return positions.map(({ work, positionMs, runtimeMs, atMs }) => ({
      ...item(work),
      progress_ms: positionMs,
      duration_ms: runtimeMs,
      progress_at: at(atMs),
    }))
  return lists[0]!.rows.map(({ work, atMs }) => ({ ...item(work), added_at: at(atMs) }))
}

function put(metadb: Publicmetadb, name: string, list: string, feature: Feature, entry: Entry, atMs: number): void {
  const [user, work] = [metadb.userNamed(name), workOf(entry)]
  if (feature === 'history') user.watch(work, atMs)
  else if (feature === 'progress') user.pause(work, POSITION_MS, RUNTIME_MS, atMs)
  else user.addToList(list, work, atMs)
}
