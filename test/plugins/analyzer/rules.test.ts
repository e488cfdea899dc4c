// Findings of the rules in random libraries, against simple models, and without false positives.
import assert from 'node:assert/strict'
import fc, { runsOf } from '../../fast-check.ts'
import t from 'tap'
import type { Ids, Item, OpenItem } from '@playhead/sdk'
import { type Found, passOver } from './pass.ts'
import { episode, film, row } from './world.ts'

fc.configureGlobal({ ...fc.readConfigureGlobal(), numRuns: runsOf(150) })

const SCHEMES = ['tmdb', 'imdb', 'tvdb'] as const
const DAY_MS = 86_400_000
const iso = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}Z`
const names = (found: readonly Found[]) => found.map(({ account, key }) => `${account} ${key}`).toSorted()

/** A work with ids under all schemes; numbers of movies and shows collide on purpose. */
const idOf = (scheme: (typeof SCHEMES)[number], work: number) =>
  scheme === 'imdb' ? `tt${1_000_000 + work}` : String(work)
const idsOf = (work: number, schemes: readonly (typeof SCHEMES)[number][]): Ids =>
  Object.fromEntries(schemes.map((scheme) => [scheme, idOf(scheme, work)]))

const held = fc.uniqueArray(
  fc.record({ work: fc.integer({ min: 1, max: 12 }), isShow: fc.boolean(), schemes: fc.subarray([...SCHEMES]) }),
  { maxLength: 14, selector: ({ work, isShow }) => `${work} ${isShow}` },
)
type Held = { readonly work: number; readonly isShow: boolean; readonly schemes: readonly (typeof SCHEMES)[number][] }
/** Works 1 and 7, 2 and 8, … have the same title and year. */
const itemOf = ({ work, isShow, schemes }: Held): Item => ({
  type: isShow ? 'show' : 'movie',
  title: `Work ${work % 6}`,
  year: 2_000,
  ids: idsOf(work, schemes),
})

t.test('an item with other ids is not missing, and a certainly missing one is', () =>
  fc.assert(
    fc.asyncProperty(held, held, async (a, b) => {
      const { of } = await passOver({
        rows: { 'A watchlist': a.map(itemOf), 'B watchlist': b.map(itemOf) },
        pairs: ['A B'],
      })
      const missing = new Set(names(of('missing_peer')))
      for (const [name, own, others] of [
        ['A', a, b],
        ['B', b, a],
      ] as const)
        for (const one of own) {
          const isReported = missing.has(`${name} ${row(itemOf(one)).key}`)
          const isThere = others.some((other) => other.work === one.work && other.isShow === one.isShow)
          if (isThere) assert.ok(!isReported, `${name} ${JSON.stringify(one)}`)
          const mayBe = others.some(
            (other) =>
              other.isShow === one.isShow &&
              other.work % 6 === one.work % 6 &&
              !other.schemes.some((scheme) => one.schemes.includes(scheme)),
          )
          if (!isThere && !mayBe) assert.ok(isReported, `${name} ${JSON.stringify(one)}`)
        }
    }),
  ),
)

t.test('property 17: a movie and a show with one number are different items', async (t) => {
  const { of } = await passOver({
    rows: {
      'A ratings': [film(550, { rating: 8 })],
      'B ratings': [{ ...film(550, { rating: 2 }), type: 'show', title: 'Another' }],
    },
    pairs: ['A B'],
  })
  t.same(names(of('missing_peer')), ['A movie:tmdb:550', 'B show:tmdb:550'])
  t.same(of('rating_conflict', 'duplicate_item'), [])
})

t.test('an item that only a third account links is no missing peer', async (t) => {
  const [a, b, c] = [
    film(1, { ids: { tmdb: '1' }, title: 'Der Film' }),
    film(1, { ids: { imdb: 'tt0000001' }, title: 'The film' }),
    film(1, { ids: { tmdb: '1', imdb: 'tt0000001' } }),
  ]
  const { of } = await passOver({
    rows: { 'A watchlist': [a], 'B watchlist': [b], 'C watchlist': [c] },
    pairs: ['A B', 'B C'],
  })
  t.same(of('missing_peer'), [])
})

t.test('items outside a route are neither missing nor counted', async (t) => {
  const { of, result } = await passOver({
    rows: { 'A ratings': [film(1, { rating: 5 }), film(2), episode(3, 1, 1, { rating: 4 })], 'B ratings': [] },
    pairs: ['A B'],
    kinds: 1,
  })
  t.same(names(of('missing_peer')), ['A movie:tmdb:1'])
  t.match(result.counts[0], { scanned: 3, excluded: 2, total: 1, synced: 0 })
})

t.test('a blocked item is reported as blocked, by any of its names', async (t) => {
  for (const block of ['movie:tmdb:1', 'tmdb:1', 'IMDB:tt0000001', 'title:Film 1|year:2000']) {
    const { of } = await passOver({
      rows: { 'A watchlist': [film(1, { ids: { tmdb: '1', imdb: 'tt0000001' } }), film(2)], 'B watchlist': [] },
      pairs: ['A B'],
      blocks: { 'B watchlist': [block] },
    })
    t.same(names(of('blocked_manual')), ['A movie:tmdb:1'], block)
    t.same(names(of('missing_peer')), ['A movie:tmdb:2'], block)
  }
})

t.test('ratings conflict where they differ, once per pair', () =>
  fc.assert(
    fc.asyncProperty(
      fc.dictionary(
        fc.integer({ min: 1, max: 9 }).map(String),
        fc.tuple(fc.integer({ min: 1, max: 10 }), fc.integer({ min: 1, max: 10 })),
      ),
      async (rated) => {
        const all = Object.entries(rated)
        const { of } = await passOver({
          rows: {
            'A ratings': all.map(([id, [rating]]) => film(id, { rating })),
            // With another id, linked by the third account.
            'B ratings': all.map(([id, [, rating]]) =>
              film(id, { rating, ids: { imdb: `tt000000${id}` }, title: 'Autre' }),
            ),
            'C ratings': all.map(([id, [rating]]) => film(id, { rating, ids: { tmdb: id, imdb: `tt000000${id}` } })),
          },
          pairs: ['A B'],
        })
        assert.deepEqual(
          of('rating_conflict')
            .map(({ key, severity }) => `${key} ${severity}`)
            .toSorted(),
          all
            .filter(([, [one, other]]) => one !== other)
            .map(([id, [one, other]]) => `movie:tmdb:${id} ${Math.abs(one - other) === 1 ? 'info' : 'warn'}`)
            .toSorted(),
        )
      },
    ),
    { numRuns: runsOf(60) },
  ),
)

t.test('dates conflict only more than a day apart, never for single plays or days', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: -200, max: 200 }), { minLength: 1, maxLength: 4 }),
      fc.array(fc.integer({ min: -200, max: 200 }), { minLength: 1, maxLength: 4 }),
      fc.boolean(),
      async (a, b, plays) => {
        const at = (hours: number) => Date.UTC(2025, 2, 1) + hours * 3_600_000
        const played = (hours: number) => film(1, { watched: true, watched_at: iso(at(hours)) })
        const unique = (hours: readonly number[]) => [...new Set(hours)]
        const { of } = await passOver({
          rows: { 'A history': unique(a).map(played), 'B history': unique(b).map(played) },
          pairs: ['A B'],
          plays,
        })
        const expected = (own: readonly number[], other: readonly number[]) => {
          const latest = Math.max(...own)
          return Math.min(...other.map((hours) => Math.abs(hours - latest))) > 24
        }
        assert.deepEqual(
          of('date_conflict')
            .map(({ account }) => account)
            .toSorted(),
          plays ? [] : [...(expected(a, b) ? ['A'] : []), ...(expected(b, a) ? ['B'] : [])],
        )
      },
    ),
  ),
)

t.test('plays a minute apart are one play; plays on other days are not', async (t) => {
  const at = Date.UTC(2025, 2, 1, 20)
  const play = (ms: number) => film(1, { watched: true, watched_at: iso(ms) })
  const near = await passOver({
    rows: { 'A history': [play(at)], 'B history': [play(at + 60_000)] },
    pairs: ['A B'],
    plays: true,
  })
  t.same(near.of('missing_peer', 'date_conflict', 'duplicate_item'), [])
  const far = await passOver({
    rows: { 'A history': [play(at), play(at + 9 * DAY_MS)], 'B history': [play(at)] },
    pairs: ['A B'],
    plays: true,
  })
  t.equal(far.of('missing_peer').length, 1)
  const day = await passOver({
    rows: { 'A history': [film(1, { watched_at: '2025-03-02' })], 'B history': [play(Date.UTC(2025, 2, 3, 4))] },
    pairs: ['A B'],
  })
  t.same(day.of('date_conflict'), [], 'a day lasts all day, anywhere')
})

t.test('an account has an item twice only if two rows share an id, and a play only at one second', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.tuple(
          fc.integer({ min: 1, max: 4 }),
          fc.subarray([...SCHEMES], { minLength: 1 }),
          fc.integer({ min: 0, max: 2 }),
        ),
        { maxLength: 30 },
      ),
      fc.constantFrom('watchlist', 'history'),
      async (rows, feature) => {
        const items = rows.map(([work, schemes, second], index) => ({
          key: `movie:${schemes[0]}:${idOf(schemes[0]!, work)}~${index}`,
          item: film(work, {
            ids: idsOf(work, schemes),
            ...(feature === 'history' ? { watched_at: iso(Date.UTC(2025, 0, 1, 0, 0, second)) } : {}),
          }),
        }))
        const { of } = await passOver({ rows: { [`A ${feature}`]: items } })
        const expected = rows.flatMap(([work, schemes, second], index) =>
          rows
            .slice(0, index)
            .some(
              ([other, theirs, at]) =>
                other === work &&
                schemes.some((scheme) => theirs.includes(scheme)) &&
                (feature !== 'history' || at === second),
            )
            ? [items[index]!.key]
            : [],
        )
        assert.deepEqual(
          of('duplicate_item')
            .map(({ key }) => key)
            .toSorted(),
          expected.toSorted(),
        )
      },
    ),
  ),
)

t.test('ids: malformed, missing, never matched, and contradicting keys', async (t) => {
  const rows = [
    film(1),
    { key: 'movie:tmdb:550@1700000000', item: film(550, { watched_at: iso(1_700_000_000_000) }) },
    { key: 'movie:tmdb:2~1', item: film(2) },
    { key: 'movie:tmdb:9', item: film(8) },
    { key: 'show:tmdb:5#s01e02', item: episode(6, 1, 2) },
    { key: 'show:tmdb:7#s01e02@1700000000', item: episode(7, 1, 2, { ids: { tmdb: '99' } }) },
    film(3, { ids: { imdb: 'tt0000003' } }),
    film(4, { ids: { anilist: '4' } }),
    film(5, { ids: {} }),
    film(6, { ids: { mediaa: '4711' } }),
    film(7, { ids: { tmdb: '12-abc', imdb: 'tt12' } }),
    episode(8, 1, 1, { show_ids: { tvdb: 'x8' } }),
  ]
  const { of } = await passOver({ rows: { 'A history': rows }, groups: { A: 'media_server' } })
  t.same(
    names(of('key_ids_mismatch')),
    ['A movie:tmdb:9', 'A show:tmdb:5#s01e02'],
    'property 16: a rewatch key is none',
  )
  t.same(
    of('missing_ids')
      .map(({ key }) => key)
      .toSorted(),
    ['movie:imdb:tt0000003', 'show:tvdb:x8#s01e01'],
  )
  t.same(
    of('key_missing_ids').map(({ key }) => key),
    ['movie:anilist:4'],
  )
  t.same(of('never_matched').length, 2)
  t.same(
    of('invalid_id_format')
      .map(({ fields }) => `${fields['field']} ${fields['id_name']} ${fields['id_value']}`)
      .toSorted(),
    ['ids imdb tt12', 'ids tmdb 12-abc', 'show_ids tvdb x8'],
  )
})

t.test('a file of several episodes of which another account has only some, or that waits for some', async (t) => {
  const at = { watched_at: '2024-05-05T10:00:00Z' }
  const inFile = (show: number, number: number, file: string) =>
    episode(show, 1, number, { ...at, native: { item_id: file } })
  const open = (show: number, number: number, op: OpenItem['op'], reason = 'shared_file'): OpenItem => ({
    ...{
      pair_id: 'p',
      feature: 'history',
      provider: 'A',
      instance: 'default',
      op,
      key: `show:tmdb:${show}#s01e${number}`,
    },
    ...{ item: episode(show, 1, number, at), reason_code: reason, attempts: 1, failures: 0, quarantined: false },
    ...{ first_at_ms: 0, last_at_ms: 0, run_id: 'r' },
  })
  const { of } = await passOver({
    groups: { A: 'media_server' },
    rows: {
      'A history': [
        ...[1, 2].map((number) => inFile(1, number, 'f1')),
        ...[1, 2].map((number) => inFile(2, number, 'f2')),
        ...[3, 4].map((number) => inFile(2, number, `own ${number}`)),
        ...[1, 2].map((number) => inFile(3, number, 'f3')),
      ],
      'B history': [
        episode(1, 1, 2, at),
        ...[1, 2, 3].map((number) => episode(2, 1, number, at)),
        // Of a tracker, whose ids name no file.
        ...[1, 2].map((number) => inFile(9, number, 'f9')),
      ],
    },
    pairs: ['A B'],
    world: { open: [open(5, 2, 'add'), open(5, 3, 'add'), open(6, 1, 'remove'), open(7, 1, 'add', 'not_in_library')] },
  })
  t.match(
    of('shared_file').map(({ account, fields }) => ({ account, ...fields })),
    [
      { account: 'A', show: 'Show 1', season: 1, episodes: [1, 2], target: 'The B', missing: [1] },
      { account: 'A', show: 'Show 5', season: 1, episodes: [2, 3], operation: 'add' },
      { account: 'A', show: 'Show 6', season: 1, episodes: [1], operation: 'remove' },
    ],
  )
  t.equal(of('shared_file').length, 3)
})

