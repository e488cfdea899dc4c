// Simulates Reel: two people, each with a watchlist, a history, ratings and positions.
import type { Feature } from '@playhead/sdk'
import type { Reply } from '@playhead/sdk/testing'
import { type FaultyServer, type Person, startFaultyServer } from '@playhead/sdk/testing/conformance'
import { kindOfShow, type Work, workOf } from './catalogue.ts'

export const PEOPLE = [
  { id: '11', name: 'Ann', password: 'the-password-of-ann' },
  { id: '12', name: 'Bob', password: 'the-password-of-bob' },
] as const

/** Times in epoch seconds, positions in seconds, ratings in half stars from 0.5 to 5. */
export interface Entry {
  readonly work: Work
  readonly at: number | null
  readonly stars?: number
  readonly position?: number
  readonly runtime?: number
}
type Lists = Record<string, Entry[]>

export interface Reel extends FaultyServer {
  readonly lists: readonly [Lists, Lists]
  readonly tokens: Set<string>
  put(person: Person, feature: Feature, entry: Entry): void
  takeOff(person: Person, feature: Feature): void
  expire(person: Person): void
  revoke(person: Person): void
}

const FEATURES = ['watchlist', 'history', 'ratings', 'progress']
const MOST_AT_ONCE = 20
const LIFETIME_S = 3_600

export async function startReel(): Promise<Reel> {
  const lists = [listsOf(), listsOf()] as const
  const stamps = [{}, {}] as const satisfies readonly Record<string, string>[]
  const tokens = new Set<string>()
  const access = new Map<string, Person>()
  const renewal = new Map<string, Person>()
  let changes = 0
  let signIns = 0

  const changed = (person: Person, feature: string) => {
    ;(stamps[person] as Record<string, string>)[feature] = `change ${(changes += 1)}`
  }
  const issue = (person: Person) => {
    signIns += 1
    const [access_token, refresh_token] = [`reel-access-${person}-${signIns}`, `reel-refresh-${person}-${signIns}`]
    access.set(access_token, person)
    renewal.set(refresh_token, person)
    tokens.add(access_token).add(refresh_token)
    return { json: { access_token, refresh_token, expires_in: LIFETIME_S } }
  }
  const signIn = (asked: Readonly<Record<string, unknown>>): Reply => {
    const renewed = renewal.get(String(asked['refresh_token']))
    if (renewed !== undefined) {
      renewal.delete(String(asked['refresh_token']))
      return issue(renewed)
    }
    const known = PEOPLE.findIndex(({ name, password }) => name === asked['username'] && password === asked['password'])
    return known === -1 ? { status: 401 } : issue(known as Person)
  }

  const server = await startFaultyServer(({ method, path, query, headers, json }): Reply => {
    const [, first = '', second] = path.split('/')
    if (first === 'token') return signIn(json() as Record<string, unknown>)
    const person = access.get(String(headers.authorization).replace(/^Bearer /, ''))
    if (person === undefined) return { status: 401 }
    const own = lists[person]
    if (first === 'me') return { json: { id: PEOPLE[person].id, name: PEOPLE[person].name } }
    if (first === 'changes') return { json: stamps[person] }
    // A search by a person.
    if (first === 'search')
      return {
        json: Object.values(own)
          .flat()
          .filter(({ work }) => work.title === query.get('title'))
          .map(shown),
      }
    // Deletes a work with all of its data.
    if (first === 'library' && method === 'DELETE') {
      const work = workOf(json() as never)
      for (const feature of FEATURES) {
        own[feature] = (own[feature] ?? []).filter((entry) => entry.work.key !== work?.key)
        changed(person, feature)
      }
      return { json: {} }
    }
    // Replaces all that is known about a work.
    if (first === 'library' && method === 'PUT') {
      const wire = json() as Wire & { readonly features: readonly string[] }
      for (const feature of FEATURES) {
        remove(own, feature, wire)
        if (wire.features.includes(feature)) add(own, feature, wire)
        changed(person, feature)
      }
      return { json: {} }
    }
    if (!FEATURES.includes(first)) return { status: 404 }
    if (method === 'GET') {
      const [page, size] = [Number(query.get('page')), Math.min(250, Number(query.get('size')))]
      const all = own[first] ?? []
      return {
        json: {
          items: all.slice(page * size, (page + 1) * size).map(shown),
          total: all.length,
          pages: Math.ceil(all.length / size),
        },
      }
    }
    const { items } = json() as { readonly items: readonly Wire[] }
    if (items.length > MOST_AT_ONCE) return { status: 413 }
    const results = items.map((item) => (second === 'remove' ? remove(own, first, item) : add(own, first, item)))
    if (results.includes('done')) changed(person, first)
    return { json: { results } }
  })

  return {
    ...server,
    lists,
    tokens,
    put(person, feature, entry) {
      lists[person][feature]?.push(entry)
      changed(person, feature)
    },
    takeOff(person, feature) {
      lists[person][feature]?.shift()
      changed(person, feature)
    },
    expire(person) {
      for (const [token, owner] of access) if (owner === person) access.delete(token)
    },
    revoke(person) {
      for (const map of [access, renewal]) for (const [token, owner] of map) if (owner === person) map.delete(token)
    },
  }
}

