// The export of MyAnimeList: statuses, counts, days, and files of other programs in its format.
import t from 'tap'
import { checkImporter, createTestHost, readExample } from '@playhead/sdk/testing'
import example, { type Entry, fileOf } from './conformance.ts'
import plugin from './index.ts'

const manifest = new URL('./plugin.json', import.meta.url)

const read = (...entries: readonly Entry[]) =>
  readExample(plugin, { 'animelist_1700000000_-_7001.xml': fileOf(entries) })

const anime = (id: number, more: object = {}) => ({
  type: 'anime',
  ids: { mal: String(id) },
  title: `Title ${id}`,
  ...more,
})
const episode = (id: number, number: number, more: object = {}) => ({
  feature: 'history',
  item: {
    ...{ type: 'episode', ids: {}, show_ids: { mal: String(id) }, season: 1, episode: number },
    ...{ series_title: `Title ${id}`, watched: true, ...more },
  },
})

t.test('planned titles, scores, counts and days of the export are rows', async (t) => {
  t.strictSame(
    await read(
      { id: 1, status: 'Plan to Watch' },
      { id: 2, watched: 2, score: 8 },
      { id: 3, type: 'Movie', episodes: 1, watched: 1, status: 'Completed', finish: '2012-01-02', score: 10 },
      { id: 4, episodes: 2, watched: 2, status: 'Completed', finish: '2013-04-05' },
      { id: 5, status: 'Dropped' },
    ),
    [
      { feature: 'watchlist', item: anime(1) },
      { feature: 'ratings', item: anime(2, { rating: 8 }) },
      episode(2, 1),
      episode(2, 2),
      { feature: 'ratings', item: anime(3, { film: true, rating: 10 }) },
      { feature: 'history', item: anime(3, { film: true, watched: true, watched_at: '2012-01-02' }) },
      episode(4, 1),
      episode(4, 2, { watched_at: '2013-04-05' }),
      { skipped: 'unsupported_list' },
    ],
  )
})

t.test('a completed title has all episodes, also while it is watched again', async (t) => {
  const rows = await read(
    { id: 1, episodes: 3, status: 'Completed' },
    { id: 2, episodes: 3, watched: 1, rewatching: 1 },
    { id: 3, episodes: 0, watched: 4, status: 'Completed', finish: '2012-00-00' },
  )
  const numbers = rows.map((row) =>
    'item' in row ? [row.item.show_ids?.mal, row.item.episode, row.item.watched_at] : row,
  )
  const all = (id: string, count: number) => Array.from({ length: count }, (_, index) => [id, index + 1, undefined])
  t.strictSame(numbers, [...all('1', 3), ...all('2', 3), ...all('3', 4)])
})

t.test('two exports in one file are of two people', async (t) => {
  const ann = fileOf([{ id: 1, status: 'Plan to Watch' }])
  const bob = fileOf([{ id: 2, status: 'Plan to Watch' }, { id: 3 }]).replace('>ann<', '>bob<')
  const people = async (text: string) =>
    (await readExample(plugin, { 'animelist.xml': text })).map((row) => ('feature' in row ? row.person : row.skipped))
  t.strictSame(await people(ann + ann), [undefined, undefined], 'one person needs no name')
  t.strictSame(await people(ann + bob + ann), [undefined, 'bob', 'unsupported_list', undefined])
})

t.test('statuses as other programs write them', async (t) => {
  const statuses = ['plan to watch', 'Plan-to-Watch', '6', 'On-Hold', 'On Hold', 'Paused', '']
  const rows = await read(...statuses.map((status, index) => ({ id: index + 1, status })))
  t.strictSame(
    rows.map((row) => ('feature' in row ? row.feature : row.skipped)),
    [...Array(3).fill('watchlist'), ...Array(4).fill('unsupported_list')],
  )
})

t.test('a kind that is not known is not guessed, and the manga list is explained', async (t) => {
  t.strictSame(await read({ id: 1, type: 'Unknown' }, { id: 2, type: '' }), [
    { skipped: 'unsupported_type' },
    { skipped: 'unsupported_type' },
  ])
  const head = fileOf([], 2)
  const file = { path: 'mangalist.xml', name: 'mangalist.xml', kind: 'xml', columns: [], tables: null, head } as const
  t.equal(plugin.importer.recognise({ files: [file], archive: false }), null)
  t.match(plugin.importer.explain?.({ files: [file], archive: false }), /manga/)
})

t.test('the plugin offers the format, and the format keeps its promises', async (t) => {
  await using host = await createTestHost({ plugin, manifest })
  t.same(host.failures, [])
  t.same(
    (await checkImporter(plugin, { example })).filter(({ ok }) => !ok),
    [],
  )
})