t.test('times that cannot be, and none that can', async (t) => {
  const nowMs = Date.UTC(2026, 5, 1)
  const at = (id: number, ms: number, more: Partial<Item> = {}) =>
    film(id, { watched: true, watched_at: iso(ms), ...more })
  const imported = Date.UTC(2024, 0, 1, 12)
  const season = Date.UTC(2024, 1, 1, 12)
  const { of } = await passOver({
    nowMs,
    released: { 'movie 3': '2025-06-01' },
    rows: {
      'A history': [
        at(1, nowMs + 2 * DAY_MS),
        at(2, nowMs + 60_000),
        at(3, Date.UTC(2025, 1, 1), { year: 2025 }),
        at(4, Date.UTC(2005, 1, 1), { year: 2010 }),
        at(5, Date.UTC(2009, 11, 30), { year: 2010 }),
        film(6, { watched: true, year: 2030 }),
        ...Array.from({ length: 12 }, (_, index) => at(100 + index, imported)),
        ...Array.from({ length: 24 }, (_, index) => episode(9, 1, index + 1, { watched_at: iso(season) })),
        ...Array.from({ length: 30 }, (_, index) => film(200 + index, { watched_at: '2024-03-01' })),
      ],
    },
  })
  t.same(
    of('time_in_future').map(({ key }) => key),
    [`movie:tmdb:1@${nowMs / 1_000 + 2 * 86_400}`],
  )
  t.same(
    of('watched_before_release')
      .map(({ fields }) => fields['release'])
      .toSorted(),
    ['2010', '2025-06-01'],
  )
  t.match(
    of('many_at_once').map(({ fields }) => fields),
    [{ count: 12, at: iso(imported) }],
    'a season marked at once, and days, are no import',
  )
})

