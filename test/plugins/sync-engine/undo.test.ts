// Undoing a run.
import t from 'tap'
import type { Item } from '@playhead/sdk'
import { createHoldings } from '../../../plugins/services/sync/library/holdings.ts'
import { entryOf, holdings } from '../sync/world/scenario.ts'
import { FakeAccount } from '../sync/world/account.ts'
import { Crash, createWorld, pairOf, SETTINGS, START_MS } from '../sync/world/world.ts'
import { numberedWork, workNamed } from '../sync/world/works.ts'
import { settled } from './support.ts'

type World = Awaited<ReturnType<typeof settled>>['world']

let undos = 0
const undo = (world: World, runId: string, { pairs = world.pairs, signal = new AbortController().signal } = {}) =>
  world.engine.undo(
    { runId: `undo-${++undos}`, settings: SETTINGS, startedAtMs: world.nowMs, pairs },
    { event() {} },
    signal,
    runId,
  )

t.test('items that a run added are removed again, and no run adds them until a person changes something', async (t) => {
  for (const runs of [1, 2]) {
    const { world, ann, ben, films } = await settled({ count: 4, runs })
    await using _world = world
    t.match(await world.engine.previewUndo('run-000001'), {
      reversible: 4,
      by_op: { add: 4, update: 0, remove: 0 },
      irreversible: [],
    })
    const report = await undo(world, 'run-000001')
    t.match(report, { result: 'ok', undone: 4, failed: 0, skipped: [] })
    t.same(holdings(ben), [])
    t.equal(ann.of('watchlist').length, 4)
    for (let run = 0; run < 3; run += 1) t.same((await world.run()).writes, [], 'neither done again nor carried on')
    t.equal(ann.of('watchlist').length, 4)
    t.match(await world.engine.previewUndo('run-000001'), { reversible: 0 })
    world.advance(3_600_000)
    ben.put(entryOf('watchlist', films[0]!, 1))
    await world.run()
    await world.run()
    ann.drop('watchlist', films[0]!)
    await world.run()
    t.notOk(ben.has('watchlist', films[0]!), 'a person put it back: it is synced again')
  }
})

t.test('items that a run removed are added again, and stay', async (t) => {
  const { world, ann, ben, films } = await settled()
  await using _world = world
  ann.drop('watchlist', films[0]!)
  const ran = await world.run()
  t.notOk(ben.has('watchlist', films[0]!))
  t.match(await undo(world, ran.report.run_id), { result: 'ok', undone: 1 })
  t.ok(ben.has('watchlist', films[0]!))
  for (let run = 0; run < 3; run += 1) t.same((await world.run()).writes, [])
  t.ok(ben.has('watchlist', films[0]!))
  t.notOk(ann.has('watchlist', films[0]!))
})

t.test('items that a run changed get their old value again', async (t) => {
  const { world, ann, ben, films } = await settled({ count: 3, features: { ratings: {} } })
  await using _world = world
  world.advance(3_600_000)
  ann.put(entryOf('ratings', films[0]!, 9))
  const ran = await world.run()
  const rating = () => ben.of('ratings').find(({ work }) => work.name === films[0]!.name)?.rating
  t.equal(rating(), 9)
  t.match(await undo(world, ran.report.run_id), { result: 'ok', undone: 1 })
  t.equal(rating(), 5)
  for (let run = 0; run < 2; run += 1) t.same((await world.run()).writes, [])
  world.advance(3_600_000)
  ann.put(entryOf('ratings', films[0]!, 2))
  await world.run()
  t.equal(rating(), 2, 'until a person rates again')
})

t.test('items that a person changed since are left alone, which is reported', async (t) => {
  const { world, ben, films } = await settled({ count: 3, features: { ratings: {} } })
  await using _world = world
  world.advance(3_600_000)
  ben.put(entryOf('ratings', films[0]!, 10))
  ben.drop('ratings', films[1]!)
  const report = await undo(world, 'run-000001')
  t.equal(report.undone, 1)
  t.equal(report.result, 'partial')
  t.same(report.skipped.map(({ reason }) => reason).toSorted(), ['already_gone', 'changed_since_run'])
  t.match(report, { not_undone: { changed_since_run: 1 }, left_to_undo: 0 })
  t.same(holdings(ben), [`ratings|${films[0]!.name}|10|`])
})

