// The state of the tracker: workspaces, changes since a time, snapshots, and failing tables.
import t from 'tap'
import fc, { runsOf } from '../../fast-check.ts'
import { type Item, TRACKER_STORE } from '@playhead/sdk'
import { alien, at, heat, startTracker, type Tracker } from './support.ts'

interface Store {
  snapshots(instance: string, feature: string): readonly { readonly name: string; readonly atMs: number }[]
  restore(instance: string, feature: string, name: string): Promise<void>
  stats(
    instance: string,
  ): Promise<readonly { readonly feature: string; readonly rows: number; readonly snapshots: number }[]>
}

const storeOf = (tracker: Tracker) => tracker.host.capability(TRACKER_STORE) as unknown as Store
const movie = (number: number): Item => ({ type: 'movie', ids: { imdb: `tt${String(number).padStart(7, '0')}` } })

t.test('profiles have their own workspaces, and a removed one leaves nothing', async (t) => {
  await using tracker = await startTracker({ instances: { 'SVC-P01': {} } })
  await tracker.write('watchlist', 'add', [heat])
  await tracker.write('watchlist', 'add', [alien], { instance: 'SVC-P01' })
  t.strictSame(await tracker.items('watchlist'), [heat])
  t.strictSame(await tracker.items('watchlist', {}, 'SVC-P01'), [alien])
  const account = (await tracker.read('watchlist', {}, 'SVC-P01')).end.account
  t.not(account, (await tracker.read('watchlist')).end.account)

  await tracker.provider.removeProfile('SVC-P01')
  for (const table of [
    'tracker__rows',
    'tracker__tokens',
    'tracker__states',
    'tracker__snapshots',
    'tracker__spaces',
  ]) {
    t.equal((await tracker.host.db.selectFrom(table).selectAll().execute()).length <= 1, true, table)
  }
  await tracker.provider.saveProfile('SVC-P01', {})
  t.match(await tracker.read('watchlist', {}, 'SVC-P01'), { rows: [], end: { complete: true } })
  t.not((await tracker.read('watchlist', {}, 'SVC-P01')).end.account, account)
})

t.test('a checkpoint returns the changes since, and nothing without changes', async (t) => {
  await using tracker = await startTracker()
  await tracker.write('watchlist', 'add', [heat, alien])
  const first = (await tracker.read('watchlist')).end.checkpoint as string
  t.match(await tracker.read('watchlist', { since: first }), {
    rows: [],
    end: { complete: true, semantics: 'unchanged', checkpoint: first },
  })

  await tracker.write('watchlist', 'remove', [heat])
  await tracker.write('watchlist', 'add', [movie(1)])
  const delta = await tracker.read('watchlist', { since: first })
  t.match(delta, { rows: [movie(1)], end: { complete: true, semantics: 'delta', deleted: [{ ids: heat.ids }] } })
  t.equal(delta.rows.length, 1)
  t.ok(delta.end.deleted?.[0]?.native?.item_id)
  t.match((await tracker.read('watchlist', { since: delta.end.checkpoint as string })).end, { semantics: 'unchanged' })
})

t.test('a checkpoint of another workspace, or of the future, returns everything', async (t) => {
  await using tracker = await startTracker()
  await tracker.write('watchlist', 'add', [heat])
  const { checkpoint } = (await tracker.read('watchlist')).end
  for (const since of ['', 'nonsense', `${'0'.repeat(32)}:1`, `${String(checkpoint).split(':')[0]}:99`]) {
    t.match(
      await tracker.read('watchlist', { since }),
      { rows: [heat], end: { semantics: 'present', complete: true } },
      since,
    )
  }
})

t.test(
  'a work whose plays changed is returned in its current state, and is deleted only with its last play',
  async (t) => {
    await using tracker = await startTracker()
    await tracker.write(
      'history',
      'add',
      [at(heat, '2026-01-01T20:00:00Z'), at(heat, '2026-02-01T20:00:00Z'), at(alien, '2026-01-01T20:00:00Z')],
      { plays: true },
    )
    const {
      rows: plays,
      end: { checkpoint = '' },
    } = await tracker.read('history', { plays: true })
    await tracker.write('history', 'remove', [plays[1] as Item, plays[2] as Item], { plays: true })
    const works = await tracker.read('history', { since: checkpoint })
    t.match(works, {
      rows: [at(heat, '2026-01-01T20:00:00Z')],
      end: { semantics: 'delta', deleted: [at(alien, '2026-01-01T20:00:00Z')] },
    })
    const single = await tracker.read('history', { since: checkpoint, plays: true })
    t.equal(single.rows.length, 0)
    t.strictSame(
      single.end.deleted?.map((item) => item.native?.event_id).sort(),
      [plays[1]?.native?.event_id, plays[2]?.native?.event_id].sort(),
    )
  },
)

