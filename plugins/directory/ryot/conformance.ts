// Plays the accounts of two users for the conformance kit.
import type { Feature, Item } from '@playhead/sdk'
import type { Adapter, Person } from '@playhead/sdk/testing/conformance'
import { type Metadata, type Owner, type Ryot, startRyot } from './stand-in.ts'

type Kind = 'movie' | 'show' | 'season' | 'episode'
type Stored = 'watchlist' | 'history' | 'ratings' | 'progress'
type Work = { readonly id: string; readonly item: Item }

const KINDS = {
  watchlist: ['movie', 'show'],
  history: ['movie', 'episode'],
  ratings: ['movie', 'show', 'season', 'episode'],
  progress: ['movie', 'episode'],
} as const
const SPARE = 40
const RESERVE = 30
const AT_MS = Date.parse('2025-03-04T02:06:07Z')

function fill(ryot: Ryot, size: number) {
  let number = 0
  const title = (lot: 'MOVIE' | 'SHOW') => {
    const n = ++number
    return ryot.addTitle(lot, String(500_000 + n), { title: `Title ${n} of ${lot}` })
  }
  const work = (lot: 'MOVIE' | 'SHOW', type: 'movie' | 'show'): Work => {
    const { id, identifier, title: name } = title(lot)
    return { id, item: { type, ids: { tmdb: identifier }, title: name, year: 1999 } }
  }
  const part = ({ id, identifier, title: name }: Metadata, season: number, episode?: number): Work => {
    const show = { ids: {}, show_ids: { tmdb: identifier }, series_title: name, series_year: 1999, season }
    return { id, item: episode === undefined ? { type: 'season', ...show } : { type: 'episode', ...show, episode } }
  }
  const pools = Object.fromEntries(
    Object.entries(KINDS).map(([feature, kinds]) => {
      let show = title('SHOW')
      let count = 0
      const make = (kind: Kind): Work => {
        if (kind === 'movie') return work('MOVIE', 'movie')
        if (kind === 'show') return work('SHOW', 'show')
        if (kind === 'season') return part(title('SHOW'), 1)
        if (count === 20) [show, count] = [title('SHOW'), 0]
        count += 1
        // The specials first.
        return count <= 4 ? part(show, 0, count) : part(show, 1, count)
      }
      return [feature, Array.from({ length: size + SPARE }, (_, index) => make(kinds[index % kinds.length]!))]
    }),
  ) as Record<Stored, Work[]>
  const reserves = Object.fromEntries(
    Object.keys(KINDS).map((feature) => {
      const long = title('SHOW')
      return [feature, Array.from({ length: RESERVE }, (_, index) => part(long, 2, index + 1))]
    }),
  ) as Record<Stored, Work[]>
  return { pools, reserves }
}

const adapter: Adapter = {
  async start({ size }) {
    const ryot = await startRyot()
    const { owners, metadata } = ryot
    const { pools, reserves } = fill(ryot, size)
    let minutes = 0
    const nextTime = () => new Date(AT_MS + ++minutes * 60_000).toISOString()

    function valued(feature: Feature, { item }: Work): Item {
      if (feature === 'watchlist') return item
      if (feature === 'history') return { ...item, watched_at: nextTime() }
      if (feature === 'ratings') return { ...item, rating: 7, rated_at: nextTime() }
      return { ...item, progress_percent: 40, progress_at: nextTime() }
    }
    const numbersOf = ({ season, episode }: Item) =>
      season === undefined ? undefined : { season, episode: episode ?? null }
    function itemOf(id: string, numbers: { season?: number | null; episode?: number | null } | null): Item {
      const { lot, identifier, title } = metadata.get(id)!
      if (lot === 'MOVIE') return { type: 'movie', ids: { tmdb: identifier }, title, year: 1999 }
      if (numbers === null) return { type: 'show', ids: { tmdb: identifier }, title, year: 1999 }
      const show = { ids: {}, show_ids: { tmdb: identifier }, series_title: title, season: numbers.season! }
      return numbers.episode == null
        ? { type: 'season', ...show }
        : { type: 'episode', ...show, episode: numbers.episode }
    }
    function rowsOf({ watchlist, seen, reviews }: Owner, feature: Feature): readonly Item[] {
      if (feature === 'watchlist') return [...watchlist].map(([id, at]) => ({ ...itemOf(id, null), added_at: at }))
      if (feature === 'ratings')
        return reviews.map((row) => ({
          ...itemOf(row.metadataId, row.showExtraInformation),
          rating: Number(row.rating) / 10,
          rated_at: row.postedOn,
        }))
      const state = feature === 'history' ? 'COMPLETED' : 'IN_PROGRESS'
      return seen
        .filter((row) => row.state === state)
        .map((row) => ({
          ...itemOf(row.metadataId, row.showExtraInformation),
          ...(feature === 'history'
            ? { watched: true, ...(row.finishedOn === null ? {} : { watched_at: row.finishedOn }) }
            : { progress_percent: Number(row.progress), progress_at: row.lastUpdatedOn }),
        }))
    }
    const rows = (person: Person, feature: Feature) => rowsOf(owners[person]!, feature)

    return {
      services: [ryot],
      config: { page_size: 10 },
      async signIn(host, instance, person) {
        const { name, password } = owners[person]!
        const { statusCode, body } = await host.inject({
          method: 'POST',
          url: `/api/ryot/login?instance=${instance}`,
          payload: { server: ryot.url, username: name, password },
        })
        if (statusCode !== 200) throw new Error(`the sign-in was answered with ${statusCode}: ${body}`)
      },
      async signInWrongly(host, instance) {
        const payload = { server: ryot.url, username: 'ann', password: 'not-the-password' }
        await host.inject({ method: 'POST', url: `/api/ryot/login?instance=${instance}`, payload })
      },
      seed(person, feature, count) {
        const owner = owners[person]!
        for (const { id, item } of pools[feature as Stored].splice(0, count)) {
          if (feature === 'watchlist') owner.watchlist.set(id, nextTime())
          else if (feature === 'history') ryot.see(owner, id, nextTime(), numbersOf(item))
          else if (feature === 'progress') ryot.stop(owner, id, 40, nextTime(), numbersOf(item))
          else ryot.rate(owner, id, 70, nextTime(), { showExtraInformation: numbersOf(item) ?? null })
        }
      },
      takeOff(person, feature) {
        const { watchlist, seen, reviews } = owners[person]!
        if (feature === 'watchlist') watchlist.delete([...watchlist.keys()][0]!)
        else if (feature === 'ratings') reviews.shift()
        else
          seen.splice(
            seen.findIndex(({ state }) => (state === 'COMPLETED') === (feature === 'history')),
            1,
          )
      },
      fresh: (feature, count) => pools[feature as Stored].splice(0, count).map((work) => valued(feature, work)),
      episodes: (feature, count) => reserves[feature as Stored].splice(0, count).map((work) => valued(feature, work)),
      unknown: (feature) =>
        valued(feature, { id: '', item: { type: 'movie', ids: { tmdb: '99999999' }, title: 'No such movie' } }),
      count: (person, feature) => rows(person, feature).length,
      rows,
      secrets: () => [...owners.flatMap(({ tokens, password }) => [...tokens, password]), 'not-the-password'],
      typed: () => owners.map(({ password }) => password),
      revoke: (person) => owners[person]!.tokens.clear(),
      // One path for everything.
      isWrite: ({ body }) => body?.includes('"query":"mutation') === true && !body.includes('loginUser'),
      close: () => ryot.close(),
    }
  },
}

export default adapter
