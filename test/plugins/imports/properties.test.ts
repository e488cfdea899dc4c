// slow: the whole service, or very many cases
// Properties of every file and account: exports can be imported, nothing is added twice, and damaged files cause no fault.
import assert from 'node:assert/strict'
import fc, { runsOf } from '../../fast-check.ts'
import t from 'tap'
import { atEndOfFile } from '../../at-end-of-file.ts'
import type { ExportFeature, Exporter, ExportRow } from '@playhead/sdk'
import { type Item, parseTime } from '@playhead/sdk/items'
import { shippedExporters } from '../exports/world.ts'
import * as files from './files.ts'
import { bytesOf, openImports } from './world.ts'

t.setTimeout(900_000)

const world = await openImports()
atEndOfFile(() => world.host.close())
const exporters = await shippedExporters()

const titles = fc.oneof(
  fc.constantFrom(
    'Heat',
    'Say "Cheese"',
    'a, b; c',
    'line\nbreak',
    'cr\r\nlf',
    'שלום עולם',
    '東京',
    "L'été",
    '=1+1',
    'tab\there',
  ),
  fc.string({ minLength: 1, maxLength: 20 }).map((text) => `x${text.trim()}`),
)
const times = fc.oneof(
  fc
    .integer({ min: 946_684_800, max: 1_767_225_600 })
    .map((seconds) => new Date(seconds * 1_000).toISOString().replace('.000Z', 'Z')),
  fc.integer({ min: 11_000, max: 20_000 }).map((days) => new Date(days * 86_400_000).toISOString().slice(0, 10)),
)

/** A work or a part of one, with ids, as accounts contain them. */
const works: fc.Arbitrary<Item> = fc
  .record({
    type: fc.constantFrom('movie' as const, 'show' as const, 'episode' as const),
    id: fc.integer({ min: 1, max: 40 }),
    title: titles,
    year: fc.integer({ min: 1900, max: 2030 }),
    season: fc.integer({ min: 0, max: 3 }),
    episode: fc.integer({ min: 1, max: 5 }),
  })
  .map(({ type, id, title, year, season, episode }): Item => {
    const ids = { tmdb: String(id), imdb: `tt${1_000_000 + id}` }
    if (type !== 'episode') return { type, ids, title, year }
    const show = { tmdb: String(id), imdb: `tt${2_000_000 + id}` }
    return { type, ids: {}, show_ids: show, series_title: title, series_year: year, season, episode }
  })

function exportRows(items: readonly Item[], feature: ExportFeature): readonly ExportRow[] {
  return items.map((item, index) => ({ key: `k${index}`, item, feature: feature as 'history', play: 1 }))
}

const fileOf = (exporter: Exporter, feature: ExportFeature, items: readonly Item[]): Promise<string> =>
  textOf(exporter, feature, exportRows(items, feature))

async function textOf(exporter: Exporter, feature: ExportFeature, rows: readonly ExportRow[]): Promise<string> {
  const selection = {
    provider: 'SVC',
    instance: 'default',
    feature,
    watchedDate: true,
    spreadsheet: false,
    exportedAtMs: 0,
  }
  const results = await exporter.write({ selection, rows, previous: null, lines: 0 })
  const lines = results.reduce((sum, one) => sum + ('lines' in one ? one.lines : 0), 0)
  const text = results.map((one) => ('text' in one ? one.text : '')).join('')
  return (await exporter.begin(selection)) + text + (await exporter.end(selection, lines))
}

/** The values of a row that a format can store, as text for comparison. */
interface Carries {
  readonly format: string
  readonly kinds: readonly Item['type'][]
  /** Types on the watchlist; the same by default. */
  readonly listed?: readonly Item['type'][]
  readonly dates?: 'day' | 'second'
}

