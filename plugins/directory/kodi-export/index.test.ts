// Exported libraries, as Kodi writes them.
import t from 'tap'
import { checkImporter, createTestHost, readExample } from '@playhead/sdk/testing'
import example, { episode, HEAT, PLAYED, WIRE } from './conformance.ts'
import plugin from './index.ts'

const manifest = new URL('./plugin.json', import.meta.url)

const SHOW = { series_title: 'The Wire', series_year: 2002, show_ids: { tvdb: '79126' } }

t.test('a library in one file: plays and positions of a day, and ratings of films and shows', async (t) => {
  t.match(await readExample(plugin, example), [
    {
      feature: 'history',
      item: {
        ...{ type: 'movie', ids: { imdb: 'tt0113277', tmdb: '949' }, title: 'Heat', year: 1995 },
        ...{ watched: true, watched_at: '2024-07-01' },
      },
    },
    { feature: 'ratings', item: { ids: { imdb: 'tt0113277' }, rating: 9 } },
    { feature: 'ratings', item: { type: 'show', ids: { tvdb: '79126' }, title: 'The Wire', year: 2002, rating: 10 } },
    {
      feature: 'history',
      item: { ...SHOW, type: 'episode', ids: { tvdb: '333' }, season: 0, episode: 1, watched_at: '2024-07-02' },
    },
    { skipped: 'not_watched' },
    {
      feature: 'progress',
      item: { ...SHOW, season: 1, episode: 3, progress_ms: 600_000, duration_ms: 3_600_000, progress_at: '2024-07-03' },
    },
  ])
})

t.test('a library with a file for each video: episodes get the ids of the show above them', async (t) => {
  const rows = await readExample(plugin, {
    'TV/The Wire/Season 1/s01e01e02.nfo': `${episode(1, 1, PLAYED)}\n${episode(1, 2, PLAYED)}\nhttps://www.thetvdb.com/?tab=series&id=79126\n`,
    'TV/The Wire/tvshow.nfo': `<?xml version="1.0" encoding="UTF-8"?>\n<!-- made by hand -->\n${WIRE('')}`,
    'Films/Heat (1995)/Heat.nfo': HEAT,
    'Films/Heat (1995)/other.xml': '<settings><a>1</a></settings>',
    'TV/Unknown/s01e01.nfo': episode(1, 1, PLAYED),
  })
  t.match(rows, [
    { feature: 'ratings', item: { type: 'show' } },
    { item: { ...SHOW, season: 1, episode: 1 } },
    { item: { ...SHOW, season: 1, episode: 2 } },
    { item: { type: 'movie' } },
    { feature: 'ratings' },
    { item: { type: 'episode', ids: {}, show_ids: {}, series_title: 'The Wire' } },
  ])
})

t.test('positions, and a time that belongs to neither mark', async (t) => {
  const film = (more: string) => ({
    'a.nfo': `<movie><title>A</title><uniqueid type="tmdb">1</uniqueid>${more}</movie>`,
  })
  const resume = '<resume><position>600.5</position><total>5400</total></resume>'
  t.same(await readExample(plugin, film(`<lastplayed>2024-01-05 20:00:00</lastplayed>${resume}`)), [
    {
      feature: 'progress',
      item: {
        ...{ type: 'movie', ids: { tmdb: '1' }, title: 'A' },
        ...{ progress_ms: 600_500, duration_ms: 5_400_000, progress_at: '2024-01-05' },
      },
    },
  ])
  const both = await readExample(plugin, film(`${PLAYED}${resume}`))
  t.same(
    both.map((row) => 'item' in row && [row.feature, row.item.watched_at, row.item.progress_at]),
    [
      ['history', undefined, undefined],
      ['progress', undefined, undefined],
    ],
  )
  t.match(await readExample(plugin, film('<watched>true</watched><lastplayed>1601-01-01 00:00:00</lastplayed>')), [
    { feature: 'history', item: { watched_at: undefined } },
  ])
  t.same(await readExample(plugin, { 'a.nfo': '<movie><title></title><playcount>1</playcount></movie>' }), [
    { skipped: 'missing_title' },
  ])
})

t.test(
  'exported libraries in folders are those of several people; files beside videos are of one library',
  async (t) => {
    const file = (path: string, head: string) => ({
      path,
      head,
      name: 'x',
      kind: 'xml' as const,
      columns: [],
      tables: null,
    })
    const owner = (path: string, head: string) => plugin.importer.owner?.(file(path, head))
    t.equal(owner('ann/kodi_videodb_2026-01-01/videodb.xml', '<videodb>'), 'ann/kodi_videodb_2026-01-01')
    t.equal(owner('TV/The Wire/tvshow.nfo', '<tvshow>'), owner('Films/Heat/Heat.nfo', '<movie>'))
  },
)

t.test('an archive of the folder of one show has its file at the top', async (t) => {
  const rows = await readExample(plugin, { 'tvshow.nfo': WIRE(''), 'Season 1/s01e01.nfo': episode(1, 1, PLAYED) })
  t.match(rows[1], { item: { ...SHOW, season: 1, episode: 1 } })
})

t.test('a file that begins with many comments is recognized at once, or not', async (t) => {
  const recognise = (head: string) =>
    plugin.importer.recognise({
      files: [{ path: 'a.nfo', name: 'a.nfo', kind: 'xml', columns: [], tables: null, head }],
      archive: false,
    })
  const comments = '<!-- a -->\n'.repeat(100)
  t.equal(recognise(`<?xml version="1.0"?>\n${comments}<movie>`)?.length, 1)
  for (const head of [`${comments}<!ELEMENT`, '<?a?>'.repeat(200), `<!-- <movie> ${comments}`])
    t.equal(recognise(head), null, head.slice(0, 20))
})

t.test('the plugin offers the format, and the format keeps its promises', async (t) => {
  await using host = await createTestHost({ plugin, manifest })
  t.same(host.failures, [])
  t.same(
    (await checkImporter(plugin, { example })).filter(({ ok }) => !ok),
    [],
  )
})
