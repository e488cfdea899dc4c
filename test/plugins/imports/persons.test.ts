// Files of several people: the person of a row comes from folders, files and columns, and one person is imported at a time.
import t from 'tap'
import { atEndOfFile } from '../../at-end-of-file.ts'
import * as files from './files.ts'
import { linesIn } from './lines.ts'
import { openImports } from './world.ts'

type Data = Parameters<Awaited<ReturnType<typeof openImports>>['upload']>[0]

const world = await openImports()
atEndOfFile(() => world.host.close())
const linesOf = linesIn(world)

const names = ({ persons }: any) => persons.map(({ name }: any) => name)
const asFiles = (data: Data, name: string) =>
  typeof data === 'string' ? { [name]: data } : (data as Readonly<Record<string, string>>)
const inFolder = (folder: string, data: Readonly<Record<string, string | Uint8Array>>) =>
  Object.fromEntries(Object.entries(data).map(([path, text]) => [`${folder}/${path}`, text]))

const NAMES: Readonly<Record<string, string>> = { netflix: 'NetflixViewingHistory.csv', simkl: 'SimklBackup.json' }
const LIST = 'tmdbID,imdbID,Title,Year,Type,WatchedDate\n949,,Heat,1995,movie,2024-01-01\n'
const PLAYHEAD = (instance: string, tmdb = '949') =>
  JSON.stringify({
    ...{ format: 'playhead', version: 1, provider: 'SVC', instance, feature: 'history' },
    rows: [
      { feature: 'history', item: { type: 'movie', ids: { tmdb }, watched: true, watched_at: '2024-01-01T10:00:00Z' } },
    ],
  })

t.test('an archive with a folder for each person is of both, in any format', async (t) => {
  const all = { ...files.ALL, list: LIST, playhead: PLAYHEAD('default'), trakt_free: files.TRAKT_FREE }
  for (const [format, data] of Object.entries(all)) {
    const own = asFiles(data, NAMES[format] ?? `file.${format === 'playhead' ? 'json' : 'csv'}`)
    const one = await linesOf(inFolder('home/ann', own), 'all.zip')
    t.same(one.body.persons, [], `${format}: a folder alone is no person`)
    const both = await linesOf({ ...inFolder('home/ann', own), ...inFolder('home/ben', own) }, 'all.zip')
    t.equal(both.body.persons.length, 2, `${format}: two people`)
    t.same(
      both.body.persons.map(({ rows }: any) => rows),
      [one.lines.length, one.lines.length],
      `${format}: what is said of one takes nothing from the other`,
    )
  }
})

t.test('CrossWatch: the profiles folder belongs to other people of the household', async (t) => {
  await using own = await openImports()
  const items = (tmdb: string) =>
    JSON.stringify({ ts: 1, items: { x: { type: 'movie', ids: { tmdb }, watched_at: '2024-01-01T10:00:00Z' } } })
  const { body } = await own.upload({
    '.cw_provider/history.json': items('1'),
    '.cw_provider/profiles/CW-P01/history.json': items('2'),
    '.cw_provider/profiles/CW-P02/history.plex-trakt.json': items('3'),
    '.cw_provider/profiles/CW-P02/snapshots/history.json': items('4'),
  })
  t.same(names(body), ['CW-P01', 'CW-P02', 'default'])
  const run = (request: object) => own.post('/run', { import_id: body.import_id, provider: 'SVC', ...request })
  t.match(await run({}), { status: 409, body: { error: 'person_required' } })
  t.match(await run({ person: 'CW-P02' }), { status: 200, body: { state: 'done', outcomes: { applied: 1 } } })
  t.same(
    own.held('SVC@default history').map(({ ids }) => ids),
    [{ tmdb: '3' }],
  )
  const { body: single } = await own.upload({ 'profiles/CW-P01/history.json': items('2') })
  t.same(names(single), [])
})

t.test('Trakt: folders of the archive itself belong to one person', async (t) => {
  const { 'ratings-movies.json': ratings, ...rest } = files.TRAKT
  const folders = { ...inFolder('watched', rest), 'ratings/ratings-movies.json': ratings }
  t.same((await linesOf(inFolder('ann', folders))).body.persons, [])
  const { body } = await linesOf({ ...inFolder('ann', folders), ...inFolder('ben', folders) })
  t.same(names(body), ['ann', 'ben'])
  t.same((await linesOf(folders)).body.persons, [])
})