t.test('property: an old read plus the changes since equals a new read', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.tuple(
          fc.constantFrom('add' as const, 'remove' as const),
          fc.integer({ min: 1, max: 8 }),
          fc.integer({ min: 1, max: 10 }),
        ),
        { minLength: 2, maxLength: 25 },
      ),
      fc.nat(),
      async (steps, cut) => {
        await using tracker = await startTracker()
        const play = async ([op, number, rating]: (typeof steps)[number]) =>
          tracker.write('ratings', op, [{ ...movie(number), rating }])
        const half = cut % steps.length
        for (const step of steps.slice(0, half)) await play(step)
        const old = await tracker.read('ratings')
        for (const step of steps.slice(half)) await play(step)
        const delta = await tracker.read('ratings', { since: old.end.checkpoint as string })
        const known = new Map(old.rows.map((row) => [row.native?.item_id, row]))
        for (const row of delta.end.deleted ?? []) known.delete(row.native?.item_id)
        for (const row of delta.rows) known.set(row.native?.item_id, row)
        const shown = (rows: Iterable<Item>) =>
          [...rows]
            .map((row) => JSON.stringify(row))
            .sort()
            .join()
        return delta.end.complete && shown(known.values()) === shown((await tracker.read('ratings')).rows)
      },
    ),
    { numRuns: runsOf(20) },
  ),
)

t.test('twenty thousand plays are read page by page, and a write in between does not affect the read', async (t) => {
  await using tracker = await startTracker()
  for (let start = 0; start < 20_000; start += 250) {
    const items = Array.from({ length: 250 }, (_, index) =>
      at(movie(Math.floor((start + index) / 2) + 1), new Date(1.7e12 + (start + index) * 60_000).toISOString()),
    )
    await tracker.write('history', 'add', items, { plays: true })
  }
  let rows = 0
  let largest = 0
  let isWritten = false
  for await (const part of tracker.provider.read('default', { feature: 'history', plays: true })) {
    if (part.type === 'end') {
      t.match(part.end, { complete: true, semantics: 'present' })
      continue
    }
    rows += part.rows.length
    largest = Math.max(largest, part.rows.length)
    if (!isWritten) {
      await tracker.write('history', 'remove', [movie(9_999)])
      await tracker.write('history', 'add', [at(movie(50_000), '2026-01-01T00:00:00Z')])
    }
    isWritten = true
  }
  t.equal(rows, 20_000)
  t.equal(largest, 1_000)
  t.equal((await tracker.read('history')).rows.length, 10_000, 'one row per work, less one and one more')
})

t.test(
  'the state before a change is kept as a snapshot, once per burst, and can be restored and reverted',
  async (t) => {
    await using tracker = await startTracker()
    await tracker.write('ratings', 'add', [
      { ...heat, rating: 8 },
      { ...alien, rating: 5 },
    ])
    t.strictSame(
      await storeOf(tracker).snapshots('default', 'ratings'),
      [],
      'before the first change there was nothing',
    )
    await tracker.write('ratings', 'remove', [heat])
    await tracker.write('ratings', 'update', [{ ...alien, rating: 6 }])
    const snapshots = await storeOf(tracker).snapshots('default', 'ratings')
    t.equal(snapshots.length, 1)

    const before = await tracker.read('ratings')
    await storeOf(tracker).restore('default', 'ratings', snapshots[0]?.name as string)
    t.strictSame(
      sorted(await tracker.items('ratings')),
      sorted([
        { ...heat, rating: 8 },
        { ...alien, rating: 5 },
      ]),
    )
    t.match(await tracker.read('ratings', { since: before.end.checkpoint as string }), {
      rows: { length: 2 },
      end: { semantics: 'delta' },
    })
    t.strictSame(await tracker.told('ratings', 'remove', [heat]), ['applied'], 'a restored row is found by its ids')

    const [newest] = await storeOf(tracker).snapshots('default', 'ratings')
    await storeOf(tracker).restore('default', 'ratings', newest?.name as string)
    t.strictSame(await tracker.items('ratings'), [{ ...alien, rating: 6 }])
    await t.rejects(storeOf(tracker).restore('default', 'ratings', 'never'), {
      code: 'PLH_NOT_FOUND',
      wire: 'snapshot_not_found',
    })
  },
)

