// Plays the accounts of two people for the conformance kit.
import type { Feature, Item } from '@playhead/sdk'
import type { Adapter, Person } from '@playhead/sdk/testing/conformance'
import { EPISODE_MS, type LibraryTitle, MOVIE_MS, startStremio, type Stremio } from './stand-in.ts'

type Stored = 'watchlist' | 'history' | 'progress'
type Work = { readonly id: string; readonly item: Item }

const SPARE = 40
const RESERVE = 30
const EPISODES = 20
const AT_MS = Date.parse('2025-03-04T02:06:07Z')

/** Movies and shows that each feature alternates between. Progress has a show for each episode: a show has one position. */
function fill(stremio: Stremio, size: number) {
  let number = 0
  const nextId = () => `tt${String(1_000_000 + ++number)}`
  const movie = (): Work => {
    const { id, name } = stremio.addMovie(nextId())
    return { id, item: { type: 'movie', ids: { imdb: id }, title: name } }
  }
  const series = (seasons: readonly number[]) => stremio.addSeries(nextId(), seasons)
  const episode = ({ id, name }: { id: string; name: string }, season: number, count: number): Work => ({
    id,
    item: { type: 'episode', ids: {}, show_ids: { imdb: id }, season, episode: count, series_title: name },
  })
  const pool = (other: (index: number) => Work) =>
    Array.from({ length: size + SPARE }, (_, index) => (index % 2 === 0 ? movie() : other(index)))

  let show = series([4, EPISODES])
  let count = 0
  const pools: Record<Stored, Work[]> = {
    watchlist: pool(() => {
      const { id, name } = series([0, 2])
      return { id, item: { type: 'show', ids: { imdb: id }, title: name } }
    }),
    history: pool(() => {
      if (count === EPISODES) [show, count] = [series([4, EPISODES]), 0]
      count += 1
      // The specials first.
      return count <= 4 ? episode(show, 0, count) : episode(show, 1, count - 4)
    }),
    progress: pool((index) => episode(series([1, 2]), index % 4 === 1 ? 0 : 1, 1)),
  }
  const long = series([0, 0, RESERVE])
  return { pools, reserve: Array.from({ length: RESERVE }, (_, index) => episode(long, 2, index + 1)) }
}

const adapter: Adapter = {
  async start({ size }) {
    const stremio = await startStremio()
    const { accounts } = stremio
    const { pools, reserve } = fill(stremio, size)
    let minutes = 0
    const nextTime = () => new Date(AT_MS + ++minutes * 60_000).toISOString()
    const lengthOf = (item: Item) => (item.type === 'movie' ? MOVIE_MS : EPISODE_MS)
    const videoOf = ({ id, item }: Work) => (item.type === 'movie' ? id : `${id}:${item.season}:${item.episode}`)

    function valued(feature: Feature, { item }: Work): Item {
      if (feature === 'watchlist') return item
      if (feature === 'history') return { ...item, watched_at: nextTime() }
      return { ...item, progress_ms: 600_000, duration_ms: lengthOf(item), progress_at: nextTime() }
    }
    function rowsOf(feature: Feature, title: LibraryTitle): readonly Item[] {
      const { _id: id, name, type, removed, temp, state } = title
      const work: Item = { type: type === 'movie' ? 'movie' : 'show', ids: { imdb: id }, title: name }
      const part = (video: string): Item => {
        const [, season, episode] = video.split(':').map(Number)
        return {
          type: 'episode',
          ids: {},
          show_ids: { imdb: id },
          season: season!,
          episode: episode!,
          series_title: name,
        }
      }
      const isPlayed =
        state.timesWatched > 0 || state.timeOffset > 0 || state.video_id !== null || state.watched !== null
      if (feature === 'watchlist') return removed || temp ? [] : [isPlayed ? work : { ...work, added_at: title._ctime }]
      if (feature === 'history') {
        if (type === 'series') return stremio.watchedVideos(title).map((video) => ({ ...part(video), watched: true }))
        const time = state.timeOffset > 1 || state.lastWatched === null ? {} : { watched_at: state.lastWatched }
        return state.timesWatched === 0 ? [] : [{ ...work, watched: true, ...time }]
      }
      if (state.timeOffset <= 1) return []
      const time =
        (type === 'movie' && state.timesWatched > 0) || state.lastWatched === null
          ? {}
          : { progress_at: state.lastWatched }
      const at = { progress_ms: state.timeOffset, duration_ms: state.duration, ...time }
      return [{ ...(type === 'movie' ? work : part(state.video_id!)), ...at }]
    }
    const rows = (person: Person, feature: Feature) =>
      [...accounts[person]!.titles.values()].flatMap((title) => rowsOf(feature, title))

    return {
      services: [stremio],
      config: { api_url: stremio.url, videos_url: stremio.url, page_size: 10 },
      async signIn(host, instance, person) {
        const { email, password } = accounts[person]!
        const { statusCode, body } = await host.inject({
          method: 'POST',
          url: `/api/stremio/login?instance=${instance}`,
          payload: { email, password },
        })
        if (statusCode !== 200) throw new Error(`the sign-in was answered with ${statusCode}: ${body}`)
      },
      async signInWrongly(host, instance) {
        const payload = { email: accounts[0]!.email, password: 'not-the-password' }
        await host.inject({ method: 'POST', url: `/api/stremio/login?instance=${instance}`, payload })
      },
      seed(person, feature, count) {
        const account = accounts[person]!
        for (const work of pools[feature as Stored].splice(0, count)) {
          const { id, item } = work
          if (feature === 'watchlist') stremio.addToLibrary(account, id)
          else if (feature === 'progress') stremio.stopAt(account, id, videoOf(work), 600_000, nextTime())
          else if (item.type === 'movie') stremio.watch(account, id, nextTime())
          else stremio.mark(account, id, item.season!, item.episode!)
        }
      },
      takeOff(person, feature) {
        const account = accounts[person]!
        const title = [...account.titles.values()].find((one) => rowsOf(feature, one).length > 0)!
        const [row] = rowsOf(feature, title)
        if (feature === 'watchlist') return stremio.removeFromLibrary(account, title._id)
        if (row!.type === 'episode' && feature === 'history')
          return void stremio.mark(account, title._id, row!.season!, row!.episode!, false)
        Object.assign(title.state, feature === 'history' ? { timesWatched: 0 } : { timeOffset: 0 })
        stremio.change(account, title)
      },
      fresh: (feature, count) => pools[feature as Stored].splice(0, count).map((work) => valued(feature, work)),
      // A show has one position.
      episodes: (feature, count) =>
        feature === 'history' ? reserve.splice(0, count).map((work) => valued(feature, work)) : [],
      unknown: (feature) => valued(feature, { id: 'tt9999999', item: { type: 'movie', ids: { imdb: 'tt9999999' } } }),
      count: (person, feature) => rows(person, feature).length,
      rows,
      secrets: () => [...accounts.flatMap(({ keys, password }) => [...keys, password]), 'not-the-password'],
      typed: () => accounts.map(({ password }) => password),
      revoke: (person) => accounts[person]!.keys.clear(),
      isWrite: ({ path }) => path === '/api/datastorePut',
      close: () => stremio.close(),
    }
  },
}

export default adapter
