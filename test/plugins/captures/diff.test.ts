// slow: the whole service, or very many cases
// Differences between captures: as a summary, and row by row.
import fc, { runsOf } from '../../fast-check.ts'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { atEndOfFile } from '../../at-end-of-file.ts'
import { numberedWork, toItem } from '../sync/world/works.ts'
import { ALL, fill, startCaptures } from './world.ts'

t.setTimeout(900_000)

const world = await startCaptures()
atEndOfFile(() => world[Symbol.asyncDispose]())
const ann = world.account()
const query = (a: string, b: string, more: object = {}) =>
  new URLSearchParams({
    a,
    b,
    ...Object.fromEntries(Object.entries(more).map(([name, value]) => [name, String(value)])),
  }).toString()
const diff = async (a: string, b: string, more: object = {}) => (await world.expect(`/diff?${query(a, b, more)}`)).diff
const extended = async (a: string, b: string, more: object = {}) =>
  (await world.expect(`/diff/extended?${query(a, b, more)}`)).diff

/** Captures of one account, written in the older file format, with any content. */
let files = 0
async function file(feature: string, items: readonly object[], more: object = {}): Promise<string> {
  const folder = join(world.folder, '2026-02-03')
  await mkdir(folder, { recursive: true })
  const name = `2026-02-03/20260203T00000${files % 10}Z__ANN__default__${feature}__${(files += 1)}.json`
  const doc = {
    kind: 'snapshot',
    created_at: '2026-02-03T00:00:00Z',
    provider: 'ANN',
    instance: 'default',
    feature,
    label: 'x',
    items: Object.fromEntries(items.map((item, n) => [`k${n}`, item])),
    ...more,
  }
  await writeFile(join(world.folder, name), JSON.stringify(doc))
  return name
}

const row = fc.record({
  n: fc.nat({ max: 12 }),
  at: fc
    .integer({ min: Date.UTC(2025, 0, 1), max: Date.UTC(2025, 0, 3) })
    .map((ms) => new Date(Math.floor(ms / 1_000) * 1_000).toISOString().replace('.000Z', 'Z')),
  rating: fc.integer({ min: 1, max: 10 }),
  title: fc.constantFrom('Heat', 'heat', 'Ärger', '映画', '🎬', "O'Brien"),
})
const rows = fc.array(row, { maxLength: 25 })
function itemsOf(feature: string, list: readonly { n: number; at: string; rating: number; title: string }[]): object[] {
  return list.map(({ n, at, rating, title }) => ({
    ...(n % 3 === 0
      ? { type: 'episode', show_ids: { tmdb: '7' }, ids: {}, season: n % 2, episode: n + 1, series_title: title }
      : { ...toItem(numberedWork(n), ['tmdb', 'imdb']), title }),
    ...(feature === 'history'
      ? { watched_at: at }
      : feature === 'ratings'
        ? { rating, rated_at: at }
        : { added_at: at }),
  }))
}
const features = fc.constantFrom('history', 'ratings', 'watchlist')

t.test('property 39: a diff is symmetric, adds up, and is equal in both forms', () =>
  fc.assert(
    fc.asyncProperty(features, rows, rows, async (feature, one, other) => {
      const [a, b] = [await file(feature, itemsOf(feature, one)), await file(feature, itemsOf(feature, other))]
      const [same, there, back] = [
        await diff(a, a),
        await diff(a, b, { limit: 2_000 }),
        await diff(b, a, { limit: 2_000 }),
      ]
      if (
        same.summary.added + same.summary.removed + same.summary.updated > 0 ||
        same.summary.unchanged !== same.summary.total_a
      )
        throw new Error('a capture differs from itself')
      const keys = (list: readonly { key: string }[]) => list.map(({ key }) => key).join()
      if (
        keys(there.added) !== keys(back.removed) ||
        keys(there.removed) !== keys(back.added) ||
        keys(there.updated) !== keys(back.updated)
      )
        throw new Error('it is not symmetric')
      if (keys(there.added) !== [...there.added.map(({ key }: any) => key)].sort().join()) throw new Error('not sorted')
      const { summary } = there
      const both = summary.total_a + summary.total_b - summary.updated - summary.unchanged
      if (summary.added + summary.removed + summary.updated + summary.unchanged !== both)
        throw new Error(JSON.stringify(summary))
      if (summary.raw_total_a !== one.length || summary.raw_total_b !== other.length) throw new Error('rows were lost')
      // Only plays of one item are merged.
      if (feature !== 'history' && summary.total_a !== one.length) throw new Error('rows of one key became one')
      if (there.updated.some(({ changes }: any) => changes.length === 0)) throw new Error('updated without a change')
      const all = await extended(a, b)
      if (JSON.stringify(all.summary) !== JSON.stringify(summary) || all.total !== both)
        throw new Error('the forms disagree')
    }),
    { numRuns: runsOf(25) },
  ),
)

