// The store: atomic commits, atomic inventories, deletion of pairs.
import fc, { runsOf } from '../../fast-check.ts'
import t from 'tap'
import type { Tables } from '@playhead/sdk'
import { fingerprint, type Item, rowKey } from '@playhead/sdk/items'
import { migrate } from '../../../core/storage/migrations.ts'
import { openTestTables } from '../../../core/testing/storage.ts'
import {
  findInventory,
  hideRows,
  inventoryPages,
  type InventoryOf,
  listInventories,
  replaceInventory,
} from '../../../plugins/services/sync/store/inventory.ts'
import { migrations } from '../../../plugins/services/sync/store/migrations.ts'
import { insertPlanItems, markSent, nextPlanItems } from '../../../plugins/services/sync/store/plans.ts'
import { forgetAccount, purgePair, resetPair } from '../../../plugins/services/sync/store/purge.ts'
import { type Change, openStage, recoverStages } from '../../../plugins/services/sync/store/stage.ts'
import {
  concerns,
  findTombstones,
  namedPlay,
  playMarkOf,
  setTombstones,
} from '../../../plugins/services/sync/store/tombstones.ts'
import { clearUnresolved, listUnresolved } from '../../../plugins/services/sync/store/unresolved.ts'

async function open() {
  const db = openTestTables()
  await migrate(db, 'sync', migrations)
  return { db, [Symbol.asyncDispose]: () => db.destroy() }
}

const row = (id: number, pair = 'p1'): Change => ({
  t: 'base',
  id,
  pair,
  feature: 'watchlist',
  key: `movie:tmdb:${id}`,
  item: '{}',
  state: '{}',
})

// Small enough for one transaction, and large enough for staging.
for (const [count, leastSteps] of [
  [650, 3],
  [2_150, 8],
] as const) {
  t.test(
    `P55 a commit of ${count} changes that dies at any step is finished or discarded, never partial`,
    async (t) => {
      let steps = 0
      for (let dieAt = 0; ; dieAt += 1) {
        await using database = await open()
        const { db } = database
        let passed = 0
        let committed = false
        const stage = openStage(db, 'c', 1, (step) => {
          if (step === 'committed') committed = true
          if (passed++ === dieAt) throw new Error('died')
        })
        let died = false
        try {
          for (let id = 1; id <= count; id += 1) await stage.add(row(id))
          await stage.commit()
        } catch {
          died = true
        }
        await recoverStages(db)
        const rows = await db.selectFrom('sync__base').select('id').execute()
        t.equal(rows.length, committed ? count : 0, `step ${dieAt}`)
        t.same(await db.selectFrom('sync__stage').select('id').execute(), [], 'and nothing is left of it')
        t.same(await db.selectFrom('sync__commit').select('id').execute(), [])
        steps = passed
        if (!died) break
      }
      t.equal(steps, leastSteps, 'there were steps to die at')
    },
  )
}

t.test('P47 applying a commit twice changes nothing more', async (t) => {
  await using database = await open()
  const { db } = database
  const dying = openStage(db, 'c', 1, (step) => {
    if (step === 'carried') throw new Error('died')
  })
  for (let id = 1; id <= 2_010; id += 1) await dying.add(row(id))
  await dying.add({ t: 'base-', id: 3 })
  await t.rejects(dying.commit(), /died/)
  await recoverStages(db)
  await recoverStages(db)
  t.equal((await db.selectFrom('sync__base').select('id').execute()).length, 2_009)
})

const OF: InventoryOf = { uid: 'u1', provider: 'ANN', instance: 'default', feature: 'watchlist', variant: 'all' }
const set = (texts: readonly string[], checkpoint: string | null = null, digest: string | null = null) => ({
  account: 'a',
  fingerprint: 'f',
  checkpoint,
  readAtMs: 5,
  size: texts.length,
  digest,
  json: (index: number) => texts[index]!,
  mark: (index: number) => fingerprint(texts[index]!),
  keyOf: (text: string) => text.split('=')[0]!,
  written: async () => undefined,
})

