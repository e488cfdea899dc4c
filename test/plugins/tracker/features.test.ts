// The tracker by feature: reading, adding, updating, removing.
import t from 'tap'
import fc, { runsOf } from '../../fast-check.ts'
import type { Item } from '@playhead/sdk'
import { applyItem } from '../../../plugins/providers/tracker/apply.ts'
import { createWorkingSet } from '../../../plugins/providers/tracker/working-set.ts'
import { alien, at, episode, heat, startTracker } from './support.ts'

t.test('the tracker is described as the local provider, and works until it is turned off', async (t) => {
  await using tracker = await startTracker()
  t.match(await tracker.provider.describe(), {
    id: 'SVC',
    token: 'svc',
    signIn: { flow: 'local', actions: { start: false, disconnect: true } },
  })
  t.match(await tracker.provider.profiles(), [{ id: 'default', configured: true }])
  t.match(await tracker.provider.probe('default'), { status: 'ok', account: /^svc\/[0-9a-f]{32}$/ })
  await tracker.provider.disconnect('default')
  t.match(await tracker.provider.profiles(), [{ configured: false, reasonCode: 'disabled' }])
  t.match(await tracker.provider.probe('default'), { status: 'down', reasonCode: 'disabled' })
  await t.rejects(tracker.read('watchlist'), { code: 'PLH_NOT_READY' })
  await tracker.host.changeConfig({ enabled: true })
  t.match((tracker.host.ctx.config as { connected: boolean }).connected, true)
})

t.test('an empty tracker reads as complete and empty', async (t) => {
  await using tracker = await startTracker()
  for (const feature of ['watchlist', 'history', 'ratings', 'progress'] as const) {
    t.match(await tracker.read(feature), { rows: [], end: { complete: true, semantics: 'present' } })
  }
  await t.rejects(tracker.read('playlists'), { code: 'PLH_UNSUPPORTED' })
})

t.test('a watchlist contains an item once, with all of its ids', async (t) => {
  await using tracker = await startTracker()
  t.strictSame(await tracker.told('watchlist', 'add', [heat, alien]), ['applied', 'applied'])
  t.strictSame(await tracker.told('watchlist', 'add', [heat]), ['already'])
  t.strictSame(await tracker.told('watchlist', 'add', [{ type: 'movie', ids: { imdb: 'tt0113277', tmdb: '949' } }]), [
    'already',
  ])
  t.strictSame(await tracker.told('watchlist', 'add', [{ type: 'movie', ids: { tmdb: '949' } }]), ['already'])
  t.strictSame(await tracker.items('watchlist'), [alien, { ...heat, ids: { tmdb: '949', imdb: 'tt0113277' } }])
})

t.test('an item is removed by any shared id, and never by title', async (t) => {
  await using tracker = await startTracker()
  await tracker.write('watchlist', 'add', [heat, alien])
  t.strictSame(await tracker.told('watchlist', 'remove', [{ type: 'movie', title: 'Alien', year: 1979, ids: {} }]), [
    'already',
  ])
  t.strictSame(
    await tracker.told('watchlist', 'remove', [{ type: 'movie', ids: { tmdb: '949', imdb: 'tt0113277' } }]),
    ['applied'],
  )
  t.strictSame(await tracker.told('watchlist', 'remove', [heat]), ['already'])
  t.strictSame(await tracker.items('watchlist'), [alien])
})

t.test('an item without a shared id is not stored', async (t) => {
  await using tracker = await startTracker()
  t.strictSame(await tracker.told('watchlist', 'add', [{ type: 'movie', title: 'Heat', year: 1995, ids: {} }]), [
    'unsupported missing_ids',
  ])
  t.strictSame(await tracker.items('watchlist'), [])
})

t.test('an item whose ids contradict a stored one is not written', async (t) => {
  await using tracker = await startTracker()
  await tracker.write('watchlist', 'add', [{ type: 'movie', ids: { imdb: 'tt0113277', tmdb: '949' } }])
  const other: Item = { type: 'movie', ids: { imdb: 'tt0113277', tmdb: '7' } }
  t.strictSame(await tracker.told('watchlist', 'add', [other]), ['rejected ambiguous_ids'])
  t.strictSame(await tracker.told('watchlist', 'remove', [other]), ['rejected ambiguous_ids'])
  t.equal((await tracker.items('watchlist')).length, 1)
})

