// Movary: its three files, by their columns.
import t from 'tap'
import { checkImporter, createTestHost, readExample } from '@playhead/sdk/testing'
import plugin from './index.ts'

const manifest = new URL('./plugin.json', import.meta.url)
const history = `title,year,tmdbId,imdbId,watchedAt,comment,location
"Crouching Tiger, Hidden Dragon",2000,146,tt0190332,2024-03-20,"With ""Ann"", again",Cinema
Alien,1979,348,tt0078748,2024-03-20,,
Alien,1979,348,tt0078748,2024-03-20,,
"No date",1999,1,,,,
,,,,2024-01-01,,
`
const ratings = `title,year,tmdbId,imdbId,userRating
Alien,1979,348,tt0078748,9
"Not rated",1999,2,,0
`
const watchlist = `title,year,tmdbId,imdbId,addedAt
Heat,1995,949,tt0113277,"2024-02-03 10:11:12"
`
const example = { 'history.csv': history, 'ratings.csv': ratings, 'watchlist.csv': watchlist }
const alien = { type: 'movie', title: 'Alien', year: 1979, ids: { tmdb: '348', imdb: 'tt0078748' } }

t.test('a line is a play on its day, and times are not invented', async (t) => {
  const rows = await readExample(plugin, { 'history.csv': history })
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
  t.same(await readExample(plugin, { 'ratings.csv': ratings }), [
    { feature: 'ratings', item: { ...alien, rating: 9 } },
    { skipped: 'invalid_value' },
  ])
  t.match(await readExample(plugin, { 'watchlist.csv': watchlist }), [
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
