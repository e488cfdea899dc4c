// All shipped importers satisfy the importer contract.
import t from 'tap'
import { checkImporter, type ExampleFiles } from '@playhead/sdk/testing'
import * as files from '../imports/files.ts'
import { shippedImporters } from '../imports/world.ts'

const EXAMPLES: Readonly<Record<string, readonly ExampleFiles[]>> = {
  trakt: [files.TRAKT, files.TRAKT_FREE, { 'ratings-movies.json': files.TRAKT['ratings-movies.json'] }],
  letterboxd: [
    files.LETTERBOXD,
    { 'x.csv': 'imdbID,tmdbID,Title,Year,Rating10,WatchedDate,Rewatch\ntt1,1,A,1990,5,2024-01-01,\n' },
  ],
  imdb: [{ 'ratings.csv': files.IMDB_RATINGS }, { 'list.csv': 'const\ntt0113277\n' }],
  simkl: [
    { 'SimklBackup.json': files.SIMKL },
    {
      'simkl.csv':
        'SIMKL_ID,Title,Type,Year,Watchlist,LastEpWatched,WatchedDate,Rating,Memo,TVDB,TMDB,IMDB\n1,A,Movie,1990,completed,,2024-01-01,5,,,3,tt1\n',
    },
  ],
  tvtime: [files.TV_TIME],
  yamtrack: [{ 'yamtrack.csv': files.YAMTRACK }],
  netflix: [{ 'NetflixViewingHistory.csv': files.NETFLIX }, { 'ViewingActivity.csv': files.NETFLIX_ACTIVITY }],
  crosswatch: [files.CROSSWATCH],
  playhead: [
    {
      'export.json':
        '{"format":"playhead","version":1,"rows":[{"feature":"ratings","key":"movie:tmdb:1","item":{"type":"movie","ids":{"tmdb":"1"},"rating":5}}],"count":1}',
    },
  ],
  list: [
    {
      'list.csv':
        'tmdbID,imdbID,Title,Year,Type,WatchedDate,Rating,Season,Episode\n1,tt1,A,1990,movie,2024-01-01,5,,\n2,,B,,episode,2024-01-01,,1,2\n',
    },
  ],
}

for (const { plugin } of await shippedImporters())
  t.test(plugin.importer.format, async (t) => {
    const examples = EXAMPLES[plugin.importer.format] ?? []
    t.ok(examples.length > 0, 'it has an example')
    for (const example of examples)
      for (const { id, title, ok, reason = '' } of await checkImporter(plugin, { example }))
        t.ok(ok, `${id}: ${title}. ${reason}`)
  })

t.test('an importer that breaks a rule is detected', async (t) => {
  const yamtrack = (await shippedImporters()).find(({ plugin }) => plugin.importer.format === 'yamtrack')!.plugin
  const failed = async (broken: object) =>
    (
      await checkImporter(
        { ...yamtrack, importer: { ...yamtrack.importer, ...broken } },
        { example: EXAMPLES['yamtrack']![0]! },
      )
    )
      .filter(({ ok }) => !ok)
      .map(({ id }) => id)
  t.strictSame(await failed({ hint: '' }), ['importer.describes'])
  t.match(await failed({ recognise: () => null }), ['importer.recognises', 'importer.repeats', 'importer.rows'])
  t.strictSame(await failed({ recognise: ({ files: all }: { files: object[] }) => all }), ['importer.refuses'])
  t.strictSame(await failed({ features: ['watchlist'] }), ['importer.rows', 'importer.damage'])
  let calls = 0
  t.strictSame(
    await failed({
      open: () => ({ read: () => [{ feature: 'watchlist', item: { type: 'movie', ids: { tmdb: String(++calls) } } }] }),
    }),
    ['importer.repeats'],
  )
  t.strictSame(
    await failed({
      open: () => ({
        read: ({ value }: { value: { title: string } }) => [
          { feature: 'watchlist', item: { type: 'movie', title: value.title, ids: {} } },
        ],
      }),
    }),
    ['importer.damage'],
  )
})

t.test('files of Movary are not taken for files in the format of Letterboxd', async (t) => {
  const { importer } = (await shippedImporters()).find(({ plugin }) => plugin.importer.format === 'letterboxd')!.plugin
  const columns = ['title', 'year', 'tmdbid', 'imdbid']
  const taken = (further: readonly string[]) =>
    importer.recognise({
      files: [{ path: 'a.csv', name: 'a.csv', kind: 'csv', columns: [...columns, ...further], tables: null, head: '' }],
      archive: false,
    })
  for (const further of [['watchedat', 'comment', 'location'], ['userrating'], ['addedat']])
    t.equal(taken(further), null, further.join())
  t.equal(taken(['rating10'])?.length, 1)
})