t.test('a snapshot that the settings name is restored once', async (t) => {
  await using tracker = await startTracker()
  await tracker.write('watchlist', 'add', [heat])
  await tracker.write('watchlist', 'remove', [heat])
  const [snapshot] = await storeOf(tracker).snapshots('default', 'watchlist')
  t.strictSame(await tracker.items('watchlist'), [], '"latest" from the beginning restores nothing')
  await tracker.host.changeConfig({ restore_watchlist: snapshot?.name as string })
  t.strictSame(await tracker.items('watchlist'), [heat])
  await tracker.write('watchlist', 'remove', [heat])
  t.strictSame(await tracker.items('watchlist'), [], 'and not again')
  await tracker.host.changeConfig({ restore_watchlist: 'gone' })
  t.strictSame(await tracker.items('watchlist'), [])
  t.equal(
    tracker.host.logs.some(({ level }) => level === 'warn'),
    true,
  )
})

t.test('snapshots beyond their number are deleted, and can be turned off', async (t) => {
  await using tracker = await startTracker({ max_snapshots: 2 })
  for (let number = 1; number <= 5; number += 1) {
    await tracker.write('watchlist', 'add', [movie(number)])
    await tracker.host.db
      .updateTable('tracker__snapshots')
      .set((eb) => ({ at_ms: eb('at_ms', '-', 120_000) }))
      .execute()
  }
  t.equal((await storeOf(tracker).snapshots('default', 'watchlist')).length, 2)
  await using without = await startTracker({ auto_snapshot: false })
  await without.write('watchlist', 'add', [heat])
  await without.write('watchlist', 'remove', [heat])
  t.strictSame(await storeOf(without).snapshots('default', 'watchlist'), [])
})

t.test(
  'data that no snapshot needs is deleted after a month, and an older checkpoint then returns everything',
  async (t) => {
    await using tracker = await startTracker()
    await tracker.write('watchlist', 'add', [heat, alien])
    const { checkpoint = '' } = (await tracker.read('watchlist')).end
    await tracker.write('watchlist', 'remove', [heat])
    await tracker.host.runJob('tidy')
    t.match((await tracker.read('watchlist', { since: checkpoint })).end, { semantics: 'delta' })

    const month = 31 * 86_400_000
    await tracker.host.db
      .updateTable('tracker__rows')
      .set((eb) => ({ removed_at_ms: eb('removed_at_ms', '-', month) }))
      .execute()
    await tracker.host.db
      .updateTable('tracker__snapshots')
      .set((eb) => ({ at_ms: eb('at_ms', '-', month) }))
      .execute()
    await tracker.host.runJob('tidy')
    t.equal((await tracker.host.db.selectFrom('tracker__rows').selectAll().execute()).length, 1)
    t.match(await storeOf(tracker).stats('default'), [{ feature: 'watchlist', rows: 1, snapshots: 0 }])
    t.match(await tracker.read('watchlist', { since: checkpoint }), {
      rows: [alien],
      end: { semantics: 'present', complete: true },
    })
  },
)

t.test('a write that fails midway changes nothing, and reports that for each item', async (t) => {
  await using tracker = await startTracker()
  await tracker.write('watchlist', 'add', [heat])
  const before = await tracker.read('watchlist')
  const { db } = tracker.host
  // The rows can be written, but the second of their tokens cannot.
  await db.schema.createIndex('tracker__break').on('tracker__tokens').columns(['space', 'feature']).unique().execute()
  t.strictSame(await tracker.told('watchlist', 'add', [alien, movie(1)]), [
    'failed state_unwritable',
    'failed state_unwritable',
  ])
  await db.schema.dropIndex('tracker__break').execute()
  t.strictSame(await tracker.read('watchlist'), before)
})

t.test('an unreadable row fails the read, and is never an empty list', async (t) => {
  await using tracker = await startTracker()
  await tracker.write('watchlist', 'add', [heat, alien])
  await tracker.host.db
    .updateTable('tracker__rows')
    .set({ item: '{"type":"mov' })
    .where('item', 'like', '%Heat%')
    .execute()
  await t.rejects(tracker.read('watchlist'), { code: 'PLH_UPSTREAM_INVALID', wire: 'state_unreadable' })
  t.strictSame(await tracker.told('watchlist', 'remove', [heat]), ['failed state_unreadable'])
  await tracker.host.db.schema.alterTable('tracker__rows').renameTo('tracker__lost').execute()
  await t.rejects(tracker.read('watchlist'), { wire: 'state_unreadable' } as never)
  await tracker.host.db.schema.alterTable('tracker__lost').renameTo('tracker__rows').execute()
})

function sorted(items: readonly Item[]): readonly string[] {
  return items.map((item) => JSON.stringify(item)).sort()
}