async function visible(db: Awaited<ReturnType<typeof open>>['db']): Promise<string[]> {
  const head = await findInventory(db, OF)
  const found: string[] = []
  if (head !== undefined)
    for await (const page of inventoryPages(db, head, 2)) found.push(...page.map(({ item }) => item))
  return found.toSorted()
}

t.test('a set replaces the previous one, and unchanged rows are not written again', async (t) => {
  await using database = await open()
  const { db } = database
  await replaceInventory(db, OF, set(['x=1', 'y=1', 'z=1']))
  const before = await db.selectFrom('sync__inventory_row').select(['id', 'key']).execute()
  await replaceInventory(db, OF, set(['x=1', 'y=2', 'w=1']))
  t.same(await visible(db), ['w=1', 'x=1', 'y=2'])
  const after = await db.selectFrom('sync__inventory_row').select(['id', 'key']).execute()
  t.equal(after.length, 3, 'what went is gone')
  t.equal(after.find(({ key }) => key === 'x')?.id, before.find(({ key }) => key === 'x')?.id)
  t.match(await listInventories(db, 'watchlist'), [{ provider: 'ANN', instance: 'default', count: 3, readAtMs: 5 }])
})

t.test('equal rows of one account are all kept', async (t) => {
  await using database = await open()
  await replaceInventory(database.db, OF, set(['x=1', 'x=1', 'x=2']))
  t.same(await visible(database.db), ['x=1', 'x=1', 'x=2'])
  await replaceInventory(database.db, OF, set(['x=3', 'x=1', 'x=2', 'x=1']))
  t.same(await visible(database.db), ['x=1', 'x=1', 'x=2', 'x=3'])
  const keys = (await database.db.selectFrom('sync__inventory_row').select('key').execute()).map(({ key }) => key)
  t.equal(new Set(keys).size, 4, 'each has a name of its own')
})

t.test('equal digests leave the stored rows as they are', async (t) =>
  fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.oneof(
          {
            weight: 4,
            arbitrary: fc.record({
              texts: fc.array(fc.constantFrom('x=1', 'x=2', 'y=1', 'z=1'), { maxLength: 4 }),
              dieAt: fc.option(fc.nat(6)),
            }),
          },
          { weight: 1, arbitrary: fc.record({ hide: fc.constantFrom('x', 'y', 'z') }) },
        ),
        { maxLength: 8 },
      ),
      async (steps) => {
        const worlds = await Promise.all([open(), open()])
        for (const step of steps) {
          for (const [world, { db }] of worlds.entries()) {
            if ('hide' in step) {
              await hideRows(db, OF.uid, OF.feature, [step.hide])
              continue
            }
            const next = set(step.texts, 'c', world === 0 ? null : step.texts.join(' '))
            // The number of statements depends on the digest, so both inventories are brought to the same state before the next
            // comparison.
            if (step.dieAt !== null) await replaceInventory(dyingAt(db, step.dieAt), OF, next).catch(() => {})
            await replaceInventory(db, OF, next)
          }
          const [long, short] = await Promise.all(worlds.map(async ({ db }) => [await visible(db), await headOf(db)]))
          t.same(short, long)
        }
        for (const world of worlds) await world[Symbol.asyncDispose]()
      },
    ),
    { numRuns: runsOf(40) },
  ),
)

async function headOf(db: Awaited<ReturnType<typeof open>>['db']) {
  const head = await findInventory(db, OF)
  return head === undefined ? null : [head.count, head.checkpoint, head.readAtMs, head.account]
}

t.test('existing rows are not compared when their digest is known', async (t) => {
  await using database = await open()
  const { db } = database
  await replaceInventory(db, OF, set(['x=1', 'y=1'], 'c1', 'xy'))
  const unread = {
    ...set(['x=1', 'y=1'], 'c2', 'xy'),
    json: () => {
      throw new Error('looked at')
    },
  }
  await replaceInventory(db, OF, unread)
  t.equal((await findInventory(db, OF))?.checkpoint, 'c2', 'and what is new about the set is kept')
  await hideRows(db, OF.uid, OF.feature, ['x'])
  await replaceInventory(db, OF, set(['x=1', 'y=1'], 'c3', 'xy'))
  t.same(await visible(db), ['x=1', 'y=1'], 'what was hidden since is there again')
})

