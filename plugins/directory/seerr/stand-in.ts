// A stand-in of Seerr: users with rights and quotas, titles of TMDB, requests and watchlists. It answers as the real one does, also
// where that surprises: 403 for a wrong key, 500 for an unknown title, 202 and 409 instead of a second request, 401 for a title that
// is not on the list, and the owner's rights for a key without a user.
import type { ReceivedRequest, Reply } from '@playhead/sdk/testing'
import { type FaultyServer, startFaultyServer } from '@playhead/sdk/testing/conformance'

export const RIGHT = { admin: 2, manageRequests: 16, request: 32, autoApprove: 128, request4k: 1_024 } as const
const [PENDING, APPROVED, DECLINED, COMPLETED] = [1, 2, 3, 5]
const AVAILABLE = 5
const LIST_PAGE = 20

export interface Person {
  readonly id: number
  email: string
  username: string | null
  jellyfinUsername: string | null
  password: string
  permissions: number
  /** 1: Plex, 2: local, 3: Jellyfin. */
  userType: number
  createdAt: string
  /** Requests that are left; undefined: any number. */
  quota?: number
}
export interface Work {
  readonly kind: 'movie' | 'tv'
  readonly tmdb: number
  readonly title: string
  readonly imdb?: string
  readonly tvdb?: number
  readonly seasons: readonly number[]
}
export interface Media {
  readonly id: number
  readonly kind: 'movie' | 'tv'
  readonly tmdbId: number
  tvdbId: number | null
  imdbId: string | null
  status: number
  status4k: number
}
export interface MediaRequest {
  readonly id: number
  readonly media: Media
  readonly userId: number
  readonly is4k: boolean
  readonly seasons: readonly number[]
  status: number
  readonly createdAt: string
}
export interface Listed {
  readonly userId: number
  readonly kind: 'movie' | 'tv'
  readonly tmdbId: number
  readonly title: string
  createdAt: string
}

export interface Seerr extends FaultyServer {
  apiKey: string
  readonly people: Map<number, Person>
  readonly media: Map<string, Media>
  requestsMade: MediaRequest[]
  listed: Listed[]
  /** Cookies by session. */
  readonly sessions: Map<string, number>
  /** A proxy in front drops the header that names the user. */
  dropsUser: boolean
  /** The list of users ends after so many, and still counts all. */
  usersEndAt: number | undefined
  csrf: boolean
  has4k: boolean
  blocked: Set<string>
  addPerson(person?: Partial<Person>): Person
  addWork(work: Partial<Work> & Pick<Work, 'kind' | 'tmdb'>): Work
  /** As a person does it in the browser. */
  ask(userId: number, work: Work, more?: Partial<Pick<MediaRequest, 'status' | 'is4k' | 'seasons'>>): MediaRequest
  list(userId: number, work: Work): void
}

export interface SeerrOptions {
  /** Overseerr keeps no watchlist, and has no sign-in with a name of Jellyfin. */
  readonly product?: 'seerr' | 'overseerr'
  readonly apiKey?: string
}

class Refused extends Error {
  readonly reply: Reply
  constructor(status: number, message: string, field = 'message') {
    super(message)
    this.reply = { status, json: field === 'message' ? { message } : { status, [field]: message } }
  }
}