t.test('ratings are set, changed and removed, and no time is invented', async (t) => {
  await using tracker = await startTracker()
  t.strictSame(await tracker.told('ratings', 'add', [{ ...heat, rating: 8 }, alien]), [
    'applied',
    'rejected missing_rating',
  ])
  t.strictSame(await tracker.told('ratings', 'update', [{ ...heat, rating: 8 }]), ['already'])
  t.strictSame(
    await tracker.told('ratings', 'update', [
      { ...heat, rating: 9, rated_at: '2026-01-01T00:00:00Z' },
      { ...alien, rating: 5 },
    ]),
    ['applied', 'not_found not_found'],
  )
  t.strictSame(await tracker.items('ratings'), [{ ...heat, rating: 9, rated_at: '2026-01-01T00:00:00Z' }])
  t.strictSame(await tracker.told('ratings', 'add', [{ ...heat, rating: 3 }]), ['applied'])
  t.strictSame(await tracker.told('ratings', 'remove', [heat, alien]), ['applied', 'already'])
  t.strictSame(await tracker.items('ratings'), [])
})

t.test('two rows of one work become one as soon as an item has both ids', async (t) => {
  await using tracker = await startTracker()
  await tracker.write('ratings', 'add', [
    { type: 'movie', ids: { imdb: 'tt0113277' }, rating: 8 },
    { type: 'movie', ids: { tmdb: '949' }, rating: 7 },
  ])
  t.strictSame(
    await tracker.told('ratings', 'update', [{ type: 'movie', ids: { imdb: 'tt0113277', tmdb: '949' }, rating: 9 }]),
    ['applied'],
  )
  t.strictSame(await tracker.items('ratings'), [{ type: 'movie', ids: { imdb: 'tt0113277', tmdb: '949' }, rating: 9 }])
})

t.test('a later position wins, and an update changes it', async (t) => {
  await using tracker = await startTracker()
  const position = (ms: number, day: string): Item => ({
    ...heat,
    progress_ms: ms,
    duration_ms: 10_000,
    progress_at: `2026-01-${day}T00:00:00Z`,
  })
  t.strictSame(await tracker.told('progress', 'add', [position(5_000, '02'), alien]), [
    'applied',
    'rejected missing_progress',
  ])
  t.strictSame(await tracker.told('progress', 'add', [position(9_000, '01')]), ['already'])
  t.strictSame(await tracker.told('progress', 'add', [position(6_000, '03')]), ['applied'])
  t.strictSame(await tracker.told('progress', 'update', [position(1_000, '04')]), ['applied'])
  t.strictSame(await tracker.items('progress'), [position(1_000, '04')])
  t.strictSame(await tracker.told('progress', 'remove', [heat]), ['applied'])
})

t.test('each play is a row, a duplicate is stored once, and a play needs a time', async (t) => {
  await using tracker = await startTracker()
  const plays = [
    at(heat, '2026-01-01T20:00:00Z'),
    at(heat, '2026-02-01T20:00:00Z'),
    at(heat, '2026-01-01T20:00:00.400Z'),
    heat,
    at(episode, '2026-01-05'),
  ]
  t.strictSame(await tracker.told('history', 'add', plays, { plays: true }), [
    'applied',
    'applied',
    'already',
    'rejected missing_watched_at',
    'applied',
  ])
  t.equal((await tracker.items('history', { plays: true })).length, 3)
  t.strictSame((await tracker.items('history')).map((item) => item.watched_at).sort(), [
    '2026-01-05',
    '2026-02-01T20:00:00Z',
  ])
})

t.test('one play is removed by its id or its time, and the others stay', async (t) => {
  await using tracker = await startTracker()
  const times = ['2026-01-01T20:00:00Z', '2026-02-01T20:00:00Z', '2026-03-01T20:00:00Z']
  await tracker.write(
    'history',
    'add',
    times.map((time) => at(heat, time)),
    { plays: true },
  )
  const { rows } = await tracker.read('history', { plays: true })
  t.strictSame(await tracker.told('history', 'remove', [rows[1] as Item], { plays: true }), ['applied'])
  t.strictSame(await tracker.told('history', 'remove', [rows[1] as Item], { plays: true }), ['already'])
  t.strictSame(await tracker.told('history', 'remove', [at(heat, '2025-01-01T00:00:00Z')], { plays: true }), [
    'not_found exact_play_unknown',
  ])
  t.strictSame(await tracker.told('history', 'remove', [at(heat, times[0] as string)], { plays: true }), ['applied'])
  t.strictSame(
    (await tracker.items('history', { plays: true })).map((item) => item.watched_at),
    [times[2]],
  )
})

t.test(
  'without single plays a work is watched once: the newer date counts, and a removal removes all of its plays',
  async (t) => {
    await using tracker = await startTracker()
    t.strictSame(await tracker.told('history', 'add', [at(heat, '2026-02-01T20:00:00Z')]), ['applied'])
    t.strictSame(await tracker.told('history', 'add', [at(heat, '2026-01-01T20:00:00Z')]), ['already'])
    t.strictSame(await tracker.told('history', 'add', [at(heat, '2026-03-01T20:00:00Z')]), ['applied'])
    t.strictSame(
      (await tracker.items('history')).map((item) => item.watched_at),
      ['2026-03-01T20:00:00Z'],
    )
    t.equal((await tracker.items('history', { plays: true })).length, 2, 'an earlier play is not lost')
    t.strictSame(await tracker.told('history', 'update', [at(heat, '2026-03-02T20:00:00Z')]), ['applied'])
    const { rows } = await tracker.read('history')
    t.strictSame(rows[0]?.watched_at, '2026-03-02T20:00:00Z')
    t.strictSame(await tracker.told('history', 'remove', [rows[0] as Item]), ['applied'])
    t.strictSame(await tracker.items('history', { plays: true }), [])
  },
)