t.test('property 40: pages are parts of the whole, and filters give the same result before and after paging', () =>
  fc.assert(
    fc.asyncProperty(
      features,
      rows,
      rows,
      fc.integer({ min: 1, max: 7 }),
      fc.constantFrom('', 'heat', '映', 'tmdb:100003', 's01', 'episode', "o'b"),
      fc.constantFrom('all', 'added', 'removed', 'updated', 'unchanged'),
      async (feature, one, other, size, q, kind) => {
        const [a, b] = [await file(feature, itemsOf(feature, one)), await file(feature, itemsOf(feature, other))]
        const whole = await extended(a, b, { q, kind })
        const pages: any[] = []
        for (let offset = 0; offset < whole.total || offset === 0; offset += size) {
          const page = await extended(a, b, { q, kind, offset, limit: size })
          if (page.total !== whole.total) throw new Error('the total changes')
          pages.push(...page.items)
        }
        if (JSON.stringify(pages) !== JSON.stringify(whole.items)) throw new Error('pages differ from the whole')
        const everything = await extended(a, b)
        const filtered = everything.items.filter((item: any) => {
          const shown = item.new ?? item.item ?? item.old
          const ids = [shown.ids, shown.show_ids].flatMap((set) =>
            Object.entries(set ?? {}).map(([scheme, id]) => `${scheme}:${id}`),
          )
          const words = [
            item.key,
            shown.title,
            shown.series_title,
            shown.type,
            shown.year,
            shown.season,
            shown.episode,
            ...ids,
          ].filter((word) => word != null)
          return (
            (kind === 'all' || item.status === kind) &&
            words.some((word) => String(word).toLowerCase().includes(q.toLowerCase()))
          )
        })
        if (JSON.stringify(filtered) !== JSON.stringify(whole.items))
          throw new Error(`${filtered.length} filtered, ${whole.items.length} answered`)
        const order = ['added', 'removed', 'updated', 'unchanged']
        const statuses = everything.items.map(({ status }: any) => order.indexOf(status))
        if (statuses.some((value: number, n: number) => value < statuses[n - 1])) throw new Error('not in order')
        const places = everything.items.map(({ key, ...item }: any, n: number) => {
          const { series_title: series, title = '', year, season, episode, type } = item.new ?? item.item ?? item.old
          const numbers = [year, season, episode].map((number) => number ?? -1)
          return [statuses[n], (series ?? title).toLowerCase(), ...numbers, type, key]
        })
        for (const [n, place] of places.entries()) {
          const before: readonly any[] = places[n - 1] ?? []
          const at = place.findIndex((value: unknown, index: number) => value !== before[index])
          // In code point order, as the service sorts.
          const [one, other] = [before[at], place[at]].map((value) =>
            typeof value === 'string' ? Buffer.from(value).toString('hex') : value,
          )
          if (n > 0 && one > other) throw new Error(`${JSON.stringify(before)} stands before ${JSON.stringify(place)}`)
        }
      },
    ),
    { numRuns: runsOf(25) },
  ),
)

t.test('property 41: seconds make no difference, a minute does', () =>
  fc.assert(
    fc.asyncProperty(
      fc.constantFrom('history', 'ratings', 'watchlist', 'progress'),
      fc.nat({ max: 59 }),
      fc.nat({ max: 59 }),
      fc.integer({ min: 1, max: 3 }),
      async (feature, second, other, minutes) => {
        const at = (minute: number, seconds: number) =>
          new Date(Date.UTC(2025, 5, 1, 12, minute, seconds)).toISOString().replace('.000Z', 'Z')
        const of = (time: string) => ({
          ...toItem(numberedWork(1), ['tmdb']),
          ...{
            history: { watched_at: time },
            ratings: { rating: 5, rated_at: time },
            watchlist: { added_at: time },
            progress: { progress_ms: 5, progress_at: time },
          }[feature],
        })
        const [a, b, c] = [
          await file(feature, [of(at(10, second))]),
          await file(feature, [of(at(10, other))]),
          await file(feature, [of(at(10 + minutes, second))]),
        ]
        const [noise, shift] = [await diff(a, b), await diff(a, c)]
        if (noise.summary.updated !== 0 || noise.summary.unchanged !== 1)
          throw new Error(`seconds: ${JSON.stringify(noise)}`)
        if (shift.summary.updated !== 1 || shift.updated[0].changes.length === 0)
          throw new Error(`minutes: ${JSON.stringify(shift)}`)
      },
    ),
    { numRuns: runsOf(20) },
  ),
)