t.test('rows of removed profiles, and rows without a read for a week', async (t) => {
  const nowMs = Date.UTC(2026, 5, 1)
  const first = await passOver({ rows: { 'A watchlist': [film(1)], 'B watchlist': [film(1)] }, pairs: ['A B'], nowMs })
  t.same(first.of('orphan_instance', 'stale_baseline'), [])
  const { accounts, holdings } = first.result.order.world
  const later = await passOver({
    rows: { 'A watchlist': [film(1)], 'B watchlist': [film(1)] },
    pairs: ['A B'],
    world: {
      nowMs: nowMs + 8 * DAY_MS,
      accounts: [
        ...accounts,
        { ...accounts[0]!, instance: 'A-P01', name: 'A@A-P01', exists: false, isConfigured: false },
      ],
      holdings: [
        { ...holdings[0]!, readAtMs: nowMs },
        { ...holdings[1]!, readAtMs: nowMs + 7 * DAY_MS },
        {
          account: { ...accounts[0]!, instance: 'A-P01', name: 'A@A-P01', exists: false, isConfigured: false },
          feature: 'ratings',
          count: 3,
          readAtMs: nowMs,
        },
        // Its plugin is off, so its profiles are unknown.
        {
          account: { ...accounts[0]!, provider: 'OFF', name: 'OFF', exists: false, isConfigured: false },
          feature: 'ratings',
          count: 3,
          readAtMs: nowMs,
        },
      ],
    },
  })
  t.match(later.of('stale_baseline'), [{ account: 'A', feature: 'watchlist', fields: { days: 8 } }])
  t.match(later.of('orphan_instance'), [
    { account: 'A', feature: 'ratings', severity: 'warn', fields: { instance: 'A-P01', count: 3 } },
  ])
})

