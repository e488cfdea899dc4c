// Reads of history: plays one by one or by item, twenty thousand of them, and only new plays where that is safe.
import t from 'tap'
import { startBench, type Bench } from './support.ts'

const START_MS = Date.UTC(2024, 0, 1)
const MINUTE_MS = 60_000

/** Plays from the oldest to the newest, a minute apart. */
function watchMany({ trakt }: Bench, count: number, movies = 60): void {
  for (let index = 0; index < count; index += 1)
    trakt.user.watch(trakt.movie(index % movies), START_MS + index * MINUTE_MS)
}

/** Advances time, as if the last read was some time ago. */
function later(bench: Bench): void {
  bench.kit.session('default').activities.drop()
  bench.asked()
}

t.test('plays come one by one with their ids and exact times, by item only with the latest', async (t) => {
  await using bench = await startBench()
  const { trakt } = bench
  const ids = [
    trakt.user.watch(trakt.movie(0), START_MS),
    trakt.user.watch(trakt.movie(0), START_MS + MINUTE_MS),
    trakt.user.watch(trakt.episode(0, 1, 2), START_MS + 1),
  ]
  const plays = await bench.read('history', { plays: true })
  t.same(
    plays.rows.map(({ native, watched_at: at }) => [native?.event_id, at]),
    [
      [String(ids[1]), '2024-01-01T00:01:00Z'],
      [String(ids[2]), '2024-01-01T00:00:00.001Z'],
      [String(ids[0]), '2024-01-01T00:00:00Z'],
    ],
  )
  t.match(plays.rows[1], {
    type: 'episode',
    season: 1,
    episode: 2,
    watched: true,
    show_ids: { tracka: String(trakt.catalogue.shows[0]?.ids.trakt) },
  })
  const items = await bench.read('history')
  t.same(
    items.rows.map(({ type, watched_at: at }) => [type, at]),
    [
      ['movie', '2024-01-01T00:01:00Z'],
      ['episode', '2024-01-01T00:00:00.001Z'],
    ],
  )
  t.ok(
    items.rows.every(({ native }) => native === undefined),
    'no play stands for the others',
  )
  t.match(items.end, { complete: true, semantics: 'present' })
})

t.test('a play of an unknown time has no time', async (t) => {
  await using bench = await startBench()
  bench.trakt.user.watch(bench.trakt.movie(0), 0)
  const { rows } = await bench.read('history', { plays: true })
  t.match(rows, [{ watched: true, native: { event_id: String } }])
  t.notOk(rows[0]?.watched_at)
})

t.test('twenty thousand plays are read completely, with only a few pages in memory at a time', async (t) => {
  await using bench = await startBench()
  watchMany(bench, 20_000)
  const seen = new Set<string>()
  let parts = 0
  let ahead = 0
  for await (const part of bench.provider.read('default', { feature: 'history', plays: true })) {
    if (part.type === 'end') {
      t.match(part.end, { complete: true, semantics: 'present' })
      break
    }
    parts += 1
    for (const { native } of part.rows) seen.add(native?.event_id ?? '')
    ahead = Math.max(ahead, bench.trakt.count('/sync/history') - parts)
  }
  t.equal(seen.size, 20_000)
  t.ok(ahead <= 5, `${ahead} pages ahead`)
  t.ok(bench.asked().reads <= 83)
})

t.test('an unchanged history costs one request, new plays two', async (t) => {
  await using bench = await startBench()
  const { trakt } = bench
  watchMany(bench, 1_000)
  const first = await bench.read('history', { plays: true })
  later(bench)
  t.match((await bench.read('history', { plays: true, since: first.end.checkpoint as string })).end, {
    semantics: 'unchanged',
    complete: true,
  })
  t.ok(bench.asked().reads <= 1)

  const id = trakt.user.watch(trakt.movie(7), START_MS + 5_000 * MINUTE_MS)
  later(bench)
  const second = await bench.read('history', { plays: true, since: first.end.checkpoint as string })
  t.match(second.end, { semantics: 'delta', complete: true, deleted: [] })
  t.same(
    second.rows.map(({ native }) => native?.event_id),
    [String(id)],
  )
  t.ok(bench.asked().reads <= 2)

  trakt.user.watch(trakt.movie(8), START_MS + 6_000 * MINUTE_MS)
  trakt.user.watch(trakt.movie(8), START_MS + 6_001 * MINUTE_MS)
  later(bench)
  const third = await bench.read('history', { since: second.end.checkpoint as string })
  t.match([third.end.semantics, third.rows.length, third.rows[0]?.watched_at], ['delta', 1, '2024-01-05T04:01:00Z'])
})

t.test('after any other change, everything is read', async (t) => {
  const changes: readonly (readonly [name: string, change: (bench: Bench) => void])[] = [
    ['an old play was removed', ({ trakt }) => trakt.user.unwatch(trakt.movie(3))],
    ['a play of long ago was added', ({ trakt }) => void trakt.user.watch(trakt.movie(3), START_MS - MINUTE_MS)],
    [
      'one of the newest left and another came',
      ({ trakt }) => {
        trakt.user.unwatch(trakt.movie(19))
        for (let index = 0; index < 11; index += 1)
          trakt.user.watch(trakt.movie(3), START_MS + (5_000 + index) * MINUTE_MS)
      },
    ],
    [
      'more came than a page holds',
      ({ trakt }) => {
        for (let index = 0; index < 300; index += 1)
          trakt.user.watch(trakt.movie(3), START_MS + (5_000 + index) * MINUTE_MS)
      },
    ],
  ]
  for (const [name, change] of changes) {
    await using bench = await startBench()
    watchMany(bench, 600)
    const first = await bench.read('history', { plays: true })
    change(bench)
    later(bench)
    const second = await bench.read('history', { plays: true, since: first.end.checkpoint as string })
    t.match(second.end, { semantics: 'present', complete: true }, name)
    t.equal(second.rows.length, bench.trakt.user.account.plays.length, name)
  }
})

t.test('once a day everything is read, regardless of the service', async (t) => {
  await using bench = await startBench()
  watchMany(bench, 3)
  for (const feature of ['history', 'watchlist', 'ratings', 'progress'] as const) {
    const { end } = await bench.read(feature)
    const yesterday = JSON.stringify({ ...JSON.parse(end.checkpoint as string), fullAtMs: Date.now() - 25 * 3_600_000 })
    t.match((await bench.read(feature, { since: yesterday })).end, { semantics: 'present', complete: true }, feature)
  }
})

t.test('a checkpoint of another day, of no account, or without content causes a full read', async (t) => {
  await using bench = await startBench()
  watchMany(bench, 600)
  const { end } = await bench.read('history')
  bench.trakt.user.watch(bench.trakt.movie(7), START_MS + 5_000 * MINUTE_MS)
  const checkpoint = JSON.parse(end.checkpoint as string)
  const yesterday = { ...checkpoint, fullAtMs: Date.now() - 25 * 3_600_000 }
  for (const since of [
    '',
    '{',
    'null',
    '[]',
    JSON.stringify(yesterday),
    JSON.stringify({ ...checkpoint, account: 'bob' }),
  ]) {
    later(bench)
    t.match((await bench.read('history', { since })).end, { semantics: 'present', complete: true }, since.slice(0, 20))
  }
})
