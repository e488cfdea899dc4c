// The parsed rows of each format, from files in the formats of the services.
import t from 'tap'
import type { ImportRecord } from '@playhead/sdk'
import { xmlElement, xmlText } from '@playhead/sdk/importer'
import { openUpload } from '../../../plugins/services/imports/file/open.ts'
import { atEndOfFile } from '../../at-end-of-file.ts'
import * as files from './files.ts'
import { csvRecords } from '../../../plugins/services/imports/file/records.ts'
import { linesIn } from './lines.ts'
import { bytesOf, openImports } from './world.ts'

const world = await openImports()
atEndOfFile(() => world.host.close())

const linesOf = linesIn(world)

t.test('Trakt with VIP: every play, ratings and the watchlist', async (t) => {
  const { body, lines } = await linesOf(files.TRAKT)
  t.match(body, { format: 'trakt', rows: 6, matched: 6, ambiguous: 0, unmatched: 0 })
  t.strictSame(lines, [
    'history episode tmdb:1438 s1e2 2024-01-02T10:00:00Z',
    'history movie tmdb:949 2024-01-01T10:00:00Z',
    'history movie tmdb:949 2024-02-01T10:00:00Z',
    'ratings movie tmdb:949 9 2024-01-01T11:00:00Z',
    'ratings season tmdb:1438 s2 7 2024-01-03T11:00:00Z',
    'watchlist show tmdb:1406',
  ])
})

t.test('Trakt without VIP: the last plays', async (t) => {
  const { lines } = await linesOf(files.TRAKT_FREE)
  t.strictSame(lines, [
    'history episode tmdb:1438 s1e2 2024-01-02T10:00:00Z',
    'history movie tmdb:949 2024-02-01T10:00:00Z',
    'watchlist show tmdb:1406',
  ])
  const single = await linesOf(files.TRAKT['ratings-movies.json'], 'ratings-movies.json')
  t.match([single.body.format, single.lines], ['trakt', ['ratings movie tmdb:949 9 2024-01-01T11:00:00Z']])
})

t.test('Letterboxd: films without ids are looked up, once each', async (t) => {
  const { body, lines } = await linesOf(files.LETTERBOXD)
  t.match(body, { format: 'letterboxd', rows: 7, matched: 0, ambiguous: 7, titles: { total: 4, open: 4 } })
  t.strictSame(lines, [
    'history movie "Alien" no time',
    'history movie "Am I OK?" 2024-01-05',
    'history movie "Heat" 2024-01-02',
    'history movie "Heat" 2024-03-01',
    'ratings movie "Alien" 1 2020-01-03',
    'ratings movie "Heat" 10 2024-01-03',
    'watchlist movie "Ran"',
  ])
})

t.test('IMDb: the kinds of all years, and no games', async (t) => {
  const { body, lines } = await linesOf(files.IMDB_RATINGS, 'ratings.csv')
  t.match(body, { format: 'imdb', skipped: { unsupported_type: 1 } })
  t.strictSame(lines, [
    'ratings episode "undefined" s?e? 8 2024-01-02',
    'ratings movie tt0113277 9 2024-01-01',
    'ratings show tt0306414 10 2024-01-02',
  ])
})

t.test('SIMKL: films, episodes with their times, and anime with its own numbers', async (t) => {
  for (const [data, name] of [
    [files.SIMKL, 'SimklBackup.json'],
    [{ 'SimklBackup.json': files.SIMKL }, 'backup.zip'],
  ] as const) {
    const { body, lines } = await linesOf(data, name)
    t.match(body, { format: 'simkl' })
    t.strictSame(lines, [
      'history episode mal:457 s1e2 2022-01-02T20:00:00Z',
      'history episode tmdb:1438 s1e1 2024-01-01T20:00:00Z',
      'history episode tmdb:1438 s1e2 no time',
      'history episode tvdb:79250 s1e1 2022-01-01T20:00:00Z',
      'history movie tmdb:949 2024-01-01T10:00:00Z',
      'ratings movie tmdb:949 9 2024-01-02T00:00:00Z',
      'watchlist movie tmdb:11645',
    ])
  }
})

