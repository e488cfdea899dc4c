// A stand-in of Kitsu: the token endpoint and the JSON:API, with the rules of its server (app/models/library_entry.rb,
// lib/library_paginator.rb, config/initializers of github.com/hummingbird-me/kitsu-server). A count makes an entry current, a status
// stamps dates, and an unknown token counts as none.
import { randomBytes } from 'node:crypto'
import type { ReceivedRequest, Reply } from '@playhead/sdk/testing'
import { type FaultyServer, startFaultyServer } from '@playhead/sdk/testing/conformance'

export interface KitsuAnime {
  readonly id: string
  title: string
  subtype: string | null
  episodeCount: number | null
  startDate: string
  nsfw: boolean
  /** By site. */
  mappings: Record<string, string>
}

export interface KitsuEntry {
  readonly id: string
  readonly userId: string
  readonly animeId: string
  status: string
  progress: number
  /** 2 to 20. */
  rating: number | null
  reconsuming: boolean
  reconsumeCount: number
  notes: string | null
  private: boolean
  startedAt: string | null
  finishedAt: string | null
  progressedAt: string | null
  readonly createdAt: string
  updatedAt: string
}

export interface KitsuPerson {
  readonly id: string
  readonly name: string
  readonly slug: string
  readonly email: string
  password: string
  sfwFilter: boolean
}

export interface Kitsu extends FaultyServer {
  readonly anime: Map<string, KitsuAnime>
  readonly entries: Map<string, KitsuEntry>
  readonly people: readonly KitsuPerson[]
  addAnime(anime: Partial<KitsuAnime>): KitsuAnime
  /** Sets attributes of the entry, as an import does: nothing is stamped. */
  put(person: KitsuPerson, anime: KitsuAnime, attributes: Partial<KitsuEntry>): KitsuEntry
  entryOf(person: KitsuPerson, anime: KitsuAnime): KitsuEntry | undefined
  /** Ends the access tokens of a person, which can be renewed. */
  expire(person: KitsuPerson): void
  /** Ends all tokens of a person. */
  revoke(person: KitsuPerson): void
  /** Deletes all tokens of a person, as a clean-up of the database does. */
  forget(person: KitsuPerson): void
  tokens(): readonly string[]
  /** Attributes of all changes of entries, in order. */
  changes(): readonly object[]
}

interface Issued {
  readonly person: KitsuPerson
  readonly access: string
  readonly refresh: string
  ends: number
  revoked: boolean
}

const LIFE_S = 30 * 86_400
const LARGEST_PAGE = 500
const USUAL_PAGE = 10
const LOGINS_A_MINUTE = 15
const STATUSES = ['current', 'planned', 'completed', 'on_hold', 'dropped']
const JSON_API = 'application/vnd.api+json'

/** Ends the request with an error document. */
class Refused extends Error {
  readonly status: number
  constructor(status: number, title: string) {
    super(title)
    this.status = status
  }
}

const isText = (value: unknown) => value === null || typeof value === 'string'
/** Attributes that clients may set, and what they take. */
const CHECKS: Readonly<Record<string, (value: unknown) => boolean>> = {
  status: (value) => STATUSES.includes(String(value)),
  progress: (value) => Number.isInteger(value) && Number(value) >= 0,
  ratingTwenty: (value) => value === null || (Number.isInteger(value) && Number(value) >= 2 && Number(value) <= 20),
  startedAt: isText,
  finishedAt: isText,
}