t.test('an unfinished set is invisible, and the next one is complete', async (t) => {
  await using database = await open()
  const { db } = database
  await replaceInventory(db, OF, set(['x=1', 'y=1'], 'c1'))
  for (const dieAt of [0, 1, 2, 3, 4, 5]) {
    await replaceInventory(dyingAt(db, dieAt), OF, set(['y=2', `z=${dieAt}`], 'c2')).catch(() => {})
    const now = await visible(db)
    t.ok(['x=1 y=1', `y=2 z=${dieAt}`].includes(now.join(' ')), now.join(' '))
    await replaceInventory(db, OF, set(['x=1', 'y=1'], 'c1'))
    t.same(await visible(db), ['x=1', 'y=1'])
  }
})

t.test('P57 removing a pair deletes its rows and no others, even for pairs with similar names', async (t) => {
  await using database = await open()
  const { db } = database
  for (const [index, pair] of ['p1', 'p10'].entries()) {
    const stage = openStage(db, pair, 1)
    for (let id = 1; id <= 3; id += 1) await stage.add(row(index * 10 + id, pair))
    await stage.add({ t: 'state', pair, feature: 'watchlist', state: '{}', run: 'r' })
    await stage.add({ t: 'open', row: openRow(pair, 'movie:tmdb:1') })
    await stage.commit()
  }
  t.match(await purgePair(db, 'p1'), { base: 3, state: 1, unresolved: 1 })
  t.same(await purgePair(db, 'nobody'), { state: 0, unresolved: 0 })
  t.equal((await db.selectFrom('sync__base').select('id').execute()).length, 3)
  await resetPair(db, 'p10')
  t.equal((await db.selectFrom('sync__base').select('id').execute()).length, 0)
  t.same(await db.selectFrom('sync__state').selectAll().execute(), [])
})

t.test(
  'open rows of the last run are listed alone, all of them on demand, and can be cleared one by one',
  async (t) => {
    await using database = await open()
    const { db } = database
    const stage = openStage(db, 'c', 1)
    for (const pair of ['p1', 'p2']) {
      await stage.add({ t: 'state', pair, feature: 'watchlist', state: '{}', run: `run of ${pair}` })
      for (const key of ['movie:tmdb:1', 'movie:tmdb:2']) await stage.add({ t: 'open', row: openRow(pair, key) })
    }
    await stage.commit()
    const last = await listUnresolved(db, { runId: 'run of p1' })
    t.equal(last.total, 2)
    t.match(last.items[0]!, {
      pair_id: 'p1',
      reason_code: 'not_in_library',
      provider_instance: 'default',
      attempts: 1,
      quarantined: false,
    })
    t.equal((await listUnresolved(db, { runId: 'all' })).total, 4)
    t.equal((await listUnresolved(db, { runId: 'all', limit: 1, offset: 3 })).items.length, 1)
    t.equal(await clearUnresolved(db, { pairId: 'p1', key: 'movie:tmdb:2' }), 1)
    t.equal((await listUnresolved(db, { runId: 'all' })).total, 3)
  },
)

function openRow(pair: string, key: string) {
  return {
    pair_id: pair,
    feature: 'watchlist',
    uid: 'u1',
    op: 'add',
    key,
    provider: 'BEN',
    instance: 'default',
    reason: 'not_in_library',
    item: '{}',
    identity: 'i',
    attempts: 1,
    failures: 1,
    skip_until_run: 0,
    quarantined_at: null,
    first_at: 1,
    last_at: 1,
    run_id: 'r',
  }
}

/** The process dies at this statement. */
function dyingAt(db: Tables, statement: number): Tables {
  let passed = 0
  return db.withPlugin({
    transformQuery({ node }) {
      if (passed++ === statement) throw new Error('died')
      return node
    },
    transformResult: async ({ result }) => result,
  })
}