t.test('TV Time: episodes by TheTVDB, films by title, and nothing else is opened', async (t) => {
  const { body, lines, rows } = await linesOf(files.TV_TIME)
  t.match(body, { format: 'tvtime', titles: { total: 2 } })
  t.strictSame(lines, [
    'history episode tvdb:79126 s1e1 2020-05-01T20:15:00Z',
    'history episode tvdb:79126 s1e2 2020-05-02T20:15:00Z',
    'history movie "Heat" 2020-05-01T20:00:00Z',
    'watchlist movie "Ran"',
    'watchlist show tvdb:72023',
  ])
  t.notMatch(JSON.stringify([body, rows]), 'secret-token')
})

t.test('Yamtrack: a completed season means its episodes', async (t) => {
  const { body, lines } = await linesOf(files.YAMTRACK, 'yamtrack.csv')
  t.match(body, { format: 'yamtrack', skipped: { unsupported_type: 1 } })
  t.strictSame(lines, [
    'history episode tmdb:1438 s1e1 2024-01-02T10:00:00Z',
    'history movie tmdb:949 2024-01-01T10:00:00Z',
    'ratings movie tmdb:949 9',
    'ratings season tmdb:1438 s1 8',
    'watchlist movie tmdb:11645',
  ])
})

t.test('Netflix: the order of day and month is known from the whole file, or there is no date', async (t) => {
  const { body, lines } = await linesOf(files.NETFLIX, 'NetflixViewingHistory.csv')
  t.match(body, { format: 'netflix', matched: 0, ambiguous: 3, titles: { total: 2 } })
  t.strictSame(lines, [
    'history episode "The Wire" s1e? 2023-12-30',
    'history episode "The Wire" s1e? 2023-12-31',
    'history movie "Heat" 2023-02-01',
  ])
  const american = await linesOf('Title,Date\n"A","1/2/23"\n"B","12/31/23"\n', 'n.csv')
  t.strictSame(american.lines, ['history movie "A" 2023-01-02', 'history movie "B" 2023-12-31'])
  const unclear = await linesOf('Title,Date\n"A","1/2/23"\n"B","3/3/23"\n', 'n.csv')
  t.strictSame(unclear.lines, ['history movie "A" no time', 'history movie "B" 2023-03-03'])
  const activity = await linesOf({ 'CONTENT_INTERACTION/ViewingActivity.csv': files.NETFLIX_ACTIVITY })
  t.match(activity.body, {
    persons: [
      { name: 'Ann', rows: 1 },
      { name: 'Ben', rows: 1 },
    ],
    skipped: { trailer: 1 },
  })
  t.ok(activity.lines.includes('history movie "Heat" 2023-06-01T18:30:00Z'))
})

t.test('CrossWatch: the files of its tracker, without older states', async (t) => {
  const { body, lines } = await linesOf(files.CROSSWATCH)
  t.match(body, { format: 'crosswatch' })
  t.strictSame(lines, [
    'history episode tmdb:1438 s1e1 2024-01-02T10:00:00Z',
    'history movie tmdb:949 2024-01-01T10:00:00Z',
    'ratings movie tmdb:949 9 2024-01-01T10:00:00Z',
    'watchlist movie tmdb:11645',
  ])
  const single = await linesOf(files.CROSSWATCH['.cw_provider/watchlist.json'], 'watchlist.json')
  t.strictSame(single.lines, ['watchlist movie tmdb:11645'])
})

