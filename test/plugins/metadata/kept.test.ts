// Cached data is available without requests.
import t from 'tap'
import { startBench } from './support.ts'

t.test('lengths and genres are known for works that were looked up, and others cause no request', async (t) => {
  await using bench = await startBench()
  const [known, unknown] = [bench.tmdb.work('movie', 1), bench.tmdb.work('movie', 2)].map(({ id }) => String(id)) as [
    string,
    string,
  ]
  const details = await bench.metadata.details({ type: 'movie', ids: { tmdb: known } })
  t.ok((details?.runtimeMinutes ?? 0) > 0)
  bench.asked()
  const works = [
    { type: 'movie', tmdb: known },
    { type: 'show', tmdb: known },
    { type: 'movie', tmdb: unknown },
    { type: 'movie', tmdb: "x' or 1=1" },
  ] as const
  t.strictSame(await bench.metadata.cachedLengths(works), { [`movie/${known}`]: details?.runtimeMinutes })
  t.strictSame(await bench.metadata.cachedLengths([]), {})
  t.strictSame(await bench.metadata.cachedGenres(works), { [`movie/${known}`]: details?.genres })
  const pages: object[] = []
  for await (const page of await bench.metadata.cachedIds()) pages.push(page)
  t.strictSame(Object.assign({}, ...pages), { [`movie ${known}`]: details?.ids })
  t.equal(bench.asked(), 0)
})
