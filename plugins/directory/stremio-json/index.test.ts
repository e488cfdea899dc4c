// Stremio: the data export of an account, and titles as its API and apps store them.
import t from 'tap'
import { checkImporter, createTestHost, readExample } from '@playhead/sdk/testing'
import example, { AT, library } from './conformance.ts'
import plugin from './index.ts'

const manifest = new URL('./plugin.json', import.meta.url)
const wire = { show_ids: { imdb: 'tt0306414' }, series_title: 'The Wire', season: 1, episode: 2 }
const expected = [
  {
    feature: 'history',
    item: { type: 'movie', ids: { imdb: 'tt0133093' }, title: 'The Matrix', year: 1999, watched: true, watched_at: AT },
  },
  { feature: 'watchlist', item: { type: 'movie', ids: { imdb: 'tt0078748' }, title: 'Alien' } },
  {
    feature: 'progress',
    item: {
      ...{ type: 'movie', ids: { imdb: 'tt0078748' }, title: 'Alien' },
      ...{ progress_ms: 600_000, duration_ms: 7_020_000, progress_at: AT },
    },
  },
  { feature: 'history', item: { type: 'movie', ids: { imdb: 'tt0113277' }, title: 'Heat', watched: true } },
  { feature: 'progress', item: { type: 'movie', ids: { imdb: 'tt0113277' }, title: 'Heat', progress_ms: 60_000 } },
  { feature: 'watchlist', item: { type: 'show', ids: { imdb: 'tt0306414' }, title: 'The Wire' } },
  { feature: 'history', item: { type: 'episode', ids: {}, ...wire, watched: true, watched_at: AT } },
  { skipped: 'missing_episodes' },
  { skipped: 'not_watched' },
  { skipped: 'unsupported_type' },
]

t.test('titles are read once, with the time that belongs to them', async (t) => {
  t.same(await readExample(plugin, example), expected)
})

t.test('titles as the API and the apps store them are the same', async (t) => {
  for (const document of [
    library,
    { result: library },
    { uid: 'x', items: Object.fromEntries(library.map((one) => [one._id, one])) },
  ])
    t.same(await readExample(plugin, { 'library.json': JSON.stringify(document) }), expected)
})

t.test('the plugin offers the format, and the format keeps its promises', async (t) => {
  await using host = await createTestHost({ plugin, manifest })
  t.same(host.failures, [])
  t.same(
    (await checkImporter(plugin, { example })).filter(({ ok }) => !ok),
    [],
  )
})
