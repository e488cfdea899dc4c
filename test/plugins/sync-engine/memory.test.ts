// State between runs: tombstones, writes that never become visible, other accounts, other scopes, incremental reads.
import t from 'tap'
import { createHoldings } from '../../../plugins/services/sync/library/holdings.ts'
import { FakeAccount } from '../sync/world/account.ts'
import { entryOf, holdings } from '../sync/world/scenario.ts'
import { createWorld, pairOf, START_MS } from '../sync/world/world.ts'
import { workNamed } from '../sync/world/works.ts'
import { settled } from './support.ts'

const DAY_MS = 86_400_000
const of = (op: string, { writes }: { readonly writes: readonly { readonly op: string }[] }) =>
  writes.filter((write) => write.op === op).length

t.test('a second run plans nothing and stores only its own time', async (t) => {
  const { world, watchlist } = await settled({ features: { watchlist: {}, history: {}, ratings: {}, progress: {} } })
  await using _world = world
  await world.run()
  const before = JSON.parse(world.dump()) as [string, object[]][]
  const ran = await world.run()
  t.match(watchlist(ran), { status: 'nothing_to_do', planned: 0, plan_id: null, read: { a: 40, b: 40 } })
  t.equal(ran.report.result, 'ok')
  const after = JSON.parse(world.dump()) as [string, object[]][]
  for (const [index, [name, rows]] of before.entries()) {
    if (name !== 'sync__state' && name !== 'sync__inventory') t.same(after[index], [name, rows], name)
  }
})

t.test('P12 an account that confirms and never stores ends in quarantine, and removes nothing elsewhere', async (t) => {
  const { world, ann, ben, open } = await settled({
    count: 3,
    runs: 0,
    prepare: (_, ben) => {
      ben.writeFault = 'silent_drop'
    },
  })
  await using _world = world
  let attempts = 0
  for (let run = 0; run < 40; run += 1) {
    attempts += of('add', await world.run())
    world.advance(DAY_MS)
    if ((await open()).every(({ quarantined }) => quarantined) && (await open()).length === 3) break
  }
  t.ok(attempts <= 9 && attempts >= 3, `${attempts} attempts`)
  t.same(
    (await open()).map(({ reason_code: code, op, provider }) => [code, op, provider]),
    Array.from({ length: 3 }, () => ['quarantined', 'add', 'BEN']),
  )
  t.equal(ann.of('watchlist').length, 3)
  t.same((await world.run()).writes, [])
  ben.writeFault = undefined
  t.equal(await world.engine.unresolved.clear({ pairId: 'ANN-BEN' }), 3)
  await world.run()
  t.equal(ben.of('watchlist').length, 3, 'a person let them go')
})

t.test(
  'P10 P11 a confirmed write that becomes visible late is neither repeated nor treated as a removal',
  async (t) => {
    const { world, ann, ben } = await settled({ count: 5, runs: 0 })
    await using _world = world
    await world.run()
    ben.lag = 5
    for (let run = 0; run < 2; run += 1) t.same((await world.run()).writes, [])
    ben.lag = 0
    t.same((await world.run()).writes, [])
    t.equal(ann.of('watchlist').length, 5)
  },
)

t.test('P15 another account behind the same profile is a first run, and nothing is removed', async (t) => {
  const { world, ann, ben, watchlist } = await settled()
  await using _world = world
  ann.identity = 'ann-server/somebody-else'
  ann.entries = []
  const ran = await world.run()
  t.match(watchlist(ran), { status: 'skipped', reason: 'account_changed' })
  t.same(ran.writes, [])
  for (let run = 0; run < 3; run += 1) t.equal(of('remove', await world.run()), 0)
  t.equal(ben.of('watchlist').length, 40)
})

