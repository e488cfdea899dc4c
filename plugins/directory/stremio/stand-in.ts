// A stand-in of Stremio: the API of the library (/api) and Cinemeta (/meta). It stores titles as they come, answers refusals
// with status 200, and has what the apps do to an account: they store whole titles, and count watched videos by the list
// that they know.
import { deflateSync, inflateSync } from 'node:zlib'
import type { ReceivedRequest, Reply } from '@playhead/sdk/testing'
import { type FaultyServer, startFaultyServer } from '@playhead/sdk/testing/conformance'

export interface CatalogueTitle {
  readonly id: string
  readonly type: 'movie' | 'series'
  readonly name: string
  videos: { readonly id: string; readonly season: number; readonly episode: number; readonly released?: string }[]
}

export interface LibraryState {
  lastWatched: string | null
  timeWatched: number
  timeOffset: number
  overallTimeWatched: number
  timesWatched: number
  flaggedWatched: number
  duration: number
  video_id: string | null
  watched: string | null
  noNotif: boolean
  [further: string]: unknown
}

export interface LibraryTitle {
  readonly _id: string
  name: string
  type: string
  removed: boolean
  temp: boolean
  _ctime: string
  _mtime: string
  state: LibraryState
  [further: string]: unknown
}

export interface Account {
  readonly id: string
  readonly email: string
  readonly password: string
  /** Keys of sessions. */
  readonly keys: Set<string>
  readonly titles: Map<string, LibraryTitle>
}

export interface Stremio extends FaultyServer {
  readonly catalogue: Map<string, CatalogueTitle>
  readonly accounts: readonly Account[]
  /** Cinemeta's answer for a title that it does not know. */
  unknown: Reply
  addMovie(id: string, name?: string): CatalogueTitle
  /** @param seasons episodes of each season, from season 0 */
  addSeries(id: string, seasons: readonly number[], name?: string): CatalogueTitle
  /** The title in the account; made like by a video that is opened. */
  open(account: Account, id: string): LibraryTitle
  addToLibrary(account: Account, id: string): LibraryTitle
  removeFromLibrary(account: Account, id: string): void
  watch(account: Account, id: string, at: string): LibraryTitle
  mark(account: Account, id: string, season: number, episode: number, isWatched?: boolean): LibraryTitle
  /** Plays an episode to its end. `next`: the app moves on to the following one. */
  play(account: Account, id: string, season: number, episode: number, at: string, next?: string): void
  stopAt(account: Account, id: string, video: string, positionMs: number, at: string): LibraryTitle
  /** Ids of the videos that an app shows as watched. */
  watchedVideos(title: LibraryTitle): readonly string[]
  /** Changes a title like an app. */
  change(account: Account, title: LibraryTitle): void
}

interface Body {
  readonly authKey?: string
  readonly collection?: string
  readonly email?: string
  readonly password?: string
  readonly ids?: readonly string[]
  readonly all?: boolean
  readonly changes?: readonly LibraryTitle[]
}

const FIRST_MS = Date.parse('2025-05-01T10:00:00.123Z')
export const MOVIE_MS = 5_400_000
export const EPISODE_MS = 2_700_000