t.test('times on both sides of a full minute are equal, as for a restore; a day and its time are not', async (t) => {
  const film = (more: object) => ({ ...toItem(numberedWork(3), ['tmdb']), ...more })
  for (const [feature, before, after, updated] of [
    ['history', { watched_at: '2025-01-01T10:00:59Z' }, { watched_at: '2025-01-01T10:01:00Z' }, 0],
    ['history', { watched_at: '2025-01-01T23:59:30Z' }, { watched_at: '2025-01-02T00:00:10Z' }, 0],
    ['ratings', { rating: 5, rated_at: '2025-01-01T10:00:59Z' }, { rating: 5, rated_at: '2025-01-01T10:01:00Z' }, 0],
    ['watchlist', { added_at: '2025-01-01' }, { added_at: '2025-01-01T10:01:00Z' }, 1],
  ] as const) {
    const { summary } = await diff(await file(feature, [film(before)]), await file(feature, [film(after)]))
    t.equal(summary.updated, updated, `${feature} ${JSON.stringify(before)}`)
  }
})

t.test('plays of an item are one row with all times, and changes are named', async (t) => {
  const film = (time: string) => ({ ...toItem(numberedWork(2), ['tmdb']), watched_at: time })
  const a = await file('history', [film('2025-01-01T10:00:05Z'), film('2025-02-01T10:00:00Z')])
  const b = await file('history', [
    film('2025-01-01T10:00:40Z'),
    film('2025-03-01T20:00:00Z'),
    film('2025-03-02T20:00:00Z'),
  ])
  const { summary, updated, a: meta } = await diff(a, b)
  t.match(summary, { total_a: 1, total_b: 1, raw_total_a: 2, raw_total_b: 3, updated: 1 })
  t.match(updated[0].changes, [
    { path: 'watched_ats.added', old: null, new: ['2025-03-01T20:00', '2025-03-02T20:00'] },
    { path: 'watched_ats.removed', old: ['2025-02-01T10:00'], new: null },
    { path: 'watched_at', new: '2025-03-02T20:00:00Z' },
  ])
  t.match(meta, { path: a, provider: 'ANN', feature: 'history', count: 2, by_type: { movie: 2 } })
  const { items } = await extended(a, b)
  t.same(items[0].new.watched_ats, ['2025-01-01T10:00:40Z', '2025-03-01T20:00:00Z', '2025-03-02T20:00:00Z'])
  // Below the depth limit, whole objects are compared.
  const changes = async (depth: number) => (await extended(a, b, { max_depth: depth })).items[0].changes
  const [other, same] = [
    await file('ratings', [{ ...film(''), watched_at: undefined, rating: 4, ids: { tmdb: '7', imdb: 'tt0000001' } }]),
    await file('ratings', [{ ...film(''), watched_at: undefined, rating: 4, ids: { tmdb: '7', imdb: 'tt0000002' } }]),
  ]
  t.equal((await changes(12)).length, 3)
  const deep = async (depth: number) => (await extended(other, same, { max_depth: depth })).items[0].changes
  t.same(await deep(1), [{ path: 'ids', old: { tmdb: '7', imdb: 'tt0000001' }, new: { tmdb: '7', imdb: 'tt0000002' } }])
  t.same(await deep(2), [{ path: 'ids.imdb', old: 'tt0000001', new: 'tt0000002' }])
  const few = await diff(a, b, { max_changes: 1 })
  t.match(few.updated[0], { changes: [{}], changes_truncated: true })
  t.equal(few.updated[0].changes.length, 1)
})