t.test('P14 rows that a narrower scope hides are not removed, nor new when they come back', async (t) => {
  const { world, ann, ben } = await settled({
    count: 20,
    features: { history: {} },
    prepare: (ann) => {
      ann.put({ ...entryOf('history', workNamed('heat'), 1), library: 'two' })
    },
  })
  await using _world = world
  ann.entries = ann.entries.map((entry) => ({ library: 'one', ...entry }))
  await world.run()
  const [pair] = world.pairs
  world.pairs = [{ ...pair!, features: { history: { ...pair!.features.history!, libraries: { ANN: ['two'] } } } }]
  for (let run = 0; run < 3; run += 1) t.same((await world.run()).writes, [])
  world.pairs = [pair!]
  for (let run = 0; run < 3; run += 1) t.same((await world.run()).writes, [])
  t.equal(holdings(ben).length, 21)
  ann.drop('history', workNamed('heat'))
  await world.run()
  t.equal(holdings(ben).length, 20, 'a real removal is seen again')
})

t.test('a library filter belongs to an account, even if both are of one provider', async (t) => {
  for (const mode of ['one_way', 'two_way'] as const)
    for (const [libraries, expected] of [
      [{ ANN: ['1'] }, { main: ['1'], kids: undefined }],
      [{ 'ANN@KIDS': ['1'] }, { main: undefined, kids: ['1'] }],
      [
        { 'ANN@DEFAULT': ['1'], 'ANN@KIDS': ['2'] },
        { main: ['1'], kids: ['2'] },
      ],
      [
        { ANN: ['2'], 'ANN@KIDS': ['1'] },
        { main: ['2'], kids: ['1'] },
      ],
    ] as const) {
      const clock = { nowMs: START_MS }
      const [main, kids] = ['default', 'KIDS'].map((instance) => {
        const account = new FakeAccount({ id: 'ANN', now: () => clock.nowMs })
        return Object.assign(account, { instance, uid: `uid-${instance}`, identity: `server-${instance}/user` })
      }) as [FakeAccount, FakeAccount]
      const pair = { ...pairOf('ANN', 'ANN', { mode, features: { history: { libraries } } }), target_instance: 'KIDS' }
      await using world = await createWorld([main, kids], [pair], clock)
      // Each server has a library "1" and a library "2", which are unrelated.
      for (const [account, name] of [
        [main, 'heat'],
        [kids, 'alien'],
      ] as const)
        for (const library of ['1', '2'])
          account.put({ ...entryOf('history', workNamed(library === '1' ? name : 'matrix'), 1), library })
      const asked: Record<string, unknown> = {}
      for (const [name, account] of Object.entries({ main, kids })) {
        const { read } = account
        account.read = (instance, request) => {
          asked[name] = request.libraries
          return Reflect.apply(read, account, [instance, request])
        }
      }
      await world.run()
      t.same(asked, expected, `${mode} ${JSON.stringify(libraries)}`)
    }
})

t.test('P25 a removed item is not restored by another pair that still has it', async (t) => {
  const { world, ann, ben, films } = await settled()
  await using _world = world
  ann.drop('watchlist', films[0]!)
  t.equal(of('remove', await world.run()), 1)
  const dump = JSON.parse(world.dump()) as [string, Record<string, unknown>[]][]
  const stones = dump.find(([name]) => name === 'sync__tombstone')![1]
  t.same([...new Set(stones.map(({ uid }) => uid))], ['uid-BEN'], 'of the account that lost it')
  t.same(stones.map(({ token }) => token).toSorted(), ['movie:imdb:tt1000000', 'movie:tmdb:100000'])
  await world.run()
  world.advance(3_600_000)
  ann.put(entryOf('watchlist', films[0]!, 1))
  t.equal(of('add', await world.run()), 1, 'P26 but adding it again counts')
  await world.run()
  t.ok(ben.has('watchlist', films[0]!))
  const after = JSON.parse(world.dump()) as [string, Record<string, unknown>[]][]
  t.same(after.find(([name]) => name === 'sync__tombstone')![1], [], 'and the tombstone goes when it is seen again')
})

