// Backups of Streamystats, as its page exports them.
import t from 'tap'
import { checkImporter, createTestHost, readExample } from '@playhead/sdk/testing'
import plugin from './index.ts'

const manifest = new URL('./plugin.json', import.meta.url)

function session(userName: string, itemName: string, endTime: string, minutes: number, more: object = {}) {
  const playDuration = minutes * 60
  const startTime = new Date(Date.parse(endTime) - playDuration * 1_000).toISOString()
  return {
    id: `sid:1:${userName}:${startTime}`,
    serverId: 1,
    userId: `id-of-${userName}`,
    itemId: `item-of-${itemName}`,
    userName,
    itemName,
    seriesId: null,
    seriesName: null,
    playDuration,
    startTime,
    endTime,
    runtimeTicks: 110 * 600_000_000,
    percentComplete: 90,
    completed: true,
    isInferred: false,
    rawData: { sessionKey: 'x' },
    ...more,
  }
}
const backup = (...sessions: object[]) => ({
  'streamystats-backup-Home-2026-05-01.json': JSON.stringify({
    exportInfo: { timestamp: '2026-05-01T00:00:00.000Z', serverName: 'Home', serverId: 1, version: 'streamystats' },
    counts: { sessions: sessions.length, hiddenRecommendations: 1 },
    server: { id: 1, name: 'Home' },
    sessions,
    hiddenRecommendations: [{ id: 1, userId: 'x', itemId: 'y' }],
  }),
})
const WIRE = { seriesId: 's1', seriesName: 'The Wire', runtimeTicks: 58 * 600_000_000 }
const EXAMPLE = backup(
  session('ann', 'Heat', '2026-01-03T22:00:00.000Z', 60),
  session('ann', 'Heat', '2026-01-04T22:00:00.000Z', 45),
  session('bob', 'The Detail', '2026-01-05T22:00:00.000Z', 57, WIRE),
)

t.test('each viewing is a play of its person, at its end', async (t) => {
  t.match(await readExample(plugin, EXAMPLE), [
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
    (await checkImporter(plugin, { example: EXAMPLE })).filter(({ ok }) => !ok),
    [],
  )
})