export async function startKitsu({
  names = ['ann', 'bob'],
}: {
  readonly names?: readonly string[]
} = {}): Promise<Kitsu> {
  const issued: Issued[] = []
  const changes: object[] = []
  let logins = 0
  let lastId = 40_000
  const people = names.map(
    (name, index): KitsuPerson => ({
      id: String(900 + index),
      name: name.toUpperCase(),
      slug: name,
      email: `${name}@mail.test`,
      password: `the-password-of-${name}`,
      sfwFilter: false,
    }),
  )

  const server = await startFaultyServer((request): Reply => {
    try {
      if (request.path === '/api/oauth/token') return token(request)
      const person = ownerOf(request)
      const [, edge, name = '', id] = /^\/api\/(edge)\/([\w-]+)(?:\/(\d+))?$/.exec(request.path) ?? []
      if (edge === undefined) return document(404, { errors: [{ title: 'Not found', status: '404' }] })
      if (request.method === 'GET') return document(200, found(name, id, person, request))
      if (name !== 'library-entries') throw new Refused(404, 'Not found')
      if (person === undefined) throw new Refused(403, 'Not authorized')
      const isTyped = request.method === 'DELETE' || request.headers['content-type'] === JSON_API
      if (!isTyped) throw new Refused(415, 'Unsupported media type')
      return changed(person, id, request)
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      const { status, message } = error
      return document(status, { errors: [{ title: message, detail: message, status: String(status) }] })
    }
  })

  function token({ method, body }: ReceivedRequest): Reply {
    if (method !== 'POST') return { status: 404 }
    const form = new URLSearchParams(body)
    const invalid = { status: 400, json: { error: 'invalid_grant', error_description: 'The grant is invalid.' } }
    if (form.get('grant_type') === 'password') {
      logins += 1
      if (logins > LOGINS_A_MINUTE)
        return { status: 429, headers: { 'content-type': 'text/plain' }, body: 'Retry later\n' }
      const name = form.get('username')?.toLowerCase()
      const person = people.find(({ slug, email }) => slug === name || email === name)
      if (person === undefined || person.password !== form.get('password')) return invalid
      const good = issued.find((one) => one.person === person && !one.revoked && one.ends > Date.now())
      return given(good ?? issue(person))
    }
    const used = issued.find(({ refresh, revoked }) => refresh === form.get('refresh_token') && !revoked)
    if (form.get('grant_type') !== 'refresh_token' || used === undefined) return invalid
    used.revoked = true
    return given(issue(used.person))
  }

  function issue(person: KitsuPerson): Issued {
    const text = () => randomBytes(32).toString('base64url')
    const one = { person, access: text(), refresh: text(), ends: Date.now() + LIFE_S * 1_000, revoked: false }
    issued.push(one)
    return one
  }

  const given = ({ access, refresh, ends }: Issued): Reply => ({
    json: {
      access_token: access,
      token_type: 'Bearer',
      expires_in: Math.floor((ends - Date.now()) / 1_000),
      refresh_token: refresh,
      scope: 'public',
      created_at: Math.floor(Date.now() / 1_000),
    },
  })

  function ownerOf({ headers }: ReceivedRequest): KitsuPerson | undefined {
    const text = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1]
    const one = issued.find(({ access }) => access === text)
    if (one !== undefined && (one.revoked || one.ends <= Date.now())) throw new Refused(401, 'Invalid token')
    return one?.person
  }

  function found(
    name: string,
    id: string | undefined,
    person: KitsuPerson | undefined,
    { query }: ReceivedRequest,
  ): object {
    const paths = (query.get('include') ?? '').split(',').filter((one) => one !== '')
    switch (name) {
      case 'users': {
        const self = query.get('filter[self]') === 'true' ? people.filter((one) => one === person) : people
        const data = self.map(({ id: own, name: called, slug }) => ({
          ...{ id: own, type: 'users', attributes: { name: called, slug } },
        }))
        return { data, meta: { count: data.length }, links: {} }
      }
      case 'anime': {
        const anime = kitsu.anime.get(id ?? '')
        if (anime === undefined) throw new Refused(404, 'Record not found')
        return {
          data: animeShown(anime, paths.includes('mappings')),
          included: paths.includes('mappings') ? mappingsOf(anime) : [],
        }
      }
      case 'mappings': {
        const [site, external] = [query.get('filter[externalSite]'), query.get('filter[externalId]')]
        const rows = [...kitsu.anime.values()].filter(({ mappings }) => mappings[site ?? ''] === external)
        const data = rows
          .slice(0, USUAL_PAGE)
          .map((anime) => ({
            ...mappingShown(anime, site ?? ''),
            relationships: { item: { data: { type: 'anime', id: anime.id } } },
          }))
        return { data, meta: { count: rows.length }, links: {} }
      }
      case 'library-entries':
        return listed(person, query, paths)
      default:
        throw new Refused(404, 'Not found')
    }
  }

  function listed(person: KitsuPerson | undefined, query: URLSearchParams, paths: readonly string[]): object {
    const limit = Number(query.get('page[limit]') ?? USUAL_PAGE)
    const offset = Number(query.get('page[offset]') ?? 0)
    if (!(limit >= 1 && limit <= LARGEST_PAGE) || !(offset >= 0)) throw new Refused(400, 'Invalid page value')
    const wanted = (name: string, value: string) => (query.get(`filter[${name}]`) ?? value) === value
    const all = [...kitsu.entries.values()].filter(
      (entry) =>
        wanted('userId', entry.userId) &&
        wanted('animeId', entry.animeId) &&
        wanted('status', entry.status) &&
        (!entry.private || entry.userId === person?.id) &&
        (person?.sfwFilter === false || !animeOf(entry).nsfw),
    )
    all.sort((a, b) => Number(a.id) - Number(b.id))
    const page = all.slice(offset, offset + limit)
    const titles = [...new Set(page.map(animeOf))]
    const withMappings = paths.includes('anime.mappings')
    const included = [
      ...(paths.includes('anime') ? titles.map((anime) => animeShown(anime, withMappings)) : []),
      ...(withMappings ? titles.flatMap(mappingsOf) : []),
    ]
    const next =
      offset + limit < all.length
        ? { next: `${server.url}/api/edge/library-entries?page[offset]=${offset + limit}` }
        : {}
    return {
      data: page.map((entry) => entryShown(entry, paths.includes('anime'))),
      ...(included.length === 0 ? {} : { included }),
      meta: { statusCounts: {}, count: all.length },
      links: { first: server.url, ...next, last: server.url },
    }
  }

  const animeOf = ({ animeId }: KitsuEntry): KitsuAnime => kitsu.anime.get(animeId)!

  function changed(person: KitsuPerson, id: string | undefined, request: ReceivedRequest): Reply {
    if (request.method === 'POST') {
      const { attributes, relationships } = documentIn(request)
      const animeId = String(relationships?.['anime']?.data?.id)
      const anime = kitsu.anime.get(animeId)
      if (relationships?.['user']?.data?.id !== person.id) throw new Refused(403, 'Not authorized')
      if (anime === undefined) throw new Refused(422, 'media - must exist')
      if (kitsu.entryOf(person, anime) !== undefined) throw new Refused(422, 'anime - has already been taken')
      if (attributes['status'] === undefined) throw new Refused(422, "status - can't be blank")
      const made = { ...blank(person, anime, String(++lastId)), status: '' }
      save(made, attributes)
      kitsu.entries.set(made.id, made)
      return document(201, { data: entryShown(made, false) })
    }
    const entry = kitsu.entries.get(id ?? '')
    if (entry === undefined) throw new Refused(404, 'Record not found')
    if (entry.userId !== person.id) throw new Refused(403, 'Not authorized')
    if (request.method === 'DELETE') {
      kitsu.entries.delete(entry.id)
      return { status: 204 }
    }
    save(entry, documentIn(request).attributes)
    return document(200, { data: entryShown(entry, false) })
  }

  /** Validations and `before_save` of the model. */
  function save(entry: KitsuEntry, attributes: Readonly<Record<string, unknown>>): void {
    for (const [name, value] of Object.entries(attributes))
      if (CHECKS[name]?.(value) !== true) throw new Refused(422, `${name} - is invalid`)
    changes.push(attributes)
    const { ratingTwenty, ...others } = attributes
    const next: KitsuEntry = {
      ...entry,
      ...others,
      ...(ratingTwenty === undefined ? {} : { rating: ratingTwenty as number | null }),
    }
    const limit = animeOf(entry).episodeCount
    if (next.progress > (limit ?? 100)) throw new Refused(422, 'progress - cannot exceed length of media')
    const now = new Date().toISOString()
    const isOther = (name: 'status' | 'progress') => next[name] !== entry[name]
    if (!isOther('status') && next.progress === limit) next.status = 'completed'
    if (isOther('status') && next.status === 'completed') next.progress = limit ?? next.progress
    if (isOther('status') || isOther('progress')) next.progressedAt = now
    if (isOther('status')) {
      if (next.status === 'current' || next.status === 'completed') next.startedAt ??= now
      if (next.status === 'completed') next.finishedAt ??= now
    }
    if (isOther('progress') && !isOther('status')) next.status = 'current'
    Object.assign(entry, next, { updatedAt: now })
  }

  function blank(person: KitsuPerson, anime: KitsuAnime, id: string): KitsuEntry {
    const now = new Date().toISOString()
    return {
      ...{ id, userId: person.id, animeId: anime.id, status: 'planned', progress: 0, rating: null },
      ...{ reconsuming: false, reconsumeCount: 0, notes: null, private: false },
      ...{ startedAt: null, finishedAt: null, progressedAt: null, createdAt: now, updatedAt: now },
    }
  }

  const kitsu: Kitsu = {
    ...server,
    anime: new Map(),
    entries: new Map(),
    people,
    addAnime(anime) {
      const id = anime.id ?? String(++lastId)
      const made: KitsuAnime = {
        title: `Anime ${id}`,
        subtype: 'TV',
        episodeCount: 12,
        startDate: '2011-10-03',
        nsfw: false,
        mappings: {},
        ...anime,
        id,
      }
      kitsu.anime.set(id, made)
      return made
    },
    put(person, anime, attributes) {
      const entry = kitsu.entryOf(person, anime) ?? blank(person, anime, String(++lastId))
      kitsu.entries.set(entry.id, Object.assign(entry, attributes))
      return entry
    },
    entryOf: (person, anime) =>
      [...kitsu.entries.values()].find(({ userId, animeId }) => userId === person.id && animeId === anime.id),
    expire(person) {
      for (const one of issued) if (one.person === person) one.ends = 0
    },
    revoke(person) {
      for (const one of issued) if (one.person === person) one.revoked = true
    },
    forget(person) {
      for (const one of issued.filter((each) => each.person === person)) issued.splice(issued.indexOf(one), 1)
    },
    tokens: () => issued.flatMap(({ access, refresh }) => [access, refresh]),
    changes: () => changes,
    close: () => server.close(),
    [Symbol.asyncDispose]: () => server.close(),
  }
  return kitsu
}

