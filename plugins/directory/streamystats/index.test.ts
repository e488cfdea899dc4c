// Backups of Streamystats, as its page exports them.
import t from 'tap'
import { checkImporter, createTestHost, readExample } from '@playhead/sdk/testing'
import example, { backup, session } from './conformance.ts'
import plugin from './index.ts'

const manifest = new URL('./plugin.json', import.meta.url)

t.test('each viewing is a play of its person, at its end', async (t) => {
  t.match(await readExample(plugin, example), [
    {
      feature: 'history',
      item: { type: 'movie', ids: {}, title: 'Heat', watched: true, watched_at: '2026-01-04T22:00:00Z' },
      about: { type: 'unknown', title: 'Heat' },
      person: 'ann',
    },
    {
      item: { type: 'episode', series_title: 'The Wire', title: 'The Detail', season: undefined },
      about: { type: 'show', title: 'The Wire' },
      episodeTitle: 'The Detail',
      person: 'bob',
    },
  ])
})

t.test('glances, inferred sessions and music are no plays', async (t) => {
  const rows = await readExample(
    plugin,
    backup(
      session('ann', 'Heat', '2026-01-03T22:00:00.000Z', 20),
      session('ann', 'Ran', '2026-01-04T22:00:00.000Z', 110, { isInferred: true }),
      session('ann', 'Sinnerman', '2026-01-05T22:00:00.000Z', 10, { runtimeTicks: 10 * 600_000_000 }),
      session('ann', '', '2026-01-05T22:00:00.000Z', 100),
      session('ann', 'Broken', '2026-01-05T22:00:00.000Z', 100, { startTime: null, endTime: null }),
    ),
  )
  t.same(rows, [
    { skipped: 'not_watched' },
    { skipped: 'unsupported_type' },
    { skipped: 'missing_title' },
    { skipped: 'invalid_value' },
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
