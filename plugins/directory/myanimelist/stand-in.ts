// A stand-in of MyAnimeList: the token endpoint and the API v2, with the rules of its documentation. It leaves titles out unless they
// are asked for, gives fields only by name, ends an access token with its refresh, and counts a second watch from 0.
import { randomBytes } from 'node:crypto'
import type { ReceivedRequest, Reply } from '@playhead/sdk/testing'
import { type FaultyServer, startFaultyServer } from '@playhead/sdk/testing/conformance'

export interface MalAnime {
  readonly id: number
  title: string
  media_type: string
  /** 0: unknown. */
  num_episodes: number
  start_season?: { year: number; season: string }
  start_date?: string
  alternative_titles: { en: string; ja: string; synonyms: readonly string[] }
  /** `white`, or left out of lists by default. */
  nsfw: 'white' | 'gray' | 'black'
}

export interface MalStatus {
  status: string
  score: number
  num_episodes_watched: number
  is_rewatching: boolean
  updated_at: string
  num_times_rewatched: number
  rewatch_value: number
  priority: number
  tags: string[]
  comments: string
  start_date?: string
  finish_date?: string
}

export interface MalPerson {
  readonly id: number
  readonly name: string
  /** By the id of the anime. */
  readonly list: Map<number, MalStatus>
}

export interface MyAnimeList extends FaultyServer {
  readonly apiUrl: string
  readonly oauthUrl: string
  readonly clientId: string
  /** `''`: the application is of a type without one. */
  readonly clientSecret: string
  readonly anime: Map<number, MalAnime>
  readonly people: readonly MalPerson[]
  addAnime(anime: Partial<MalAnime>): MalAnime
  /** Sets fields of an entry, as a person does on the website. */
  put(person: MalPerson, anime: MalAnime, status: Partial<MalStatus>): MalStatus
  /** The person consents on the page at this address; returns the address that the browser is sent to. */
  approve(address: string, person?: MalPerson): string
  /** Ends the access tokens of a person, which can be renewed. */
  expire(person: MalPerson): void
  /** Ends all tokens of a person. */
  revoke(person: MalPerson): void
  /** All tokens that were issued. */
  tokens(): readonly string[]
  /** Bodies of the changes of entries, in order. */
  changes(): readonly string[]
}

interface Issued {
  readonly person: MalPerson
  readonly kind: 'access' | 'refresh'
  ends: number
}

interface Code {
  readonly person: MalPerson
  readonly challenge: string
  readonly redirectUri: string
}

export interface MalOptions {
  readonly clientSecret?: string
  /** Seconds. */
  readonly accessLife?: number
  readonly names?: readonly string[]
}

const MONTH_S = 31 * 86_400
const LARGEST_PAGE = 1_000
const STATUSES = ['watching', 'completed', 'on_hold', 'dropped', 'plan_to_watch']
/** Fields of a status that are sent without being asked for. */
const USUAL = ['status', 'score', 'num_episodes_watched', 'is_rewatching', 'updated_at'] as const

