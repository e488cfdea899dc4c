// Another person signs in to a profile between two batches of a plan: no further item is sent, and the second person's account
// does not verify the first person's writes.
import t from 'tap'
import { createAccountCheck } from '../../../plugins/services/sync/run/account-check.ts'
import type { FakeAccount } from '../sync/world/account.ts'
import { toItem } from '../sync/world/works.ts'
import { settled } from './support.ts'

const BEN = { provider: 'BEN', instance: 'default' }

/** After this many batches another person is signed in, whose account is empty. */
function signInAfter(account: FakeAccount, batches: number) {
  const write = account.write.bind(account)
  let first: FakeAccount['entries'] = []
  account.write = async (instance, request) => {
    const answer = await write(instance, request).finally(() => {
      batches -= 1
      if (batches !== 0) return
      first = account.entries
      account.entries = []
      account.identity = 'ben-server/somebody'
    })
    return answer
  }
  return { first: () => first, second: () => account.entries }
}

const additions = (films: Awaited<ReturnType<typeof settled>>['films']) =>
  films.map((film) => ({ op: 'add', key: film.title, item: toItem(film, ['tmdb']) }) as const)

t.test('a run sends nothing to a person who signed in while it wrote', async (t) => {
  const { world, ben, watchlist, open } = await settled({ count: 30, runs: 0 })
  const people = signInAfter(ben, 2)
  const ran = await world.run()
  t.equal(people.first().length, 14)
  t.same(people.second(), [])
  t.match(watchlist(ran), { status: 'partial', reason: 'account_changed', about: [BEN], applied: 14, deferred: 16 })
  t.equal(
    ran.outcomes.filter(({ outcome, reason }) => outcome === 'deferred' && reason === 'account_changed').length,
    16,
  )
  t.same(await open(), [])
  t.match(watchlist(await world.run()), { status: 'skipped', reason: 'account_changed' })
  t.same(people.second(), [])
})

t.test('nor the same batch again, after the pause that a service asked for', async (t) => {
  const { world, ben } = await settled({ count: 5, runs: 0 })
  ben.writeFaults.push('rate_limited')
  const people = signInAfter(ben, 1)
  await world.run()
  t.same(people.second(), [])
})

t.test('possible writes are not verified by the account of another person', async (t) => {
  const { world, ben } = await settled({ count: 5, runs: 0 })
  ben.writeFaults.push('applied_then_throws')
  const people = signInAfter(ben, 1)
  const ran = await world.run()
  t.equal(people.first().length, 5)
  t.same([...new Set(ran.outcomes.map(({ outcome }) => outcome))], ['unknown'])
})

t.test('nor by an undo', async (t) => {
  const { world, ben, ann } = await settled({ count: 30, runs: 1 })
  const people = signInAfter(ben, 1)
  const undo = await world.engine.undo(
    { runId: 'undo-1', pairs: world.pairs, settings: world.settings, startedAtMs: world.nowMs },
    { event() {} },
    new AbortController().signal,
    'run-000001',
  )
  t.equal(people.first().length, 23)
  t.equal(ben.writes.length, 37)
  t.match(undo, { result: 'partial', undone: 7, not_undone: { account_changed: 23 } })
  t.equal(ann.of('watchlist').length, 30)
})

for (const isRead of [true, false])
  t.test(`nor by changes to one account${isRead ? '' : ' that was never read'}`, async (t) => {
    const { world, ben, films } = await settled({ count: 30, runs: 0 })
    if (isRead)
      await world.engine.refresh({ ...BEN, feature: 'watchlist' }, world.settings, new AbortController().signal)
    const { planId } = await world.engine.planChanges(
      { ...BEN, feature: 'watchlist', cause: 'editor', changes: additions(films) },
      world.settings,
    )
    const people = signInAfter(ben, 1)
    const outcomes = await world.engine.applyChanges({ planId, approved: false }, world.settings)
    t.equal(people.first().length, 7)
    t.same(people.second(), [])
    t.equal(outcomes.filter(({ outcome, reason }) => outcome === 'deferred' && reason === 'account_changed').length, 23)
  })

t.test('changes planned for one person are not sent to the next', async (t) => {
  const { world, ben, films } = await settled({ count: 3, runs: 0 })
  await world.engine.refresh({ ...BEN, feature: 'watchlist' }, world.settings, new AbortController().signal)
  const { planId } = await world.engine.planChanges(
    { ...BEN, feature: 'watchlist', cause: 'editor', changes: additions(films) },
    world.settings,
  )
  ben.identity = 'ben-server/somebody'
  t.match(await world.engine.applyChanges({ planId, approved: false }, world.settings), [
    { outcome: 'deferred', reason: 'account_changed' },
  ])
  t.same(ben.entries, [])
})

t.test('nor are changes that were decided by a read of the first, for any stored state', async (t) => {
  for (const isRead of [true, false]) {
    const { world, ben, films } = await settled({ count: 3, runs: 0 })
    if (isRead)
      await world.engine.refresh({ ...BEN, feature: 'watchlist' }, world.settings, new AbortController().signal)
    const plan = async (account: string) => {
      const { planId } = await world.engine.planChanges(
        {
          ...{ ...BEN, feature: 'watchlist', cause: 'import', changes: additions(films) },
          read: { account, count: 0, readAtMs: world.nowMs },
        },
        world.settings,
      )
      return world.engine.applyChanges({ planId, approved: false }, world.settings)
    }
    const first = ben.identity
    ben.identity = 'ben-server/somebody'
    const outcomes = await plan(first)
    t.same([...new Set(outcomes.map(({ outcome, reason }) => `${outcome} ${reason}`))], ['deferred account_changed'])
    t.same(ben.entries, [])
    t.match(await plan(ben.identity), [{ outcome: 'applied' }, { outcome: 'applied' }, { outcome: 'applied' }])
  }
})

t.test('an undo removes nothing from another person with the same items', async (t) => {
  const { world, ben } = await settled({ count: 4, runs: 1 })
  ben.identity = 'ben-server/somebody'
  const undo = () =>
    world.engine.undo(
      { runId: 'undo-1', pairs: world.pairs, settings: world.settings, startedAtMs: world.nowMs },
      { event() {} },
      new AbortController().signal,
      'run-000001',
    )
  t.match(await undo(), { undone: 0, not_undone: { account_changed: 4 }, left_to_undo: 4 })
  t.equal(ben.of('watchlist').length, 4)
  ben.identity = 'ben-server/user'
  t.match(await undo(), { result: 'ok', undone: 4 })
  t.same(ben.of('watchlist'), [])
})

t.test('facts from before the plan are checked again before they stop a run', async (t) => {
  const accounts = (now: string | undefined) => ({
    reached: async () => 'before',
    health: async () => ({ status: 'ok', account: now }),
  })
  const check = (now: string | undefined) =>
    createAccountCheck({ engine: { accounts: accounts(now) }, sides: { b: BEN } } as never, {
      header: null,
      ops: [],
      reads: { b: { account: 'planned' } },
    })
  t.equal(await check('planned').isSure('b'), true)
  for (const [now, doubt] of [
    ['somebody', 'account_changed'],
    [undefined, 'account_unknown'],
  ] as const) {
    const doubtful = check(now)
    t.equal(await doubtful.isSure('b'), false)
    t.equal(doubtful.doubts.b, doubt)
  }
})
