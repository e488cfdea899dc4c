// Reel for the conformance kit: actions of two people at the service.
import type { Feature, Item } from '@playhead/sdk'
import type { Adapter, Person } from '@playhead/sdk/testing/conformance'
import { episodesInOrder, nth, type Work } from './catalogue.ts'
import { type Entry, PEOPLE, startReel } from './service.ts'

const KINDS: Readonly<Record<string, readonly Work['kind'][]>> = {
  watchlist: ['movie', 'show'],
  history: ['movie', 'episode'],
  ratings: ['movie', 'show', 'season', 'episode'],
  progress: ['movie', 'episode'],
}
const FIRST_AT_S = 1_700_000_040
const RUNTIME_S = 6_000

const adapter: Adapter = {
  async start() {
    const reel = await startReel()
    const next: Record<string, number> = {}
    let series = 0
    let made = 0

    /** Unused works, alternating between the feature's kinds. */
    const works = (feature: Feature, count: number): readonly Work[] =>
      Array.from({ length: count }, () => {
        const kinds = KINDS[feature] ?? []
        const turn = (next[feature] ??= 0)
        next[feature] = turn + 1
        const kind = kinds[turn % kinds.length] as Work['kind']
        const index = (next[kind] ??= 0)
        next[kind] = index + 1
        return nth(kind, index)
      })
    const entryOf = (feature: Feature, work: Work): Entry => {
      const at = FIRST_AT_S + 60 * (made += 1)
      if (feature === 'ratings') return { work, at: made % 3 === 0 ? null : at, stars: 0.5 + (made % 10) / 2 }
      if (feature === 'progress') return { work, at, position: 60 * (1 + (made % 80)), runtime: RUNTIME_S }
      return { work, at }
    }
    const itemOf = (feature: Feature, { work, at, stars, position, runtime }: Entry): Item => {
      const { kind, title, year, ids, season, episode } = work
      const shared = Object.fromEntries(Object.entries(ids).map(([name, id]) => [name, String(id)]))
      const time = at === null ? undefined : new Date(at * 1_000).toISOString().replace('.000Z', 'Z')
      const field = { watchlist: 'added_at', history: 'watched_at', ratings: 'rated_at', progress: 'progress_at' }
      return {
        type: kind,
        ...(season === undefined
          ? { ids: shared, title, year }
          : { ids: {}, show_ids: shared, series_title: title, season }),
        ...(episode === undefined ? {} : { episode }),
        ...(feature === 'history' ? { watched: true } : {}),
        ...(stars === undefined ? {} : { rating: stars * 2 }),
        ...(position === undefined ? {} : { progress_ms: position * 1_000 }),
        ...(runtime === undefined ? {} : { duration_ms: runtime * 1_000 }),
        ...(time === undefined ? {} : { [field[feature as keyof typeof field]]: time }),
      }
    }
    const listOf = (person: Person, feature: Feature) => reel.lists[person][feature] ?? []
    const logIn = (url: string, person: Person) => ({
      server: url,
      username: PEOPLE[person].name,
      password: PEOPLE[person].password,
    })

    return {
      services: [reel],
      config: { page_size: 10, timeout_ms: 3_000 },
      async signIn(host, instance, person) {
        const { statusCode, body } = await host.inject({
          method: 'POST',
          url: `/api/reelToken/login?instance=${instance}`,
          payload: logIn(reel.url, person),
        })
        if (statusCode !== 200) throw new Error(`the sign-in was answered with ${statusCode}: ${body}`)
      },
      async signInWrongly(host, instance) {
        const payload = { ...logIn(reel.url, 0), password: 'not-the-password' }
        await host.inject({ method: 'POST', url: `/api/reelToken/login?instance=${instance}`, payload })
      },
      seed(person, feature, count) {
        for (const work of works(feature, count)) reel.put(person, feature, entryOf(feature, work))
      },
      takeOff: (person, feature) => reel.takeOff(person, feature),
      fresh: (feature, count) =>
        works(feature, count).map((work) => {
          const entry = entryOf(feature, work)
          return itemOf(feature, { ...entry, at: entry.at ?? FIRST_AT_S })
        }),
      episodes: (feature, count) =>
        episodesInOrder((series += 1), count).map((work) => {
          const entry = entryOf(feature, work)
          return itemOf(feature, { ...entry, at: entry.at ?? FIRST_AT_S })
        }),
      unknown: (feature) =>
        itemOf(feature, entryOf(feature, { ...nth('movie', 0), ids: { imdb: 'tt9999999', tmdb: 9_999_999 } })),
      count: (person, feature) => listOf(person, feature).length,
      rows: (person, feature) => listOf(person, feature).map((entry) => itemOf(feature, entry)),
      secrets: () => [...PEOPLE.map(({ password }) => password), 'not-the-password', ...reel.tokens],
      typed: () => PEOPLE.map(({ password }) => password),
      expire: (person) => reel.expire(person),
      revoke: (person) => reel.revoke(person),
      isRefresh: ({ path, body }) => path === '/token' && (body ?? '').includes('refresh_token'),
      isWrite: ({ method, path }) => method !== 'GET' && path !== '/token',
      close: () => reel.close(),
    }
  },
}

export default adapter