t.test("rows contain this account's native ids, and an id of another work is not accepted", async (t) => {
  await using tracker = await startTracker()
  const [added] = await tracker.write('ratings', 'add', [{ ...heat, rating: 8 }])
  const { rows } = await tracker.read('ratings')
  t.ok(added?.native?.item_id)
  t.strictSame(rows[0]?.native, added?.native)
  t.strictSame(
    await tracker.told('ratings', 'remove', [
      { type: 'movie', ids: { imdb: 'tt9999999' }, native: { item_id: added?.native?.item_id as string } },
    ]),
    ['rejected ambiguous_ids'],
  )
  t.strictSame(
    await tracker.told('ratings', 'remove', [
      { type: 'movie', ids: {}, native: { item_id: added?.native?.item_id as string } },
    ]),
    ['applied'],
  )
})

t.test('fields of another account, and of another feature, are not stored', async (t) => {
  await using tracker = await startTracker()
  await tracker.write('ratings', 'add', [
    { ...heat, rating: 8, library_id: '5', watched_at: '2026-01-01T00:00:00Z', native: { item_id: 'foreign' } },
  ])
  t.strictSame(await tracker.items('ratings'), [{ ...heat, rating: 8 }])
})

t.test('kinds can be read separately', async (t) => {
  await using tracker = await startTracker()
  await tracker.write('ratings', 'add', [
    { ...heat, rating: 8 },
    { ...episode, rating: 5 },
  ])
  t.strictSame(
    (await tracker.items('ratings', { kinds: ['episode'] })).map(({ type }) => type),
    ['episode'],
  )
  t.match((await tracker.read('ratings', { kinds: ['show'] })).end, { complete: true })
})

t.test('property: after any batch the items match the outcomes exactly', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          op: fc.constantFrom('add' as const, 'remove' as const),
          number: fc.integer({ min: 1, max: 6 }),
          rating: fc.integer({ min: 1, max: 10 }),
        }),
        { maxLength: 30 },
      ),
      async (steps) => {
        await using tracker = await startTracker()
        const expected = new Map<string, number>()
        for (const { op, number, rating } of steps) {
          const imdb = `tt000000${number}`
          const [told] = await tracker.told('ratings', op, [{ type: 'movie', ids: { imdb }, rating }])
          const before = expected.get(imdb)
          const isNothing = op === 'remove' ? before === undefined : before === rating
          if (told !== (isNothing ? 'already' : 'applied')) return false
          if (op === 'remove') expected.delete(imdb)
          else expected.set(imdb, rating)
        }
        const items = await tracker.items('ratings')
        return (
          items.length === expected.size && items.every((item) => expected.get(item.ids.imdb as string) === item.rating)
        )
      },
    ),
    { numRuns: runsOf(15) },
  ),
)

t.test('plays of one title are found by their time, for any number, and consecutive days are two', async (t) => {
  const start = Date.parse('2014-01-01T00:00:00Z')
  const at = (index: number) => new Date(start + index * 7_200_000).toISOString()
  const PLAYS = 2_000
  let read = 0
  const stored = Array.from({ length: PLAYS }, (_, index) => ({
    key: `p${index}`,
    group: 'g',
    item: {
      ...heat,
      get watched_at() {
        read += 1
        return at(index)
      },
    },
  }))
  const rows = createWorkingSet(stored)
  const context = { feature: 'history', op: 'add', plays: true, rows, newKey: () => `n${read++}` } as const
  const outcomes = Array.from(
    { length: 250 },
    (_, index) => applyItem(context, { ...heat, watched_at: at(index * 2 + PLAYS - 250) }).outcome,
  )
  t.equal(outcomes.filter((outcome) => outcome === 'already').length, 125)
  t.equal(rows.changes().added.length, 125)
  t.ok(read < 10 * PLAYS, `times were read ${read} times for ${PLAYS} plays`)

  await using tracker = await startTracker()
  const days = ['2024-03-01', '2024-03-02'].map((day) => ({ ...heat, watched_at: day }))
  t.same(await tracker.told('history', 'add', days, { plays: true }), ['applied', 'applied'])
  t.same(await tracker.told('history', 'add', days, { plays: true }), ['already', 'already'])
})
