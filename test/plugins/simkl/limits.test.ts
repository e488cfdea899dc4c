// SIMKL's rate limits, and the requests needed to keep an account current.
import t from 'tap'
import { itemOf, startBench } from './support.ts'

t.test('requests are sequential, and no write is refused for being too fast', async (t) => {
  await using bench = await startBench({ limits: true, settings: { rate_limit: { get_per_sec: 10, post_per_sec: 1 } } })
  const { simkl } = bench
  await Promise.all((['watchlist', 'history', 'ratings', 'progress'] as const).map((feature) => bench.read(feature)))
  t.same(await bench.write('watchlist', 'add', [itemOf(simkl.movie(0))]), ['applied'])
  t.equal(simkl.maxInFlight(), 1)
  t.equal(simkl.requests.filter(({ status }) => status === 429).length, 0)
})

t.test('every request has its required headers, and the token is in no address', async (t) => {
  await using bench = await startBench()
  const { simkl, host } = bench
  const token = bench.kit.profile('default').access_token
  await bench.read('watchlist')
  await bench.read('progress')
  for (const { path, query } of simkl.requests) {
    t.match(
      Object.fromEntries(query),
      { client_id: simkl.clientId, 'app-name': 'playhead', 'app-version': String },
      path,
    )
    t.notOk(query.toString().includes(token))
  }
  simkl.faults.add({ kind: 'status', status: 500 })
  const error = (await bench.read('progress').catch((thrown: unknown) => thrown)) as Error
  t.ok(error instanceof Error)
  const told = JSON.stringify([host.logs, error, error.message, error.stack])
  for (const secret of [token, bench.kit.profile('default').refresh_token])
    t.notOk(told.includes(secret), 'no log and no error knows it')
})

t.test('all features of an account cost a handful of requests, and almost none without changes', async (t) => {
  await using bench = await startBench({ movies: 300, shows: 20 })
  const { simkl } = bench
  for (let index = 0; index < 300; index += 1)
    simkl.user.watch(simkl.movie(index), Date.parse('2026-01-01T00:00:00Z') + index * 60_000)
  const features = ['watchlist', 'history', 'ratings', 'progress'] as const
  const checkpoints = []
  for (const feature of features) checkpoints.push((await bench.read(feature)).end.checkpoint)
  t.ok(bench.asked().length <= 6, 'settings, activities, three parts, positions')
  bench.later()
  for (const [index, feature] of features.entries()) await bench.read(feature, { since: checkpoints[index] as string })
  t.ok(bench.asked().length <= 1, 'activities')
})

t.test(
  'a client that repeatedly reads the library without checking for changes is suspended, and this one is not',
  async (t) => {
    await using bench = await startBench()
    for (let round = 0; round < 5; round += 1) {
      bench.simkl.user.watch(bench.simkl.movie(round), Date.parse('2020-01-01T00:00:00Z'))
      bench.later()
      t.equal((await bench.read('history')).rows.length, round + 1)
    }
    t.notOk(bench.simkl.state.isSuspended)
  },
)
