// Writing: batches, limits, cancelling, incomplete answers.
import t from 'tap'
import { setTimeout as sleep } from 'node:timers/promises'
import { PlayheadError, type WriteRequest } from '@playhead/sdk'
import type { FakeAccount } from '../sync/world/account.ts'
import { holdings } from '../sync/world/scenario.ts'
import { FULL_SUPPORT, settled } from './support.ts'

const ORDER = ['remove', 'update', 'add']

t.test('on each side removals and updates come before adds, in batches that the provider accepts', async (t) => {
  const { world, ann, ben, films } = await settled({ count: 30, features: { ratings: {} } })
  await using _world = world
  const sent: { readonly op: string; readonly size: number }[] = []
  const { write } = ben
  ben.write = (instance: string, request: WriteRequest) => {
    sent.push({ op: request.op, size: request.items.length })
    return Reflect.apply(write, ben, [instance, request]) as ReturnType<typeof write>
  }
  world.advance(3_600_000)
  const extra = { type: 'movie' as const, year: 2020 }
  ann.put({ work: { ...extra, name: 'new', title: 'New', ids: { tmdb: '949' } }, feature: 'ratings', rating: 3 })
  for (const film of films.slice(0, 9)) ann.put({ work: film, feature: 'ratings', rating: 9 })
  ann.drop('ratings', films[20]!)
  await world.run()
  t.same(
    sent.map(({ op }) => op),
    ['remove', 'update', 'update', 'add'],
  )
  t.ok(sent.every(({ size }) => size <= FULL_SUPPORT.ratings!.maxBatch!))
  t.same(
    sent.map(({ op }) => ORDER.indexOf(op)),
    sent.map(({ op }) => ORDER.indexOf(op)).toSorted(),
  )
})

t.test(
  'an account is read again before updates, removals and adds of ratings, unless it was read a moment ago or compares itself',
  async (t) => {
    for (const { compares, writeMs, expected } of [
      { compares: undefined, writeMs: 0, expected: 0 },
      { compares: undefined, writeMs: 20_000, expected: 4 },
      { compares: ['update', 'remove'] as const, writeMs: 20_000, expected: 1 },
      { compares: ['add', 'update', 'remove'] as const, writeMs: 20_000, expected: 0 },
    ]) {
      const { world, ann, ben, films } = await settled({ count: 30, features: { ratings: {} } })
      await using _world = world
      const { compares: _, ...support } = FULL_SUPPORT.ratings!
      ben.support = { ratings: { ...support, ...(compares === undefined ? {} : { compares }) } }
      world.advance(3_600_000)
      ben.traits = { writeMs }
      world.settings = { ...world.settings, removal_min: 20 }
      for (const work of films.slice(0, 14)) ann.put({ work, feature: 'ratings', rating: 9 })
      for (const work of films.slice(20, 23)) ann.drop('ratings', work)
      for (const [index, id] of ['949', '603'].entries()) {
        const name = `new ${index}`
        ann.put({
          work: { name, type: 'movie', title: name, year: 2020, ids: { tmdb: id } },
          feature: 'ratings',
          rating: 3,
        })
      }
      const before = ben.reads.length
      await world.run()
      // One read of the run, one that verifies the removals; at most one for each batch that follows a slow batch.
      t.ok(ben.reads.length - before - 2 <= expected, `${ben.reads.length - before} reads`)
      t.equal(ben.of('ratings').filter(({ rating }) => rating === 9).length, 14)
      if (expected > 0) t.ok(ben.reads.length - before > 2, 'the account was read again')
    }
  },
)

t.test('P13 an operation that no longer fits is listed, and decided by the next run', async (t) => {
  const { world, ann, ben, films, open } = await settled({ count: 5, features: { ratings: {} } })
  await using _world = world
  ann.put({ work: films[0]!, feature: 'ratings', rating: 2 })
  ann.drop('ratings', films[1]!)
  world.advance(60_000)
  ben.beforeWrite = () => {
    world.advance(1_000)
    for (const work of films.slice(0, 2)) ben.put({ work, feature: 'ratings', rating: 9 })
  }
  const ran = await world.run()
  t.match(world.feature(ran, 'ratings'), { deferred: 2, errors: 0, unresolved: 2 })
  t.same((await open()).map(({ op, reason_code: reason }) => `${op} ${reason}`).toSorted(), [
    'remove changed_since_plan',
    'update changed_since_plan',
  ])
  await world.run()
  t.same(await open(), [])
  t.ok([ann, ben].every((account) => account.of('ratings').filter(({ rating }) => rating === 9).length === 2))
})

