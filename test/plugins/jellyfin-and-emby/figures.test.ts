// slow: the whole service, or very many cases
// Costs of a run: read and write requests, concurrency, and memory for a large library.
import t from 'tap'
import type { ReadPart } from '@playhead/sdk'
import { PRODUCTS, signedIn } from './support.ts'

const LARGE = { movies: 2_000, shows: 125 }
const isWrite = ({ method, path }: { method: string; path: string }) =>
  method !== 'GET' && !path.includes('Authenticate')

for (const product of PRODUCTS) {
  t.test(`${product}: a read of 4,000 items, half of them watched, takes at most ten requests`, async (t) => {
    await using account = await signedIn(product, { ...LARGE, activity: 0.5 })
    account.requests()
    await account.provider.probe('default')
    for (const feature of ['history', 'progress', 'watchlist'] as const)
      t.equal((await account.read(feature)).end.complete, true)
    const first = account.requests()
    await account.provider.probe('default')
    for (const feature of ['history', 'progress', 'watchlist'] as const) await account.read(feature)
    t.comment(`${first} requests, then ${account.requests()}`)
    t.ok(first <= 7)
  })
}

t.test('the plays of one server are written to another with one request each and at most twenty more', async (t) => {
  await using jellyfin = await signedIn('jellyfin', { ...LARGE, activity: 0.5 })
  await using emby = await signedIn('emby', { ...LARGE, latencyMs: 2 })
  const { rows } = await jellyfin.read('history')
  const known = await emby.read('history')
  t.same(known.rows, [])
  emby.requests()
  const outcomes: string[] = []
  const writeFrom = async (start: number) => {
    const items = rows.slice(start, start + 200).map(({ native: _, ...item }, index) => ({ key: String(index), item }))
    const told = await emby.provider.write('default', { feature: 'history', op: 'add', items })
    outcomes.push(...told.outcomes.map(({ outcome }) => outcome))
  }
  // As the engine does, because the batches may overlap.
  for (let start = 0; start < rows.length; start += 400) await Promise.all([writeFrom(start), writeFrom(start + 200)])
  t.equal(outcomes.length, rows.length)
  const written = emby.server.count(isWrite)
  const more = emby.requests() - written
  t.comment(`${rows.length} rows, ${written} writes, ${more} other requests`)
  t.ok(outcomes.every((outcome) => outcome === 'applied'))
  t.ok(more <= 15)
  // A film with two copies is marked twice.
  t.ok(written <= rows.length * 1.05)
  t.ok(emby.server.maxInFlight() <= 8)
  t.ok(emby.server.maxInFlight() >= 4)
  const sorted = (items: typeof rows) =>
    items.map(({ ids, watched_at: at }) => `${ids.imdb ?? ids.tvdb} ${at}`).toSorted()
  t.same(new Set(sorted((await emby.read('history')).rows)), new Set(sorted(rows)))
  emby.requests()
  const again = await emby.provider.write('default', {
    feature: 'history',
    op: 'add',
    items: [{ key: '0', item: rows[0]! }],
  })
  t.same([again.outcomes[0]?.outcome, emby.server.count(isWrite)], ['already', written], 'a second time writes nothing')
})

t.test('20,000 rows are read in pages, with little memory', async (t) => {
  await using account = await signedIn('jellyfin', { movies: 20_000, shows: 0 })
  const { server } = account
  for (const { id } of server.items('Movie')) server.actions.markPlayed('sam', id, 1_750_000_000_000)
  account.requests()
  let rows = 0
  let largest = 0
  let end: ReadPart | undefined
  let peak = 0
  const before = process.memoryUsage().heapUsed
  for await (const part of account.provider.read('default', { feature: 'history' })) {
    if (part.type === 'end') end = part
    else {
      rows += part.rows.length
      largest = Math.max(largest, part.rows.length)
    }
    peak = Math.max(peak, process.memoryUsage().heapUsed - before)
  }
  t.match(end, { end: { complete: true } })
  t.ok(rows > 19_000)
  t.ok(largest <= 2_500)
  t.ok(account.requests() <= 10)
  t.comment(`${rows} rows, heap grew by at most ${Math.round(peak / 2 ** 20)} MiB`)
  t.ok(peak < 150 * 2 ** 20, 'both ends of the wire are in this process')
})