t.test('of two senders of the same operations, each sends only those that it marked', async (t) => {
  await using opened = await open()
  const { db } = opened
  const item = { side: 'b', op: 'add', value: '1', cause: 'test', state: 'ready', reason: null } as const
  await insertPlanItems(
    db,
    'plan',
    [0, 1, 2].map((n) => ({ ...item, n, key: String(n), item: '{}', current: null, before: null })),
  )
  const batch = await nextPlanItems(db, 'plan', 'b', 'add', -1, 10)
  const ids = batch.map(({ id }) => id)
  const marked = await Promise.all([markSent(db, ids.slice(0, 2), 1), markSent(db, ids, 2)])
  t.same(
    marked.map((each) => each.size),
    [2, 1],
  )
  t.same([...marked[0]!, ...marked[1]!].toSorted(), ids.toSorted())
})

t.test('tombstones of profiles become tombstones of their accounts, also in what an interruption left', async (t) => {
  const db = openTestTables()
  await migrate(db, 'sync', migrations.slice(0, 1))
  const read = { provider: 'PLEX', instance: 'x', feature: 'history', fingerprint: 'f', generation: 1, row_count: 0 }
  await db
    .insertInto('sync__inventory')
    .values([
      { ...read, uid: 'u1', variant: 'all', account: 'server/1', read_at: 5 },
      { ...read, uid: 'u2', variant: 'all', account: 'server/1', read_at: 6 },
      { ...read, uid: 'u3', variant: 'all', account: '', read_at: null },
    ])
    .execute()
  const old = { feature: 'history', proof_at: 1, evidence_at: null, pair_id: 'p', run_id: 'r' }
  await db
    .insertInto('sync__tombstone')
    .values([
      { ...old, uid: 'u1', token: 'movie:tmdb:949@1700000000', removed_at: 20 },
      { ...old, uid: 'u2', token: 'movie:tmdb:949@1700000000', removed_at: 10 },
      { ...old, uid: 'u3', token: 'movie:tmdb:949', removed_at: 30 },
    ])
    .execute()
  const left = { uid: 'u2', feature: 'history', token: 'movie:tmdb:949@1700000000' }
  await db
    .insertInto('sync__stage')
    .values({
      commit_id: 'c',
      changes: JSON.stringify([
        { t: 'tomb-', ...left, upToMs: 40 },
        { t: 'plan', id: 'x' },
      ]),
    })
    .execute()
  const state = { a: { v: '8', e: 4 }, pb: { o: 'add', v: '8', t: 5, m: 0 } }
  await insertOldPlanItem(db, JSON.stringify({ id: null, key: 'k', item: { type: 'movie', ids: {} }, state }))
  await insertOldPlanItem(db, '{damaged')
  await migrate(db, 'sync', migrations)
  t.same(
    await db.selectFrom('sync__tombstone').select(['account', 'token', 'play', 'removed_at']).orderBy('id').execute(),
    [
      { account: 'PLEX server/1', token: 'movie:tmdb:949', play: '@1700000000', removed_at: 20 },
      { account: 'u3', token: 'movie:tmdb:949', play: '', removed_at: 30 },
    ],
  )
  const named = { account: 'PLEX server/1', token: 'movie:tmdb:949', play: '@1700000000' }
  const [stage] = await db.selectFrom('sync__stage').select('changes').execute()
  t.match(JSON.parse(String(stage?.['changes'])), [
    { t: 'tomb-', ...named, upToMs: 40 },
    { t: 'plan', id: 'x' },
  ])
  const items = await db.selectFrom('sync__plan_item').select('shown').orderBy('n').execute()
  t.same(
    items.map(({ shown }) => JSON.parse(String(shown))),
    [null, { a: { v: '8', e: 4 }, item: { type: 'movie', ids: {} } }],
  )
  await db.destroy()
})