t.test('a service that asks for a pause gets it, and the items are sent again', async (t) => {
  const { world, ben } = await settled({ count: 5, runs: 0 })
  await using _world = world
  ben.writeFaults.push('rate_limited')
  const ran = await world.run()
  t.equal(ben.of('watchlist').length, 5)
  t.match(
    ran.events.find(({ event }) => event === 'rate:slow'),
    { provider: 'BEN' },
  )
  t.equal(ran.outcomes.length, 5)
})

t.test('P62 a service that keeps asking for pauses does not count as item failures', async (t) => {
  const { world, ben, open } = await settled({
    count: 20,
    runs: 0,
    prepare: (_, ben) => {
      ben.writeFault = 'rate_limited'
    },
  })
  await using _world = world
  for (let run = 0; run < 5; run += 1) await world.run()
  t.ok((await open()).every(({ quarantined }) => !quarantined))
  ben.writeFault = undefined
  await world.run()
  t.equal(ben.of('watchlist').length, 20)
})

t.test('P53 a run that is cancelled between batches keeps its writes and defers the rest', async (t) => {
  const { world, ben, watchlist, open } = await settled({ count: 30, runs: 0 })
  await using _world = world
  const stop = new AbortController()
  const { write } = ben
  let batches = 0
  ben.write = (instance: string, request: WriteRequest) => {
    if (++batches === 2) stop.abort()
    return Reflect.apply(write, ben, [instance, request]) as ReturnType<typeof write>
  }
  const ran = await world.run({}, stop.signal)
  t.equal(ran.report.result, 'cancelled')
  t.match(watchlist(ran), { status: 'cancelled', applied: 14, deferred: 16, errors: 0 })
  t.match(
    ran.events.find(({ event }) => event === 'apply:add:cancelled'),
    { dst: 'BEN', done: 14, total: 30 },
  )
  t.same(await open(), [])
  t.equal((await world.run()).writes.length, 16, 'only what is left')
  t.equal(ben.of('watchlist').length, 30)
})

t.test('two batches of adds are written at a time where they may overlap, and each outcome is stored', async (t) => {
  const all = FULL_SUPPORT.watchlist!
  for (const { support, most } of [
    { support: all, most: 1 },
    { support: { ...all, overlaps: true }, most: 2 },
    { support: { ...all, overlaps: true, compares: ['add'] }, most: 1 },
  ] as const) {
    const { world, ann, ben, films, watchlist } = await settled({
      count: 30,
      runs: 0,
      prepare: (_, ben) => {
        ben.support = { ...FULL_SUPPORT, watchlist: support }
      },
    })
    await using _world = world
    const written = gateWrites(ben)
    const ran = await world.run()
    t.equal(written.most, most)
    t.match(watchlist(ran), { applied: 30, errors: 0 })
    t.equal(ran.outcomes.length, 30)
    await world.run()
    written.most = 0
    world.advance(3_600_000)
    world.settings = { ...world.settings, removal_min: 20 }
    for (const film of films.slice(0, 10)) ann.drop('watchlist', film)
    t.equal((await world.run()).writes.length, 10)
    t.equal(written.most, 1, 'removals never overlap')
  }
})

t.test('a batch that stops sending leaves the outcomes of the batch beside it', async (t) => {
  const { world, ben, watchlist } = await settled({
    count: 30,
    runs: 0,
    prepare: (_, ben) => {
      ben.support = { ...FULL_SUPPORT, watchlist: { ...FULL_SUPPORT.watchlist!, overlaps: true } }
    },
  })
  await using _world = world
  const size = FULL_SUPPORT.watchlist!.maxBatch!
  const written = gateWrites(ben)
  written.refused = 2
  const ran = await world.run()
  t.equal(written.batches, 3, 'one was being written beside it')
  t.match(watchlist(ran), { applied: size * 2, deferred: 30 - size * 3, errors: size })
  t.equal(ben.of('watchlist').length, size * 2)
  written.refused = 0
  await world.run()
  t.equal(ben.of('watchlist').length, 30)
})

