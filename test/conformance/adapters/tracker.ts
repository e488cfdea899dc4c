// Playhead's own tracker for the conformance kit. There is no service behind it: two of its profiles are the people.
import type { Feature, Item, ItemKind } from '@playhead/sdk'
import type { Adapter, Person } from '@playhead/sdk/testing/conformance'
import type { TestHost } from '@playhead/sdk/testing'
import { providerOf } from '../../stands/client.ts'
import { freshItem, KINDS, mixedStock } from './kit.ts'

const BATCH = 250
const PARTS = 80
const TAKEN: { readonly [feature in Feature]?: readonly ItemKind[] } = {
  watchlist: KINDS.all,
  history: KINDS.all,
  ratings: KINDS.all,
  progress: KINDS.played,
}

const adapter: Adapter = {
  leaveOut: { 'reads.taken-off': 'its people use nothing but Playhead itself' },
  async start({ size }) {
    const profiles = new Map<Person, { readonly host: TestHost; readonly instance: string }>()
    const shows = Array.from({ length: PARTS }, (_, index) => ({
      series_title: `Show ${index}`,
      show_ids: { tvdb: String(3_000_000 + index) },
    }))
    const stock = mixedStock<Item>({
      movie: Array.from({ length: size + 8 }, (_, index) => ({
        type: 'movie',
        title: `Film ${index}`,
        ids: { imdb: `tt${2_000_000 + index}` },
      })),
      show: shows.map(({ series_title: title, show_ids: ids }) => ({ type: 'show', title, ids })),
      season: shows.map((show, index) => ({ type: 'season', ...show, ids: {}, season: index % 3 })),
      episode: shows.map((show, index) => ({ type: 'episode', ...show, ids: {}, season: index % 3, episode: 4 })),
    })
    let episode = 0
    const homeOf = (person: Person) => {
      const home = profiles.get(person)
      if (home === undefined) throw new Error(`person ${person} has no profile`)
      return { provider: providerOf(home.host, 'SVC'), instance: home.instance }
    }
    const fresh = (feature: Feature, count: number) =>
      stock(TAKEN[feature] ?? ['movie'], count).map((item) => freshItem(feature, item))

    return {
      services: [],
      config: {},
      async signIn(host, instance, person) {
        profiles.set(person, { host, instance })
      },
      async seed(person, feature, count) {
        const { provider, instance } = homeOf(person)
        for (let left = count; left > 0; left -= BATCH) {
          const items = fresh(feature, Math.min(left, BATCH)).map((item, index) => ({ key: `s${index}`, item }))
          await provider.write(instance, { feature, op: 'add', items })
        }
      },
      fresh,
      episodes: (feature, count) =>
        Array.from({ length: count }, () =>
          freshItem(feature, {
            type: 'episode',
            series_title: 'A long show',
            show_ids: { tvdb: '3999999' },
            ids: {},
            season: 1,
            episode: (episode += 1),
          }),
        ),
      async count(person, feature) {
        const { provider, instance } = homeOf(person)
        let rows = 0
        for await (const part of provider.read(instance, { feature }))
          if (part.type === 'rows') rows += part.rows.length
        return rows
      },
      secrets: () => [],
      close: async () => {},
    }
  },
}

export default adapter
