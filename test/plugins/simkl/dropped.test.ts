// Dropped shows: a view of the library that needs no further requests.
import t from 'tap'
import { codeOf, startBench } from './support.ts'

t.test('dropped shows and anime are reported, films are not, and nothing is requested twice', async (t) => {
  await using bench = await startBench()
  const { simkl, provider } = bench
  simkl.user.watchEpisode(simkl.show(0), 1, 1)
  simkl.user.move(simkl.show(0), 'dropped')
  simkl.user.plan(simkl.show(1))
  simkl.user.move(simkl.movie(0), 'dropped')
  simkl.user.move(simkl.anime(0), 'dropped')
  bench.later()
  t.match(
    (await bench.read('history')).rows,
    [{ type: 'episode', season: 1, episode: 1 }],
    'what was watched of it stays',
  )
  bench.asked()
  const told = await provider.droppedShows!('default')
  t.same(
    told.map(({ type, ids }) => [type, ids.trackb]),
    [
      ['show', String(simkl.show(0).simkl)],
      ['anime', String(simkl.anime(0).simkl)],
    ],
  )
  t.match(told[0], { ids: { imdb: simkl.show(0).ids['imdb'] }, native: undefined })
  t.same(bench.asked(), [])

  simkl.user.move(simkl.show(0), 'watching')
  bench.later()
  t.same(
    (await provider.droppedShows!('default')).map(({ type }) => type),
    ['anime'],
  )
  bench.later()
  simkl.faults.add({ kind: 'status', status: 500 })
  t.not(await codeOf(provider.droppedShows!('default')), 'nothing was thrown')
})
