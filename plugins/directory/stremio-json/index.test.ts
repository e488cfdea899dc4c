// Stremio: the data export of an account, and titles as its API and apps store them.
import t from 'tap'
import { checkImporter, createTestHost, readExample } from '@playhead/sdk/testing'
import plugin from './index.ts'

const manifest = new URL('./plugin.json', import.meta.url)
const AT = '2025-03-23T21:31:53.450Z'
const title = (_id: string, type: string, name: string, state: object, more: object = {}) => ({
  ...{ _id, type, name, poster: `https://images.metahub.space/poster/medium/${_id}/img`, posterShape: 'poster' },
  ...{ removed: false, temp: false, _ctime: '2025-01-01T10:00:00.000Z', _mtime: AT, ...more },
  state: {
    ...{ lastWatched: AT, timeWatched: 0, timeOffset: 0, overallTimeWatched: 0, timesWatched: 0, flaggedWatched: 0 },
    ...{ duration: 0, video_id: '', watched: '', noNotif: false, ...state },
  },
})
const library = [
  title('tt0133093', 'movie', 'The Matrix', { timesWatched: 1, flaggedWatched: 1 }, { removed: true, year: '1999' }),
  title('tt0078748', 'movie', 'Alien', { timeOffset: 600_000, duration: 7_020_000, video_id: 'tt0078748' }),
  title('tt0113277', 'movie', 'Heat', { timesWatched: 2, timeOffset: 60_000 }, { removed: true, temp: true }),
  title('tt0306414', 'series', 'The Wire', {
    ...{ video_id: 'tt0306414:1:2', flaggedWatched: 1, watched: 'tt0306414:1:2:2:eJxjBgAABAAE' },
  }),
  title('tt0944947', 'series', 'Next', { video_id: 'tt0944947:1:3', timeOffset: 1 }, { removed: true, temp: true }),
  title('yt_id:UCabc', 'channel', 'A channel', {}),
]
const exported = {
  user: { _id: '5f1d7a', email: 'ann@example.org', registered_at: 'stremio' },
  addons: [],
  library: [...library, library[0]].map((d) => ({ __id: d!._id, _id: '65ff4a49', _mtime: AT, _mtimestamp: 1, d })),
}
const example = { 'stremioExport.json': JSON.stringify(exported, null, 2) }
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
