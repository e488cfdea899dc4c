// Movary: its three files, by their columns.
import t from 'tap'
import { checkImporter, createTestHost, readExample } from '@playhead/sdk/testing'
import example from './conformance.ts'
import plugin from './index.ts'

const manifest = new URL('./plugin.json', import.meta.url)
const alien = { type: 'movie', title: 'Alien', year: 1979, ids: { tmdb: '348', imdb: 'tt0078748' } }

t.test('a line is a play on its day, and times are not invented', async (t) => {
  const rows = await readExample(plugin, { 'history.csv': example['history.csv'] })
  t.match(rows[0], { feature: 'history', item: { title: 'Crouching Tiger, Hidden Dragon', watched_at: '2024-03-20' } })
  const play = { feature: 'history', item: { ...alien, watched: true, watched_at: '2024-03-20' } }
  t.same(rows.slice(1, 3), [play, play], 'two plays of one day')
  t.same(rows[3], {
    feature: 'history',
    item: { type: 'movie', ids: { tmdb: '1' }, title: 'No date', year: 1999, watched: true },
  })
  t.same(rows[4], { skipped: 'missing_title' })
})

t.test('ratings are 1 to 10, and the watchlist has a day', async (t) => {
  t.same(await readExample(plugin, { 'ratings.csv': example['ratings.csv'] }), [
    { feature: 'ratings', item: { ...alien, rating: 9 } },
    { skipped: 'invalid_value' },
  ])
  t.match(await readExample(plugin, { 'watchlist.csv': example['watchlist.csv'] }), [
    { feature: 'watchlist', item: { title: 'Heat', added_at: '2024-02-03' } },
  ])
  t.equal((await readExample(plugin, example)).length, 8)
})

t.test('the plugin offers the format, and the format keeps its promises', async (t) => {
  await using host = await createTestHost({ plugin, manifest })
  t.same(host.failures, [])
  t.same(
    (await checkImporter(plugin, { example })).filter(({ ok }) => !ok),
    [],
  )
})
