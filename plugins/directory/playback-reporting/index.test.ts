// Backups of Playback Reporting, as the plugin writes them.
import t from 'tap'
import { checkImporter, createTestHost, readExample } from '@playhead/sdk/testing'
import example, { ANN, BOB, backup, line } from './conformance.ts'
import plugin from './index.ts'

const manifest = new URL('./plugin.json', import.meta.url)
const rowsOf = (...lines: string[]) => readExample(plugin, backup(...lines))

t.test('each viewing is a play of its day, also if it took two evenings', async (t) => {
  t.match(await readExample(plugin, example), [
    { skipped: 'unsupported_type' },
    {
      feature: 'history',
      item: { type: 'movie', ids: {}, title: '"Crocodile" Dundee, or not', watched: true, watched_at: '2024-01-06' },
      about: { type: 'movie', title: '"Crocodile" Dundee, or not' },
      person: new RegExp(ANN),
    },
    {
      item: {
        type: 'episode',
        series_title: 'The Wire',
        season: 1,
        episode: 2,
        title: 'The Detail',
        watched_at: '2024-01-06',
      },
      about: { type: 'show', title: 'The Wire' },
      person: `The Wire (${BOB})`,
    },
    { item: { watched_at: '2024-01-07' }, person: new RegExp(ANN) },
  ])
})

t.test('glances are no plays, and the next evening is another play', async (t) => {
  const rows = await rowsOf(
    line('2024-02-01 18:00:00', ANN, 'Movie', 'Heat', 165),
    line('2024-02-02 18:00:00', ANN, 'Movie', 'Heat', 160),
    line('2024-03-01 18:00:00', ANN, 'Movie', 'Heat', 4),
    line('2024-03-02 18:00:00', ANN, 'Episode', 'The Wire - s01e01 - The Target', 2),
  )
  t.match(rows, [
    { item: { watched_at: '2024-02-01' } },
    { item: { watched_at: '2024-02-02' } },
    { skipped: 'not_watched' },
    { skipped: 'not_watched' },
  ])
})

t.test('an episode without a certain number is looked up by its title within the show', async (t) => {
  const rows = await rowsOf(
    line('2024-02-01 18:00:00', ANN, 'Episode', 'Doctor Who - s00e05 - The Christmas Invasion', 60),
    line('2024-02-02 18:00:00', ANN, 'Episode', 'Doctor Who - s02e00 - New Earth', 45),
    line('2024-02-03 18:00:00', ANN, 'Episode', 'Doctor Who - s00e00 - ', 45),
    line('2024-02-04 18:00:00', ANN, 'Movie', 'Not Known', 100),
  )
  t.match(rows, [
    { skipped: 'missing_title' },
    { item: { season: undefined, episode: undefined }, episodeTitle: 'The Christmas Invasion' },
    { item: { season: 2, episode: undefined }, episodeTitle: 'New Earth' },
    { skipped: 'invalid_value' },
  ])
})

t.test('a row of two backups counts once, and Emby’s further columns are ignored', async (t) => {
  const row = line('2024-02-01 18:00:00', ANN, 'Movie', 'Heat', 165)
  const both = { ...backup(row), 'PlaybackReportingBackup-20240701-030000.tsv': `${row}\n` }
  t.equal((await readExample(plugin, both)).filter((one) => 'feature' in one).length, 1)
  t.match(await rowsOf(`${row}\t120\t192.168.1.5\t`), [{ item: { title: 'Heat' } }])
})

t.test('other tables are not taken for a backup', async (t) => {
  await t.rejects(readExample(plugin, { 'log.tsv': '2024-01-01 10:00:00\tstarted\t1\n' }))
  await t.rejects(readExample(plugin, { 'x.csv': 'DateCreated,UserId,ItemId\n2024-01-01 10:00:00,1,2\n' }))
})

t.test('the plugin offers the format, and the format keeps its promises', async (t) => {
  await using host = await createTestHost({ plugin, manifest })
  t.same(host.failures, [])
  t.same(
    (await checkImporter(plugin, { example })).filter(({ ok }) => !ok),
    [],
  )
})