t.test('a removed rating that a person gave again with another value counts as left, not as restored', async (t) => {
  const { world, ann, ben, films } = await settled({ count: 3, features: { ratings: {} } })
  await using _world = world
  for (const film of films.slice(0, 2)) ann.drop('ratings', film)
  const ran = await world.run()
  world.advance(3_600_000)
  ben.put(entryOf('ratings', films[0]!, 10))
  ben.put(entryOf('ratings', films[1]!, 5))
  const report = await undo(world, ran.report.run_id)
  t.match(report, { undone: 0, result: 'partial', not_undone: { changed_since_run: 1 }, left_to_undo: 0 })
  t.same(report.skipped.map(({ reason }) => reason).toSorted(), ['already_there', 'changed_since_run'])
})

t.test('items that a service does not remove, or that another account has, are left, and can be retried', async (t) => {
  const { world, ben } = await settled({ count: 3, runs: 1 })
  await using _world = world
  const { support } = ben
  ben.support = { ...support, watchlist: { ...support.watchlist!, remove: false } }
  t.match(await undo(world, 'run-000001'), {
    ...{ result: 'partial', undone: 0, failed: 0, left_to_undo: 3 },
    not_undone: { read_only: 3 },
  })
  ben.support = support
  ben.uid = 'another'
  t.match(await undo(world, 'run-000001'), { undone: 0, not_undone: { account_changed: 3 }, left_to_undo: 3 })
  ben.uid = undefined
  t.equal(ben.of('watchlist').length, 3)
  t.match(await undo(world, 'run-000001'), { result: 'ok', undone: 3, not_undone: {}, left_to_undo: 0 })
  t.same(holdings(ben), [])
})

t.test('a plan that fails as a whole stays with its reason, and can be retried', async (t) => {
  const { world, ben } = await settled({ count: 3, runs: 1 })
  await using _world = world
  const untouched = () => t.equal(ben.of('watchlist').length, 3)
  ben.readFaults.push('throw')
  t.match(await undo(world, 'run-000001'), {
    ...{ result: 'failed', undone: 0, failed: 3, skipped: [], left_to_undo: 3 },
    not_undone: { upstream_error: 3 },
  })
  untouched()
  ben.writeFaults.push('throws')
  const refused = await undo(world, 'run-000001')
  t.match(refused, { result: 'failed', undone: 0, failed: 3, left_to_undo: 3 })
  t.same(refused.not_undone, { not_removed: 3 })
  untouched()
  t.match(await undo(world, 'run-000001', { pairs: [] }), {
    ...{ result: 'partial', undone: 0, failed: 0, left_to_undo: 0 },
    not_undone: { pair_not_found: 3 },
  })
  untouched()
  t.match(await undo(world, 'run-000001', { signal: AbortSignal.abort() }), { result: 'cancelled', undone: 0 })
  untouched()
  t.match(await undo(world, 'run-000001'), { result: 'ok', undone: 3, not_undone: {}, left_to_undo: 0 })
  t.same(holdings(ben), [])
})

t.test('plays are undone one by one', async (t) => {
  const { world, ann, ben, films } = await settled({ count: 2, features: { history: { rewatches: true } } })
  await using _world = world
  world.advance(3_600_000)
  ann.put(entryOf('history', films[0]!, 1))
  const ran = await world.run()
  t.equal(ben.of('history').length, 3)
  t.match(await undo(world, ran.report.run_id), { undone: 1 })
  t.equal(ben.of('history').length, 2)
  for (let run = 0; run < 2; run += 1) t.same((await world.run()).writes, [])
})

t.test('a run that is not stored, or a dry run, cannot be undone', async (t) => {
  const { world } = await settled({ count: 2, runs: 0 })
  await using _world = world
  const dry = await world.run({ dry_run: true })
  await t.rejects(undo(world, dry.report.run_id), { code: 'PLH_NOT_FOUND', wire: 'run_not_found' })
})

const film = (ids: Item['ids']): Item => ({ type: 'movie', title: 'x', year: 2000, ids })
const direct = (op: 'add' | 'remove', ...ids: Item['ids'][]) => ({
  provider: 'BEN',
  instance: 'default',
  feature: 'watchlist' as const,
  op,
  cause: 'watchlist_tool',
  items: ids.map((each, index) => ({ key: String(index), item: film(each) })),
})