/** Answers each write once the engine had time for the next one. The refused one fails before it is sent. */
function gateWrites(account: FakeAccount) {
  const seen = { open: 0, most: 0, batches: 0, refused: 0 }
  const { write } = account
  account.write = async (instance: string, request: WriteRequest) => {
    seen.open += 1
    seen.most = Math.max(seen.most, seen.open)
    seen.batches += 1
    const isRefused = seen.batches === seen.refused
    await sleep(50)
    seen.open -= 1
    if (isRefused) throw new PlayheadError('PLH_AUTH_FAILED', 'refused')
    return write.call(account, instance, request)
  }
  return seen
}

t.test('P24 ambiguous responses are resolved by reading again', async (t) => {
  for (const fault of ['applied_then_throws', 'applied_then_unknown', 'too_few_outcomes'] as const) {
    const { world, ben, watchlist } = await settled({ count: 3, runs: 0 })
    await using _world = world
    ben.writeFaults.push(fault)
    const ran = await world.run()
    t.match(
      ran.events.find(({ event }) => event === 'post_apply_refresh:done'),
      { provider: 'BEN', ok: true },
      fault,
    )
    t.match(watchlist(ran), { applied: 3, errors: 0 })
    t.same((await world.run()).writes, [])
    t.equal(holdings(ben).length, 3)
  }
})

t.test('an account with weak responses is read again after each write, and visible items are confirmed', async (t) => {
  const { world, ann, ben, films } = await settled({
    count: 12,
    runs: 1,
    prepare: (_, ben) => {
      ben.support = { ...FULL_SUPPORT, watchlist: { ...FULL_SUPPORT.watchlist!, verifyAfterWrite: true } }
    },
  })
  await using _world = world
  ann.drop('watchlist', films[0]!)
  const ran = await world.run()
  t.equal(ran.writes.filter(({ op }) => op === 'remove').length, 1, 'it was seen on both sides already')
  t.notOk(ben.has('watchlist', films[0]!))
})

t.test('the journal of a plan contains every sent operation, in pages', async (t) => {
  const { world, watchlist } = await settled({ count: 25, runs: 0 })
  await using _world = world
  const ran = await world.run()
  const pages = await world.engine.plans.journal(watchlist(ran).plan_id!, 10)
  const first = pages[0]!
  t.same(
    pages.map(({ length }) => length),
    [10, 10, 5],
  )
  t.equal(new Set(pages.flat().map(({ key }) => key)).size, 25)
  t.match(first[0], { side: 'b', op: 'add', state: 'applied', cause: /./, undone: false })
  t.ok(first.every(({ sent_at_ms: sent, done_at_ms: done }) => sent !== null && done !== null))
  t.match(await world.engine.plans.get(watchlist(ran).plan_id!), {
    state: 'done',
    sides: { b: { add: 25 } },
    read: { a: 25, b: 0 },
  })
  t.same(
    (await world.engine.plans.ofRun(ran.report.run_id)).map(({ id }) => id),
    [watchlist(ran).plan_id],
  )
  t.same((await world.engine.plans.last()).length, 1)
})

