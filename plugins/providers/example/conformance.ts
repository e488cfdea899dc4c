// Plays a Shelf server, and tells the conformance kit how to use it. The test of the plugin plays with the same server.
import type { Item } from '@playhead/sdk'
import type { Reply } from '@playhead/sdk/testing'
import { startFaultyServer, type Adapter, type FaultyServer, type Person } from '@playhead/sdk/testing/conformance'

export interface Shelf extends FaultyServer {
  /** Keys of its two users. */
  readonly keys: string[]
  /** Ratings of a user, by imdb id. */
  readonly ratings: readonly [Map<string, Item>, Map<string, Item>]
}

/** What Shelf knows of films: those from `tt1000000` on. */
const filmOf = (index: number): Item => ({ type: 'movie', ids: { imdb: `tt${1_000_000 + index}` } })
const isKnown = (imdb: unknown): imdb is string => typeof imdb === 'string' && /^tt1\d{6}$/.test(imdb)

export async function startShelf(): Promise<Shelf> {
  const keys = ['the-key-of-ann', 'the-key-of-bob']
  const ratings: Shelf['ratings'] = [new Map(), new Map()]
  const server = await startFaultyServer(({ method, path, query, headers, json }): Reply => {
    const user = keys.indexOf(String(headers['x-api-key']))
    const shelf = ratings[user as Person]
    if (shelf === undefined) return { status: 401 }
    if (path === '/me') return { json: { id: String(user + 1), name: ['Ann', 'Bob'][user] } }
    if (path !== '/ratings') return { status: 404 }
    if (method === 'GET') {
      const [page, size] = [Number(query.get('page')), Number(query.get('size'))]
      const items = [...shelf.values()]
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
    if (method === 'DELETE') return { json: { changed: shelf.delete(imdb) } }
    const before = shelf.get(imdb)
    shelf.set(imdb, { ...before, ...item, rated_at: before?.rating === item.rating ? before?.rated_at : item.rated_at })
    return { json: { changed: before?.rating !== item.rating } }
  })
  return { ...server, keys, ratings }
}

const adapter: Adapter = {
  async start() {
    const shelf = await startShelf()
    const keys = [...shelf.keys]
    let next = 0
    const fresh = (): Item => ({ ...filmOf(next++), rating: 7, rated_at: '2025-03-04T05:06:07Z' })
    return {
      services: [shelf],
      config: { page_size: 10 },
      async signIn(host, instance, person) {
        const payload = { server: shelf.url, api_key: shelf.keys[person] }
        const { statusCode } = await host.inject({
          method: 'POST',
          url: `/api/example/save?instance=${instance}`,
          payload,
        })
        if (statusCode !== 200) throw new Error(`the sign-in was answered with ${statusCode}`)
      },
      async signInWrongly(host, instance) {
        const payload = { server: shelf.url, api_key: 'no-key-at-all' }
        await host.inject({ method: 'POST', url: `/api/example/save?instance=${instance}`, payload })
      },
      seed(person, _feature, count) {
        for (const item of Array.from({ length: count }, fresh)) shelf.ratings[person].set(String(item.ids.imdb), item)
      },
      takeOff(person) {
        const [first = ''] = shelf.ratings[person].keys()
        shelf.ratings[person].delete(first)
      },
      fresh: (_feature, count) => Array.from({ length: count }, fresh),
      unknown: () => ({ type: 'movie', ids: { imdb: 'tt9999999' }, rating: 5 }),
      count: (person) => shelf.ratings[person].size,
      secrets: () => [...keys, 'no-key-at-all'],
      revoke: (person) => void shelf.keys.splice(person, 1, `revoked-${person}`),
      close: () => shelf.close(),
    }
  },
}

export default adapter