t.test('P71 a removal outside a run reaches the other side like one at the service, and is not restored', async (t) => {
  for (const [remove, left] of [
    [true, 39],
    [false, 40],
  ] as const) {
    const { world, ann, ben, films } = await settled({ features: { watchlist: { remove } } })
    await using _world = world
    const outcomes = await world.change(direct('remove', films[0]!.ids))
    t.same(outcomes, [{ key: '0', op: 'remove', outcome: 'applied' }])
    t.equal(
      (await createHoldings(world.db).holdings('watchlist')).find(({ provider }) => provider === 'BEN')?.count,
      39,
      'it is not shown any more',
    )
    for (let run = 0; run < 3; run += 1) await world.run()
    t.equal(ann.of('watchlist').length, left)
    t.notOk(ben.has('watchlist', films[0]!))
  }
})

t.test('one-way: items that the tool removed from the target stay removed', async (t) => {
  const { world, ann, ben, films } = await settled({ mode: 'one_way' })
  await using _world = world
  await world.change(direct('remove', films[0]!.ids))
  for (let run = 0; run < 3; run += 1) t.same((await world.run()).writes, [])
  await world.change(direct('add', films[0]!.ids))
  t.ok(ben.has('watchlist', films[0]!))
  t.equal(ann.of('watchlist').length, 40)
})

t.test('a write outside a run is refused while a run holds the account, and for missing accounts', async (t) => {
  const { world, ann, films } = await settled({ count: 3 })
  await using _world = world
  const { read } = ann
  let refused: unknown
  ann.read = async function* (instance, request) {
    refused = await world.change(direct('remove', films[0]!.ids)).catch((error: unknown) => error)
    yield* Reflect.apply(read, ann, [instance, request]) as ReturnType<typeof read>
  }
  await world.run()
  t.match(refused, { code: 'PLH_CONFLICT', wire: 'busy' })
  await t.rejects(world.change({ ...direct('remove', films[0]!.ids), provider: 'NOBODY' }), { code: 'PLH_NOT_FOUND' })
  await t.rejects(world.change({ ...direct('remove', films[0]!.ids), feature: 'playlists' }), {
    code: 'PLH_UNSUPPORTED',
  })
})

t.test('every item of a write outside a run has one outcome, even if a later batch fails', async (t) => {
  const { world, ben, films } = await settled({ count: 10 })
  await using _world = world
  ben.writeFaults.push(undefined, 'throws')
  const outcomes = await world.change(direct('remove', ...films.map(({ ids }) => ids)))
  t.equal(outcomes.length, 10)
  t.same(
    outcomes.map(({ outcome }) => outcome),
    [...Array.from({ length: 7 }, () => 'applied'), 'failed', 'failed', 'failed'],
  )
})

for (const undated of [false, true])
  for (const when of ['before', 'during', 'after'] as const)
    t.test(
      `a rating that a person changed elsewhere ${when} the undo at one account is synced again${undated ? ', without dates' : ''}`,
      async (t) => {
        const { world, ann, ben, films } = await settled({
          count: 3,
          features: { ratings: {} },
          prepare(...both) {
            for (const account of both) account.undated = undated
          },
        })
        await using _world = world
        for (const account of [ann, ben]) account.drop('ratings', films[0]!)
        for (let run = 0; run < 2; run += 1) await world.run()
        const item = { ...film(films[0]!.ids), rating: 9, rated_at: '2026-01-01T00:00:00Z' }
        const { planId } = await world.engine.planChanges(
          {
            ...{ provider: 'BEN', instance: 'default', feature: 'ratings', cause: 'import' },
            changes: [{ op: 'add', key: 'x', item }],
          },
          world.settings,
        )
        await world.engine.applyChanges({ planId, approved: false }, world.settings)
        for (let run = 0; run < 2; run += 1) await world.run()
        const rating = ({ entries }: typeof ann) => entries.find(({ work }) => work === films[0])?.rating
        t.equal(rating(ann), 9, 'synced')
        const change = () => {
          world.advance(3_600_000)
          ann.put(entryOf('ratings', films[0]!, 3))
          world.advance(3_600_000)
        }
        const { write } = ben
        if (when === 'before') change()
        if (when === 'during')
          ben.write = async (...args: Parameters<typeof write>) => {
            const answer = await Reflect.apply(write, ben, args)
            change()
            return answer
          }
        t.match(await undo(world, planId), { result: 'ok', undone: 1 })
        t.equal(rating(ben), undefined)
        ben.write = write
        if (when === 'after') change()
        for (let run = 0; run < 2; run += 1) await world.run()
        t.same([rating(ann), rating(ben)], [3, 3])
        t.same((await world.run()).writes, [])
      },
    )