const CARRIES: Readonly<Record<string, Carries>> = {
  letterboxd: { format: 'letterboxd', kinds: ['movie'], dates: 'day' },
  justwatch: { format: 'list', kinds: ['movie', 'show', 'episode'], listed: ['movie', 'show'], dates: 'day' },
  yamtrack: { format: 'yamtrack', kinds: ['movie', 'episode'], listed: ['movie', 'show'], dates: 'second' },
  metaA: { format: 'imdb', kinds: ['movie', 'show'], dates: 'day' },
  trackA: { format: 'trakt', kinds: ['movie', 'show', 'episode'], dates: 'second' },
  trackB: { format: 'simkl', kinds: ['movie', 'show'], dates: 'day' },
  json: { format: 'playhead', kinds: ['movie', 'show', 'episode'], dates: 'second' },
}

function asText(feature: string, item: Item, { dates }: Carries): string {
  const isPart = item.type === 'episode'
  const { tmdb, imdb } = (isPart ? item.show_ids : item.ids) ?? {}
  const time = feature === 'history' ? item.watched_at : feature === 'ratings' ? item.rated_at : undefined
  const when = time === undefined || dates === undefined ? '' : dates === 'day' ? time.slice(0, 10) : time
  return JSON.stringify([
    feature,
    item.type,
    tmdb ?? imdb,
    item.season,
    item.episode,
    feature === 'ratings' ? item.rating : null,
    when,
  ])
}

for (const [id, carries] of Object.entries(CARRIES))
  t.test(`a ${id} export read back by our importer gives its rows back`, async (_t) => {
    const exporter = exporters.get(id)!
    const features = exporter.describe().features.filter((one) => ['watchlist', 'history', 'ratings'].includes(one))
    const byId = id === 'metaA' ? ('imdb' as const) : ('tmdb' as const)
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...(features as ('watchlist' | 'history' | 'ratings')[])),
        fc.array(fc.tuple(works, times, fc.integer({ min: 1, max: 10 })), { maxLength: 12 }),
        async (feature, given) => {
          const items = given
            .filter(([{ type }]) =>
              (feature === 'watchlist' ? (carries.listed ?? carries.kinds) : carries.kinds).includes(type),
            )
            .map(([item, at, rating]): Item => {
              const own = byId === 'imdb' ? { ...item, ids: { imdb: item.ids.imdb! } } : item
              if (feature === 'history') return { ...own, watched_at: at }
              return feature === 'ratings' ? { ...own, rating, rated_at: at } : own
            })
          const text = await fileOf(exporter, feature, items)
          const { status, body } = await world.upload(text, `file.${exporter.describe().extension}`)
          if (status !== 200 || body.format !== carries.format) throw new Error(`${JSON.stringify(body)}\n${text}`)
          const rows = await world.rows(body.import_id)
          const withoutDates = id === 'letterboxd' && feature === 'ratings' ? { ...carries, dates: undefined } : carries
          const listed = id === 'justwatch' && feature === 'ratings' ? { ...carries, dates: undefined } : withoutDates
          const expected = items.map((item) => asText(feature, item, listed as Carries)).sort()
          const found = rows.map((row) => asText(row.feature, row.item, listed as Carries)).sort()
          if (JSON.stringify(found) !== JSON.stringify(expected))
            throw new Error(`${text}\nexpected ${expected.join('\n')}\nfound ${found.join('\n')}`)
          await world.remove(`/${body.import_id}`)
        },
      ),
      { numRuns: runsOf(30), endOnFailure: true },
    )
  })