t.test('a service that only returns changes is read completely', async (t) => {
  const { world, ann, ben, films } = await settled({
    prepare: (ann, ben) => {
      ann.incremental = ben.incremental = true
    },
  })
  await using _world = world
  t.ok(ann.reads.at(-1)!.since, 'it was asked for changes')
  t.same((await world.run()).writes, [], 'no change is no removal')
  ann.drop('watchlist', films[0]!)
  ann.put(entryOf('watchlist', { ...films[1]!, name: 'new', ids: { tmdb: '77' } }, 1))
  const ran = await world.run()
  t.equal(of('remove', ran), 1)
  t.notOk(ben.has('watchlist', films[0]!))
  t.match(world.feature(ran, 'watchlist').read, { a: 40, b: 40 })
})

t.test('the inventory equals the account at its last complete read', async (t) => {
  const { world, ann, films } = await settled({ count: 7 })
  await using _world = world
  ann.readFaults.push('partial')
  ann.drop('watchlist', films[0]!)
  await world.run()
  const keys: string[] = []
  for await (const page of createHoldings(world.db).rows('ANN', 'default', 'watchlist'))
    keys.push(...page.map(({ key }) => key))
  t.equal(keys.length, 7, 'a partial read is none')
  t.match(
    (await createHoldings(world.db).holdings('watchlist')).map(({ provider, count }) => [provider, count]).toSorted(),
    [
      ['ANN', 7],
      ['BEN', 7],
    ],
  )
})

t.test('3 failures with a reason of the item quarantine it, for other items nothing changes', async (t) => {
  const { world, ben, open } = await settled({
    count: 2,
    runs: 0,
    prepare: (_, ben) => {
      ben.writeFault = 'not_found'
    },
  })
  await using _world = world
  let sent = 0
  for (let run = 0; run < 12; run += 1)
    sent += (await world.run()).outcomes.filter(({ outcome }) => outcome === 'not_found').length
  t.equal(sent, 6, 'three attempts each')
  t.ok((await open()).every(({ quarantined, attempts }) => quarantined && attempts === 3))
  ben.writeFault = undefined
  t.same((await world.run()).writes, [])
  world.advance(31 * DAY_MS)
  for (let run = 0; run < 3; run += 1) await world.run()
  t.equal(ben.of('watchlist').length, 2, 'it ends after its time')
  t.same(await open(), [])
})

t.test('a title that left a watchlist because it was watched there is not added to it again', async (t) => {
  for (const [watched, adds] of [
    [true, 0],
    [false, 1],
  ] as const) {
    const { world, ben } = await settled({
      mode: 'one_way',
      features: { watchlist: {}, history: {} },
      runs: 0,
      prepare: (ann) => {
        ann.put(entryOf('watchlist', workNamed('heat'), 1))
      },
    })
    await using _world = world
    await world.run()
    await world.run()
    world.advance(3_600_000)
    ben.drop('watchlist', workNamed('heat'))
    if (watched) ben.put(entryOf('history', workNamed('heat'), 1))
    for (let run = 0; run < 2; run += 1) t.equal(of('add', await world.run()), run === 0 ? adds : 0)
  }
})

t.test('an item is not removed from a history that has more than one play of it', async (t) => {
  for (const plays of [1, 2]) {
    const { world, ann, ben, films, open } = await settled({ features: { history: {} } })
    await using _world = world
    world.advance(3_600_000)
    if (plays === 2) ben.put(entryOf('history', films[0]!, 1))
    await world.run()
    ann.drop('history', films[0]!)
    t.equal(of('remove', await world.run()), plays === 1 ? 1 : 0)
    t.same(
      (await open()).map(({ reason_code: code }) => code),
      plays === 1 ? [] : ['exact_play_unknown'],
    )
  }
})

t.test('P56 leftovers of an interrupted reset are no evidence', async (t) => {
  const { world, ann, ben, films } = await settled({ count: 20 })
  await using _world = world
  await world.db.deleteFrom('sync__state').execute()
  ann.drop('watchlist', films[0]!)
  for (let run = 0; run < 3; run += 1) t.equal(of('remove', await world.run()), 0)
  t.ok(ann.has('watchlist', films[0]!), 'the pair is new: what one side lacks is added')
  t.equal(ben.of('watchlist').length, 20)
  t.equal((await world.db.selectFrom('sync__base').select('id').execute()).length, 20)
})