t.test('the events of a two-way and a one-way run have their names and counts', async (t) => {
  for (const mode of ['two_way', 'one_way'] as const) {
    const { world } = await settled({ count: 9, runs: 0, mode })
    await using _world = world
    const { events } = await world.run()
    const named = (name: string) => events.find(({ event }) => event === name)
    t.match(named('run:pair'), {
      i: 1,
      n: 1,
      src: 'ANN',
      dst: 'BEN',
      src_instance: 'default',
      dst_instance: 'default',
      mode,
      features: ['watchlist'],
    })
    t.match(named('health'), { provider: 'ANN', instance: 'default', status: 'ok', ok: true })
    t.match(named('feature:start'), { src: 'ANN', dst: 'BEN', feature: 'watchlist' })
    t.match(named('snapshot:progress'), { dst: /ANN|BEN/, feature: 'watchlist', final: true })
    t.match(named('apply:add:progress'), { dst: 'BEN', feature: 'watchlist', total: 9 })
    t.match(named('feature:done'), { src: 'ANN', dst: 'BEN', feature: 'watchlist' })
    if (mode === 'one_way') {
      t.match(named('one:plan'), {
        src: 'ANN',
        dst: 'BEN',
        adds: 9,
        removes: 0,
        updates: 0,
        src_count: 9,
        dst_count: 0,
      })
      t.match(named('apply:add:done'), {
        dst: 'BEN',
        count: 9,
        attempted: 9,
        added: 9,
        dry_run: false,
        unresolved: 0,
        errors: 0,
      })
    } else {
      t.match(named('two:plan'), {
        a: 'ANN',
        b: 'BEN',
        add_to_A: 0,
        add_to_B: 9,
        upd_to_A: 0,
        upd_to_B: 0,
        rem_from_A: 0,
        rem_from_B: 0,
      })
      t.match(named('two:apply:add:B:done'), { dst: 'BEN', count: 9, result: { added: 9 } })
      t.match(named('two:done'), { adds_to_B: 9, adds_to_A: 0 })
    }
  }
})

t.test('an unusable account is reported for the pair, with the state of both', async (t) => {
  for (const mode of ['two_way', 'one_way'] as const) {
    const { world, ben } = await settled({ count: 2, runs: 0, mode })
    await using _world = world
    ben.status = 'auth_failed'
    const { events } = await world.run()
    const skipped = events.filter(({ event }) => event === 'pair:skip')
    t.match(skipped, [
      {
        ...(mode === 'one_way' ? { src: 'ANN', dst: 'BEN' } : { a: 'ANN', b: 'BEN' }),
        reason: 'auth_failed',
        statuses: ['ok', 'auth_failed'],
      },
    ])
    t.equal(skipped.length, 1)
    t.match(
      events.find(({ event }) => event === 'feature:skipped'),
      { feature: 'watchlist', reason: 'auth_failed' },
    )
  }
})

t.test('decided operations that are not done are reported by reason, and untried ones by their number', async (t) => {
  const { world } = await settled({
    count: 25,
    runs: 2,
    prepare: (_, ben) => {
      ben.writeFault = 'not_found'
    },
  })
  await using _world = world
  const { events: waiting } = await world.run()
  t.match(
    waiting.find(({ event }) => event === 'debug'),
    { msg: 'blocked.counts', src: 'ANN', dst: 'BEN', feature: 'watchlist', counts: { backoff: 25 } },
  )

  const { world: another, ben: refusing } = await settled({ count: 25, runs: 0 })
  await using _another = another
  refusing.write = () => Promise.reject(new PlayheadError('PLH_AUTH_FAILED', 'refused'))
  const { events } = await another.run()
  const tried = FULL_SUPPORT.watchlist!.maxBatch!
  t.match(
    events.filter(({ event }) => event === 'writes:skipped'),
    [{ dst: 'BEN', feature: 'watchlist', op: 'add', reason: 'provider_down', count: 25 - tried }],
  )
})

t.test('P74 playlists, which no service runs, are reported as unsupported', async (t) => {
  const { world } = await settled({ count: 2, runs: 0 })
  await using _world = world
  const [pair] = world.pairs
  world.pairs = [{ ...pair!, features: { ...pair!.features, playlists: pair!.features.watchlist! } }]
  const ran = await world.run()
  t.equal(ran.report.result, 'partial')
  t.match(ran.report.pairs[0]!.features, [
    { feature: 'watchlist', status: 'ok' },
    { feature: 'playlists', status: 'skipped', reason: 'unsupported' },
  ])
})

t.test('P72 an account is never its own counterpart', async (t) => {
  const { world } = await settled({ count: 2, runs: 0 })
  await using _world = world
  world.pairs = [{ ...world.pairs[0]!, target: 'ANN' }]
  const ran = await world.run()
  t.same(ran.writes, [])
  t.match(ran.report.pairs[0], { status: 'skipped', features: [{ reason: 'same_account' }] })
})
