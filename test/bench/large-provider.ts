// Two providers as plugins of the bench, each with 100,000 generated films, so that only the engine is measured.
const source = (
  id: string,
  first: number,
  count = 100_000,
  feature: 'history' | 'watchlist' = 'history',
  shift = 0,
) => `import { definePlugin, providerCapability } from '@playhead/sdk'

const COUNT = ${count}
const FIRST = ${first}
// From the second read on, the account has other films.
const SHIFT = ${shift}
let reads = 0
const PAGE = 1_000
const SUPPORT = { ${feature}: { read: true, add: true, update: false, remove: true, kinds: ['movie'], maxBatch: 500 } }
// Watch times by film number, so that storing films is not the larger part of what is measured.
const added = new Map()

function film(index, atMs = 1_500_000_000_000 + index * 1_000_000) {
  return {
    type: 'movie', title: 'A film with number ' + index, year: 1950 + (index % 70),
    ids: { tmdb: String(1_000_000 + index), imdb: 'tt' + (2_000_000 + index) },
    ${feature === 'history' ? 'watched: true, watched_at' : 'added_at'}: new Date(atMs).toISOString().slice(0, 19) + 'Z', native: { item_id: 'item-' + index },
  }
}

export default definePlugin({
  setup(ctx) {
    ctx.provide(providerCapability('${id}'), {
      describe: () => ({
        id: '${id}', token: '${id.toLowerCase()}', label: '${id}', version: '1.0.0', vendor: null, description: null, group: 'other', features: SUPPORT, bidirectional: true,
        signIn: { flow: 'local', methods: ['local'], fields: [], actions: { start: false, finish: false, refresh: false, disconnect: false }, verifyUrl: null, notes: null },
      }),
      profiles: () => [{ id: 'default', label: '', configured: true, fingerprint: 'same' }],
      probe: async () => ({ status: 'ok', account: '${id}/user' }),
      libraries: async () => [],
      async *read() {
        const first = FIRST + (reads++ === 0 ? 0 : SHIFT)
        for (let at = 0; at < COUNT; at += PAGE) {
          await new Promise((resolve) => setImmediate(resolve))
          yield { type: 'rows', rows: Array.from({ length: PAGE }, (_, index) => film(first + at + index)), total: COUNT + added.size }
        }
        const more = [...added]
        for (let at = 0; at < more.length; at += PAGE) {
          await new Promise((resolve) => setImmediate(resolve))
          yield { type: 'rows', rows: more.slice(at, at + PAGE).map(([index, atMs]) => film(index, atMs)) }
        }
        yield { type: 'end', end: { complete: true, semantics: 'present', account: '${id}/user', total: COUNT + added.size } }
      },
      async write(_instance, { op, items }) {
        await new Promise((resolve) => setImmediate(resolve))
        for (const { item } of items) if (op === 'add') added.set(Number(item.ids.tmdb) - 1_000_000, Date.parse(${feature === 'history' ? 'item.watched_at' : 'item.added_at'} ?? '1970-01-01T00:00:00Z'))
        return { outcomes: items.map(({ key }) => ({ key, outcome: 'applied' })) }
      },
    })
  },
})
`

const manifest = (id: string) =>
  JSON.stringify({
    id: id.toLowerCase(),
    name: id,
    version: '1.0.0',
    api: '^1.0.0',
    kind: 'provider',
    // The same as for shipped providers.
    isolation: 'none',
    provides: [`provider:${id}`],
    provider: { id, token: id.toLowerCase(), label: id },
  })

/** Files by plugin and name. */
export const LARGE_PROVIDER: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  largea: { 'plugin.json': manifest('LARGEA'), 'index.ts': source('LARGEA', 0) },
  largeb: { 'plugin.json': manifest('LARGEB'), 'index.ts': source('LARGEB', 10_000) },
}

/** A full account, and an empty one that receives everything. */
export const FILLING_PROVIDER: typeof LARGE_PROVIDER = {
  largea: { 'plugin.json': manifest('LARGEA'), 'index.ts': source('LARGEA', 0) },
  largeb: { 'plugin.json': manifest('LARGEB'), 'index.ts': source('LARGEB', 0, 0) },
}

/** Two accounts with the same films on their watchlists. */
export const watchlistProviders = (count: number): typeof LARGE_PROVIDER => ({
  largea: { 'plugin.json': manifest('LARGEA'), 'index.ts': source('LARGEA', 0, count, 'watchlist') },
  largeb: { 'plugin.json': manifest('LARGEB'), 'index.ts': source('LARGEB', 0, count, 'watchlist') },
})

/** One account, part of whose films is replaced after the first read. */
export const changingProvider = (count: number, changed: number): typeof LARGE_PROVIDER => ({
  largea: { 'plugin.json': manifest('LARGEA'), 'index.ts': source('LARGEA', 0, count, 'watchlist', changed) },
})
