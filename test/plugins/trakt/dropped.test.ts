// Dropped shows: read when the list has changed, and used only if complete.
import t from 'tap'
import { codeOf, startBench } from './support.ts'

t.test('the list is returned with all ids, and read again only when it has changed', async (t) => {
  await using bench = await startBench()
  const { trakt, provider } = bench
  const asked = () => trakt.requests.filter(({ path }) => path === '/users/hidden/dropped').length
  trakt.user.drop(trakt.show(0))
  const { title, year, ids } = trakt.catalogue.shows[0]!
  const told = [
    {
      type: 'show',
      title,
      year,
      ids: { tracka: String(ids.trakt), imdb: ids.imdb, tmdb: String(ids.tmdb), tvdb: String(ids.tvdb) },
    },
  ]
  t.match(await provider.describe(), { droppedShows: true })
  t.same(await provider.droppedShows!('default'), told)
  trakt.user.rate(trakt.show(1), 7)
  await provider.probe('default')
  t.same(await provider.droppedShows!('default'), told)
  t.equal(asked(), 1)
  trakt.user.drop(trakt.show(0), false)
  await provider.probe('default')
  t.same(await provider.droppedShows!('default'), [])
  t.equal(asked(), 2)
})

t.test('a list of several pages is read completely, and an incomplete one is an error', async (t) => {
  await using bench = await startBench({ shows: 260 })
  const { trakt, provider } = bench
  for (let index = 0; index < 255; index += 1) trakt.user.drop(trakt.show(index))
  t.equal(new Set((await provider.droppedShows!('default')).map(({ ids }) => ids.tracka)).size, 255)
  trakt.user.drop(trakt.show(255))
  await provider.probe('default')
  trakt.faults.add({
    kind: 'status',
    status: 403,
    match: ({ path, query }) => path === '/users/hidden/dropped' && query.get('page') === '2',
  })
  t.not(await codeOf(provider.droppedShows!('default')), 'nothing was thrown')
})