t.test('a rating that was changed before it was removed through the tool is listed, and nothing is lost', async (t) => {
  const { world, ann, ben, films, open } = await settled({ count: 3, features: { ratings: {} } })
  await using _world = world
  ann.put(entryOf('ratings', films[0]!, 9))
  world.advance(3_600_000)
  await world.change({ ...direct('remove', films[0]!.ids), feature: 'ratings' })
  const ran = await world.run()
  t.same(ran.writes, [])
  t.match(await open(), [{ op: 'add', provider: 'BEN', reason_code: 'tombstone' }])
  t.equal(ann.of('ratings').find(({ work }) => work === films[0])?.rating, 9)
  world.advance(3_600_000)
  ann.put(entryOf('ratings', films[0]!, 4))
  await world.run()
  t.equal(ben.of('ratings').find(({ work }) => work === films[0])?.rating, 4, 'until it is rated again')
  t.same(await open(), [])
})

/** The person has the same items at a third account as the first run copies from ANN to BEN; both have pairs with BEN. */
async function shared(feature: 'watchlist' | 'history' | 'ratings', plays = [true, true]) {
  const clock = { nowMs: START_MS }
  const accounts = ['ANN', 'BEN', 'CAT'].map((id) => new FakeAccount({ id, now: () => clock.nowMs }))
  const [ann, ben, cat] = accounts as [FakeAccount, FakeAccount, FakeAccount]
  const films = Array.from({ length: 5 }, (_, index) => numberedWork(index))
  const pairs = (['ANN', 'CAT'] as const).map((id, index) =>
    pairOf(id, 'BEN', { features: { [feature]: feature === 'history' ? { rewatches: plays[index]! } : {} } }),
  )
  const world = await createWorld(accounts, pairs, clock, films)
  world.settings = { ...SETTINGS, enable_remove: true, removal_ratio: 1 }
  for (const account of accounts)
    for (const each of films.slice(1)) account.put({ ...entryOf(feature, each, 5), atMs: START_MS })
  for (let run = 0; run < 2; run += 1) await world.run()
  const put = (account: FakeAccount, value: number, atMs = world.nowMs) =>
    account.put({ ...entryOf(feature, films[0]!, value), atMs })
  return { world, ann, ben, cat, film: films[0]!, put }
}

for (const feature of ['watchlist', 'history', 'ratings'] as const)
  for (const goesOn of [false, true])
    t.test(
      `P96 items that an undo removes from an account stay at a third one that had them by itself (${feature}${goesOn ? ', interrupted' : ''})`,
      async (t) => {
        let taken = 0
        for (let statements = 0; ; statements += 3) {
          const { world, ann, ben, cat, film, put } = await shared(feature)
          await using _world = world
          world.advance(3_600_000)
          for (const account of [ann, cat]) put(account, 9)
          const ran = await world.run()
          await world.run()
          t.ok(ben.has(feature, film))
          if (goesOn) world.crashAfter(statements)
          const undone = await undo(world, ran.report.run_id).catch((error: unknown) => {
            if (!(error instanceof Crash)) throw error
          })
          world.recoverDatabase()
          const left = ben.has(feature, film)
          if (!left) taken += 1
          // The other pair runs first.
          world.pairs = world.pairs.toReversed()
          for (let run = 0; run < 4; run += 1) await world.run()
          t.same(
            [ann, ben, cat].map((account) => account.has(feature, film)),
            [true, left, true],
            `after ${statements}`,
          )
          if (!goesOn || undone?.result === 'ok') break
        }
        t.ok(taken > 0)
      },
    )

t.test("a rating that an undo restores does not replace a third account's own one", async (t) => {
  const { world, ann, ben, cat, film, put } = await shared('ratings')
  await using _world = world
  put(ann, 5)
  for (let run = 0; run < 3; run += 1) await world.run()
  world.advance(3_600_000)
  for (const account of [ann, cat]) put(account, 9)
  const ran = await world.run()
  await world.run()
  t.match(await undo(world, ran.report.run_id), { result: 'ok', undone: 1 })
  const ratings = () =>
    [ann, ben, cat].map((account) => account.of('ratings').find(({ work }) => work === film)?.rating)
  for (let run = 0; run < 3; run += 1) t.same((await world.run()).writes, [])
  t.same(ratings(), [9, 5, 9])
  world.advance(3_600_000)
  put(cat, 2)
  for (let run = 0; run < 2; run += 1) await world.run()
  t.same(ratings(), [2, 2, 2], 'until a person rates again')
})

