// Plays the diaries of two members for the conformance kit.
import type { Feature, Item } from '@playhead/sdk'
import type { Adapter, Person } from '@playhead/sdk/testing/conformance'
import { type DiaryEntry, startLetterboxd } from './stand-in.ts'

const MEMBERS = ['ann_films', 'bob'] as const
const FIRST_MS = Date.parse('2024-01-01T00:00:00Z')
const DAY_MS = 86_400_000

const adapter: Adapter = {
  async start() {
    const letterboxd = await startLetterboxd(MEMBERS)
    let number = 0

    function entry(feature: Feature): Omit<DiaryEntry, 'id'> {
      const n = ++number
      const day = new Date(FIRST_MS + (n % 300) * DAY_MS).toISOString().slice(0, 10)
      // Series have ratings, and no plays.
      const work = feature === 'ratings' && n % 3 === 0 ? { tvId: 70_000 + n } : { movieId: 500_000 + n }
      const rated = feature === 'ratings' ? { halfStars: (n % 10) + 1 } : {}
      return { title: `Film ${n} & Söhne`, year: 1999, watched: day, ...work, ...rated }
    }
    function rows(person: Person, feature: Feature): readonly Item[] {
      return letterboxd.shown(MEMBERS[person]).flatMap(({ title, year, movieId, tvId, watched, halfStars }): Item[] => {
        const [type, id] = movieId === undefined ? (['show', tvId] as const) : (['movie', movieId] as const)
        const item: Item = { type, ids: { tmdb: String(id) }, title, year: year! }
        if (feature === 'ratings') return halfStars === undefined ? [] : [{ ...item, rating: halfStars }]
        return type === 'movie' ? [{ ...item, watched: true, watched_at: watched! }] : []
      })
    }

    return {
      services: [letterboxd],
      config: { base_url: letterboxd.url },
      async signIn(host, instance, person) {
        const { statusCode, body } = await host.inject({
          method: 'POST',
          url: `/api/letterboxd/save?instance=${instance}`,
          payload: { username: MEMBERS[person] },
        })
        if (statusCode !== 200) throw new Error(`the sign-in was answered with ${statusCode}: ${body}`)
      },
      async signInWrongly(host, instance) {
        const payload = { username: 'no_such_member' }
        await host.inject({ method: 'POST', url: `/api/letterboxd/save?instance=${instance}`, payload })
      },
      seed(person, feature, count) {
        for (let index = 0; index < count; index += 1) letterboxd.log(MEMBERS[person], entry(feature))
      },
      takeOff(person, feature) {
        const diary = letterboxd.diaries.get(MEMBERS[person])!
        const at = diary.findIndex(({ movieId, halfStars }) =>
          feature === 'ratings' ? halfStars !== undefined : movieId !== undefined,
        )
        diary.splice(at, 1)
      },
      fresh: () => [],
      count: (person, feature) => rows(person, feature).length,
      rows,
      secrets: () => [],
      close: () => letterboxd.close(),
    }
  },
}

export default adapter
