// Exports of AniList's lists: its own, and what programs save of its interface.
import t from 'tap'
import { checkImporter, createTestHost, readExample } from '@playhead/sdk/testing'
import plugin from './index.ts'

const manifest = new URL('./plugin.json', import.meta.url)

/** AniList's own export. */
const gdprOf = (lists: readonly object[]) =>
  JSON.stringify({
    user: { id: 5_001, display_name: 'ann', title_language: 1, score_type: 2, legacy_lists: 0 },
    lists: lists.map((one, index) => ({
      ...{ id: 300 + index, user_id: 5_001, series_type: 0, series_id: 1 + index, status: 0, score: 0, progress: 0 },
      ...{ progress_volume: 0, repeat: 0, priority: 0, private: 0, notes: null, custom_lists: '[]', hidden_default: 0 },
      ...{ started_on: 0, finished_on: 0, created_at: '2020-01-02 03:04:05', updated_at: '2020-01-02 03:04:05' },
      ...one,
    })),
    activity: [{ id: 1, object_id: 1, action_type: 1 }],
  })

const media = (id: number, more: object = {}) => ({
  ...{ id, idMal: id + 100, format: 'TV', episodes: 12, seasonYear: 2011, type: 'ANIME' },
  title: { romaji: `Title ${id}`, english: null, native: null },
  ...more,
})
const NONE = { year: null, month: null, day: null }
const entry = (
  id: number,
  status: string,
  { of = {}, ...more }: { readonly of?: object; readonly [name: string]: unknown } = {},
) => ({
  ...{ id: 300 + id, mediaId: id, status, score: 0, progress: 0, repeat: 0, startedAt: NONE, completedAt: NONE },
  media: media(id, of),
  ...more,
})
const collectionOf = (...entries: readonly object[]) =>
  JSON.stringify({ data: { MediaListCollection: { lists: [{ name: 'All', isCustomList: false, entries }] } } })
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
  const examples: readonly Readonly<Record<string, string>>[] = [
    { 'gdpr_data.json': gdprOf([{ progress: 2, score: 50 }, { status: 1 }]) },
    { 'list.json': collectionOf(entry(1, 'COMPLETED', { score: 80 }), entry(2, 'PLANNING')) },
  ]
  for (const example of examples)
    t.same(
      (await checkImporter(plugin, { example })).filter(({ ok }) => !ok),
      [],
    )
})
