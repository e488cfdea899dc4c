// Plays the accounts of two users for the conformance kit.
import type { Feature, Item } from '@playhead/sdk'
import type { Adapter, Person } from '@playhead/sdk/testing/conformance'
import { type MediaRow, type Owner, type Scrob, type Show, startScrob } from './stand-in.ts'

type Kind = 'movie' | 'show' | 'season' | 'episode'
type Stored = 'watchlist' | 'history' | 'ratings'
/** A title of the server, and the season of a rating. */
type Work = { readonly media: MediaRow; readonly season: number | null; readonly item: Item }

const KINDS = {
  watchlist: ['movie', 'show'],
  history: ['movie', 'episode'],
  ratings: ['movie', 'show', 'season'],
} as const
const SPARE = 40
const RESERVE = 30
const AT_MS = Date.parse('2025-03-04T02:06:07Z')
const UNKNOWN = 99_999_999

function fill(scrob: Scrob, size: number) {
  let number = 500_000
  const nextShow = (): Show => {
    const tmdb = ++number
    return { tmdb, tvdb: tmdb + 1_000_000, title: `Show ${tmdb}` }
  }
  const itemOf = ({ type, tmdb_id: tmdb, title, show, ...row }: MediaRow, season: number | null): Item => {
    const ids = { tmdb: String(tmdb) }
    if (type === 'movie') return { type: 'movie', ids, title, year: 1999 }
    if (type === 'series' && season === null) return { type: 'show', ids, title, year: 2002 }
    if (type === 'series') return { type: 'season', ids: {}, show_ids: ids, season: season!, series_title: title }
    return {
      ...{ type: 'episode', ids, title, season: row.season_number!, episode: row.episode_number! },
      ...{ show_ids: { tmdb: String(show!.tmdb), tvdb: String(show!.tvdb) }, series_title: show!.title },
    }
  }
  const work = (media: MediaRow, season: number | null = null): Work => ({ media, season, item: itemOf(media, season) })
  const pools = Object.fromEntries(
    Object.entries(KINDS).map(([feature, kinds]) => {
      let show = nextShow()
      let count = 0
      const make = (kind: Kind): Work => {
        if (kind === 'movie') return work(scrob.movie(++number))
        if (kind === 'show') return work(scrob.series(++number))
        if (kind === 'season') return work(scrob.series(++number), count++ % 2)
        if (count === 20) [show, count] = [nextShow(), 0]
        count += 1
        // The specials first.
        return work(scrob.episode(show, count <= 4 ? 0 : 1, count))
      }
      return [feature, Array.from({ length: size + SPARE }, (_, index) => make(kinds[index % kinds.length]!))]
    }),
  ) as Record<Stored, Work[]>
  const long = nextShow()
  const reserve = Array.from({ length: RESERVE }, (_, index) => work(scrob.episode(long, 2, index + 1)))
  return { pools, reserve, itemOf }
}

const adapter: Adapter = {
  async start({ size }) {
    const scrob = await startScrob()
    const { owners } = scrob
    const { pools, reserve, itemOf } = fill(scrob, size)
    scrob.tmdb = (key) => !key.endsWith(`/${UNKNOWN}`)
    let minutes = 0
    const nextTime = () => new Date(AT_MS + ++minutes * 60_000).toISOString()
    const nextNaive = () => nextTime().replace('.000Z', '.123456')

    function valued(feature: Feature, item: Item): Item {
      if (feature === 'watchlist') return item
      if (feature === 'history') return { ...item, watched_at: nextTime() }
      return { ...item, rating: 7 }
    }
    function rows(person: Person, feature: Feature): readonly Item[] {
      const { lists, events, ratings } = owners[person]!
      if (feature === 'watchlist')
        return lists[0]!.items.map(({ media, added_at: at }) => ({ ...itemOf(media, null), added_at: `${at}Z` }))
      if (feature === 'ratings')
        return ratings.map(({ media, season_number: season, rating, rated_at: at }) => ({
          ...itemOf(media, season),
          ...{ rating: rating!, rated_at: `${at}Z` },
        }))
      return events.map(({ media, watched_at: at }) => ({
        ...{ ...itemOf(media, null), watched: true },
        ...(at === null ? {} : { watched_at: `${at}Z` }),
      }))
    }

    return {
      services: [scrob],
      config: { page_size: 10 },
      async signIn(host, instance, person) {
        const { username, apiKey } = owners[person]!
        const { statusCode, body } = await host.inject({
          method: 'POST',
          url: `/api/scrob/save?instance=${instance}`,
          payload: { server: scrob.url, username, api_key: apiKey },
        })
        if (statusCode !== 200) throw new Error(`the sign-in was answered with ${statusCode}: ${body}`)
      },
      async signInWrongly(host, instance) {
        const payload = { server: scrob.url, username: 'ann', api_key: 'not-the-key-of-anybody' }
        await host.inject({ method: 'POST', url: `/api/scrob/save?instance=${instance}`, payload })
      },
      seed(person, feature, count) {
        const owner: Owner = owners[person]!
        for (const { media, season } of pools[feature as Stored].splice(0, count)) {
          if (feature === 'watchlist') scrob.list(owner, media, nextNaive())
          else if (feature === 'history') scrob.watch(owner, media, nextNaive())
          else scrob.rate(owner, media, 7, nextNaive(), { season_number: season })
        }
      },
      takeOff(person, feature) {
        const { lists, events, ratings } = owners[person]!
        if (feature === 'watchlist') lists[0]!.items.shift()
        else if (feature === 'history') events.shift()
        else ratings.shift()
      },
      fresh: (feature, count) => pools[feature as Stored].splice(0, count).map(({ item }) => valued(feature, item)),
      episodes: (feature, count) =>
        feature === 'history' ? reserve.splice(0, count).map(({ item }) => valued(feature, item)) : [],
      unknown: (feature) => valued(feature, { type: 'movie', ids: { tmdb: String(UNKNOWN) }, title: 'No such movie' }),
      count: (person, feature) => rows(person, feature).length,
      rows,
      secrets: () => [...owners.map(({ apiKey }) => apiKey), 'not-the-key-of-anybody'],
      revoke: (person) => {
        owners[person]!.apiKey = `another-${person}`
      },
      close: () => scrob.close(),
    }
  },
}

export default adapter
