// A stand-in of a Kodi box: JSON-RPC over HTTP with a library, and a socket with notifications. It keeps what Kodi keeps:
// plays and positions by file, one time for both, local times, and the time of the request where a play comes without one.
import {
  acceptSocket,
  type ReceivedRequest,
  type Reply,
  startServer,
  type TestServer,
  type TestSocket,
} from '@playhead/sdk/testing'
import { type FaultyServer, startFaultyServer } from '@playhead/sdk/testing/conformance'

export interface Title {
  readonly id: number
  title: string
  year?: number
  uniqueid: Record<string, string>
  imdbnumber?: string
  userrating: number
}
export interface Video extends Title {
  file: string
  readonly runtime: number
}
export interface EpisodeVideo extends Video {
  readonly tvshowid: number
  readonly season: number
  readonly episode: number
}
interface FileMarks {
  playcount: number
  /** Local time of the box, or `''`. */
  lastplayed: string
  /** Seconds. */
  position: number
  total: number
}

export interface BoxOptions {
  readonly username?: string
  readonly password?: string
  /** The zone that the box names; `''`: it names none, like one with Windows. */
  readonly zone?: string
  readonly version?: number
  readonly uuid?: string
}

export interface KodiBox extends FaultyServer {
  /** The address of the notifications. */
  readonly eventsUrl: string
  readonly movies: Map<number, Video>
  readonly shows: Map<number, Title>
  readonly episodes: Map<number, EpisodeVideo>
  /** By file. */
  readonly marks: Map<string, FileMarks>
  username: string
  password: string
  zone: string
  profile: string
  isScanning: boolean
  permissions: Record<string, boolean>
  playing: { kind: 'movie' | 'episode'; id: number; positionMs: number; speed: number } | undefined
  marksOf(file: string): FileMarks
  addMovie(movie: Partial<Video>): Video
  addShow(show: Partial<Title>): Title
  addEpisode(episode: Partial<EpisodeVideo> & Pick<EpisodeVideo, 'tvshowid' | 'season' | 'episode'>): EpisodeVideo
  /** Sends a notification to all sockets. */
  notify(method: string, data: unknown): void
  /** Breaks all sockets. */
  dropSockets(): void
  /** Sockets that are open. */
  sockets(): number
  /** Parameters of all requests with this method. */
  calls(method: string): readonly Params[]
}

/** Parameters of the methods, all optional: a method checks those that it needs. */
interface Params {
  readonly setting?: string
  readonly labels?: readonly string[]
  readonly booleans?: readonly string[]
  readonly movieid?: number
  readonly tvshowid?: number
  readonly episodeid?: number
  readonly season?: number
  readonly properties?: readonly string[]
  readonly limits?: { readonly start?: number; readonly end?: number }
  readonly filter?: { readonly field: string; readonly operator: string; readonly value: unknown }
  readonly playcount?: number
  readonly lastplayed?: string
  readonly resume?: { readonly position: number; readonly total: number }
  readonly userrating?: number
}

class RpcError extends Error {
  readonly code: number
  constructor(code: number) {
    super(`error ${code}`)
    this.code = code
  }
}
const INVALID_PARAMS = -32_602

const FIELDS = {
  movie: 'title year uniqueid imdbnumber playcount lastplayed resume userrating runtime file'.split(' '),
  show: 'title year uniqueid imdbnumber userrating playcount lastplayed file'.split(' '),
  episode: 'title uniqueid tvshowid season episode showtitle playcount lastplayed resume userrating runtime file'.split(
    ' ',
  ),
}
/** Properties of `Player.GetItem`, for any kind of video. */
const PLAYED = [...new Set(Object.values(FIELDS).flat())]
/** Values of properties that a video does not have. */
const MISSING = { year: 0, season: -1, episode: -1, tvshowid: -1, uniqueid: {} }
const OPERATORS: Record<string, (value: number, than: number) => boolean> = {
  greaterthan: (value, than) => value > than,
  true: (value) => value !== 0,
}

