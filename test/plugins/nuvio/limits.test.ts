// The limits of the service: refusals are retried later, an old service without the newest arguments still accepts writes, and
// the number of requests is counted.
import t from 'tap'
import { startBench } from './support.ts'

const AT_MS = Date.UTC(2026, 6, 1)
const watched = (index: number) => ({
  type: 'movie' as const,
  ids: { tmdb: String(index) },
  watched: true,
  watched_at: '2026-07-01T00:00:00Z',
})

t.test('a service that asks to wait gets the wait, and nothing is lost by it', async (t) => {
  await using bench = await startBench({ mostPerSecond: 3 })
  for (let index = 1; index <= 1_200; index += 1)
    bench.nuvio.user.put('library', { content_id: `tmdb:${index}`, content_type: 'movie', added_at: index })
  const { rows, end } = await bench.read('watchlist')
  t.match([rows.length, end.complete], [1_200, true])
  t.strictSame(await bench.write('history', 'add', [watched(1)]), ['applied'])
})

t.test('without the writer name, and without a log, writing works as well', async (t) => {
  await using bench = await startBench({ abilities: { origin: false, deltas: false } })
  t.strictSame(await bench.write('history', 'add', [watched(1), watched(2)]), ['applied', 'applied'])
  bench.asked()
  t.strictSame(await bench.write('history', 'add', [watched(2), watched(3)]), ['already', 'applied'])
  t.ok(bench.asked() <= 3, 'what the service does not have is not tried again')
  t.strictSame(
    bench.nuvio.user.rows('watched').map(({ content_id: id }) => id),
    ['tmdb:1', 'tmdb:2', 'tmdb:3'],
  )
})

t.test(
  '10 000 watched items are written with 20 writes and read with as few pages as the service allows',
  async (t) => {
    await using bench = await startBench()
    for (let from = 0; from < 10_000; from += 500) {
      const outcomes = await bench.write(
        'history',
        'add',
        Array.from({ length: 500 }, (_, index) => watched(from + index + 1)),
      )
      t.ok(outcomes.every((outcome) => outcome === 'applied'))
    }
    t.equal(bench.nuvio.count(/sync_push_watched_items$/), 20)
    t.ok(bench.asked() <= 20 * 3 + 5, 'beside each write only what changed since the one before is read')
    const { rows, end } = await bench.read('history')
    t.match([rows.length, end.complete], [10_000, true])
    t.ok(bench.asked() <= 12 + 4)
    t.equal(new Set(rows.map(({ watched_at: at }) => at)).size, 1)
    t.equal(Date.parse(String(rows[0]?.watched_at)), AT_MS)
  },
)

t.test('a write after a read does not read the rows again, and includes changes of others since', async (t) => {
  await using bench = await startBench()
  const { user } = bench.nuvio
  for (let index = 1; index <= 950; index += 1)
    user.put('watched', { content_id: `tmdb:${index}`, content_type: 'movie', watched_at: AT_MS })
  t.match((await bench.read('history')).end, { complete: true })
  // Written elsewhere, after the read.
  user.put('watched', { content_id: 'tmdb:2000', content_type: 'movie', watched_at: AT_MS })
  const pulls = bench.nuvio.count(/sync_pull_watched_items$/)
  t.strictSame(await bench.write('history', 'add', [watched(1), watched(2_000), watched(3_000)]), [
    'already',
    'already',
    'applied',
  ])
  t.equal(bench.nuvio.count(/sync_pull_watched_items$/), pulls)
})

t.test('after an incomplete read nothing is written', async (t) => {
  await using bench = await startBench()
  bench.nuvio.user.put('watched', { content_id: 'tmdb:1', content_type: 'movie', watched_at: AT_MS })
  const { abilities } = bench.nuvio
  abilities.overview = false
  t.match((await bench.read('history')).end, { complete: false })
  abilities.overview = true
  const pulls = bench.nuvio.count(/sync_pull_watched_items$/)
  t.strictSame(await bench.write('history', 'add', [watched(1)]), ['already'])
  t.ok(bench.nuvio.count(/sync_pull_watched_items$/) > pulls)
})