t.test('bundles are compared feature by feature, and real captures match the data of the account', async (t) => {
  ann.entries = []
  fill(ann, ALL.slice(20, 40))
  const a = await world.create({ feature: 'all' })
  fill(ann, ALL.slice(40, 45))
  ann.put({ work: ALL[20]!, feature: 'ratings', rating: 10, atMs: Date.UTC(2026, 4, 1) })
  for (const feature of ['watchlist', 'history'] as const) ann.drop(feature, ALL[21]!)
  const b = await world.create({ feature: 'all' })
  const both = await diff(a.path, b.path, { limit: 7 })
  t.match(both, {
    summary: { added: 20, removed: 2, updated: 1 },
    truncated: { added: true, removed: false, updated: false },
    available_features: ['watchlist', 'history', 'ratings', 'progress'],
    selected_feature: 'all',
    a: { compared_features: ['watchlist', 'history', 'ratings', 'progress'] },
  })
  t.equal(both.added.length, 7)
  t.match(both.added[0], { key: /^watchlist:movie:/, item: { feature: 'watchlist', ids: { tmdb: String } } })
  t.match(both.updated, [{ key: /^ratings:/, changes: [{ path: 'rating' }] }])
  t.match(await extended(a.path, b.path, { kind: 'added' }), { selected_feature: 'watchlist', total: 5 })
  t.match(await extended(a.path, b.path, { feature: 'ratings', kind: 'updated' }), {
    total: 1,
    items: [{ old: { rating: 1 }, new: { rating: 10 } }],
  })
  const child = (bundle: any, feature: string) => bundle.children.find((one: any) => one.feature === feature).path
  for (const [one, other, error] of [
    [a.path, child(a, 'ratings'), 'bundle_and_single'],
    [child(a, 'history'), child(a, 'ratings'), 'captures_differ_feature'],
    [child(a, 'ratings'), await file('ratings', [], { provider: 'OTHER' }), 'captures_differ_provider'],
    [child(a, 'ratings'), await file('ratings', [], { instance: 'ANN-P01' }), 'captures_differ_instance'],
  ] as const) {
    t.match(await world.get(`/diff?${query(one, other)}`), { status: 400, body: { error } })
    t.match(await world.get(`/diff/extended?${query(one, other)}`), { status: 400, body: { error } })
  }
  t.equal(
    (
      await world.get(
        `/diff?${query(child(a, 'ratings'), await file('ratings', [], { instance: 'ANN-P01' }), { allow_cross_instance: true })}`,
      )
    ).status,
    200,
  )
  t.match(await world.get(`/diff/extended?${query(a.path, b.path, { kind: 'changed' })}`), {
    status: 400,
    body: { error: 'invalid_kind' },
  })
  t.match(await world.get(`/diff/extended?${query(a.path, b.path, { feature: 'all' })}`), {
    status: 400,
    body: { error: 'unsupported_feature' },
  })
  t.match(await world.get(`/diff?${query('../x.json', b.path)}`), {
    status: 400,
    body: { error: 'invalid_capture_path' },
  })
  t.match(await world.get(`/diff?${query('a/x.json', b.path)}`), { status: 404, body: { error: 'capture_not_found' } })
  for (const wrong of [{ limit: 0 }, { limit: 2_001 }, { max_changes: 0 }, { max_changes: 201 }, { limit: 'all' }])
    t.equal((await world.get(`/diff?${query(a.path, b.path, wrong)}`)).status, 422, JSON.stringify(wrong))
  for (const wrong of [
    { limit: 0 },
    { limit: 20_001 },
    { max_changes: 0 },
    { max_changes: 1_001 },
    { max_depth: 0 },
    { max_depth: 13 },
    { offset: -1 },
  ])
    t.equal((await world.get(`/diff/extended?${query(a.path, b.path, wrong)}`)).status, 422, JSON.stringify(wrong))
  const torn = join(world.folder, child(b, 'ratings'))
  await rm(torn)
  t.same((await diff(a.path, b.path)).available_features, ['watchlist', 'history', 'progress'], 'what both still have')
  await writeFile(join(world.folder, child(b, 'progress')), 'torn')
  t.same((await diff(a.path, b.path)).available_features, ['watchlist', 'history'])
})

t.test('a manually edited file is refused at the end of its rows', async (t) => {
  ann.entries = []
  fill(ann, ALL.slice(20, 40), ['ratings'])
  const { path } = await world.create({ feature: 'ratings' })
  const { readFile } = await import('node:fs/promises')
  const { gunzipSync, gzipSync } = await import('node:zlib')
  const bytes = await readFile(join(world.folder, path))
  const text = gunzipSync(bytes).toString('utf8')
  const [head, ...rest] = text.split('\n')
  // Replaces the rows member; its length changes, so the end line is written again.
  const changed = rest.slice(0, -2).join('\n').replace('"rating":3', '"rating":9')
  const first = gzipSync(`${head}\n`)
  const second = gzipSync(`${changed}\n`)
  const end = { ...JSON.parse(rest.at(-2)!), members: [[0, first.length]] }
  const third = gzipSync(`${JSON.stringify(end)}\n`)
  const pointer = bytes.subarray(-34)
  pointer.writeBigUInt64LE(BigInt(first.length + second.length), 16)
  await writeFile(join(world.folder, path), Buffer.concat([first, second, third, pointer]))
  t.match(await world.get(`/diff?${query(path, path)}`), { status: 400, body: { error: 'invalid_capture' } })
  t.match(await world.post('/restore', { path, mode: 'merge' }), { status: 400, body: { error: 'invalid_capture' } })
})