export async function startMyAnimeList({
  clientSecret = '',
  accessLife = MONTH_S,
  names = ['ann', 'bob'],
}: MalOptions = {}): Promise<MyAnimeList> {
  const clientId = randomBytes(16).toString('hex')
  const codes = new Map<string, Code>()
  const issued = new Map<string, Issued>()
  const changes: string[] = []
  const people = names.map((name, index): MalPerson => ({ id: 7_001 + index, name, list: new Map() }))

  const server = await startFaultyServer((request): Reply => {
    const { method, path } = request
    if (path === '/v1/oauth2/token') return method === 'POST' ? token(request) : failed(404, 'not_found')
    const person = ownerOf(request)
    if (person === undefined) {
      // Without any credential the answer is another one.
      if (request.headers.authorization === undefined) return failed(403, 'forbidden')
      return {
        status: 401,
        headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
        json: { error: 'invalid_token' },
      }
    }
    if (path === '/v2/users/@me' && method === 'GET')
      return { json: { id: person.id, name: person.name, location: '', joined_at: '2015-03-02T06:03:11+00:00' } }
    if (path === '/v2/users/@me/animelist' && method === 'GET') return listOf(person, request)
    const [, id, part] = /^\/v2\/anime\/(\d+)(\/my_list_status)?$/.exec(path) ?? []
    const anime = mal.anime.get(Number(id))
    if (anime === undefined) return failed(404, 'not_found')
    if (part === undefined) return method === 'GET' ? { json: shown(person, anime, request) } : failed(404, 'not_found')
    if (method === 'DELETE') return person.list.delete(anime.id) ? { json: [] } : failed(404, 'not_found')
    return method === 'PATCH' || method === 'PUT' ? change(person, anime, request) : failed(404, 'not_found')
  })

  function token({ body }: ReceivedRequest): Reply {
    const form = new URLSearchParams(body)
    if (form.get('client_id') !== clientId) return failed(401, 'invalid_client')
    if ((form.get('client_secret') ?? '') !== clientSecret) return failed(401, 'invalid_client')
    if (form.get('grant_type') === 'authorization_code') {
      const code = codes.get(form.get('code') ?? '')
      codes.delete(form.get('code') ?? '')
      const isRight =
        code !== undefined &&
        code.challenge === form.get('code_verifier') &&
        code.redirectUri === form.get('redirect_uri')
      return isRight ? tokensFor(code.person) : failed(400, 'invalid_grant')
    }
    if (form.get('grant_type') !== 'refresh_token') return failed(400, 'unsupported_grant_type')
    const used = issued.get(form.get('refresh_token') ?? '')
    if (used?.kind !== 'refresh' || used.ends < Date.now()) return failed(401, 'invalid_token')
    for (const one of issued.values()) if (one.person === used.person && one.kind === 'access') one.ends = 0
    return tokensFor(used.person)
  }

  function tokensFor(person: MalPerson): Reply {
    const make = (kind: Issued['kind'], seconds: number) => {
      const text = `${kind}.${randomBytes(300).toString('base64url')}`
      issued.set(text, { person, kind, ends: Date.now() + seconds * 1_000 })
      return text
    }
    return {
      json: {
        token_type: 'Bearer',
        expires_in: accessLife,
        access_token: make('access', accessLife),
        refresh_token: make('refresh', MONTH_S),
      },
    }
  }

  function ownerOf({ headers }: ReceivedRequest): MalPerson | undefined {
    const one = issued.get(/^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '')
    return one?.kind === 'access' && one.ends > Date.now() ? one.person : undefined
  }

  function listOf(person: MalPerson, { query }: ReceivedRequest): Reply {
    const [limit, offset] = [Number(query.get('limit') ?? 100), Number(query.get('offset') ?? 0)]
    if (!(limit >= 1 && limit <= LARGEST_PAGE) || !(offset >= 0)) return failed(400, 'bad_request')
    const fields = query.get('fields') ?? ''
    const found = [...person.list]
      .map(([id, status]) => ({ anime: mal.anime.get(id)!, status }))
      .filter(({ anime }) => query.get('nsfw') === 'true' || anime.nsfw === 'white')
      .sort((a, b) => a.anime.title.localeCompare(b.anime.title, 'en') || a.anime.id - b.anime.id)
    const data = found
      .slice(offset, offset + limit)
      .map(({ anime, status }) => ({
        node: animeShown(anime, fields),
        list_status: statusShown(status, within(fields, 'list_status')),
      }))
    const next =
      offset + limit < found.length ? { next: `${mal.apiUrl}/users/@me/animelist?offset=${offset + limit}` } : {}
    const previous = offset > 0 ? { previous: `${mal.apiUrl}/users/@me/animelist?offset=0` } : {}
    return { json: { data, paging: { ...previous, ...next } } }
  }

  function shown(person: MalPerson, anime: MalAnime, { query }: ReceivedRequest): object {
    const fields = query.get('fields') ?? ''
    const status = person.list.get(anime.id)
    const mine = status === undefined || !/\bmy_list_status\b/.test(fields) ? undefined : status
    return {
      ...animeShown(anime, fields),
      ...(mine === undefined ? {} : { my_list_status: statusShown(mine, within(fields, 'my_list_status')) }),
    }
  }

  function change(person: MalPerson, anime: MalAnime, { body, headers }: ReceivedRequest): Reply {
    if (!String(headers['content-type']).startsWith('application/x-www-form-urlencoded'))
      return failed(400, 'bad_request')
    const form = new URLSearchParams(body)
    const wanted: Partial<MalStatus> = {}
    for (const [name, text] of form) {
      const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
      if (name === 'status' && STATUSES.includes(text)) wanted.status = text
      else if (name === 'score' && number <= 10) wanted.score = number
      else if (name === 'num_watched_episodes' && number >= 0) wanted.num_episodes_watched = number
      else if (name === 'is_rewatching') wanted.is_rewatching = text === 'true'
      else if ((name === 'start_date' || name === 'finish_date') && /^\d{4}-\d{2}-\d{2}$/.test(text))
        wanted[name] = text
      else return failed(400, 'bad_request')
    }
    changes.push(body)
    const status = mal.put(person, anime, wanted)
    return {
      json: statusShown(status, ['num_times_rewatched', 'priority', 'tags', 'comments', 'start_date', 'finish_date']),
    }
  }

  let lastId = 30_000
  const mal: MyAnimeList = {
    ...server,
    apiUrl: `${server.url}/v2`,
    oauthUrl: `${server.url}/v1`,
    clientId,
    clientSecret,
    anime: new Map(),
    people,
    addAnime(anime) {
      const id = anime.id ?? ++lastId
      const made: MalAnime = {
        title: `Anime ${id}`,
        media_type: 'tv',
        num_episodes: 12,
        start_season: { year: 2011, season: 'fall' },
        start_date: '2011-10-03',
        alternative_titles: { en: '', ja: '', synonyms: [] },
        nsfw: 'white',
        ...anime,
        id,
      }
      mal.anime.set(id, made)
      return made
    },
    put(person, anime, fields) {
      const known = person.list.get(anime.id) ?? {
        status: 'watching',
        score: 0,
        num_episodes_watched: 0,
        is_rewatching: false,
        num_times_rewatched: 0,
        rewatch_value: 0,
        priority: 0,
        tags: [],
        comments: '',
      }
      const status: MalStatus = { ...known, ...fields, updated_at: new Date().toISOString().replace('.000Z', '+00:00') }
      person.list.set(anime.id, status)
      return status
    },
    approve(address, person = people[0]!) {
      const { pathname, searchParams: asked } = new URL(address)
      const redirectUri = asked.get('redirect_uri') ?? ''
      const challenge = asked.get('code_challenge') ?? ''
      const isKnown =
        pathname === '/v1/oauth2/authorize' &&
        asked.get('response_type') === 'code' &&
        asked.get('client_id') === clientId &&
        (asked.get('code_challenge_method') ?? 'plain') === 'plain' &&
        challenge.length >= 43 &&
        challenge.length <= 128
      if (!isKnown) throw new Error(`MyAnimeList shows an error instead of ${address}`)
      const code = randomBytes(300).toString('hex')
      codes.set(code, { person, challenge, redirectUri })
      const back = new URL(redirectUri)
      back.searchParams.set('code', code)
      back.searchParams.set('state', asked.get('state') ?? '')
      return back.href
    },
    expire(person) {
      for (const one of issued.values()) if (one.person === person && one.kind === 'access') one.ends = 0
    },
    revoke(person) {
      for (const one of issued.values()) if (one.person === person) one.ends = 0
    },
    tokens: () => [...issued.keys()],
    changes: () => changes,
    close: () => server.close(),
    [Symbol.asyncDispose]: () => server.close(),
  }
  return mal
}

function failed(status: number, error: string): Reply {
  return { status, json: { message: '', error } }
}

/** Names between the braces behind a field. */
function within(fields: string, name: string): readonly string[] {
  return (new RegExp(`\\b${name}\\{([^}]*)\\}`).exec(fields)?.[1] ?? '').split(',')
}

function animeShown(anime: MalAnime, fields: string): object {
  const asked = fields.replace(/\{[^}]*\}/g, '').split(',')
  const more = Object.entries(anime).filter(([name]) => asked.includes(name))
  return { ...Object.fromEntries(more), id: anime.id, title: anime.title, main_picture: { medium: '', large: '' } }
}

function statusShown(status: MalStatus, asked: readonly string[]): object {
  return Object.fromEntries(
    Object.entries(status).filter(([name]) => (USUAL as readonly string[]).includes(name) || asked.includes(name)),
  )
}
