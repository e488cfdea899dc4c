// A stand-in of a Floppy server: the part of its REST API that the plugin uses. A play without a time is of now; a play of a number that
// the season does not have deletes the plays at that number; a movie may have several entries, of which the first is changed; every
// refusal of a token is a 403; positions have the time of their writing.
import type { ReceivedRequest, Reply } from '@playhead/sdk/testing'
import { type FaultyServer, startFaultyServer } from '@playhead/sdk/testing/conformance'

export interface Title {
  /** Of Floppy, for all users. */
  readonly id: number
  readonly media_type: 'movie' | 'tv' | 'season' | 'episode'
  readonly source: string
  /** Of the show, if it is a season or an episode. */
  readonly media_id: string
  readonly title: string
  readonly release_datetime: string | null
  readonly season_number: number | null
  readonly episode_number: number | null
  /** Shows of the anime library. */
  isAnime?: boolean
}
export interface Entry {
  readonly id: number
  readonly title: Title
  status: number | null
  score: number | null
  notes: string
  start_date: string | null
  end_date: string | null
  created_at: string
  /** Of a movie that was watched by the API. */
  plays: { readonly id: number; readonly end_date: string; readonly external_id: string | null }[]
}
export interface PositionRow {
  readonly title: Title
  position_seconds: number
  duration_seconds: number | null
  completed: boolean
  updated_at: string
}
export interface Owner {
  readonly name: string
  readonly tokens: Set<string>
  entries: Entry[]
  positions: PositionRow[]
}

export interface Floppy extends FaultyServer {
  readonly owners: readonly Owner[]
  readonly titles: Title[]
  /** Tokens that may only read. */
  readonly readOnly: Set<string>
  /** Tokens that may not use positions. */
  readonly withoutPositions: Set<string>
  /** The server is of a time before positions. */
  isOld: boolean
  /** The title of the services behind Floppy, made if they do not have it. */
  movie(id: string, more?: Partial<Title>): Title
  show(id: string, more?: Partial<Title>): Title
  /** An episode that the show has. */
  episode(show: Title, season: number, episode: number): Title
  enter(owner: Owner, title: Title, more?: Partial<Entry>): Entry
  stop(owner: Owner, title: Title, seconds: number, more?: Partial<PositionRow>): PositionRow
}

interface Body {
  readonly source?: string
  readonly media_id?: string
  readonly status?: number
  readonly score?: number | null
  readonly end_date?: string | null
  readonly external_id?: string
  readonly media_type?: string
  readonly ids?: { readonly tmdb?: string }
  readonly season_number?: number
  readonly episode_number?: number
  readonly position_seconds?: number | null
  readonly duration_seconds?: number | null
  readonly completed?: boolean
}

const CREATED = '2025-01-01T10:00:00.123456Z'
const refused = (status: number, detail: string): Reply => ({ status, json: { detail } })
const nothing: Reply = { status: 204 }