t.test('the shows of two histories are compared by all their ids and names', async (t) => {
  const watched = (show: number, ids: Ids, title = `Show ${show}`) =>
    episode(show, 1, 1, { show_ids: ids, series_title: title, watched_at: '2025-01-01' })
  const { of } = await passOver({
    rows: {
      'A history': [
        watched(1, { tmdb: '1' }),
        watched(2, { tmdb: '2', tvdb: '22' }, 'Zwei'),
        watched(3, { tmdb: '3' }),
      ],
      'B history': [watched(1, { imdb: 'tt0000001' }), watched(2, { tvdb: '22' }, 'Two'), watched(4, { tmdb: '4' })],
    },
    pairs: ['A B'],
  })
  t.match(of('history_show_normalization'), [
    {
      severity: 'info',
      fields: {
        source: 'A',
        target: 'B',
        show_delta: { source: 3, target: 3 },
        show_gap: { source_only: 1, target_only: 1, ratio: 1 },
        extra_source_titles: ['Show 3'],
        extra_target_titles: ['Show 4'],
      },
    },
  ])
})

t.test('pairs that require the anime mapping', async (t) => {
  const pair = {
    id: 'p',
    name: 'p',
    enabled: true,
    source: null as never,
    target: null as never,
    options: { ratings: { use_anime_mapping: true } },
  }
  const types = async (anime: object, enabled = true) =>
    (
      await passOver({
        rows: {},
        world: {
          pairs: [{ ...pair, enabled }],
          anime: { exists: true, enabled: false, ready: false, features: [], ...anime },
        },
      })
    ).found.map(({ type, feature }) => `${type} ${feature}`)
  t.same(await types({}), ['anime_mapping_disabled_globally ratings'])
  t.same(await types({ enabled: true }), ['anime_mapping_index_not_ready ratings'])
  t.same(await types({ enabled: true, ready: true }), [])
  t.same(await types({}, false), [])
})

t.test('tens of thousands of plays of one item at one second are processed in bounded time', async (t) => {
  const plays = (count: number) =>
    Array.from({ length: count }, () => film(1, { watched: true, watched_at: '2025-01-01T10:00:00Z' }))
  const { of, result } = await passOver({
    rows: { 'A history': plays(30_000), 'B history': plays(30_000) },
    pairs: ['A B'],
    plays: true,
  })
  t.equal(of('missing_peer').length, 0)
  t.equal(result.counts[0]!.synced, 30_000)
  t.ok(of('duplicate_item').length > 50_000)
})