/** All values of a row, in every combination. */
const complete: fc.Arbitrary<Item> = fc
  .tuple(
    works,
    fc.record(
      {
        watched: fc.constant(true),
        watched_at: times,
        rating: fc.integer({ min: 1, max: 10 }),
        rated_at: times,
        added_at: times,
        progress_ms: fc.integer({ min: 1, max: 9_000_000 }),
        duration_ms: fc.integer({ min: 9_000_000, max: 20_000_000 }),
        progress_percent: fc.integer({ min: 1, max: 99 }),
        progress_at: times,
        progress_at_source: fc.constant('first_observed'),
        title: titles.map((text) => text.trim()),
      },
      { requiredKeys: [] },
    ),
    fc.uniqueArray(fc.constantFrom('tvdb', 'mal', 'anidb', 'tracka', 'trackb'), { maxLength: 3 }),
  )
  .map(([work, more, schemes]): Item => {
    const ids = Object.fromEntries(schemes.map((scheme, at) => [scheme, String(100 + at)]))
    return { ...work, ...more, ids: { ...work.ids, ...ids } }
  })

t.test('a JSON export has every field of every row, and all of them are read back', async (_t) => {
  const exporter = exporters.get('json')!
  const kinds = ['watchlist', 'history', 'ratings', 'progress'] as const
  const sorted = (rows: readonly { readonly feature: string; readonly item: Item }[]) =>
    rows.map(({ feature, item }) => `${feature} ${canonical(item)}`).sort()
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.constantFrom(...kinds), complete), { minLength: 1, maxLength: 12 }),
      async (given) => {
        const own = given.map(([feature, { rating, rated_at: ratedAt, ...item }]) => ({
          feature,
          // A play has no rating of its own, except in a combined export.
          item: {
            ...item,
            ...(feature === 'history' ? { watched: true } : {}),
            ...(feature === 'ratings'
              ? { rating: rating ?? 7, ...(ratedAt === undefined ? {} : { rated_at: ratedAt }) }
              : {}),
          } as Item,
        }))
        const rows = own.map((one, at): ExportRow => ({ ...one, key: `k${at}`, play: 1 }))
        const text = await textOf(exporter, 'all', rows)
        const written = JSON.parse(text).rows as { feature: string; item: Item }[]
        assert.deepEqual(sorted(written), sorted(own))
        const { status, body } = await world.upload(text, 'export.json')
        assert.equal(status, 200, JSON.stringify(body))
        assert.deepEqual(sorted(await world.rows(body.import_id)), sorted(own))
        await world.remove(`/${body.import_id}`)
      },
    ),
    { numRuns: runsOf(40), endOnFailure: true },
  )
})

function canonical(value: unknown): string {
  return JSON.stringify(value, (_name, part) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}

t.test('plays and ratings in one file are both read back, each once', async (_t) => {
  for (const id of ['letterboxd', 'json'])
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(
          fc.record({
            id: fc.integer({ min: 1, max: 20 }),
            plays: fc.uniqueArray(fc.constantFrom('2025-01-01', '2025-02-03', '2026-05-06'), { maxLength: 3 }),
            rating: fc.option(fc.integer({ min: 1, max: 10 })),
          }),
          { selector: (one) => one.id, maxLength: 8 },
        ),
        async (works) => {
          const rows = works.flatMap(({ id: number, plays, rating }): readonly ExportRow[] => {
            const item: Item = {
              type: 'movie',
              title: `Film ${number}`,
              ids: { tmdb: String(number) },
              ...(rating === null ? {} : { rating }),
            }
            const key = `movie:tmdb:${number}`
            if (plays.length === 0) return rating === null ? [] : [{ key, item, feature: 'ratings', play: 0 }]
            return plays.map((at, index) => ({
              key: `${key}@${at}`,
              item: { ...item, watched_at: at },
              feature: 'history',
              play: index + 1,
            }))
          })
          if (rows.length === 0) return
          const { status, body } = await world.upload(await textOf(exporters.get(id)!, 'combined', rows), 'file')
          assert.equal(status, 200, JSON.stringify(body))
          const found = await world.rows(body.import_id)
          assert.deepEqual(
            found
              .flatMap(({ feature, item }) => (feature === 'history' ? [`${item.ids.tmdb} ${item.watched_at}`] : []))
              .sort(),
            works.flatMap(({ id: number, plays }) => plays.map((at) => `${number} ${at}`)).sort(),
          )
          assert.deepEqual(
            [
              ...new Set(
                found.flatMap(({ feature, item }) =>
                  feature === 'ratings' ? [`${item.ids.tmdb} ${item.rating}`] : [],
                ),
              ),
            ].sort(),
            works.flatMap(({ id: number, rating }) => (rating === null ? [] : [`${number} ${rating}`])).sort(),
          )
          await world.remove(`/${body.import_id}`)
        },
      ),
      { numRuns: runsOf(30), endOnFailure: true },
    )
})