export async function startKodi({
  username = 'kodi',
  password = 'the-password-of-the-box',
  zone = 'America/New_York',
  version = 12,
  uuid = 'b0c5-0001',
}: BoxOptions = {}): Promise<KodiBox> {
  const sockets = new Set<TestSocket>()
  const events: TestServer = await startServer(() => ({ status: 404 }), {
    socket(request, connection) {
      const socket = acceptSocket(request, connection)
      sockets.add(socket)
      void socket.closed.then(() => sockets.delete(socket))
    },
  })
  const calls: { readonly method: string; readonly params: Params }[] = []

  const server = await startFaultyServer((request): Reply => {
    const { username: name, password: word } = box
    if (name !== '' && request.headers.authorization !== `Basic ${Buffer.from(`${name}:${word}`).toString('base64')}`)
      return { status: 401, headers: { 'www-authenticate': 'Basic realm=Kodi' } }
    if (request.path !== '/jsonrpc') return { status: 404 }
    return request.method === 'POST' ? { json: answer(request) } : { status: 405 }
  })

  function answer(request: ReceivedRequest): object {
    let asked: { readonly id?: unknown; readonly method?: unknown; readonly params?: Params }
    try {
      asked = request.json() as typeof asked
    } catch {
      return { jsonrpc: '2.0', id: null, error: { code: -32_700, message: 'Parse error.' } }
    }
    const { id = null, method, params = {} } = asked
    try {
      if (typeof method !== 'string') throw new RpcError(-32_600)
      calls.push({ method, params })
      return { jsonrpc: '2.0', id, result: call(method, params) }
    } catch (error) {
      if (!(error instanceof RpcError)) throw error
      return { jsonrpc: '2.0', id, error: { code: error.code, message: 'Refused.' } }
    }
  }

  function call(method: string, params: Params): unknown {
    const need = (permission: string) => {
      if (box.permissions[permission] !== true) throw new RpcError(-32_099)
    }
    switch (method) {
      case 'JSONRPC.Ping':
        return 'pong'
      case 'JSONRPC.Version':
        return { version: { major: version, minor: 4, patch: 0 } }
      case 'JSONRPC.Permission':
        return box.permissions
      case 'Settings.GetSettingValue': {
        const value = { 'services.deviceuuid': uuid, 'locale.timezone': box.zone }[String(params.setting)]
        if (value === undefined || value === '') throw new RpcError(INVALID_PARAMS)
        return { value }
      }
      case 'XBMC.GetInfoLabels':
        return Object.fromEntries(
          (params.labels ?? []).map((name) => [
            name,
            { 'System.ProfileName': box.profile, 'System.FriendlyName': 'Living room' }[name] ?? '',
          ]),
        )
      case 'XBMC.GetInfoBooleans':
        return Object.fromEntries(
          (params.booleans ?? []).map((name) => [name, name === 'Library.IsScanningVideo' && box.isScanning]),
        )
      case 'VideoLibrary.GetMovies':
        need('ReadData')
        return listed('movie', 'movies', [...box.movies.values()], params)
      case 'VideoLibrary.GetTVShows':
        need('ReadData')
        return listed('show', 'tvshows', [...box.shows.values()], params)
      case 'VideoLibrary.GetEpisodes':
        need('ReadData')
        return listed(
          'episode',
          'episodes',
          [...box.episodes.values()].filter(
            ({ tvshowid, season }) =>
              tvshowid === (params.tvshowid ?? tvshowid) && season === (params.season ?? season),
          ),
          params,
        )
      case 'VideoLibrary.GetMovieDetails':
        return { moviedetails: shown('movie', known(box.movies, params.movieid), params.properties) }
      case 'VideoLibrary.GetTVShowDetails':
        return { tvshowdetails: shown('show', known(box.shows, params.tvshowid), params.properties) }
      case 'VideoLibrary.GetEpisodeDetails':
        return { episodedetails: shown('episode', known(box.episodes, params.episodeid), params.properties) }
      case 'VideoLibrary.SetMovieDetails':
        need('UpdateData')
        return change('movie', known(box.movies, params.movieid), params)
      case 'VideoLibrary.SetTVShowDetails':
        need('UpdateData')
        return change('tvshow', known(box.shows, params.tvshowid), params)
      case 'VideoLibrary.SetEpisodeDetails':
        need('UpdateData')
        return change('episode', known(box.episodes, params.episodeid), params)
      case 'Player.GetActivePlayers':
        return box.playing === undefined ? [] : [{ playerid: 1, type: 'video', playertype: 'internal' }]
      case 'Player.GetItem': {
        const { kind, id } = active()
        const title = kind === 'movie' ? known(box.movies, id) : known(box.episodes, id)
        return { item: { ...shown(kind, title, params.properties, PLAYED), id, type: kind } }
      }
      case 'Player.GetProperties': {
        const { kind, id, positionMs, speed } = active()
        const { runtime } = kind === 'movie' ? known(box.movies, id) : known(box.episodes, id)
        return { speed, live: false, time: clockOf(positionMs), totaltime: clockOf(runtime * 1_000) }
      }
      default:
        throw new RpcError(-32_601)
    }
  }

  function active() {
    if (box.playing === undefined) throw new RpcError(-32_100)
    return box.playing
  }

  function known<One>(titles: ReadonlyMap<number, One>, id: unknown): One {
    const title = titles.get(Number(id))
    if (title === undefined) throw new RpcError(INVALID_PARAMS)
    return title
  }

  function listed(kind: keyof typeof FIELDS, name: string, all: readonly Title[], params: Params): object {
    const { filter, limits = {}, properties = [] } = params
    const found = all.filter((title) => filter === undefined || isIn(title, filter))
    const start = limits.start ?? 0
    const end = Math.min(limits.end ?? found.length, found.length)
    const page = found.slice(start, end).map((title) => shown(kind, title, properties))
    return { limits: { start, end, total: found.length }, ...(page.length === 0 ? {} : { [name]: page }) }
  }

  function isIn(title: Title, { field, operator, value }: NonNullable<Params['filter']>): boolean {
    const marks = 'file' in title ? box.marksOf((title as Video).file) : undefined
    const values: Record<string, number | undefined> = {
      playcount: marks?.playcount,
      inprogress: marks?.position,
      userrating: title.userrating,
    }
    const [own, isMatch] = [values[field], OPERATORS[operator]]
    if (own === undefined || isMatch === undefined || typeof value !== 'string') throw new RpcError(INVALID_PARAMS)
    return isMatch(own, Number(value))
  }

  function shown(
    kind: keyof typeof FIELDS,
    title: Title,
    properties: readonly string[] = [],
    allowed: readonly string[] = FIELDS[kind],
  ): Record<string, unknown> {
    const {
      playcount = 0,
      lastplayed = '',
      position = 0,
      total = 0,
    } = 'file' in title ? box.marksOf((title as Video).file) : {}
    const showtitle = box.shows.get((title as EpisodeVideo).tvshowid)?.title ?? ''
    const own = { ...title, playcount, lastplayed, resume: { position, total }, showtitle }
    const values: Record<string, unknown> = { ...MISSING, ...own }
    const name = { movie: 'movieid', show: 'tvshowid', episode: 'episodeid' }[kind]
    const result: Record<string, unknown> = { [name]: title.id, label: title.title }
    for (const property of properties) {
      if (!allowed.includes(property)) throw new RpcError(INVALID_PARAMS)
      result[property] = values[property] ?? ''
    }
    return result
  }

  function change(type: string, title: Title | Video, { playcount, lastplayed, resume, userrating }: Params): string {
    if (typeof userrating === 'number') title.userrating = userrating
    if ('file' in title) {
      const marks = box.marksOf(title.file)
      if (typeof playcount === 'number' || typeof lastplayed === 'string') {
        const at = lastplayed ?? marks.lastplayed
        marks.playcount = playcount ?? marks.playcount
        marks.lastplayed = at === '' ? localNow() : at
      }
      if (resume !== undefined) {
        marks.position = resume.position
        marks.total = resume.position === 0 ? 0 : resume.total > 0 ? resume.total : title.runtime
      }
    }
    box.notify('VideoLibrary.OnUpdate', { id: title.id, type })
    return 'OK'
  }

  const localNow = () => {
    const now = Temporal.Now.plainDateTimeISO(box.zone === '' ? 'UTC' : box.zone)
    return now.toString({ smallestUnit: 'second' }).replace('T', ' ')
  }

  let lastId = 0
  const box: KodiBox = {
    ...server,
    eventsUrl: events.url,
    movies: new Map(),
    shows: new Map(),
    episodes: new Map(),
    marks: new Map(),
    username,
    password,
    zone,
    profile: 'Master user',
    isScanning: false,
    permissions: { ReadData: true, UpdateData: true, ControlPlayback: true },
    playing: undefined,
    marksOf(file) {
      const marks = box.marks.get(file) ?? { playcount: 0, lastplayed: '', position: 0, total: 0 }
      box.marks.set(file, marks)
      return marks
    },
    addMovie(movie) {
      const id = ++lastId
      const made: Video = {
        title: `Movie ${id}`,
        uniqueid: {},
        userrating: 0,
        file: `/m/${id}.mkv`,
        runtime: 5_400,
        ...movie,
        id,
      }
      box.movies.set(id, made)
      return made
    },
    addShow(show) {
      const id = ++lastId
      const made: Title = { title: `Show ${id}`, uniqueid: {}, userrating: 0, ...show, id }
      box.shows.set(id, made)
      return made
    },
    addEpisode(episode) {
      const id = ++lastId
      const made: EpisodeVideo = {
        title: `Episode ${id}`,
        uniqueid: {},
        userrating: 0,
        file: `/s/${id}.mkv`,
        runtime: 2_700,
        ...episode,
        id,
      }
      box.episodes.set(id, made)
      return made
    },
    notify(method, data) {
      const text = JSON.stringify({ jsonrpc: '2.0', method, params: { sender: 'xbmc', data } })
      for (const socket of sockets) socket.send(text)
    },
    dropSockets() {
      for (const socket of sockets) socket.destroy()
    },
    sockets: () => sockets.size,
    calls: (method) => calls.filter((one) => one.method === method).map(({ params }) => params),
    async close() {
      for (const socket of sockets) socket.destroy()
      await events.close()
      await server.close()
    },
    [Symbol.asyncDispose]: () => box.close(),
  }
  return box
}

function clockOf(ms: number) {
  const seconds = Math.floor(ms / 1_000)
  return {
    hours: Math.floor(seconds / 3_600),
    minutes: Math.floor(seconds / 60) % 60,
    seconds: seconds % 60,
    milliseconds: ms % 1_000,
  }
}