t.test(
  'files of one folder: one for each profile of Netflix and Yamtrack, copies of a name, profiles of Playhead',
  async (t) => {
    const netflix = await linesOf({
      'NetflixViewingHistory.csv': files.NETFLIX,
      'NetflixViewingHistory (1).csv': 'Title,Date\n"Ran","1/31/23"\n',
    })
    t.same(names(netflix.body), ['NetflixViewingHistory (1).csv', 'NetflixViewingHistory.csv'])
    t.ok(netflix.lines.includes('history movie "Ran" 2023-01-31'), 'dates are read in the order of their own file')
    t.same(names((await linesOf({ 'ann.csv': files.YAMTRACK, 'ben.csv': files.YAMTRACK })).body), [
      'ann.csv',
      'ben.csv',
    ])
    const imdb = { 'ratings.csv': files.IMDB_RATINGS, 'list.csv': files.IMDB_RATINGS }
    t.same((await linesOf(imdb, 'imdb.zip')).body.persons, [], 'each list of a person is a file')
    t.same(names((await linesOf({ ...imdb, 'ratings (1).csv': files.IMDB_RATINGS }, 'imdb.zip')).body), [
      'imdb.zip',
      'ratings (1).csv',
    ])
    const parts = { 'a_part1.json': PLAYHEAD('default'), 'a_part2.json': PLAYHEAD('default', '950') }
    t.same((await linesOf(parts)).body.persons, [])
    t.same(names((await linesOf({ ...parts, 'b.json': PLAYHEAD('ben') })).body), ['ben', 'default'])
  },
)

t.test('a column or a field that names people is recognised', async (t) => {
  for (const [column, [a, b]] of Object.entries({
    Username: ['ann', 'ben'],
    User: ['ann', 'ben'],
    user_id: ['9', '10'],
    'Profile Name': ['Ann', 'Ben'],
  })) {
    const list = (second: string | undefined) =>
      `tmdbID,imdbID,Title,Year,Type,WatchedDate,${column}\n949,,Heat,1995,movie,2024-01-01,${a}\n` +
      `950,,Ran,1985,movie,2024-01-02,${second}\n11,,Up,2009,movie,2024-01-03,\n`
    const both = await linesOf(list(b))
    t.same(names(both.body), ['', a, b].sort(), column)
    t.same((await linesOf(list(a))).body.persons, [], `${column}: of one person`)
  }
  const tracking = (second: string) =>
    'key,s_id,series_name,ep_id,season_number,episode_number,created_at,user_id\n' +
    `watch-episode-1,73388,A,1,1,1,2020-01-05 20:00:00,9\nwatch-episode-2,73388,A,1,1,1,2020-01-05 20:00:00,${second}\n`
  t.match(await linesOf(tracking('10'), 'tracking-prod-records-v2.csv'), {
    body: {
      persons: [
        { name: '10', rows: 1 },
        { name: '9', rows: 1 },
      ],
    },
  })
  t.match(await linesOf(tracking('9'), 'tracking-prod-records-v2.csv'), { body: { persons: [], rows: 1 } })
  const play = (user: unknown) => ({
    ...{ id: 1, watched_at: '2024-01-01T10:00:00.000Z', user, type: 'movie' },
    movie: { title: 'Heat', year: 1995, ids: { trakt: 1, tmdb: 949 } },
  })
  for (const [a, b] of [
    ['ann', 'ben'],
    [{ username: 'ann' }, { username: 'ben' }],
  ]) {
    t.same(names((await linesOf(JSON.stringify([play(a), play(b)]), 'history.json')).body), ['ann', 'ben'])
    t.same((await linesOf(JSON.stringify([play(a), play(a)]), 'history.json')).body.persons, [])
  }
})

t.test('an implausible number of people is refused', async (t) => {
  const rows = Array.from({ length: 300 }, (_, at) => `${at + 1},,T,1995,movie,2024-01-01,user ${at}`)
  t.match(await world.upload(`tmdbID,imdbID,Title,Year,Type,WatchedDate,User\n${rows.join('\n')}\n`, 'list.csv'), {
    status: 400,
    body: { error: 'too_many_persons' },
  })
})
