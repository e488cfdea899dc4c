// Plays Kitsu with two people for the conformance kit.
import type { Feature, Item } from '@playhead/sdk'
import type { TestHost } from '@playhead/sdk/testing'
import type { Adapter, Person } from '@playhead/sdk/testing/conformance'
import { type KitsuAnime, type KitsuEntry, startKitsu } from './stand-in.ts'

type Marked = 'watchlist' | 'history' | 'ratings'
const KINDS = { watchlist: ['movie', 'show'], history: ['movie', 'episode'], ratings: ['movie', 'show'] } as const
const FILM = { subtype: 'movie', episodeCount: 1 }
const FINISHED = '2024-05-06T07:08:09.000Z'

function idsOf({ id, mappings }: KitsuAnime): Item['ids'] {
  const mal = mappings['myanimelist/anime']
  return { kitsu: id, ...(mal === undefined ? {} : { mal }) }
}

/** A film or series as a row of the account. */
function workOf(anime: KitsuAnime): Item {
  const film = anime.subtype === 'movie' ? { film: true } : {}
  return { type: 'anime', title: anime.title, year: 2011, ids: idsOf(anime), ...film }
}

function episodeOf(anime: KitsuAnime, episode: number): Item {
  const show = { show_ids: idsOf(anime), series_title: anime.title, series_year: 2011 }
  return { type: 'episode', ids: {}, ...show, season: 1, episode }
}

function rowsOf(
  feature: Feature,
  anime: KitsuAnime,
  { status, rating, progress, finishedAt, createdAt }: KitsuEntry,
): Item[] {
  if (feature === 'watchlist') return status === 'planned' ? [{ ...workOf(anime), added_at: createdAt }] : []
  if (feature === 'ratings') return rating === null ? [] : [{ ...workOf(anime), rating: Math.round(rating / 2) }]
  if (anime.subtype === 'movie') {
    const at = finishedAt === null ? {} : { watched_at: finishedAt.replace('.000Z', 'Z') }
    return status === 'completed' ? [{ ...workOf(anime), watched: true, ...at }] : []
  }
  const seen = status === 'completed' ? (anime.episodeCount ?? progress) : progress
  return Array.from({ length: seen }, (_, index) => ({ ...episodeOf(anime, index + 1), watched: true }))
}

async function login(
  host: TestHost,
  instance: string,
  payload: object,
): Promise<{ readonly statusCode: number; readonly body: string }> {
  return host.inject({ method: 'POST', url: `/api/kitsu/login?instance=${instance}`, payload })
}

const adapter: Adapter = {
  async start() {
    const kitsu = await startKitsu()
    let made = 0
    let minutes = 0
    const seeded = new Map<string, KitsuAnime[]>()
    const next = (feature: Marked): { readonly kind: string; readonly anime: KitsuAnime } => {
      const kind = KINDS[feature][made++ % 2]!
      const mappings = { 'myanimelist/anime': String(60_000 + made), trakt: '5', 'thetvdb/series': '70001' }
      return { kind, anime: kitsu.addAnime({ ...(kind === 'movie' ? FILM : {}), mappings, nsfw: made % 5 === 0 }) }
    }
    const put = (person: Person, anime: KitsuAnime, attributes: Partial<KitsuEntry>) =>
      void kitsu.put(kitsu.people[person]!, anime, attributes)

    function valued(feature: Marked, item: Item): Item {
      if (feature === 'watchlist') return item
      if (feature === 'ratings') return { ...item, rating: 7 }
      const at = new Date(Date.parse('2025-03-04T12:00:07Z') + ++minutes * 60_000).toISOString()
      return { ...item, watched_at: at.replace('.000', '') }
    }
    const rows = (person: Person, feature: Feature) =>
      [...kitsu.entries.values()]
        .filter(({ userId }) => userId === kitsu.people[person]!.id)
        .flatMap((entry) => rowsOf(feature, kitsu.anime.get(entry.animeId)!, entry))
    const passwords = kitsu.people.map(({ password }) => password)

    return {
      services: [kitsu],
      config: { server: kitsu.url, page_size: 10, rate_limit: { get_per_sec: 0, post_per_sec: 0 } },
      async signIn(host, instance, person) {
        const { slug: username, password } = kitsu.people[person]!
        const { statusCode, body } = await login(host, instance, { username, password })
        if (statusCode !== 200) throw new Error(`the sign-in was answered with ${statusCode}: ${body}`)
      },
      async signInWrongly(host, instance) {
        await login(host, instance, { username: kitsu.people[0]!.email, password: 'not-the-password' })
      },
      seed(person, feature, count) {
        for (let index = 0; index < count; index += 1) {
          const { kind, anime } = next(feature as Marked)
          const history =
            kind === 'movie'
              ? { status: 'completed', progress: 1, finishedAt: FINISHED }
              : { status: 'current', progress: 1 }
          const marks = { watchlist: { status: 'planned' }, ratings: { status: 'on_hold', rating: 13 }, history }
          put(person, anime, marks[feature as Marked])
          seeded.getOrInsertComputed(`${person} ${feature}`, () => []).push(anime)
        }
      },
      takeOff(person, feature) {
        const anime = seeded.get(`${person} ${feature}`)?.shift()
        const entry = anime === undefined ? undefined : kitsu.entryOf(kitsu.people[person]!, anime)
        if (entry === undefined) return
        if (feature === 'watchlist') kitsu.entries.delete(entry.id)
        else Object.assign(entry, feature === 'ratings' ? { rating: null } : { status: 'current', progress: 0 })
      },
      fresh: (feature, count) =>
        Array.from({ length: count }, () => {
          const { kind, anime } = next(feature as Marked)
          // Only what is in a library can be rated.
          if (feature === 'ratings') for (const person of [0, 1] as const) put(person, anime, { status: 'on_hold' })
          return valued(feature as Marked, kind === 'episode' ? episodeOf(anime, 1) : workOf(anime))
        }),
      episodes(feature, count) {
        if (feature !== 'history') return []
        const anime = kitsu.addAnime({ episodeCount: 24 })
        return Array.from({ length: count }, (_, index) => valued('history', episodeOf(anime, index + 1)))
      },
      unknown: (feature) =>
        valued(feature as Marked, { type: 'anime', film: true, title: 'Never made', ids: { kitsu: '99999999' } }),
      count: (person, feature) => rows(person, feature).length,
      rows,
      secrets: () => [...kitsu.tokens(), ...passwords, 'not-the-password'],
      typed: () => [...passwords, 'not-the-password'],
      expire: (person) => kitsu.expire(kitsu.people[person]!),
      revoke: (person) => kitsu.revoke(kitsu.people[person]!),
      isRefresh: ({ path, body }) =>
        path.endsWith('/oauth/token') && body?.includes('grant_type=refresh_token') === true,
      isWrite: ({ method, path }) => method !== 'GET' && !path.endsWith('/oauth/token'),
      close: () => kitsu.close(),
    }
  },
}

export default adapter
