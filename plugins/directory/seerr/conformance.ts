// Plays Seerr for the conformance kit: two people of one installation, who ask with its API key.
import type { Item } from '@playhead/sdk'
import type { Adapter, Person } from '@playhead/sdk/testing/conformance'
import { startSeerr, type Work } from './stand-in.ts'

const SPARE = 60
/** The first user is the owner. */
const userOf = (person: Person) => person + 2

const adapter: Adapter = {
  async start({ size }) {
    const seerr = await startSeerr()
    const people = [seerr.addPerson({ jellyfinUsername: 'ann' }), seerr.addPerson({ jellyfinUsername: 'bob' })]
    const works = Array.from({ length: size + SPARE }, (_, at): Work => {
      const facts = { tmdb: 400_000 + at, imdb: `tt${2_000_000 + at}` }
      return at % 2 === 0
        ? seerr.addWork({ kind: 'movie', ...facts })
        : seerr.addWork({ kind: 'tv', ...facts, tvdb: 80_000 + at })
    })
    const byKey = new Map(works.map((work) => [`${work.kind}/${work.tmdb}`, work]))
    let [next, seeds] = [0, 0]

    const itemOf = ({ kind, tmdb, imdb, tvdb, title }: Work): Item => ({
      type: kind === 'tv' ? 'show' : 'movie',
      title,
      ids: { tmdb: String(tmdb), ...(kind === 'tv' ? { tvdb: String(tvdb) } : { imdb: imdb! }) },
    })
    function rows(person: Person): readonly Item[] {
      const user = userOf(person)
      const asked = seerr.requestsMade
        .filter(({ userId }) => userId === user)
        .map(({ media, createdAt }) => ({
          ...itemOf(byKey.get(`${media.kind}/${media.tmdbId}`)!),
          added_at: createdAt,
        }))
      const listed = seerr.listed
        .filter(({ userId }) => userId === user)
        .map(({ kind, tmdbId, createdAt }) => {
          const { type, title } = itemOf(byKey.get(`${kind}/${tmdbId}`)!)
          return { type, title: title!, ids: { tmdb: String(tmdbId) }, added_at: createdAt } satisfies Item
        })
      return [...asked, ...listed]
    }

    return {
      services: [seerr],
      config: { page_size: 10 },
      async signIn(host, instance, person) {
        const payload = { server: seerr.url, api_key: seerr.apiKey, user: people[person]!.jellyfinUsername }
        const { statusCode, body } = await host.inject({
          method: 'POST',
          url: `/api/seerr/save?instance=${instance}`,
          payload,
        })
        if (statusCode !== 200) throw new Error(`the sign-in was answered with ${statusCode}: ${body}`)
      },
      async signInWrongly(host, instance) {
        const payload = { server: seerr.url, api_key: 'not-the-key-of-seerr', user: 'ann' }
        await host.inject({ method: 'POST', url: `/api/seerr/save?instance=${instance}`, payload })
      },
      seed(person, _feature, count) {
        for (let at = 0; at < count; at += 1) {
          const work = works[next++]!
          // Every fifth is only on the watchlist.
          if (++seeds % 5 === 0) seerr.list(userOf(person), work)
          else seerr.ask(userOf(person), work)
        }
      },
      takeOff(person) {
        const request = seerr.requestsMade.find(({ userId }) => userId === userOf(person))!
        seerr.requestsMade = seerr.requestsMade.filter((one) => one !== request)
      },
      fresh(_feature, count) {
        next += count
        return works.slice(next - count, next).map(itemOf)
      },
      unknown: () => ({ type: 'movie', title: 'Unknown', ids: { imdb: 'tt9999999' } }),
      count: (person) => rows(person).length,
      rows,
      secrets: () => [seerr.apiKey, 'not-the-key-of-seerr'],
      revoke: (person) => void seerr.people.delete(userOf(person)),
      close: () => seerr.close(),
    }
  },
}

export default adapter
