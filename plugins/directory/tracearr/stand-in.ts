// A stand-in of Tracearr's public API: people with accounts at several servers, plays newest first by cursor, and works by id.
import type { Reply } from '@playhead/sdk/testing'
import { type FaultyServer, startFaultyServer } from '@playhead/sdk/testing/conformance'

const MOST_OF_A_PAGE = 100

export interface Person {
  readonly id: string
  username: string
  email: string | null
  readonly accounts: readonly { readonly server_type: string; readonly username: string }[]
}
export interface MediaEntry {
  readonly id: string
  readonly title: string
  readonly year: number | null
  readonly imdb_id: string | null
  readonly tmdb_id: number | null
  readonly tvdb_id: number | null
}
export interface PlayRecord {
  readonly id: string
  readonly userId: string
  readonly media_type: string
  readonly media: MediaEntry
  readonly show?: MediaEntry
  readonly season?: number | null
  readonly episode?: number | null
  readonly startedMs: number
  stoppedMs: number | null
  watched: boolean
}

export interface Tracearr extends FaultyServer {
  apiKey: string
  /** The account of the person who made the key was removed. */
  isOrphaned: boolean
  readonly people: Map<string, Person>
  plays: PlayRecord[]
  addPerson(username: string, email?: string): Person
  addMedia(media: Partial<MediaEntry>): MediaEntry
  /** Ended then. */
  play(
    userId: string,
    stoppedMs: number,
    play: Pick<PlayRecord, 'media_type' | 'media'> & Partial<PlayRecord>,
  ): PlayRecord
}

export async function startTracearr(): Promise<Tracearr> {
  const media = new Map<string, MediaEntry>()
  let last = 0
  const uuid = () => `00000000-0000-4000-8000-${(++last).toString(16).padStart(12, '0')}`
  const refused = (status: number, error: string): Reply => ({ status, json: { statusCode: status, error } })

  const server = await startFaultyServer(({ path, query, headers }): Reply => {
    if (!path.startsWith('/api/'))
      return { headers: { 'content-type': 'text/html' }, body: '<!doctype html><title>Tracearr' }
    if (headers.authorization !== `Bearer ${self.apiKey}`) return refused(401, 'Unauthorized')
    if (self.isOrphaned) return refused(403, 'Forbidden')
    const route = path.replace('/api/v2/public/', '')
    if (route === path) return refused(404, 'Not Found')
    if (route === 'users') return paged([...self.people.values()].map(shownPerson), query)
    if (route.startsWith('media/')) {
      const found = media.get(decodeURIComponent(route.slice('media/'.length)))
      return found === undefined ? refused(404, 'Not Found') : { json: found }
    }
    if (route !== 'history') return refused(404, 'Not Found')
    const userId = query.get('user_id')
    const found = self.plays
      .filter((one) => userId === null || one.userId === userId)
      .filter((one) => query.get('watched') !== 'true' || one.watched)
      .toSorted((a, b) => b.startedMs - a.startedMs || b.id.localeCompare(a.id))
    return paged(found.map(shown), query)
  })

  /** The cursor names the last row of a page, so that a new play moves no other. */
  function paged(rows: readonly { readonly id: string }[], query: URLSearchParams): Reply {
    const size = Number(query.get('pageSize') ?? 25)
    if (size > MOST_OF_A_PAGE || size < 1) return refused(400, 'Bad Request')
    const cursor = query.get('cursor')
    const from = cursor === null ? 0 : rows.findIndex(({ id }) => btoa(id) === cursor) + 1
    const data = rows.slice(from, from + size)
    const isLast = from + size >= rows.length
    return { json: { data, meta: { nextCursor: isLast ? null : btoa(data.at(-1)!.id), pageSize: size } } }
  }

  const shownPerson = (person: Person) => ({ ...person, plex_account_id: null, trust_score: 100 })
  const time = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString())
  function shown({ id, userId, media_type, media: of, show, season = null, episode = null, ...play }: PlayRecord) {
    return {
      ...{ id, reference_id: id, media_type, media_title: of.title, media_id: of.id },
      ...{ server_name: 'Home', server_type: 'jellyfin', state: play.stoppedMs === null ? 'playing' : 'stopped' },
      ...{ show_title: show?.title ?? null, show_media_id: show?.id ?? null },
      ...{ season_number: season, episode_number: episode, year: of.year },
      ...{ imdb_id: of.imdb_id, tmdb_id: of.tmdb_id, tvdb_id: of.tvdb_id },
      ...{
        started_at: time(play.startedMs),
        stopped_at: time(play.stoppedMs),
        watched: play.watched,
        segment_count: 1,
      },
      user: { id: userId, server_user_id: `at-${userId}`, username: self.people.get(userId)?.username ?? null },
    }
  }

  const self: Tracearr = {
    ...server,
    apiKey: 'trr_pub_0a1b2c3d4e5f60718293',
    isOrphaned: false,
    people: new Map(),
    plays: [],
    addPerson(username, email) {
      const made = { id: uuid(), username, email: email ?? null, accounts: [{ server_type: 'plex', username }] }
      self.people.set(made.id, made)
      return made
    },
    addMedia(entry) {
      const id = uuid()
      const none = { title: `Title ${last}`, year: null, imdb_id: null, tmdb_id: null, tvdb_id: null }
      const made = { ...none, ...entry, id }
      media.set(id, made)
      return made
    },
    play(userId, stoppedMs, play) {
      const made = { startedMs: stoppedMs - 3_600_000, stoppedMs, watched: true, ...play, id: uuid(), userId }
      self.plays.push(made)
      return made
    },
  }
  return self
}
