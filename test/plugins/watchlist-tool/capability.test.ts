// The list as other plugins see it.
import t from 'tap'
import { type Watchlist, WATCHLIST } from '@playhead/sdk'
import { movie, openWorld, row } from './world.ts'

const all = async (watchlist: Watchlist, options?: { readonly signedOut?: boolean }) =>
  (await Array.fromAsync(watchlist.rows(options))).flat()

t.test('rows are those of the list, including signed-out accounts only on request', async (t) => {
  await using world = await openWorld({
    rows: {
      'TRACKA@default': [row(movie('1')), row(movie('2'))],
      'MEDIAA@default': [row(movie('2')), row(movie('3'))],
    },
    unconfigured: ['MEDIAA@default'],
  })
  const watchlist = world.host.capability<Watchlist>(WATCHLIST)
  const { items } = await world.list()
  t.same(await all(watchlist), items)
  t.strictSame((await all(watchlist, { signedOut: true })).map(({ key }) => key).toSorted(), [
    'movie:tmdb:1',
    'movie:tmdb:2',
    'movie:tmdb:3',
  ])
})

t.test('the revision changes exactly when the rows may have changed', async (t) => {
  await using world = await openWorld({ rows: { 'TRACKA@default': [row(movie('1')), row(movie('2'))] } })
  const watchlist = world.host.capability<Watchlist>(WATCHLIST)
  const first = await watchlist.revision()
  t.equal(await watchlist.revision(), first)
  await world.call('DELETE', 'movie:tmdb:1')
  const second = await watchlist.revision()
  t.not(second, first, 'a row is gone')
  world.stored.set('TRACKA@default', [row(movie('2')), row(movie('3'))])
  t.not(await watchlist.revision(), second, 'the account was read again')
})
