// Exported libraries, as Kodi writes them.
import t from 'tap'
import { checkImporter, createTestHost, readExample } from '@playhead/sdk/testing'
import plugin from './index.ts'

const manifest = new URL('./plugin.json', import.meta.url)

const HEAT = `<movie>
    <title>Heat</title>
    <originaltitle>Heat</originaltitle>
    <userrating>9</userrating>
    <plot>A thief &amp; a detective.</plot>
    <playcount>2</playcount>
    <lastplayed>2024-07-01 21:04:05</lastplayed>
    <id>tt0113277</id>
    <uniqueid type="tmdb">949</uniqueid>
    <uniqueid type="imdb" default="true">tt0113277</uniqueid>
    <premiered>1995-12-15</premiered>
    <fileinfo><streamdetails><video><codec>hevc</codec></video></streamdetails></fileinfo>
    <resume><position>0.000000</position><total>0.000000</total></resume>
    <actor><name>Al Pacino</name><order>0</order></actor>
</movie>`
const episode = (season: number, number: number, more: string) => `<episodedetails>
    <title>Episode ${number}</title>
    <showtitle>The Wire</showtitle>
    <season>${season}</season>
    <episode>${number}</episode>
    ${more}
</episodedetails>`
const WIRE = (episodes: string) => `<tvshow>
    <title>The Wire</title>
    <userrating>10</userrating>
    <uniqueid type="tvdb" default="true">79126</uniqueid>
    <premiered>2002-06-02</premiered>
    ${episodes}
</tvshow>`
const PLAYED = '<playcount>1</playcount><lastplayed>2024-07-02 01:00:00</lastplayed>'

const WHOLE = {
  'kodi_videodb_2026-01-01/videodb.xml': `<?xml version="1.0" encoding="UTF-8" standalone="yes" ?>
<videodb>
  <version>1</version>
  ${HEAT}
  ${WIRE(episode(0, 1, `<uniqueid type="tvdb">333</uniqueid>${PLAYED}`) + episode(1, 2, '<playcount>0</playcount>'))}
  <musicvideo><title>Song</title><playcount>3</playcount></musicvideo>
  <paths><path><url>/v/</url></path></paths>
</videodb>
`,
}
const SHOW = { series_title: 'The Wire', series_year: 2002, show_ids: { tvdb: '79126' } }

t.test('a library in one file: plays of a day, and ratings of films and shows', async (t) => {
  t.match(await readExample(plugin, WHOLE), [
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

t.test('the plugin offers the format, and the format keeps its promises', async (t) => {
  await using host = await createTestHost({ plugin, manifest })
  t.same(host.failures, [])
  t.same(
    (await checkImporter(plugin, { example: WHOLE })).filter(({ ok }) => !ok),
    [],
  )
})
