// Dropped shows: all pages, read again only when the list has changed.
import t from 'tap'
import { codeOf, startBench } from './support.ts'

t.test('the list is read completely, and again only when it has changed', async (t) => {
  // Times are in whole seconds.
  let behindMs = 60_000
  await using bench = await startBench({ pageRows: 3, nowMs: () => Date.now() - behindMs })
  const { mdblist, provider } = bench
  const asked = () => mdblist.requests.filter(({ path }) => path === '/sync/dropped').length
  t.same(await provider.droppedShows!('default'), [])
  for (let index = 0; index < 7; index += 1) mdblist.user.drop(mdblist.show(index))
  await provider.probe('default')
  bench.kit.session('default').activities.drop()
  const told = await provider.droppedShows!('default')
  t.equal(told.length, 7)
  t.match(told[0], { type: 'show', ids: { imdb: String, tmdb: '900000' } })
  const before = asked()
  t.same(await provider.droppedShows!('default'), told)
  t.equal(asked(), before, 'nothing has moved')
  behindMs = 50_000
  mdblist.user.drop(mdblist.show(0), false)
  bench.kit.session('default').activities.drop()
  mdblist.faults.add({ kind: 'status', status: 403, match: '/sync/dropped' })
  t.not(await codeOf(provider.droppedShows!('default')), 'nothing was thrown')
  mdblist.faults.clear()
  t.equal((await provider.droppedShows!('default')).length, 6)
})
