// Simulates an Acme server for the conformance kit and the plugin's own test.
import type { Item } from '@playhead/sdk'
import type { Reply } from '@playhead/sdk/testing'
import { startFaultyServer, type Adapter, type FaultyServer, type Person } from '@playhead/sdk/testing/conformance'

export interface Service extends FaultyServer {
  /** Keys of the two users. */
  readonly keys: string[]
  /** Ratings of a user, by imdb id. */
  readonly ratings: readonly [Map<string, Item>, Map<string, Item>]
}

/** The movies and shows that Acme knows, from `tt1000000` on; kinds alternate between all that the plugin declares. */
const workOf = (index: number): Item => ({
  type: index % 2 === 0 ? 'movie' : 'show',
  ids: { imdb: `tt${1_000_000 + index}` },
})
const isKnown = (imdb: unknown): imdb is string => typeof imdb === 'string' && /^tt1\d{6}$/.test(imdb)

export async function startService(): Promise<Service> {
  const keys = ['the-key-of-ann', 'the-key-of-bob']
  const ratings: Service['ratings'] = [new Map(), new Map()]
  const played = await startFaultyServer(({ method, path, query, headers, json }): Reply => {
    const user = keys.indexOf(String(headers['x-api-key']))
    const own = ratings[user as Person]
    if (own === undefined) return { status: 401 }
    if (path === '/me') return { json: { id: String(user + 1), name: ['Ann', 'Bob'][user] } }
    if (path !== '/ratings') return { status: 404 }
    if (method === 'GET') {
      const [page, size] = [Number(query.get('page')), Number(query.get('size'))]
      const items = [...own.values()]
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
    if (method === 'DELETE') return { json: { changed: own.delete(imdb) } }
    const before = own.get(imdb)
    own.set(imdb, { ...before, ...item, rated_at: before?.rating === item.rating ? before?.rated_at : item.rated_at })
    return { json: { changed: before?.rating !== item.rating } }
  })
  return { ...played, keys, ratings }
}

const adapter: Adapter = {
  async start() {
    const server = await startService()
    const keys = [...server.keys]
    let next = 0
    const fresh = (): Item => ({ ...workOf(next++), rating: 7, rated_at: '2025-03-04T05:06:07Z' })
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
      seed(person, _feature, count) {
        for (const item of Array.from({ length: count }, fresh)) server.ratings[person].set(String(item.ids.imdb), item)
      },
      takeOff(person) {
        const [first = ''] = server.ratings[person].keys()
        server.ratings[person].delete(first)
      },
      fresh: (_feature, count) => Array.from({ length: count }, fresh),
      unknown: () => ({ type: 'movie', ids: { imdb: 'tt9999999' }, rating: 5 }),
      count: (person) => server.ratings[person].size,
      rows: (person) => [...server.ratings[person].values()],
      secrets: () => [...keys, 'no-key-at-all'],
      revoke: (person) => void server.keys.splice(person, 1, `revoked-${person}`),
      close: () => server.close(),
    }
  },
}

export default adapter
