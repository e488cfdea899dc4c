// Plays Jellystat and its media server for the conformance kit: two people of one server.
import type { Item } from '@playhead/sdk'
import type { Adapter, Person } from '@playhead/sdk/testing/conformance'
import { type MediaItem, startJellystat } from './stand-in.ts'

const IDS = ['0a5e0000000000000000000000000001', '0a5e0000000000000000000000000002'] as const
const START_MS = Date.parse('2025-01-02T18:00:00Z')
const HOUR_MS = 3_600_000

const adapter: Adapter = {
  async start() {
    const service = await startJellystat()
    const { stats, media } = service
    service.users.set(IDS[0], 'ann').set(IDS[1], 'bob')
    let [count, hours] = [0, 0]
    let show: MediaItem | undefined

    /** Films and episodes in turn, a special as the first of each show. */
    function nextWork(): MediaItem {
      count += 1
      if (count % 2 === 1) {
        const providerIds = { Imdb: `tt${4_000_000 + count}`, Tmdb: String(700_000 + count) }
        return service.addItem({ type: 'Movie', providerIds, year: 1999, length: 6_000 })
      }
      const place = (count / 2 - 1) % 8
      if (show === undefined || place === 0)
        show = service.addItem({ type: 'Series', providerIds: { Tvdb: String(90_000 + count) }, year: 2001 })
      const numbers = place === 0 ? { season: 0, episode: 1 } : { season: 1, episode: place }
      return service.addItem({
        type: 'Episode',
        providerIds: { Tvdb: String(5_000_000 + count) },
        length: 2_700,
        series: show.id,
        ...numbers,
      })
    }

    function rows(person: Person): readonly Item[] {
      const own = service.log.filter(({ userId }) => userId === IDS[person])
      return [...Map.groupBy(own, ({ item }) => item).entries()].map(([item, entries]): Item => {
        const watched = {
          watched: true,
          watched_at: new Date(Math.max(...entries.map(({ atMs }) => atMs))).toISOString(),
        }
        if (item.type === 'Movie') {
          const { Imdb: imdb, Tmdb: tmdb } = item.providerIds
          return { type: 'movie', title: item.name, year: 1999, ids: { imdb: imdb!, tmdb: tmdb! }, ...watched }
        }
        const series = service.items.get(item.series!)!
        return {
          type: 'episode',
          title: item.name,
          ids: { tvdb: item.providerIds['Tvdb']! },
          show_ids: { tvdb: series.providerIds['Tvdb']! },
          series_title: series.name,
          series_year: 2001,
          season: item.season!,
          episode: item.episode!,
          ...watched,
        }
      })
    }

    return {
      services: [stats, media],
      config: { page_size: 10 },
      async signIn(host, instance, person) {
        const payload = {
          ...{ server: stats.url, api_key: service.apiKey, media_server: media.url, media_key: service.mediaKey },
          user: person === 0 ? 'ann' : 'bob',
        }
        const url = `/api/jellystat/save?instance=${instance}`
        const { statusCode, body } = await host.inject({ method: 'POST', url, payload })
        if (statusCode !== 200) throw new Error(`the sign-in was answered with ${statusCode}: ${body}`)
      },
      async signInWrongly(host, instance) {
        const payload = {
          ...{ server: stats.url, api_key: 'not-the-key-of-jellystat', media_server: media.url },
          ...{ media_key: service.mediaKey, user: 'ann' },
        }
        await host.inject({ method: 'POST', url: `/api/jellystat/save?instance=${instance}`, payload })
      },
      seed(person, _feature, wanted) {
        for (let at = 0; at < wanted; at += 1) {
          const work = nextWork()
          const atMs = START_MS + ++hours * HOUR_MS
          // Every third took two evenings.
          if (count % 3 === 0) {
            service.watch(IDS[person], work, atMs - 20 * HOUR_MS, work.length! * 0.6)
            service.watch(IDS[person], work, atMs, work.length! * 0.4)
          } else service.watch(IDS[person], work, atMs)
        }
      },
      takeOff(person) {
        const { item } = service.log.find(({ userId }) => userId === IDS[person])!
        service.log = service.log.filter((one) => one.item !== item || one.userId !== IDS[person])
      },
      fresh: () => [],
      count: (person) => rows(person).length,
      rows,
      secrets: () => [service.apiKey, service.mediaKey, 'not-the-key-of-jellystat'],
      revoke: (person) => void service.users.delete(IDS[person]),
      // Its log is asked for with POST.
      isWrite: () => false,
      close: () => service.close(),
    }
  },
}

export default adapter