t.test('plays that an undo removes stay at a third account, for any plays its pair syncs', async (t) => {
  for (const plays of [
    [true, false],
    [false, true],
  ])
    for (const isOld of [false, true]) {
      const { world, ann, ben, cat, film, put } = await shared('history', plays)
      await using _world = world
      // An older play that all have, so that one row per item stays.
      if (isOld) for (const account of [ann, ben, cat]) put(account, 1, START_MS - 86_400_000)
      for (let run = 0; run < 2; run += 1) await world.run()
      world.advance(3_600_000)
      const atMs = world.nowMs
      for (const account of [ann, cat]) put(account, 1, atMs)
      const ran = await world.run()
      await world.run()
      const of = (account: FakeAccount) => account.of('history').filter(({ work }) => work === film).length
      const before = of(cat)
      await undo(world, ran.report.run_id)
      for (let run = 0; run < 4; run += 1) {
        world.advance(13 * 3_600_000)
        await world.run()
        const open = (await world.engine.unresolved.list({ runId: 'all' })).items.map((each) => each.reason_code)
        t.notOk(open.includes('write_not_visible'), 'nothing waits for what shows an older play')
      }
      t.equal(of(cat), before, `${plays.join()}${isOld ? ', seen before' : ''}`)
      t.equal(of(ann), isOld ? 2 : 1)
    }
})

for (const undated of [false, true])
  for (const feature of ['watchlist', 'history', 'ratings'] as const)
    for (const when of ['during', 'after'] as const)
      t.test(
        `P96 items that a person adds again ${when} an undo are synced as before (${feature}${undated ? ', without dates' : ''})`,
        async (t) => {
          const { world, ann, ben, films, open } = await settled({
            count: 4,
            features: { [feature]: {} },
            prepare(...both) {
              for (const account of both) account.undated = undated
            },
          })
          await using _world = world
          world.settings = { ...world.settings, enable_remove: true, removal_ratio: 1 }
          const film = films[1]!
          const { write } = ben
          const again = () => {
            world.advance(3_600_000)
            ben.put(entryOf(feature, film, 5))
          }
          if (when === 'during')
            ben.write = async (...args: Parameters<typeof write>) => {
              const answer = await Reflect.apply(write, ben, args)
              again()
              return answer
            }
          t.match(await undo(world, 'run-000001'), { undone: 4 })
          ben.write = write
          if (when === 'after') again()
          for (let run = 0; run < 4; run += 1) {
            world.advance(13 * 3_600_000)
            await world.run()
          }
          t.ok(ann.has(feature, film) && ben.has(feature, film))
          t.notOk(
            (await open()).some(({ item }) => item.title === film.title),
            'nothing of it is listed',
          )
          ann.drop(feature, film)
          for (let run = 0; run < 3; run += 1) await world.run()
          t.notOk(ann.has(feature, film), 'what is taken off then stays off')
          t.notOk(ben.has(feature, film))
        },
      )

t.test('P20 an undo by item keeps plays that the run did not add, older or newer ones', async (t) => {
  for (const apartMs of [-400 * 86_400_000, 3_600_000]) {
    const { world, ann, ben, films } = await settled({ count: 4, features: { history: {} } })
    await using _world = world
    const film = workNamed('heat')
    world.advance(3_600_000)
    ann.put(entryOf('history', film, 1))
    const ran = await world.run()
    world.advance(3_600_000)
    ben.put({ ...entryOf('history', film, 1), atMs: world.nowMs + apartMs })
    const report = await undo(world, ran.report.run_id)
    t.equal(report.undone, 0)
    t.match(report.skipped, [{ reason: apartMs > 0 ? 'changed_since_run' : 'exact_play_unknown' }])
    t.equal(ben.of('history').filter(({ work }) => work.name === film.name).length, 2)
    t.match(await undo(world, 'run-000001'), { undone: films.length }, 'items with the one play of the run are undone')
  }
})
