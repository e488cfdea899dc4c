// Simulates an Acme server for the conformance kit and the plugin's own test.
import type { Item } from '@playhead/sdk'
import type { Reply } from '@playhead/sdk/testing'
import { startFaultyServer, type Adapter, type FaultyServer, type Person } from '@playhead/sdk/testing/conformance'

// The lists that Acme keeps: their kinds, and a value for a new row. One for each feature that the plugin declares.
const LISTS: Readonly<Record<string, { readonly kinds: readonly string[]; readonly value: Partial<Item> }>> = {
  ratings: { kinds: ['movie', 'show'], value: { rating: 7, rated_at: '2025-03-04T05:06:07Z' } },
}

/** Rows by imdb id, of each list. */
type Lists = Readonly<Record<string, Map<string, Item>>>

export interface Service extends FaultyServer {
  /** Keys of the two users. */
  readonly keys: string[]
  /** Lists of the two users. */
  readonly lists: readonly [Lists, Lists]
}

/** The movies and shows that Acme knows, from `tt1000000` on. */
const workOf = (index: number): Item => ({
  type: index % 2 === 0 ? 'movie' : 'show',
  ids: { imdb: `tt${1_000_000 + index}` },
})
const isKnown = (imdb: unknown): imdb is string => typeof imdb === 'string' && /^tt1\d{6}$/.test(imdb)
const emptyLists = (): Lists => Object.fromEntries(Object.keys(LISTS).map((name) => [name, new Map<string, Item>()]))
/** Without the times, which change nothing. */
const printOf = ({ rated_at: _ratedAt, added_at: _addedAt, ...value }: Item) => JSON.stringify(value)

export async function startService(): Promise<Service> {
  const keys = ['the-key-of-ann', 'the-key-of-bob']
  const lists: Service['lists'] = [emptyLists(), emptyLists()]
  const played = await startFaultyServer(({ method, path, query, headers, json }): Reply => {
    const user = keys.indexOf(String(headers['x-api-key']))
    const own = lists[user as Person]
    if (own === undefined) return { status: 401 }
    if (path === '/me') return { json: { id: String(user + 1), name: ['Ann', 'Bob'][user] } }
    const list = own[path.slice(1)]
    if (list === undefined) return { status: 404 }
    if (method === 'GET') {
      const [page, size] = [Number(query.get('page')), Number(query.get('size'))]
      const items = [...list.values()]
      return {
        json: {
          items: items.slice(page * size, (page + 1) * size),
          total: items.length,
          pages: Math.ceil(items.length / size),
        },
      }
    }
    const item = json() as Item
    const { imdb } = item.ids
    if (!isKnown(imdb)) return { status: 404 }
    if (method === 'DELETE') return { json: { changed: list.delete(imdb) } }
    const before = list.get(imdb)
    const changed = before === undefined || printOf(before) !== printOf(item)
    if (changed) list.set(imdb, item)
    return { json: { changed } }
  })
  return { ...played, keys, lists }
}

const adapter: Adapter = {
  async start() {
    const server = await startService()
    const keys = [...server.keys]
    let next = 0
    /** Unused works, alternating between the kinds of the list. */
    const fresh = (feature: string, count: number): readonly Item[] => {
      const { kinds = [], value = {} } = LISTS[feature] ?? {}
      const items: Item[] = []
      while (items.length < count) {
        const work = workOf(next++)
        if (kinds.includes(work.type)) items.push({ ...work, ...value })
      }
      return items
    }
    const listOf = (person: Person, feature: string) => server.lists[person][feature] ?? new Map<string, Item>()
    return {
      services: [server],
      config: { page_size: 10 },
      async signIn(host, instance, person) {
        const payload = { server: server.url, api_key: server.keys[person] }
        const { statusCode } = await host.inject({
          method: 'POST',
          url: `/api/acmeToken/save?instance=${instance}`,
          payload,
        })
        if (statusCode !== 200) throw new Error(`the sign-in was answered with ${statusCode}`)
      },
      async signInWrongly(host, instance) {
        const payload = { server: server.url, api_key: 'no-key-at-all' }
        await host.inject({ method: 'POST', url: `/api/acmeToken/save?instance=${instance}`, payload })
      },
      seed(person, feature, count) {
        for (const item of fresh(feature, count)) listOf(person, feature).set(String(item.ids.imdb), item)
      },
      takeOff(person, feature) {
        const [first = ''] = listOf(person, feature).keys()
        listOf(person, feature).delete(first)
      },
      fresh,
      unknown: (feature) => ({ type: 'movie', ids: { imdb: 'tt9999999' }, ...LISTS[feature]?.value }),
      count: (person, feature) => listOf(person, feature).size,
      rows: (person, feature) => [...listOf(person, feature).values()],
      secrets: () => [...keys, 'no-key-at-all'],
      revoke: (person) => void server.keys.splice(person, 1, `revoked-${person}`),
      close: () => server.close(),
    }
  },
}

export default adapter
