// PublicMetaDB for the conformance kit.
import type { Feature, Item } from '@playhead/sdk'
import type { Adapter, Person } from '@playhead/sdk/testing/conformance'
import { type Publicmetadb, startPublicmetadb } from '../../upstreams/publicmetadb.ts'
import { seededCatalogue } from '../../upstreams/trakt/seeded.ts'
import { connect, pastTimes, stockOf, unknownFilm, valued } from './support.ts'

const NAMES = ['ada', 'bob'] as const

const adapter: Adapter = {
  async start({ size }) {
    const movies = Math.ceil(size * 1.1) + 20
    const metadb = await startPublicmetadb({ usernames: NAMES, requestsPer10s: 1_000_000, movies, shows: 2 })
    const lists = NAMES.map((name) => metadb.userNamed(name).makeList('Watchlist', 'watchlist'))
    const catalogue = seededCatalogue(1, movies, 2)
    const stock = stockOf(catalogue.movies.flatMap((movie, index) => (movie.ids.tmdb == null ? [] : [index])))
    const nextTime = pastTimes()
    const seeded: Record<string, number[]> = {}
    const seededOf = (person: Person, feature: Feature) => (seeded[`${person} ${feature}`] ??= [])
    const config = { base_url: metadb.url, rate_limit: { get_per_sec: 20, post_per_sec: 3 } }
    const movieItem = (index: number): Item => ({
      type: 'movie',
      title: catalogue.movies[index]?.title ?? '',
      ids: { tmdb: String(metadb.movie(index).tmdb_id) },
    })
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
        for (const index of stock.take(count)) {
          put(metadb, NAMES[person], lists[person]!, feature, index, nextTime())
          seededOf(person, feature).push(index)
        }
      },
      takeOff(person, feature) {
        const index = seededOf(person, feature).shift()
        if (index === undefined) return
        const { account, removeFromList } = metadb.userNamed(NAMES[person])
        const id = metadb.movie(index).tmdb_id
        if (feature === 'history') account.plays = account.plays.filter(({ work }) => work.tmdb_id !== id)
        else if (feature === 'progress') account.positions = account.positions.filter(({ work }) => work.tmdb_id !== id)
        else removeFromList(lists[person]!, metadb.movie(index))
      },
      fresh: (feature, count) => stock.take(count).map((index) => valued(feature, movieItem(index))),
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

function put(metadb: Publicmetadb, name: string, list: string, feature: Feature, index: number, atMs: number): void {
  const [user, movie] = [metadb.userNamed(name), metadb.movie(index)]
  if (feature === 'history') user.watch(movie, atMs)
  else if (feature === 'progress') user.pause(movie, 900_000, 6_000_000, atMs)
  else user.addToList(list, movie, atMs)
}