t.test('an account that is forgotten forgets the removals by all of its profiles', async (t) => {
  await using database = await open()
  const { db } = database
  const head = { provider: 'PLEX', instance: 'x', feature: 'history', variant: 'all', fingerprint: 'f', generation: 1 }
  await db
    .insertInto('sync__inventory')
    .values({ ...head, uid: 'u1', account: 'server/1', row_count: 0, read_at: 5 })
    .execute()
  const name = { feature: 'history' as const, token: 'movie:tmdb:949', play: '' }
  const row = { ...name, removed_at: 1, proof_at: 1, lost_after: null, evidence_at: null, pair_id: 'p', run_id: 'r' }
  await setTombstones(db, [
    { ...row, account: 'PLEX server/1', uid: 'u1' },
    { ...row, account: 'PLEX server/1', uid: 'u2', token: 'movie:tmdb:1' },
    { ...row, account: 'u1', uid: 'u1', token: 'movie:tmdb:2' },
    { ...row, account: 'PLEX server/2', uid: 'u2' },
  ])
  await forgetAccount(db, 'u1', 'history')
  const left = await db.selectFrom('sync__tombstone').select('account').execute()
  t.same(
    left.map(({ account }) => account),
    ['PLEX server/2'],
  )
})

t.test('a removed play of a day is each play of that day, and one of midnight is that one alone', async (t) => {
  await using database = await open()
  const { db } = database
  const midnightMs = Date.UTC(2026, 0, 5)
  const name = { account: 'PLEX server/1', feature: 'history' as const, token: 'movie:tmdb:949', play: '@id:7' }
  const times = { removed_at: 1, proof_at: 1, lost_after: null, evidence_at: midnightMs }
  const row = { ...name, ...times, uid: 'u1', pair_id: 'p', run_id: 'r' }
  const evening: Item = { type: 'movie', ids: { tmdb: '949' }, watched_at: '2026-01-05T20:00:00Z' }
  const concerned = async () => {
    const [removed] = (await findTombstones(db, [name.account], 'history', [name.token])).get(name.token) ?? []
    return concerns(removed!, namedPlay(playMarkOf(rowKey(evening, true)), evening))
  }
  await setTombstones(db, [row])
  t.equal(await concerned(), false)
  await setTombstones(db, [{ ...row, shown_day: midnightMs }])
  t.equal(await concerned(), true)
})

t.test('removed plays of a day that were stored before days had a place are still those of the day', async (t) => {
  const db = openTestTables()
  t.teardown(() => db.destroy())
  const before = migrations.findIndex(({ name }) => name === 'days-of-removals')
  await migrate(db, 'sync', migrations.slice(0, before))
  const midnightMs = Date.UTC(2026, 0, 5)
  const marks = ['@date:2026-01-05', '@id:7', `@${midnightMs / 1_000}`, `@${midnightMs / 1_000 + 72_000}`]
  const times = { removed_at: 1, proof_at: 1, lost_after: null, evidence_at: midnightMs }
  const token = 'movie:tmdb:949'
  for (const play of marks)
    await db
      .insertInto('sync__tombstone')
      .values({ ...times, account: 'PLEX 1', feature: 'history', token, play, uid: 'u', pair_id: 'p', run_id: 'r' })
      .execute()
  await migrate(db, 'sync', migrations)
  const found = (await findTombstones(db, ['PLEX 1'], 'history', [token])).get(token) ?? []
  const evening: Item = { type: 'movie', ids: { tmdb: '949' }, watched_at: '2026-01-05T21:30:00Z' }
  const name = namedPlay(playMarkOf(rowKey(evening, true)), evening)
  t.same(
    Object.fromEntries(found.map((one) => [one.play, concerns(one, name)])),
    Object.fromEntries(marks.map((mark) => [mark, mark !== marks[2]])),
  )
})

async function insertOldPlanItem(db: Tables, after: string): Promise<void> {
  const texts = { plan_id: 'p', side: 'b', op: 'add', key: 'k', value: '', cause: 'c', state: 'applied', item: '{}' }
  await db
    .insertInto('sync__plan_item')
    .values({ ...texts, n: after.length, after })
    .execute()
}
