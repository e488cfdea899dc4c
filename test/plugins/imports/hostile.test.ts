// slow: the whole service, or very many cases
// Malicious and malformed files: refused with a message or read as far as possible, without a server error, a partial import,
// or a row that is matched by title.
import { gzipSync } from 'node:zlib'
import { zipSync } from 'fflate'
import t from 'tap'
import { openImports, type World } from './world.ts'

t.setTimeout(900_000)

const HEAD = 'imdbID,tmdbID,Title,Year,Rating10,WatchedDate\n'
const row = (id: number, more: Partial<Record<'year' | 'rating' | 'date' | 'title', string>> = {}) =>
  `,${id},${more.title ?? `Film ${id}`},${more.year ?? '2000'},${more.rating ?? ''},${more.date ?? '2024-01-01'}\n`
const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')

async function write(world: World, id: string): Promise<any> {
  const { body } = await world.post('/run', { import_id: id, provider: 'SVC' })
  for (let now = body; ; now = (await world.get(`/${id}`)).body) {
    if (!['comparing', 'running'].includes(now.state)) return now
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

t.test('a file of no format is refused, and leaves nothing behind', async (t) => {
  await using world = await openImports()
  const tables = JSON.stringify(Object.fromEntries(Array.from({ length: 300_000 }, (_, n) => [`t${n}`, []])))
  const wide = `${Array.from({ length: 8_000 }, (_, n) => `c${n}`).join()},tmdbid,title,watcheddate\n${'x\n'.repeat(200_000)}`
  // A line of 20 MiB, compressed below the ratio that identifies zip bombs.
  const line = Buffer.alloc(20 * 1024 * 1024, 97)
  for (let at = 0; at < line.length - 1_000; at += 65_536)
    for (let n = 0; n < 1_000; n += 1) line[at + n] = 98 + ((at * 31 + n * n * 7) % 24)
  line.set(Buffer.from(HEAD))
  for (const [what, data, name, error] of [
    ['more tables than a document has', tables, 'x.json', 'unknown_format'],
    ['more columns than a table has', wide, 'x.csv', 'unknown_format'],
    ['a line of 20 MiB', zipSync({ 'diary.csv': line }, { level: 1 }), 'x.zip', undefined],
    ['zeros', new Uint8Array(100_000), 'x.csv', 'unknown_format'],
    ['deep JSON', '['.repeat(200_000) + ']'.repeat(200_000), 'x.json', 'unknown_format'],
    ['JSON that never ends', '{"a":['.repeat(100_000), 'x.json', 'damaged_file'],
    ['names of every object', '{"__proto__":[{"constructor":{}}],"toString":{"a":{}}}', 'x.json', 'unknown_format'],
    ['a picture', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), 'diary.csv', 'unknown_format'],
    [
      'archives in an archive',
      { 'a.zip': zipSync({ 'a.csv': Buffer.from(HEAD) }), 'b.zip': zipSync({ 'b.csv': Buffer.from(HEAD) }) },
      'x.zip',
      'unknown_format',
    ],
    [
      'an archive in an archive in an archive',
      { 'a.zip': zipSync({ 'b.zip': zipSync({ 'c.csv': Buffer.from(HEAD + row(1)) }) }) },
      'x.zip',
      'unknown_format',
    ],
    [
      'a bomb in an archive',
      { 'a.zip': zipSync({ 'a.csv': new Uint8Array(300_000_000) }) },
      'x.zip',
      'invalid_archive',
    ],
    ['an archive that is none', { 'a.zip': Buffer.from('PK\u0003\u0004 nothing') }, 'x.zip', 'invalid_archive'],
    ['an empty archive', zipSync({}), 'x.zip', undefined],
    ['a file packed with gzip twice', gzipSync(gzipSync(HEAD + row(1))), 'x.csv.gz', 'invalid_archive'],
    ['a file packed with gzip that breaks off', gzipSync(HEAD + row(1)).subarray(0, 40), 'x.csv.gz', 'invalid_archive'],
    ['a bomb packed with gzip', gzipSync(Buffer.alloc(70_000_000)), 'x.csv.gz', 'archive_too_large'],
    ['only a byte order mark', '\ufeff', 'x.csv', 'empty_file'],
  ] as const) {
    const { status, body } = await world.upload(data as never, name)
    t.ok(status >= 400 && status < 500, `${what}: ${status} ${JSON.stringify(body).slice(0, 200)}`)
    if (error !== undefined) t.equal(body.error, error, what)
  }
  t.same((await world.get('')).body.imports, [])
  t.same(world.host.failures, [])
})

t.test(
  'odd values and damage: readable rows are read, the rest is reported, and nothing else is written',
  async (t) => {
    for (const [what, text, wanted] of [
      ['mixed line ends', `${HEAD.trim()}\r\n${row(1).trim()}\r${row(2).trim()}\n\r\n${row(3)}`, [1, 2, 3]],
      ['a quote that never ends', `${HEAD}${row(1)},2,"Film 2,2000,,2024-01-01\n${row(3)}${row(4)}`, [1]],
      ['NUL in a title', `${HEAD}${row(1, { title: 'Fi\u0000lm' })}${row(2)}`, [1, 2]],
      ['rows twice', HEAD + row(1) + row(1) + row(1), [1]],
      ['years', HEAD + row(1, { year: '0' }) + row(2, { year: '9999' }) + row(3, { year: '-1' }), [1, 2, 3]],
      ['times', HEAD + row(1, { date: '0000-00-00' }) + row(2, { date: '9999-99-99' }) + row(3), [3]],
      ['a name that says something else', `${HEAD}${row(1)}`, [1]],
      ['a row with too many cells', `${HEAD},1,Film,1,2000,,2024-01-01\n${row(2)}`, [2]],
      ['rows without ids', `${HEAD},,Film 1,2000,,2024-01-01\n${row(2)}`, [2]],
    ] as const) {
      for (const data of [text, utf16(text)]) {
        await using world = await openImports()
        const { status, body } = await world.upload(data, 'watched.json')
        t.equal(status, 200, `${what}: ${JSON.stringify(body).slice(0, 200)}`)
        if (status !== 200) continue
        t.match(await write(world, body.import_id), { state: 'done' }, what)
        const held = world.held('SVC@default history')
        t.same([...new Set(held.map(({ ids }) => Number(ids.tmdb)))].sort(), wanted, what)
        t.equal(held.length, wanted.length, `${what}: each once`)
        t.ok(
          held.every(({ year = 1 }) => year !== null && year >= 1 && year <= 9_999),
          what,
        )
        t.same(world.host.failures, [], what)
      }
    }
  },
)

t.test('a file that is packed with gzip is read as what is in it', async (t) => {
  await using world = await openImports()
  const { body } = await world.upload(gzipSync(HEAD + row(1)), 'watched.csv.gz')
  t.same(
    (await world.rows(body.import_id)).map(({ item }) => item.ids),
    [{ tmdb: '1' }],
  )
})

t.test('dates without separators are days, and future times are dropped', async (t) => {
  await using world = await openImports()
  const dates = ['20240131', '20240131201500', '20241399', '45292', '2099-01-01', '4070908800']
  const table = await world.upload(HEAD + dates.map((date, at) => row(at + 1, { date })).join(''), 'watched.csv')
  const tomorrow = new Date(Date.now() + 20 * 3_600_000).toISOString()
  const film = { type: 'movie', ids: { tmdb: '1' }, title: 'Film' }
  const rows = [
    { feature: 'history', item: { ...film, watched_at: '2099-01-01T00:00:00Z' } },
    { feature: 'history', item: { ...film, watched_at: tomorrow } },
    { feature: 'ratings', item: { ...film, rating: 7, rated_at: '2099-01-01T00:00:00Z' } },
    { feature: 'ratings', item: { ...film, rating: 0 } },
    { feature: 'ratings', item: film },
  ]
  const own = await world.upload(JSON.stringify({ format: 'playhead', version: 1, rows }), 'a.json')
  const times = async ({ body }: typeof own) =>
    (await world.rows(body.import_id)).map(({ item, reason }) => item.watched_at ?? item.rated_at ?? reason)
  const none = 'missing_time'
  t.same(await times(table), ['2024-01-31', '2024-01-31', none, none, none, none])
  t.same(await times(own), [none, tomorrow, null])
  t.same(own.body.skipped, { invalid_value: 2 }, 'what has no rating is none')
})

t.test('a cell of a single repeated character is parsed at once', async (t) => {
  await using world = await openImports()
  const title = `a${' '.repeat(500_000)}b: Season 1: c`
  const { body } = await world.upload(`Title,Date\n"${title}","31/12/23"\n`, 'NetflixViewingHistory.csv')
  t.match(await world.rows(body.import_id), [{ item: { type: 'episode', season: 1, title: 'c' } }])
  const long = await world.upload(HEAD + row(1, { date: 'T'.repeat(500_000) }), 'watched.csv')
  t.match(await world.rows(long.body.import_id), [{ reason: 'missing_time' }])
})

t.test('times in spreadsheet format are their days', async (t) => {
  await using world = await openImports()
  const dates = [
    ['31.12.2023 20:15', '2023-12-31'],
    ['12/31/2023 8:15:00 PM', '2023-12-31'],
    ['2024-1-5 8:15', '2024-01-05'],
    ['2024/01/05, 08:15', '2024-01-05'],
    ['2024-1-5', '2024-01-05'],
    ['01/02/2024 08:15', 'missing_time'],
    ['2024-01-05T08:15:00+99:00', 'missing_time'],
  ] as const
  const { body } = await world.upload(
    HEAD + dates.map(([date], at) => row(at + 1, { date: `"${date}"` })).join(''),
    'watched.csv',
  )
  t.same(
    (await world.rows(body.import_id)).map(({ item, reason }) => item.watched_at ?? reason),
    dates.map(([, day]) => day),
  )
})

t.test('ratings outside their scale are never converted', async (t) => {
  await using world = await openImports()
  const ratings = ['11', '-1', '1e3', 'NaN', 'Infinity', '0', '10', '7.5', '0x7', '٧']
  const { body } = await world.upload(
    HEAD + ratings.map((rating, at) => row(at + 1, { rating, date: '' })).join(''),
    'ratings.csv',
  )
  t.match(await write(world, body.import_id), { state: 'done' })
  const held = world.held('SVC@default ratings').map(({ ids, rating }) => [ratings[Number(ids.tmdb) - 1], rating])
  t.ok(
    held.every(([text, rating]) => text === '10' || (text === '7.5' && rating === 8)),
    JSON.stringify(held),
  )
  t.ok(held.some(([text]) => text === '10'))
})

t.test('two concurrent uploads, and the same one twice, are each complete and written once', async (t) => {
  await using world = await openImports()
  const text = HEAD + Array.from({ length: 1_500 }, (_, at) => row(at + 1)).join('')
  const all = await Promise.all([world.upload(text, 'a.csv'), world.upload(text, 'b.csv'), world.upload(text, 'a.csv')])
  t.match(
    all.map(({ status, body }) => [status, body.rows]),
    [
      [200, 1_500],
      [200, 1_500],
      [200, 1_500],
    ],
  )
  t.equal(new Set(all.map(({ body }) => body.import_id)).size, 3)
  const ids = all.map(({ body }) => body.import_id)
  const started = await Promise.all(ids.map((id) => world.post('/run', { import_id: id, provider: 'SVC' })))
  t.equal(started.filter(({ status }) => status < 300).length, 1, 'one at a time')
  t.ok(started.every(({ status, body }) => status < 300 || (status === 409 && body.error === 'busy')))
  for (const id of ids) await write(world, id)
  t.equal(world.held('SVC@default history').length, 1_500)
})