export async function startSeerr({
  product = 'seerr',
  apiKey = 'MTcwMDAwMDAwMDAwMGtleS1vZi1zZWVycg==',
}: SeerrOptions = {}): Promise<Seerr> {
  const works = new Map<string, Work>()
  let lastId = 0
  let seconds = Date.parse('2025-05-01T10:00:00.000Z')
  const now = () => new Date((seconds += 1_000)).toISOString()
  const isSeerr = product === 'seerr'

  const server = await startFaultyServer((request): Reply => {
    try {
      const path = request.path.replace(/^\/api\/v1/, '')
      if (path === request.path)
        return { headers: { 'content-type': 'text/html' }, body: '<!doctype html><title>Seerr' }
      return answer(request, path.split('/').filter(Boolean))
    } catch (error) {
      if (error instanceof Refused) return error.reply
      throw error
    }
  })

  /** Who asks; undefined: Seerr does not know. */
  function userOf({ headers }: ReceivedRequest): Person | undefined {
    if (headers['x-api-key'] === seerr.apiKey) {
      const named = seerr.dropsUser ? undefined : headers['x-api-user']
      return seerr.people.get(named === undefined ? 1 : Number(named))
    }
    const session = /connect\.sid=([^;]+)/.exec(headers.cookie ?? '')?.[1]
    return seerr.people.get(seerr.sessions.get(session ?? '') ?? 0)
  }

  function answer(request: ReceivedRequest, [area = '', id = '', part = '']: readonly string[]): Reply {
    const { method, headers } = request
    if (method !== 'GET' && seerr.csrf) throw new Refused(403, 'invalid csrf token')
    if (area === 'settings' && id === 'public') return { json: settings() }
    if (area === 'auth' && id !== 'me') return signIn(request, id)
    if (headers['x-api-key'] === undefined && headers.cookie === undefined)
      throw new Refused(401, "cookie 'connect.sid' required")
    const me = userOf(request)
    if (me === undefined) throw new Refused(403, 'You do not have permission to access this endpoint', 'error')
    if (area === 'auth') return { json: shown(me) }
    if (area === 'user') return ofUser(request, me, id, part)
    if (area === 'search') return { json: found(request.query.get('query') ?? '') }
    if (area === 'movie' || area === 'tv') return { json: details(area, Number(id), me) }
    if (area === 'request') return method === 'POST' ? make(request, me) : ofRequest(method, me, Number(id))
    if (area === 'watchlist' && isSeerr) return method === 'POST' ? put(request, me) : takeOff(me, Number(id))
    throw new Refused(404, 'not found')
  }

  const settings = () => ({
    initialized: true,
    applicationTitle: 'Seerr',
    vapidPublic: 'BEl62iUYgUivxIkv69yViEuiBIa-Ib9-SkvMeAtA3LFgDzkrxZJjSgSnfckjBJuBkr3qBUYIHBQFLXYp5Nksh8U',
    localLogin: true,
    movie4kEnabled: seerr.has4k,
    series4kEnabled: seerr.has4k,
    ...(isSeerr ? { mediaServerType: 2 } : {}),
  })

  const shown = ({ password: _password, quota: _quota, ...person }: Person) => ({
    ...person,
    displayName: person.username ?? person.jellyfinUsername ?? person.email,
  })

  function signIn(request: ReceivedRequest, way: string): Reply {
    const body = request.json() as Record<string, string>
    if (way === 'logout') {
      seerr.sessions.delete(/connect\.sid=([^;]+)/.exec(request.headers.cookie ?? '')?.[1] ?? '')
      return { json: { status: 'ok' } }
    }
    if (way === 'jellyfin' && !isSeerr) throw new Refused(404, 'not found')
    const person = [...seerr.people.values()].find(({ email, jellyfinUsername: name }) =>
      way === 'local' ? email === body['email']?.toLowerCase() : name === body['username'],
    )
    if (person === undefined || person.password !== body['password'])
      throw way === 'local' ? new Refused(403, 'Access denied.') : new Refused(401, 'INVALID_CREDENTIALS')
    const session = `s%3A${crypto.randomUUID()}.signature`
    seerr.sessions.set(session, person.id)
    const cookies = ['lang=en; Path=/', `connect.sid=${session}; Path=/; HttpOnly; SameSite=Lax`]
    return { headers: { 'set-cookie': cookies }, json: shown(person) }
  }

  function page<Row>(request: ReceivedRequest, rows: readonly Row[]) {
    const take = Number(request.query.get('take') ?? 20)
    const skip = Number(request.query.get('skip') ?? 0)
    const pageInfo = { pages: Math.ceil(rows.length / take), pageSize: take, results: rows.length }
    return { pageInfo: { ...pageInfo, page: Math.ceil(skip / take) + 1 }, results: rows.slice(skip, skip + take) }
  }

  function ofUser(request: ReceivedRequest, me: Person, id: string, part: string): Reply {
    if (id === '') {
      const { pageInfo, results } = page(request, [...seerr.people.values()].map(shown))
      const skip = Number(request.query.get('skip') ?? 0)
      return { json: { pageInfo, results: results.slice(0, Math.max(0, (seerr.usersEndAt ?? Infinity) - skip)) } }
    }
    if (Number(id) !== me.id && (me.permissions & (RIGHT.admin | RIGHT.manageRequests)) === 0)
      throw new Refused(403, "You do not have permission to view this user's requests.")
    if (part === 'requests') {
      const own = seerr.requestsMade.filter(({ userId }) => userId === Number(id))
      return { json: page(request, own.toSorted((a, b) => b.id - a.id).map(shownRequest)) }
    }
    if (part !== 'watchlist') throw new Refused(404, 'not found')
    const own = seerr.listed.filter(({ userId }) => userId === Number(id))
    const number = Number(request.query.get('page') ?? Number.NaN)
    if (own.length === 0 || !isSeerr) {
      // The list of Plex, as Seerr shows it.
      const plex = seerr.people.get(Number(id))?.userType === 1
      const results = plex ? [{ id: 603, ratingKey: '5d776', title: 'Mirrored', mediaType: 'movie', tmdbId: 603 }] : []
      return { json: { page: 1, totalPages: 1, totalResults: results.length, results } }
    }
    const results = own
      .slice((number - 1) * LIST_PAGE, number * LIST_PAGE)
      .map(({ tmdbId, kind, title, createdAt }) => ({
        id: 9,
        ratingKey: '',
        tmdbId,
        mediaType: kind,
        title,
        createdAt,
      }))
    return { json: { page: number, totalPages: Math.ceil(own.length / LIST_PAGE), totalResults: own.length, results } }
  }

  const shownMedia = ({ kind, ...media }: Media) => ({ ...media, mediaType: kind })
  function shownRequest({ media, userId, seasons, ...request }: MediaRequest) {
    const person = seerr.people.get(userId)
    return {
      ...request,
      type: media.kind,
      media: shownMedia(media),
      seasons: seasons.map((seasonNumber) => ({ seasonNumber, status: request.status })),
      requestedBy: person === undefined ? { id: userId } : shown(person),
    }
  }

  function found(query: string): object {
    const [scheme, id] = query.split(':')
    const results = [...works.values()]
      .filter(({ tmdb, imdb, tvdb }) => String({ tmdb, imdb, tvdb }[scheme as 'imdb']) === id)
      .map(({ kind, tmdb, title }) => ({ id: tmdb, mediaType: kind, title }))
    return { page: 1, totalPages: 1, totalResults: results.length, results }
  }

  function known(kind: string, tmdb: number): Work {
    const work = works.get(`${kind}/${tmdb}`)
    if (work === undefined) throw new Refused(500, `Unable to retrieve ${kind === 'tv' ? 'series' : 'movie'}.`)
    return work
  }

  function details(kind: 'movie' | 'tv', tmdb: number, me: Person): object {
    const { title, imdb, tvdb } = known(kind, tmdb)
    const media = seerr.media.get(`${kind}/${tmdb}`)
    const requests = seerr.requestsMade.filter((one) => one.media === media).map(shownRequest)
    return {
      id: tmdb,
      ...(kind === 'tv' ? { name: title } : { title, imdbId: imdb }),
      externalIds: { imdbId: imdb, tvdbId: tvdb },
      ...(media === undefined ? {} : { mediaInfo: { ...shownMedia(media), requests } }),
      // Regardless of the kind.
      ...(isSeerr
        ? { onUserWatchlist: seerr.listed.some(({ userId, tmdbId }) => userId === me.id && tmdbId === tmdb) }
        : {}),
    }
  }

  const mayAll = ({ permissions }: Person, ...rights: number[]) =>
    (permissions & RIGHT.admin) !== 0 || rights.some((right) => (permissions & right) !== 0)

  function mediaOf({ kind, tmdb, tvdb, imdb }: Work): Media {
    const key = `${kind}/${tmdb}`
    const media = seerr.media.get(key) ?? {
      ...{ id: ++lastId, kind, tmdbId: tmdb, tvdbId: tvdb ?? null, imdbId: kind === 'movie' ? (imdb ?? null) : null },
      ...{ status: 1, status4k: 1 },
    }
    seerr.media.set(key, media)
    return media
  }

  function make(request: ReceivedRequest, me: Person): Reply {
    const body = request.json() as {
      mediaType: 'movie' | 'tv'
      mediaId: number
      is4k: boolean
      seasons?: 'all' | number[]
    }
    const { mediaType: kind, mediaId, is4k } = body
    if (!mayAll(me, is4k ? RIGHT.request4k : RIGHT.request))
      throw new Refused(403, `You do not have permission to make ${is4k ? '4K ' : ''}${kind} requests.`)
    if (me.quota === 0) throw new Refused(403, `${kind === 'tv' ? 'Series' : 'Movie'} Quota exceeded.`)
    const work = works.get(`${kind}/${mediaId}`)
    if (work === undefined)
      throw new Refused(500, '[TMDB] Failed to fetch details: Request failed with status code 404')
    if (seerr.blocked.has(`${kind}/${mediaId}`)) throw new Refused(403, 'This media is blocklisted.')
    const media = mediaOf(work)
    const live = seerr.requestsMade.filter(
      (one) => one.media === media && one.is4k === is4k && ![DECLINED, COMPLETED].includes(one.status),
    )
    if (kind === 'movie' && live.length > 0) throw new Refused(409, 'Request for this media already exists.')
    const wanted = body.seasons === 'all' ? work.seasons.filter((season) => season > 0) : (body.seasons ?? [])
    const taken = live.flatMap(({ seasons }) => seasons)
    const seasons = kind === 'tv' ? wanted.filter((season) => !taken.includes(season)) : []
    if (kind === 'tv' && seasons.length === 0) throw new Refused(202, 'No seasons available to request')
    if (me.quota !== undefined) me.quota -= 1
    const status = mayAll(me, RIGHT.manageRequests, RIGHT.autoApprove) ? APPROVED! : PENDING!
    return { status: 201, json: shownRequest(seerr.ask(me.id, work, { is4k, seasons, status })) }
  }

  function ofRequest(method: string, me: Person, id: number): Reply {
    const request = seerr.requestsMade.find((one) => one.id === id)
    if (request === undefined) throw new Refused(404, 'Request not found.')
    if (method === 'GET') return { json: shownRequest(request) }
    // Anyone may delete a pending one.
    if (!mayAll(me, RIGHT.manageRequests) && request.userId !== me.id && request.status !== PENDING)
      throw new Refused(401, 'You do not have permission to delete this request.')
    seerr.requestsMade = seerr.requestsMade.filter((one) => one !== request)
    const { media } = request
    if (!seerr.requestsMade.some((one) => one.media === media) && media.status < AVAILABLE) media.status = 1
    return { status: 204 }
  }

  function put(request: ReceivedRequest, me: Person): Reply {
    const { tmdbId, mediaType } = request.json() as { tmdbId: number; mediaType: string }
    const work = known(mediaType, tmdbId)
    if (seerr.listed.some((one) => one.userId === me.id && one.tmdbId === tmdbId)) throw new Refused(409, '')
    seerr.list(me.id, work)
    return { status: 201, json: { tmdbId } }
  }

  function takeOff(me: Person, tmdbId: number): Reply {
    const entry = seerr.listed.find((one) => one.userId === me.id && one.tmdbId === tmdbId)
    if (entry === undefined) throw new Refused(401, 'not Found')
    seerr.listed = seerr.listed.filter((one) => one !== entry)
    return { status: 204 }
  }

  const seerr: Seerr = {
    ...server,
    apiKey,
    people: new Map(),
    media: new Map(),
    requestsMade: [],
    listed: [],
    sessions: new Map(),
    dropsUser: false,
    usersEndAt: undefined,
    csrf: false,
    has4k: false,
    blocked: new Set(),
    addPerson(person = {}) {
      const id = seerr.people.size + 1
      const made: Person = {
        email: `person-${id}@example.org`,
        username: null,
        jellyfinUsername: `person${id}`,
        password: `the-password-of-${id}`,
        permissions: id === 1 ? RIGHT.admin : RIGHT.request,
        userType: isSeerr ? 3 : 2,
        createdAt: `2024-0${id}-01T09:00:00.000Z`,
        ...person,
        id,
      }
      seerr.people.set(id, made)
      return made
    },
    addWork(work) {
      const made: Work = { title: `Title ${work.tmdb}`, seasons: work.kind === 'tv' ? [0, 1, 2] : [], ...work }
      works.set(`${made.kind}/${made.tmdb}`, made)
      return made
    },
    ask(userId, work, { status = PENDING!, is4k = false, seasons = work.seasons.filter((one) => one > 0) } = {}) {
      const media = mediaOf(work)
      const state = is4k ? 'status4k' : 'status'
      if (media[state] === 1) media[state] = status === PENDING ? 2 : status === DECLINED ? 1 : 3
      const made = { id: ++lastId, media, userId, is4k, seasons, status, createdAt: now() }
      seerr.requestsMade.push(made)
      return made
    },
    list(userId, { kind, tmdb, title }) {
      seerr.listed.push({ userId, kind, tmdbId: tmdb, title, createdAt: now() })
    },
  }
  seerr.addPerson({ username: 'Owner' })
  return seerr
}