interface Wire {
  readonly kind: Work['kind']
  readonly ids: Readonly<Record<string, unknown>>
  readonly season?: number
  readonly episode?: number
  readonly at?: number | null
  readonly stars?: number
  readonly position?: number
  readonly runtime?: number
}

function add(own: Lists, feature: string, wire: Wire): string {
  const work = workOf(wire)
  if (work === undefined) return 'unknown'
  const { at = null, stars, position, runtime } = wire
  if (at !== null && !(Number.isInteger(at) && at > 1e9 && at < 1e10)) return 'invalid'
  if (feature === 'ratings' && !(Number(stars) >= 0.5 && Number(stars) <= 5)) return 'invalid'
  if (feature === 'progress' && !(Number(position) < Number(runtime))) return 'invalid'
  const list = (own[feature] ??= [])
  const before = list.findIndex((entry) => entry.work.key === work.key)
  const entry: Entry = {
    work,
    at: feature === 'history' ? (at ?? Math.floor(Date.now() / 1_000)) : at,
    ...(feature === 'ratings' ? { stars: stars as number } : {}),
    ...(feature === 'progress' ? { position: position as number, runtime: runtime as number } : {}),
  }
  if (feature === 'history' || before === -1) {
    list.push(entry)
    return 'done'
  }
  const known = list[before] as Entry
  if (
    known.stars === entry.stars &&
    known.position === entry.position &&
    (feature === 'watchlist' || known.at === entry.at)
  )
    return 'same'
  list[before] = entry
  return 'done'
}

function remove(own: Lists, feature: string, wire: Wire): string {
  const work = workOf(wire)
  if (work === undefined) return 'unknown'
  const before = own[feature] ?? []
  // A show includes all of its parts.
  const left = before.filter((entry) => entry.work.key !== work.key && !isPartOf(entry.work, work))
  own[feature] = left
  return left.length < before.length ? 'done' : 'absent'
}

const isPartOf = (part: Work, work: Work) =>
  kindOfShow(part.kind) &&
  kindOfShow(work.kind) &&
  part.ids.tmdb === work.ids.tmdb &&
  (work.kind === 'show' || (work.kind === 'season' && part.season === work.season))

function shown({ work: { kind, title, year, ids, season, episode }, at, stars, position, runtime }: Entry): object {
  return { kind, title, year, ids, season, episode, at, stars, position, runtime }
}

function listsOf(): Lists {
  return Object.fromEntries(FEATURES.map((feature) => [feature, []]))
}
