// Plays the accounts of two users for the conformance kit.
import type { Feature, Item } from '@playhead/sdk'
import type { Adapter, Person } from '@playhead/sdk/testing/conformance'
import { type Entry, startFloppy, type Title } from './stand-in.ts'

type Kind = 'movie' | 'show' | 'episode'
type Stored = 'watchlist' | 'history' | 'ratings' | 'progress'

const KINDS = {
  watchlist: ['movie', 'show'],
  history: ['movie', 'episode'],
  ratings: ['movie', 'show'],
  progress: ['movie', 'episode'],
} as const
const AT_MS = Date.parse('2025-03-04T02:06:07Z')
const EPISODES = 20
const LENGTH_S = 7_200

function itemOf({ media_type: type, media_id: id, title, ...numbers }: Title): Item {
  const ids = { tmdb: id }
  if (type === 'movie') return { type: 'movie', ids, title, year: 1999 }
  if (type === 'tv') return { type: 'show', ids, title, year: 2002 }
  const { season_number: season, episode_number: episode } = numbers
  return { type: 'episode', ids: {}, show_ids: ids, season: season!, episode: episode!, title }
}

function rowOf(feature: Feature, { title, status, score, end_date: end, created_at: at }: Entry): readonly Item[] {
  const kinds: readonly string[] = KINDS[feature as Stored]
  const item = itemOf(title)
  if (!kinds.includes(item.type)) return []
  if (feature === 'watchlist') return status === 0 ? [{ ...item, added_at: at }] : []
  if (feature === 'ratings') return score === null ? [] : [{ ...item, rating: Math.round(score) }]
  return status === 3 ? [{ ...item, watched: true, ...(end === null ? {} : { watched_at: end }) }] : []
}

const adapter: Adapter = {
  async start() {
    const floppy = await startFloppy()
    const { owners } = floppy
    let number = 500_000
    let minutes = 0
    const nextTime = () => new Date(AT_MS + ++minutes * 60_000).toISOString().replace('.000', '')
    const turns = new Map<Stored, { count: number; show: Title | undefined }>()

    /** The kinds in turn; of a show the specials first. */
    function next(feature: Stored): Title {
      const turn = turns.getOrInsertComputed(feature, () => ({ count: 0, show: undefined }))
      const kind: Kind = KINDS[feature][turn.count % 2]!
      const place = Math.floor(turn.count / 2) % EPISODES
      turn.count += 1
      if (kind === 'movie') return floppy.movie(String(++number))
      if (kind === 'show') return floppy.show(String(++number))
      if (place === 0 || turn.show === undefined) turn.show = floppy.show(String(++number))
      return floppy.episode(turn.show, place < 4 ? 0 : 1, place + 1)
    }
    function valued(feature: Feature, item: Item): Item {
      if (feature === 'watchlist') return item
      if (feature === 'history') return { ...item, watched_at: nextTime() }
      if (feature === 'ratings') return { ...item, rating: 7 }
      return { ...item, progress_ms: 1_800_000, duration_ms: LENGTH_S * 1_000 }
    }
    function rows(person: Person, feature: Feature): readonly Item[] {
      const { entries, positions } = owners[person]!
      if (feature !== 'progress') return entries.flatMap((entry) => rowOf(feature, entry))
      return positions.map(({ title, position_seconds: position, duration_seconds: length, updated_at: at }) => ({
        ...{ ...itemOf(title), progress_ms: position * 1_000, progress_at: at },
        ...(length === null ? {} : { duration_ms: length * 1_000 }),
      }))
    }

    return {
      services: [floppy],
      config: { page_size: 10 },
      async signIn(host, instance, person) {
        const [token] = owners[person]!.tokens
        const { statusCode, body } = await host.inject({
          method: 'POST',
          url: `/api/floppy/save?instance=${instance}`,
          payload: { server: floppy.url, api_token: token },
        })
        if (statusCode !== 200) throw new Error(`the sign-in was answered with ${statusCode}: ${body}`)
      },
      async signInWrongly(host, instance) {
        const payload = { server: floppy.url, api_token: 'flp_not-a-token-at-all' }
        await host.inject({ method: 'POST', url: `/api/floppy/save?instance=${instance}`, payload })
      },
      seed(person, feature, count) {
        const owner = owners[person]!
        for (let index = 0; index < count; index += 1) {
          const title = next(feature as Stored)
          const at = nextTime()
          if (feature === 'progress')
            floppy.stop(owner, title, 1_200, { duration_seconds: LENGTH_S, updated_at: at.replace('Z', '.123456Z') })
          else if (feature === 'history') floppy.enter(owner, title, { status: 3, end_date: at })
          else if (feature === 'watchlist') floppy.enter(owner, title, { status: 0, created_at: at })
          else floppy.enter(owner, title, { status: 2, score: 6.5 })
        }
      },
      takeOff(person, feature) {
        const owner = owners[person]!
        if (feature === 'progress') {
          owner.positions.shift()
          return
        }
        const entry = owner.entries.find((one) => rowOf(feature, one).length > 0)
        if (feature === 'ratings' && entry !== undefined) entry.score = null
        else owner.entries = owner.entries.filter((one) => one !== entry)
      },
      fresh: (feature, count) =>
        Array.from({ length: count }, () => {
          const title = next(feature as Stored)
          // Only what is in a library can be rated.
          if (feature === 'ratings') for (const owner of owners) floppy.enter(owner, title, { status: 2 })
          return valued(feature, itemOf(title))
        }),
      episodes(feature, count) {
        const show = floppy.show(String(++number))
        return Array.from({ length: count }, (_, index) => valued(feature, itemOf(floppy.episode(show, 2, index + 1))))
      },
      unknown: (feature) => valued(feature, { type: 'movie', ids: { tmdb: '99999999' }, title: 'No such movie' }),
      count: (person, feature) => rows(person, feature).length,
      rows,
      secrets: () => [...owners.flatMap(({ tokens }) => [...tokens]), 'flp_not-a-token-at-all'],
      revoke: (person) => owners[person]!.tokens.clear(),
      close: () => floppy.close(),
    }
  },
}

export default adapter
