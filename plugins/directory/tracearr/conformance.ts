// Plays Tracearr for the conformance kit: two people of one installation.
import type { Item } from '@playhead/sdk'
import type { Adapter, Person } from '@playhead/sdk/testing/conformance'
import { type MediaEntry, startTracearr } from './stand-in.ts'

const START_MS = Date.parse('2025-01-02T18:00:00Z')
const HOUR_MS = 3_600_000

const adapter: Adapter = {
  async start() {
    const tracearr = await startTracearr()
    const people = [tracearr.addPerson('ann'), tracearr.addPerson('bob')]
    const idOf = (person: Person) => people[person]!.id
    let [count, hours] = [0, 0]
    let show: MediaEntry | undefined

    /** Films and episodes in turn, a special as the first of each show. */
    function seed(person: Person): void {
      count += 1
      const atMs = START_MS + ++hours * HOUR_MS
      if (count % 2 === 1) {
        const media = tracearr.addMedia({ imdb_id: `tt${4_000_000 + count}`, tmdb_id: 700_000 + count, year: 1999 })
        tracearr.play(idOf(person), atMs, { media_type: 'movie', media })
        return
      }
      const place = (count / 2 - 1) % 8
      if (show === undefined || place === 0) show = tracearr.addMedia({ tvdb_id: 90_000 + count, year: 2001 })
      const media = tracearr.addMedia({ tvdb_id: 5_000_000 + count })
      const numbers = place === 0 ? { season: 0, episode: 1 } : { season: 1, episode: place }
      tracearr.play(idOf(person), atMs, { media_type: 'episode', media, show, ...numbers })
    }

    const rows = (person: Person): readonly Item[] =>
      tracearr.plays
        .filter(({ userId }) => userId === idOf(person))
        .map(({ media, media_type: type, show: of, season, episode, stoppedMs }): Item => {
          const watched = { watched: true, watched_at: new Date(stoppedMs!).toISOString() }
          if (type === 'movie')
            return {
              ...{ type: 'movie', title: media.title, year: 1999 },
              ...{ ids: { imdb: media.imdb_id!, tmdb: String(media.tmdb_id) }, ...watched },
            }
          return {
            ...{ type: 'episode', title: media.title, ids: { tvdb: String(media.tvdb_id) } },
            ...{ show_ids: { tvdb: String(of!.tvdb_id) }, series_title: of!.title, series_year: 2001 },
            ...{ season: season!, episode: episode!, ...watched },
          }
        })

    return {
      services: [tracearr],
      config: { page_size: 10 },
      async signIn(host, instance, person) {
        const payload = { server: tracearr.url, api_key: tracearr.apiKey, user: people[person]!.username }
        const url = `/api/tracearr/save?instance=${instance}`
        const { statusCode, body } = await host.inject({ method: 'POST', url, payload })
        if (statusCode !== 200) throw new Error(`the sign-in was answered with ${statusCode}: ${body}`)
      },
      async signInWrongly(host, instance) {
        const payload = { server: tracearr.url, api_key: 'trr_pub_not-the-key', user: 'ann' }
        await host.inject({ method: 'POST', url: `/api/tracearr/save?instance=${instance}`, payload })
      },
      seed(person, _feature, wanted) {
        for (let at = 0; at < wanted; at += 1) seed(person)
      },
      takeOff(person) {
        const play = tracearr.plays.find(({ userId }) => userId === idOf(person))
        tracearr.plays = tracearr.plays.filter((one) => one !== play)
      },
      fresh: () => [],
      count: (person) => rows(person).length,
      rows,
      secrets: () => [tracearr.apiKey, 'trr_pub_not-the-key'],
      revoke: (person) => void tracearr.people.delete(idOf(person)),
      close: () => tracearr.close(),
    }
  },
}

export default adapter