export async function startStremio(people: readonly string[] = ['ann', 'bob']): Promise<Stremio> {
  let changes = 0
  let sessions = 0
  const catalogue = new Map<string, CatalogueTitle>()
  const accounts = people.map(
    (name, index): Account => ({
      id: `5f1d7a00000000000000000${index}`,
      email: `${name}@example.org`,
      password: `the-password-of-${name}`,
      keys: new Set(),
      titles: new Map(),
    }),
  )

  const server = await startFaultyServer((request): Reply => {
    const [, root = '', ...path] = request.path.split('/')
    if (root === 'meta') return facts(path)
    if (root !== 'api' || request.method !== 'POST') return { status: 404, body: 'Cannot GET' }
    try {
      return { json: { result: answer(path.join('/'), request) } }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return { json: { error: { message: error.message, code: error.code } } }
    }
  })

  function answer(path: string, request: ReceivedRequest): unknown {
    const body = request.json() as Body
    if (path === 'login') {
      const account = accounts.find(({ email }) => email === body.email?.toLowerCase())
      if (account === undefined) throw new Refusal(2, 'User not found')
      if (account.password !== body.password) throw new Refusal(3, 'Wrong passphrase')
      const key = `the-key-${++sessions}-of-${account.id}`
      account.keys.add(key)
      return { authKey: key, user: { _id: account.id, email: account.email, fullname: '' } }
    }
    const account = accounts.find(({ keys }) => keys.has(body.authKey ?? ''))
    if (account === undefined) throw new Refusal(1, 'Session does not exist')
    const titles = [...account.titles.values()]
    switch (path) {
      case 'logout':
        account.keys.delete(body.authKey ?? '')
        return { success: true }
      case 'getUser':
        return { _id: account.id, email: account.email, fullname: '' }
      case 'datastoreMeta':
        return stored(body, () => titles.map(({ _id: id, _mtime: at }) => [id, Date.parse(at)]))
      case 'datastoreGet':
        return stored(body, () => titles.filter(({ _id: id }) => body.all === true || body.ids?.includes(id) === true))
      case 'datastorePut':
        return stored(body, () => {
          for (const title of body.changes ?? []) account.titles.set(title._id, structuredClone(title))
          return { success: true }
        })
      default:
        throw new Refusal(0, 'Unknown method')
    }
  }

  function stored<Result>({ collection }: Body, work: () => Result): Result {
    if (collection !== 'libraryItem') throw new Refusal(0, 'Unknown collection')
    return work()
  }

  function facts([type, file = '']: readonly string[]): Reply {
    const title = catalogue.get(decodeURIComponent(file).replace(/\.json$/, ''))
    if (title === undefined || title.type !== type) return stremio.unknown
    const { id, name, videos } = title
    const links = { poster: `https://images.example.org/poster/${id}.jpg`, behaviorHints: { defaultVideoId: null } }
    return { json: { meta: { id, imdb_id: id, type, name, ...links, ...(type === 'series' ? { videos } : {}) } } }
  }

  const stremio: Stremio = {
    ...server,
    catalogue,
    accounts,
    unknown: { status: 404, body: 'Not found' },
    addMovie(id, name = `Movie ${id}`) {
      const title: CatalogueTitle = { id, type: 'movie', name, videos: [] }
      catalogue.set(id, title)
      return title
    },
    addSeries(id, seasons, name = `Series ${id}`) {
      const videos = seasons.flatMap((count, season) =>
        Array.from({ length: count }, (_, index) => ({
          id: `${id}:${season}:${index + 1}`,
          season,
          episode: index + 1,
          released: new Date(Date.parse('2010-01-01T05:00:00Z') + (season * 100 + index) * 86_400_000).toISOString(),
        })),
      )
      // Cinemeta lists them by release, the specials at the end.
      const title: CatalogueTitle = { id, type: 'series', name, videos: videos.toReversed() }
      catalogue.set(id, title)
      return title
    },
    open(account, id) {
      const known = account.titles.get(id)
      if (known !== undefined) return known
      const { name, type } = catalogue.get(id)!
      const at = new Date(FIRST_MS + ++changes * 1_000).toISOString()
      const title: LibraryTitle = {
        _id: id,
        name,
        type,
        poster: null,
        posterShape: 'poster',
        removed: true,
        temp: true,
        _ctime: at,
        _mtime: at,
        state: {
          lastWatched: at,
          timeWatched: 0,
          timeOffset: 0,
          overallTimeWatched: 0,
          timesWatched: 0,
          flaggedWatched: 0,
          duration: 0,
          video_id: null,
          watched: null,
          noNotif: false,
        },
        behaviorHints: { defaultVideoId: null, featuredVideoId: null, hasScheduledVideos: false },
      }
      account.titles.set(id, title)
      return title
    },
    addToLibrary(account, id) {
      const title = stremio.open(account, id)
      Object.assign(title, { removed: false, temp: false })
      stremio.change(account, title)
      return title
    },
    removeFromLibrary(account, id) {
      const title = stremio.open(account, id)
      Object.assign(title, { removed: true, temp: false })
      stremio.change(account, title)
    },
    watch(account, id, at) {
      const title = stremio.open(account, id)
      const { timesWatched } = title.state
      Object.assign(title.state, { timesWatched: timesWatched + 1, flaggedWatched: 1, lastWatched: at, video_id: id })
      stremio.change(account, title)
      return title
    },
    mark(account, id, season, episode, isWatched = true) {
      const title = stremio.open(account, id)
      const videos = inOrder(catalogue.get(id)!)
      const bits = bitsFor(title.state.watched, videos)
      bits[videos.findIndex((video) => video.season === season && video.episode === episode)] = isWatched
      const bytes = new Uint8Array(Math.ceil(videos.length / 8))
      for (const [index, bit] of bits.entries()) if (bit) bytes[Math.floor(index / 8)]! += 2 ** (index % 8)
      const last = Math.max(0, bits.lastIndexOf(true))
      title.state.watched = `${videos[last]!.id}:${last + 1}:${deflateSync(bytes).toString('base64')}`
      stremio.change(account, title)
      return title
    },
    play(account, id, season, episode, at, next) {
      const title = stremio.mark(account, id, season, episode)
      const { timesWatched } = title.state
      const ended =
        next === undefined
          ? { video_id: `${id}:${season}:${episode}`, flaggedWatched: 1, timeOffset: 0 }
          : { video_id: next, flaggedWatched: 0, timeOffset: 1 }
      Object.assign(title.state, { timesWatched: timesWatched + 1, lastWatched: at, ...ended })
      stremio.change(account, title)
    },
    stopAt(account, id, video, positionMs, at) {
      const title = stremio.open(account, id)
      const duration = title.type === 'movie' ? MOVIE_MS : EPISODE_MS
      Object.assign(title.state, { timeOffset: positionMs, duration, video_id: video, lastWatched: at })
      stremio.change(account, title)
      return title
    },
    watchedVideos({ _id: id, state }) {
      const videos = inOrder(catalogue.get(id)!)
      const bits = bitsFor(state.watched, videos)
      return videos.filter((_, index) => bits[index]).map((video) => video.id)
    },
    change(account, title) {
      title._mtime = new Date(Math.max(Date.parse(title._mtime), FIRST_MS) + ++changes * 1_000).toISOString()
      account.titles.set(title._id, title)
    },
  }
  return stremio
}

class Refusal extends Error {
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

function inOrder({ videos }: CatalogueTitle) {
  return videos.toSorted((a, b) => a.season - b.season || a.episode - b.episode)
}

/** As the apps read the field: blank if its video is not in the list. */
function bitsFor(watched: string | null, videos: readonly { readonly id: string }[]): boolean[] {
  const parts = (watched ?? 'none:1:').split(':')
  const packed = parts.pop() ?? ''
  const length = Number(parts.pop())
  const place = videos.findIndex(({ id }) => id === parts.join(':'))
  if (place === -1) return videos.map(() => false)
  const bytes = inflateSync(Buffer.from(packed, 'base64'))
  return videos.map((_, index) => {
    const at = index + length - place - 1
    return at >= 0 && Math.floor((bytes[Math.floor(at / 8)] ?? 0) / 2 ** (at % 8)) % 2 === 1
  })
}