t.test('works watched at an unknown time are read back as watched, without a time', async (t) => {
  const films: readonly Item[] = [
    { type: 'movie', title: 'Heat', ids: { tmdb: '949' }, watched: true },
    { type: 'movie', title: 'Ran', ids: { tmdb: '11645' }, watched: true },
  ]
  for (const id of ['letterboxd', 'justwatch', 'yamtrack', 'trackA', 'trackB', 'json']) {
    const { body } = await world.upload(await fileOf(exporters.get(id)!, 'history', films), 'file')
    t.match(
      await world.rows(body.import_id),
      films.map(({ ids }) => ({ feature: 'history', item: { type: 'movie', ids, watched_at: undefined } })),
      id,
    )
  }
})

t.test('an IMDb list has only ids, so their types are looked up', async (t) => {
  const text = await fileOf(exporters.get('imdb')!, 'watchlist', [
    { type: 'movie', ids: { imdb: 'tt0113277' }, title: 'Heat' },
  ])
  const { body } = await world.upload(text, 'list.csv')
  t.match(body, { format: 'imdb', ambiguous: 1, titles: { open: 1 } })
})

t.test('property: a second import of the same file adds nothing, whatever happened in between', async (t) => {
  // The account may have other plays, with and without times of day; the process may die midway.
  const moments = fc.constantFrom(
    '2026-01-01',
    '2026-01-01T10:00:00Z',
    '2026-01-01T10:00:40Z',
    '2026-01-01T23:30:00Z',
    '2026-01-02',
    '2026-01-05T00:10:00Z',
  )
  const plays = fc.array(fc.tuple(fc.integer({ min: 1, max: 3 }), moments), { maxLength: 14 })
  const item = (id: number, at: string): Item => ({
    type: 'movie',
    title: `Film ${id}`,
    ids: { tmdb: String(id) },
    watched_at: at,
  })
  const exporter = exporters.get('json')!
  await fc.assert(
    fc.asyncProperty(plays, plays, fc.option(fc.nat(8)), fc.boolean(), async (file, before, dies, again) => {
      world.state.accounts.clear()
      world.state.accounts.set(
        'SVC@default history',
        before.map(([id, at]) => item(id, at)),
      )
      const text = await fileOf(
        exporter,
        'history',
        file.map(([id, at]) => item(id, at)),
      )
      const importOnce = async () => {
        const { body } = await world.upload(text, 'export.json')
        if (body.rows === 0) return 'done'
        const run = await world.post('/run', { import_id: body.import_id, provider: 'SVC', approved: true })
        await world.remove(`/${body.import_id}`)
        return run.body.state
      }
      world.state.dieAfter = dies
      const first = await importOnce()
      world.state.dieAfter = null
      if (first !== 'done' && dies === null) throw new Error(`the first import ended as ${first}`)
      if (first !== 'done' || again) await importOnce()
      const held = world.held('SVC@default history').map(({ ids, watched_at: at }) => `${ids.tmdb} ${at}`)
      await importOnce()
      const after = world.held('SVC@default history').map(({ ids, watched_at: at }) => `${ids.tmdb} ${at}`)
      if (JSON.stringify(held) !== JSON.stringify(after)) throw new Error(`${held}\nbecame\n${after}`)
      // Every play of the file exists: itself, or a play that it may be.
      for (const [id, at] of file) {
        const time = parseTime(at)!
        const isThere = world
          .held('SVC@default history')
          .some(
            (one) =>
              one.ids.tmdb === String(id) && Math.abs(parseTime(one.watched_at)!.atMs - time.atMs) < 40 * 3_600_000,
          )
        if (!isThere) throw new Error(`${id} ${at} is missing in ${after}`)
      }
      // No play of the account was removed or changed.
      for (const [id, at] of before) if (!after.includes(`${id} ${at}`)) throw new Error(`${id} ${at} is gone`)
      if (after.length > before.length + new Set(file.map(String)).size) throw new Error('more plays than there were')
    }),
    { numRuns: runsOf(60), endOnFailure: true },
  )
  t.same(world.host.failures, [])
})

