import t from 'tap'
import { checkImporter, createTestHost, readExample } from '@playhead/sdk/testing'
import example from './conformance.ts'
import plugin from './index.ts'

const manifest = new URL('./plugin.json', import.meta.url)

t.test('rows with a day are plays, the others are to be watched', async (t) => {
  t.strictSame(await readExample(plugin, example), [
    {
      feature: 'history',
      item: {
        type: 'movie',
        ids: { tmdb: '1' },
        title: 'One, or two',
        year: 1999,
        watched: true,
        watched_at: '2026-01-02',
      },
    },
    { feature: 'watchlist', item: { type: 'movie', ids: { tmdb: '3' }, title: 'Three' } },
    { skipped: 'missing_title' },
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
