// Ryot: titles of an export with their plays, reviews and collections.
import t from 'tap'
import { checkImporter, createTestHost, readExample } from '@playhead/sdk/testing'
import example from './conformance.ts'
import plugin from './index.ts'

const manifest = new URL('./plugin.json', import.meta.url)
const matrix = { type: 'movie', ids: { tmdb: '603' }, title: 'The Matrix' }
const wire = { type: 'episode', ids: {}, show_ids: { tmdb: '1438' }, series_title: 'The Wire' }

t.test('plays, ratings, positions and the watchlist are read, and nothing else', async (t) => {
  t.same(await readExample(plugin, example), [
    { feature: 'history', item: { ...matrix, watched: true, watched_at: '2024-11-02T20:30:00Z' } },
    { feature: 'history', item: { ...matrix, watched: true } },
    { feature: 'ratings', item: { ...matrix, rating: 9, rated_at: '2025-06-01T09:08:07.654Z' } },
    { feature: 'history', item: { ...wire, season: 1, episode: 2, watched: true, watched_at: '2024-11-03T20:30:00Z' } },
    { feature: 'history', item: { ...wire, season: 0, episode: 1, watched: true, watched_at: '2024-11-04T20:30:00Z' } },
    { feature: 'progress', item: { ...wire, season: 1, episode: 3, progress_percent: 42.5 } },
    { skipped: 'missing_episodes' },
    { skipped: 'not_watched' },
    ...[
      { type: 'show', ids: { tmdb: '1438' }, title: 'The Wire', rating: 9 },
      { ...wire, season: 1, episode: 2, rating: 7 },
      { type: 'season', ids: {}, show_ids: { tmdb: '1438' }, series_title: 'The Wire', season: 2, rating: 6 },
    ].map((item) => ({ feature: 'ratings', item: { ...item, rated_at: '2025-06-01T09:08:07.654Z' } })),
    {
      feature: 'watchlist',
      item: { type: 'show', ids: { tmdb: '1438' }, title: 'The Wire', added_at: '2025-05-01T10:00:00Z' },
    },
    {
      feature: 'watchlist',
      item: { type: 'show', ids: { tvdb: '79126' }, title: 'Of TVDB', added_at: '2025-05-01T10:00:00Z' },
    },
    { feature: 'history', item: { type: 'movie', ids: {}, title: 'Home video', watched: true } },
    { skipped: 'unsupported_type' },
    { skipped: 'not_watched' },
  ])
})

t.test('the plugin offers the format, and the format keeps its promises', async (t) => {
  await using host = await createTestHost({ plugin, manifest })
  t.same(host.failures, [])
  t.same(
    (await checkImporter(plugin, { example })).filter(({ ok }) => !ok),
    [],
  )
})