t.test('every importer handles truncation, encodings, line ends, and random bytes', async (t) => {
  const encodings: Readonly<Record<string, (text: string) => Uint8Array>> = {
    utf8: (text) => new TextEncoder().encode(text),
    bom: (text) => new TextEncoder().encode(`\ufeff${text}`),
    utf16le: (text) => Buffer.from(`\ufeff${text}`, 'utf16le'),
    'utf16le without a mark': (text) => Buffer.from(text, 'utf16le'),
    utf16be: (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
    crlf: (text) => new TextEncoder().encode(text.replaceAll('\n', '\r\n')),
  }
  const named: Readonly<Record<string, string>> = {
    imdb: files.IMDB_RATINGS,
    yamtrack: files.YAMTRACK,
    simkl: files.SIMKL,
    netflix: files.NETFLIX,
  }
  for (const [format, text] of Object.entries(named)) {
    const expected = (await world.upload(text, 'file')).body.rows
    for (const [encoding, encode] of Object.entries(encodings))
      t.match(
        await world.upload(encode(text), 'file'),
        { status: 200, body: { format, rows: expected } },
        `${format} ${encoding}`,
      )
  }
  const latin = Buffer.from('Title,Date\n"L\'\u00e9t\u00e9 dernier","31/12/23"\n', 'latin1')
  t.equal((await world.rows((await world.upload(latin, 'n.csv')).body.import_id))[0]?.item.title, "L'été dernier")
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...Object.values(files.ALL)),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.option(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.uint8Array({ minLength: 1, maxLength: 8 }))),
      async (data, cut, noise) => {
        const bytes = Buffer.from(bytesOf(data))
        if (noise !== null) bytes.set(noise[1].subarray(0, 4), Math.floor(noise[0] * (bytes.length - 8)))
        const { status, body } = await world.upload(bytes.subarray(0, Math.floor(cut * bytes.length)), 'file')
        // Rows or a clear error; never a server error.
        if (status !== 200 && !(status === 400 && typeof body.error === 'string' && body.error !== 'importer_failed'))
          throw new Error(`${status} ${JSON.stringify(body)}`)
        if (status === 200) await world.remove(`/${body.import_id}`)
      },
    ),
    { numRuns: runsOf(150), endOnFailure: true },
  )
  t.same(world.host.failures, [])
})

t.test('duplicate rows are merged, and 20,000 rows are fast', async (t) => {
  const lines = Array.from(
    { length: 20_000 },
    (_, index) => `${1 + (index % 5_000)},tmdb,movie,Film ${index},,,,,Planning,,,,,`,
  )
  const { body } = await world.upload(
    `media_id,source,media_type,title,image,season_number,episode_number,score,status,notes,start_date,end_date,progress,progressed_at\n${lines.join('\n')}`,
    'y.csv',
  )
  t.match(body, { format: 'yamtrack', rows: 20_000, matched: 20_000 })
  const run = await world.post('/run', { import_id: body.import_id, provider: 'TRACKA', dry_run: true })
  t.match(run.body, { state: 'planned', plan: { watchlist: { add: 5_000, duplicate: 15_000 } } })
})