t.test('a file of one format is never read as another', async (t) => {
  for (const [format, data] of Object.entries(files.ALL)) {
    const name =
      format === 'netflix' ? 'NetflixViewingHistory.csv' : format === 'simkl' ? 'SimklBackup.json' : 'file.csv'
    t.match((await world.upload(data, name)).body, { ok: true, format }, format)
    for (const other of Object.keys(files.ALL).filter((one) => one !== format))
      t.match(
        await world.upload(data, name, `?format=${other}`),
        { status: 400, body: { ok: false, error: 'wrong_format', detail: /looks like one of/ } },
        `${format} is not ${other}`,
      )
  }
  const strangers: readonly (readonly [string, Parameters<typeof world.upload>[0]])[] = [
    ['a shop', 'Order,Date,Amount\n1,2024-01-01,5\n'],
    ['notes', 'just some words'],
    ['another document', '{"name":"x","version":"1.0.0","dependencies":{"a":"1"}}'],
    ['a list of other things', '[{"id":1,"name":"x"}]'],
    ['an archive of pictures', { 'a.jpg': new Uint8Array([255, 216, 255]) }],
    ['a picture', new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13])],
  ]
  for (const [what, data] of strangers)
    t.match(
      await world.upload(data),
      { status: 400, body: { ok: false, error: 'unknown_format', detail: /Known are/ } },
      what,
    )
  t.match(await world.upload('', 'x.csv'), { status: 400, body: { error: 'empty_file' } })
  t.match(await world.upload(' \n\n', 'x.csv'), { status: 400, body: { error: 'empty_file' } })
  t.match(await world.upload(files.YAMTRACK, 'x', '?format=nonsense'), {
    status: 400,
    body: { error: 'unknown_format', detail: /"nonsense"\. There are [^.]*\byamtrack\b/i },
  })
  t.same(
    (await world.get('')).body.imports.filter((one: { format: string }) => one.format === undefined),
    [],
  )
})

t.test('a long table is read in chunks, with line ends of several systems', async (t) => {
  const file = { path: 'a.csv', name: 'a.csv', kind: 'csv', columns: ['a', 'b'], tables: null, head: 'a,b\n' } as const
  let pieces = 0
  async function* text() {
    yield 'a,b\n'
    for (; pieces < 1_000; pieces += 1) yield `${pieces},"one\ntwo"\r\n${pieces},x\r`.repeat(100)
  }
  let rows = 0
  for await (const { cells } of csvRecords(text(), file, (damage) => t.fail(damage))) {
    if (cells['b'] !== 'x' && cells['b'] !== 'one\ntwo') t.fail(JSON.stringify(cells))
    rows += 1
    if (rows === 1) t.ok(pieces < 50, `${pieces} pieces were read for the first row`)
  }
  t.equal(rows, 200_000)
})

t.test('lines with tabs and without a header are rows, each of them, and quotes in them mean nothing', async (t) => {
  const lines = ['2024-01-05 21:00:00\tann\t"Crocodile" Dundee, too\t5', '2024-01-06 21:00:00\tann\t"Heat\t6']
  const upload = await openUpload(Buffer.from(`${lines.join('\r\n')}\r\n`), 'log.tsv')
  const [file] = upload.sketch.files
  t.match(file, { kind: 'csv', columns: ['1', '2', '3', '4'] })
  const rows = await Array.fromAsync(upload.records(file!, (damage) => t.fail(damage)))
  t.same(
    rows.map(({ cells }) => [cells['3'], cells['4']]),
    [
      ['"Crocodile" Dundee, too', '5'],
      ['"Heat', '6'],
    ],
  )
})

t.test('XML is read by elements, also from an archive and after a break', async (t) => {
  const text = `<?xml version="1.0"?><library>${'<film><title>Äther</title></film>'.repeat(3_000)}</library>`
  const upload = await openUpload(Buffer.from(text), 'library.xml')
  const [file] = upload.sketch.files
  t.match(file, { kind: 'xml', columns: [] })
  const titles = (records: AsyncIterable<ImportRecord>) =>
    Array.fromAsync(records, ({ table, value }) => [table, xmlText(xmlElement(value)!, 'title')])
  const found = await titles(upload.records(file!, (damage) => t.fail(damage)))
  t.same([found.length, found[0]], [3_000, ['film', 'Äther']])
  const packed = await openUpload(
    bytesOf({ 'a/film.nfo': '<film><title>Äther</title></film>', 'a/x.jpg': 'x' }),
    'a.zip',
  )
  t.same(await titles(packed.records(packed.sketch.files[0]!, (damage) => t.fail(damage), ['film'])), [
    ['film', 'Äther'],
  ])
  const broken = await openUpload(Buffer.from(text.slice(0, -40)), 'library.xml')
  const damages: string[] = []
  t.equal((await titles(broken.records(broken.sketch.files[0]!, (damage) => damages.push(damage)))).length, 2_999)
  t.same(damages, ['truncated'])
})