function document(status: number, content: object): Reply {
  return { status, headers: { 'content-type': JSON_API }, body: JSON.stringify(content) }
}

interface Sent {
  readonly attributes: Readonly<Record<string, unknown>>
  readonly relationships?: Readonly<Record<string, { readonly data?: { readonly id?: string } }>>
}

function documentIn(request: ReceivedRequest): Sent {
  try {
    const { data } = request.json() as { readonly data?: Partial<Sent> & { readonly type?: string } }
    if (data?.type === 'libraryEntries') return { attributes: {}, ...data }
  } catch {
    // No document.
  }
  throw new Refused(400, 'Invalid document')
}

function entryShown({ userId, animeId, id, rating, ...attributes }: KitsuEntry, withAnime: boolean): object {
  const anime = withAnime ? { data: { type: 'anime', id: animeId } } : { links: { related: `/anime/${animeId}` } }
  return {
    ...{ id, type: 'libraryEntries', links: { self: '' } },
    attributes: { ...attributes, rating: String((rating ?? 0) / 4), ratingTwenty: rating, volumesOwned: 0 },
    relationships: { user: { links: { related: `/users/${userId}` } }, anime },
  }
}

function animeShown(
  { id, title, subtype, episodeCount, startDate, mappings }: KitsuAnime,
  withMappings: boolean,
): object {
  const data = Object.keys(mappings).map((site) => ({ type: 'mappings', id: mappingId(id, site) }))
  return {
    ...{ id, type: 'anime', links: { self: '' } },
    attributes: { canonicalTitle: title, titles: { en_jp: title }, subtype, episodeCount, startDate },
    relationships: { mappings: withMappings ? { data } : { links: {} } },
  }
}

function mappingsOf(anime: KitsuAnime): object[] {
  return Object.keys(anime.mappings).map((site) => mappingShown(anime, site))
}

function mappingShown({ id, mappings }: KitsuAnime, site: string): object {
  const attributes = { externalSite: site, externalId: mappings[site] }
  return { id: mappingId(id, site), type: 'mappings', attributes, relationships: { item: { links: {} } } }
}

/** Sites have numbers in the order of their names. */
function mappingId(animeId: string, site: string): string {
  return `${animeId}${['anidb', 'anilist/anime', 'myanimelist/anime', 'thetvdb/series', 'trakt'].indexOf(site) + 1}`
}
