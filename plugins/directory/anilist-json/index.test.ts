// Exports of AniList's lists: its own, and what programs save of its interface.
import t from 'tap'
import { checkImporter, createTestHost, readExample } from '@playhead/sdk/testing'
import example, { collectionOf, entry, gdprOf } from './conformance.ts'
import plugin from './index.ts'

const manifest = new URL('./plugin.json', import.meta.url)
const read = (text: string, name = 'anilist.json') => readExample(plugin, { [name]: text })

const anime = (id: number, more: object = {}) => ({
  ...{ type: 'anime', ids: { anilist: String(id), mal: String(id + 100) }, title: `Title ${id}`, year: 2011 },
  ...more,
})
const episode = (id: number, number: number, more: object = {}) => ({
  feature: 'history',
  item: {
    ...{
      type: 'episode',
      ids: {},
      show_ids: { anilist: String(id), mal: String(id + 100) },
      season: 1,
      episode: number,
    },
    ...{ series_title: `Title ${id}`, series_year: 2011, watched: true, ...more },
  },
})

t.test("AniList's own export has ids and counts, and is silent about kinds", async (t) => {
  const rows = await read(
    gdprOf([
      { status: 1 },
      { status: 2, progress: 2, score: 85, finished_on: 20_200_102 },
      { status: 2, progress: 1, score: 70 },
      { series_type: 1, status: 0, progress: 40 },
      { status: 4 },
    ]),
    'gdpr_data.json',
  )
  const own = (id: number, more: object = {}) => ({ type: 'anime', ids: { anilist: String(id) }, ...more })
  const part = (number: number) => ({
    feature: 'history',
    item: { type: 'episode', ids: {}, show_ids: { anilist: '2' }, season: 1, episode: number, watched: true },
  })
  t.strictSame(rows, [
    { feature: 'watchlist', item: own(1) },
    { feature: 'ratings', item: own(2, { rating: 9 }) },
    part(1),
    part(2),
    // One episode may be a film.
    { feature: 'ratings', item: own(3, { rating: 7 }) },
    { skipped: 'unsupported_type' },
    { skipped: 'unsupported_list' },
  ])
})

t.test('an answer of the interface is read whole, as lists, and as entries', async (t) => {
  const entries = [
    entry(1, 'PLANNING'),
    entry(2, 'CURRENT', { progress: 2, score: 7.5 }),
    entry(3, 'COMPLETED', { of: { format: 'MOVIE', episodes: 1 }, completedAt: { year: 2012, month: 1, day: 2 } }),
    entry(4, 'COMPLETED', { of: { episodes: 2 }, completedAt: { year: 2013, month: 4, day: 5 }, score: 9 }),
    entry(5, 'REPEATING', { of: { episodes: 1 }, progress: 0 }),
    entry(6, 'DROPPED'),
    entry(7, 'CURRENT', { of: { type: 'MANGA' }, progress: 30 }),
  ]
  const expected = [
    { feature: 'watchlist', item: anime(1) },
    episode(2, 1),
    episode(2, 2),
    { feature: 'history', item: anime(3, { film: true, watched: true, watched_at: '2012-01-02' }) },
    episode(4, 1),
    episode(4, 2, { watched_at: '2013-04-05' }),
    episode(5, 1),
    { skipped: 'unsupported_list' },
    { skipped: 'unsupported_type' },
    { feature: 'ratings', item: anime(2, { rating: 8 }) },
    { feature: 'ratings', item: anime(4, { rating: 9 }) },
  ]
  t.strictSame(await read(collectionOf(...entries)), expected)
  t.strictSame(await read(JSON.stringify({ lists: [{ name: 'Watching', entries }] })), expected)
  t.strictSame(await read(JSON.stringify(entries)), expected)
})

t.test('an entry that is in several lists is read once', async (t) => {
  const one = entry(1, 'PLANNING')
  const lists = [
    { name: 'Planning', isCustomList: false, entries: [one] },
    { name: 'My own', isCustomList: true, entries: [one] },
  ]
  t.strictSame(await read(JSON.stringify({ lists })), [{ feature: 'watchlist', item: anime(1) }])
})

t.test('titles without ids are different titles', async (t) => {
  const named = (title: string) =>
    entry(1, 'PLANNING', { mediaId: null, of: { id: null, idMal: null, title: { english: title } } })
  const rows = await read(collectionOf(named('One'), named('Two'), named('One')))
  t.match(rows, [{ item: { ids: {}, title: 'One' } }, { item: { ids: {}, title: 'Two' } }])
  t.equal(rows.length, 2)
})

t.test('the largest score says which scale the scores are of; a small one says nothing', async (t) => {
  const rated = async (...scores: readonly number[]) =>
    (await read(collectionOf(...scores.map((score, index) => entry(index + 1, 'DROPPED', { score }))))).map((row) =>
      'feature' in row ? row.item.rating : row.skipped,
    )
  t.strictSame(await rated(85, 4, 100), [9, 1, 10])
  t.strictSame(await rated(8, 4.5), [8, 5])
  t.strictSame(await rated(5, 3), ['invalid_value', 'invalid_value'])
})

t.test('the plugin offers the format, and the format keeps its promises', async (t) => {
  await using host = await createTestHost({ plugin, manifest })
  t.same(host.failures, [])
  for (const [name, text] of Object.entries(example))
    t.same(
      (await checkImporter(plugin, { example: { [name]: text } })).filter(({ ok }) => !ok),
      [],
      name,
    )
})