export async function startFloppy(names: readonly string[] = ['ann', 'bob']): Promise<Floppy> {
  let ids = 1_000
  const titles: Title[] = []
  const owners = names.map(
    (name): Owner => ({ name, tokens: new Set([`flp_of_${name}_0a1b2c3d4e5f`]), entries: [], positions: [] }),
  )

  const server = await startFaultyServer((request): Reply => {
    const { path, headers } = request
    if (!path.startsWith('/api/v1/'))
      return { status: 404, headers: { 'content-type': 'text/html' }, body: '<!doctype html><title>Floppy' }
    const route = path.slice('/api/v1/'.length).replace(/\/$/, '')
    if (route === 'info') return { json: { version: 'v26.11.3', debug: false, timezone: 'UTC', track_time: true } }
    const token = String(headers['x-api-key'] ?? '')
    const owner = owners.find(({ tokens }) => tokens.has(token))
    if (owner === undefined)
      return refused(403, token === '' ? 'Authentication credentials were not provided.' : 'Invalid token')
    const isPosition = route === 'playback/progress'
    if ((request.method !== 'GET' && floppy.readOnly.has(token)) || (isPosition && floppy.withoutPositions.has(token)))
      return refused(403, 'You do not have permission to perform this action.')
    return answer(owner, route, request) ?? refused(404, 'Not Found')
  })

  function answer(owner: Owner, route: string, request: ReceivedRequest): Reply | undefined {
    const { method, query } = request
    const sent = () => request.json() as Body
    if (route === 'playback/progress') {
      if (floppy.isOld) return undefined
      return method === 'GET' ? positions(owner, query) : position(owner, sent())
    }
    const [media, type = '', source = '', mediaId = '', ...rest] = route.split('/')
    if (media !== 'media') return undefined
    if (source === '') return method === 'GET' ? list(owner, type, query) : track(owner, type, sent())
    const title = titles.find(
      (one) =>
        one.media_type === type &&
        one.source === source &&
        one.media_id === mediaId &&
        one.season_number === null &&
        one.isAnime !== true,
    )
    const own = owner.entries.filter((one) => one.title === title)
    const [first, second, third, fourth] = rest
    if (first === undefined) {
      if (title === undefined)
        return refused(404, method === 'GET' ? 'Media not found.' : 'Media not found or not tracked.')
      if (method === 'PATCH') {
        if (own[0] === undefined) return refused(404, 'Media not found or not tracked.')
        own[0].score = sent().score ?? null
      }
      return { json: { media_id: mediaId, source, title: title.title, consumptions: own.map(shownEntry) } }
    }
    if (first === 'history' && second !== undefined) return entryAt(owner, own, Number(second), method)
    if (type === 'movie' && first === 'watch') return watchMovie(owner, title, own[0], sent())
    if (second === 'episodes' && third === undefined) return season(owner, title, Number(first), query)
    if (second === 'episodes' && fourth === 'watch')
      return watchEpisode(owner, title, { season: Number(first), episode: Number(third) }, sent())
    return undefined
  }

  function paged(rows: readonly object[], query: URLSearchParams): Reply {
    const limit = Math.min(Number(query.get('limit') ?? 20), 200)
    const offset = Number(query.get('offset') ?? 0)
    if (!(limit > 0 && offset >= 0)) return refused(400, 'limit must be >0 and offset must be >=0')
    const total = rows.length
    const next = offset + limit < total ? `http://floppy.example/?limit=${limit}&offset=${offset + limit}` : null
    const pagination = { total, limit, offset, next, previous: null }
    return { json: { pagination, results: rows.slice(offset, offset + limit) } }
  }

  const shownTitle = ({ id: _id, isAnime = false, ...title }: Title) => ({
    ...title,
    ...{ library_media_type: isAnime ? 'anime' : title.media_type, image: 'none', genres: [] },
  })
  const shown = (entry: Entry) => ({
    ...{ id: entry.title.id, consumption_id: entry.id, item: shownTitle(entry.title), tracked: true },
    ...{ created_at: entry.created_at, score: entry.score, status: entry.status, progress: progressOf(entry) },
    ...{ start_date: entry.start_date, end_date: entry.end_date, notes: entry.notes, lists: [], next_episode: null },
  })
  const shownEntry = ({ id, score, status, end_date: end, start_date: start, notes }: Entry) => ({
    ...{ consumption_id: id, created: CREATED, score, status, progress: 0, start_date: start, end_date: end, notes },
  })
  const progressOf = ({ status, end_date: end }: Entry) => (status === 3 || end !== null ? 1 : 0)

  function list(owner: Owner, type: string, query: URLSearchParams): Reply {
    if (!['movie', 'tv', 'season', 'episode', 'anime'].includes(type)) return refused(400, 'Unsupported media type.')
    const isIn = ({ title }: Entry) =>
      type === 'anime' ? title.isAnime === true : title.media_type === type && title.isAnime !== true
    // One row for each title: that of the entry that was made last.
    const latest = new Map(
      owner.entries.filter((one) => one.status !== null && isIn(one)).map((one) => [one.title, one]),
    )
    const rows = [...latest.values()].toSorted((a, b) => a.id - b.id)
    return paged(rows.map(shown), query)
  }

  function track(owner: Owner, type: string, { source = 'manual', media_id: id, status = 0 }: Body): Reply {
    if (type !== 'movie' && type !== 'tv') return refused(400, 'Unsupported media type.')
    const title = titles.find((one) => one.media_type === type && one.source === source && one.media_id === id)
    if (title === undefined) return refused(500, 'Internal Server Error.')
    if (type === 'tv' && owner.entries.some((one) => one.title === title))
      return refused(409, 'Conflict. Media is already tracked.')
    return { status: 201, json: shown(floppy.enter(owner, title, { status, created_at: new Date().toISOString() })) }
  }

  function entryAt(owner: Owner, own: readonly Entry[], id: number, method: string): Reply {
    const plays = own[0]?.plays ?? []
    const play = plays.find((one) => one.id === id)
    const entry = own.find((one) => one.id === id)
    if (plays.length > 0 ? play === undefined : entry === undefined) return refused(404, 'Consumption entry not found.')
    if (method === 'GET')
      return { json: play === undefined ? shownEntry(entry!) : { ...shownEntry(own[0]!), status: null, ...play } }
    if (play !== undefined) own[0]!.plays = plays.filter((one) => one !== play)
    else
      owner.entries = owner.entries.filter(
        (one) => one !== entry && !(entry!.title.media_type === 'tv' && one.title.media_id === entry!.title.media_id),
      )
    return nothing
  }

  function watchMovie(owner: Owner, title: Title | undefined, known: Entry | undefined, body: Body): Reply {
    if (title === undefined) return refused(404, 'Could not resolve movie.')
    const entry = known ?? floppy.enter(owner, title, { status: 1 })
    const { external_id: name = null } = body
    const before = entry.plays.find((one) => name !== null && one.external_id === name)
    if (before !== undefined) return { json: before }
    const end = timeOf(body)
    if (entry.plays.length === 0 && entry.end_date !== null)
      entry.plays.push({ id: ++ids, end_date: entry.end_date, external_id: null })
    const play = { id: ++ids, end_date: end, external_id: name }
    entry.plays.push(play)
    if (entry.end_date === null || end > entry.end_date) Object.assign(entry, { end_date: end, status: 3 })
    return { status: 201, json: { ...shownEntry(entry), status: null, consumption_id: play.id, end_date: end } }
  }

  const timeOf = ({ end_date: end }: Body) =>
    end == null || end === '' ? new Date().toISOString() : new Date(end).toISOString().replace('.000Z', 'Z')
  const partsOf = ({ source, media_id: id }: Title, number: number) =>
    titles.filter(
      (one) =>
        one.media_type === 'episode' && one.source === source && one.media_id === id && one.season_number === number,
    )

  function season(owner: Owner, show: Title | undefined, number: number, query: URLSearchParams): Reply {
    if (show === undefined || partsOf(show, number).length === 0)
      return refused(500, 'Failed to retrieve season episodes.')
    const rows = partsOf(show, number).map((title) => {
      const own = owner.entries.find((one) => one.title === title)
      return own === undefined
        ? {
            ...{ id: title.id, consumption_id: null, item: shownTitle(title), tracked: false, created_at: null },
            ...{ score: null, status: null, progress: null, start_date: null, end_date: null, notes: null },
          }
        : shown(own)
    })
    return paged(rows, query)
  }

  function watchEpisode(
    owner: Owner,
    show: Title | undefined,
    { season: number, episode }: { readonly season: number; readonly episode: number },
    body: Body,
  ): Reply {
    const title = show === undefined ? undefined : partsOf(show, number).find((one) => one.episode_number === episode)
    if (show === undefined || title === undefined) {
      owner.entries = owner.entries.filter(
        (one) => one.title.season_number !== number || one.title.episode_number !== episode,
      )
      return refused(404, 'Episode not found.')
    }
    if (!owner.entries.some((one) => one.title === show)) floppy.enter(owner, show, { status: 1 })
    else for (const one of owner.entries) if (one.title === show && one.status === 0) one.status = 1
    return { status: 201, json: shown(floppy.enter(owner, title, { status: 3, end_date: timeOf(body) })) }
  }

  const shownPosition = ({ title: of, ...row }: PositionRow) => {
    const show = titles.find((one) => one.media_type === 'tv' && one.media_id === of.media_id)
    return {
      ...{ media_type: of.media_type, source: of.source, media_id: of.media_id, title: of.title, ids: {} },
      ...{ season_number: of.season_number, episode_number: of.episode_number, image: null, url: null },
      ...{ series_title: of.media_type === 'episode' ? (show?.title ?? null) : null, ...row },
    }
  }

  function positions(owner: Owner, query: URLSearchParams): Reply {
    const types = (query.get('media_type') ?? 'movie,episode,podcast').split(',')
    const rows = owner.positions
      .filter(({ title }) => types.includes(title.media_type))
      .toSorted((a, b) => b.updated_at.localeCompare(a.updated_at))
    return paged(rows.map(shownPosition), query)
  }

  function position(owner: Owner, body: Body): Reply {
    const { media_type: type, ids: { tmdb } = {}, season_number: number, episode_number: episode } = body
    if (tmdb === undefined) return refused(400, "'ids' must include at least one of tmdb/imdb/tvdb.")
    const title = titles.find(
      (one) =>
        one.media_type === type &&
        one.source === 'tmdb' &&
        one.media_id === tmdb &&
        (type === 'movie' || (one.season_number === number && one.episode_number === episode)),
    )
    if (title === undefined) return refused(404, 'Could not resolve media.')
    const others = owner.positions.filter((one) => one.title !== title)
    if (body.position_seconds == null) {
      owner.positions = others
      return nothing
    }
    // A value that is not sent is lost.
    const row = {
      ...{ title, position_seconds: body.position_seconds, duration_seconds: body.duration_seconds ?? null },
      ...{ completed: body.completed === true, updated_at: new Date().toISOString() },
    }
    owner.positions = [...others, row]
    return { json: shownPosition(row) }
  }

  function add(title: Omit<Title, 'id'>): Title {
    const made = { id: ++ids, ...title }
    titles.push(made)
    return made
  }
  const whole = { source: 'tmdb', season_number: null, episode_number: null }
  const known = (title: Omit<Title, 'id'>) =>
    titles.find(
      (one) =>
        one.media_type === title.media_type &&
        one.source === title.source &&
        one.media_id === title.media_id &&
        one.season_number === title.season_number &&
        one.episode_number === title.episode_number &&
        one.isAnime === title.isAnime,
    ) ?? add(title)

  const floppy: Floppy = {
    ...server,
    owners,
    titles,
    readOnly: new Set(),
    withoutPositions: new Set(),
    isOld: false,
    movie: (id, more = {}) =>
      known({
        ...{ ...whole, media_type: 'movie', media_id: id, title: `Movie ${id}` },
        ...{ release_datetime: '1999-03-31T00:00:00Z', ...more },
      }),
    show: (id, more = {}) =>
      known({
        ...{ ...whole, media_type: 'tv', media_id: id, title: `Show ${id}` },
        ...{ release_datetime: '2002-06-02T00:00:00Z', ...more },
      }),
    episode: ({ source, media_id: id, isAnime }, season, episode) =>
      known({
        ...{ media_type: 'episode', source, media_id: id, title: `Episode ${episode}`, release_datetime: null },
        ...{ season_number: season, episode_number: episode },
        ...(isAnime === undefined ? {} : { isAnime }),
      }),
    enter(owner, title, more = {}) {
      const entry: Entry = {
        ...{ id: ++ids, title, status: 3, score: null, notes: '', start_date: null, end_date: null },
        ...{ created_at: CREATED, plays: [], ...more },
      }
      owner.entries.push(entry)
      return entry
    },
    stop(owner, title, seconds, more = {}) {
      const row = {
        ...{ title, position_seconds: seconds, duration_seconds: 7_200, completed: false },
        ...{ updated_at: '2025-02-03T04:05:06.123456Z', ...more },
      }
      owner.positions.push(row)
      return row
    },
  }
  return floppy
}
