// Playhead's own tracker for the conformance kit. There is no service behind it: people are two of its profiles.
import type { Feature, Item } from '@playhead/sdk'
import type { Adapter, Person } from '@playhead/sdk/testing/conformance'
import type { TestHost } from '@playhead/sdk/testing'
import { providerOf, stockOf, valued } from './support.ts'

const BATCH = 250

const adapter: Adapter = {
  leaveOut: { 'reads.taken-off': 'its people use nothing but Playhead itself' },
  async start({ size }) {
    const profiles = new Map<Person, { readonly host: TestHost; readonly instance: string }>()
    const stock = stockOf(
      Array.from(
        { length: size + 8 },
        (_, index): Item => ({ type: 'movie', title: `Film ${index}`, ids: { imdb: `tt${2_000_000 + index}` } }),
      ),
    )
    const homeOf = (person: Person) => {
      const home = profiles.get(person)
      if (home === undefined) throw new Error(`person ${person} has no profile`)
      return { provider: providerOf(home.host, 'SVC'), instance: home.instance }
    }
    const fresh = (feature: Feature, count: number) => stock.take(count).map((item) => valued(feature, item))

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
