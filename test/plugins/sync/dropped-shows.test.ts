// The option to ignore shows that a person dropped at an account.
import fc, { runsOf } from '../../fast-check.ts'
import t from 'tap'
import type { FakeAccount } from './world/account.ts'
import { begin, entryOf, holdings, lives, withIds } from './world/scenario.ts'
import { featureCapabilities, type World } from './world/world.ts'
import { WORKS, workNamed } from './world/works.ts'
import { settled } from '../sync-engine/support.ts'

await featureCapabilities()

const SHOW = workNamed('thrones')
const EPISODES = WORKS.filter(({ type }) => type === 'episode')
const NAMES = EPISODES.map(({ name }) => name)
const CALM = { actions: [], readFaults: [], writeFaults: [], days: 0 }

/** The option is on for these accounts. */
function ignoring(world: World, accounts: readonly FakeAccount[]): void {
  for (const account of accounts) account.dropped ??= []
  const providers = Object.fromEntries(
    accounts.map(({ id }) => [id.toLowerCase(), { history_ignore_dropped_shows: true }]),
  )
  world.pairs = world.pairs.map((pair) => ({ ...pair, providers }))
}

async function watched({ plays = false, mode = 'two_way' }: { plays?: boolean; mode?: 'one_way' | 'two_way' } = {}) {
  const given = await settled({
    count: 20,
    mode,
    features: { history: { rewatches: plays }, ratings: {} },
    runs: 0,
    prepare: (ann, ben) => {
      for (const [index, work] of EPISODES.entries()) (index % 2 === 0 ? ann : ben).put(entryOf('history', work, 5))
    },
  })
  return { ...given, history: (ran: Awaited<ReturnType<World['run']>>) => given.world.feature(ran, 'history') }
}

for (const plays of [false, true]) {
  t.test(
    `P14 items of dropped shows wait on both sides, and sync once when the show is resumed (plays: ${plays})`,
    async (t) => {
      const { world, ann, ben, history } = await watched({ plays })
      await using _world = world
      ignoring(world, [ben])
      ben.dropped = [SHOW]
      const writes = (await world.run()).writes.filter(({ work }) => NAMES.includes(work ?? ''))
      t.same(writes, [], 'dropped before the first run')
      t.match(history(await world.run()), { status: 'nothing_to_do', planned: 0 })

      ben.dropped = []
      t.equal((await world.run()).writes.length, EPISODES.length)
      t.same((await world.run()).writes, [])
      t.same(holdings(ann, 'history'), holdings(ben, 'history'))
      t.equal(ann.of('history').length, 20 + EPISODES.length, 'each play once')
    },
  )

  t.test(
    `P14 nothing is removed because a show was dropped later, nor from a dropped show (plays: ${plays})`,
    async (t) => {
      const { world, ann, ben, films, history } = await watched({ plays })
      await using _world = world
      for (let run = 0; run < 2; run += 1) await world.run()
      ignoring(world, [ann])
      ann.dropped = [SHOW]
      // Some services hide the history of dropped shows.
      const [first] = EPISODES
      ann.drop('history', first!)
      t.same((await world.run()).writes, [])
      ann.drop('history', EPISODES[1]!)
      ben.drop('history', EPISODES[2]!)
      ben.put(entryOf('ratings', SHOW, 7))
      t.match(
        (await world.run()).writes.map(({ feature }) => feature),
        ['ratings'],
        'only the history is left alone',
      )
      await world.run()
      t.match(history(await world.run()), { planned: 0, status: 'nothing_to_do' }, 'nothing is to be done')

      ann.dropped = []
      for (let run = 0; run < 3; run += 1) t.same((await world.run()).writes, [], 'neither removed nor brought back')
      ann.put(entryOf('history', EPISODES[3]!, 5))
      ann.drop('history', films[0]!)
      const ran = await world.run()
      t.ok(
        ran.writes.some(({ op, work }) => op === 'remove' && work === films[0]!.name),
        'a real removal is seen as always',
      )
      t.ok(ran.writes.every(({ op, work }) => op === 'add' || work === films[0]!.name))
    },
  )
}

t.test('a list of dropped shows that cannot be read fails the history, and nothing is written', async (t) => {
  const { world, ann, ben, history } = await watched({ mode: 'one_way' })
  await using _world = world
  ignoring(world, [ben])
  ben.droppedFails = true
  const failed = await world.run()
  t.match(history(failed), { status: 'failed', reason: 'upstream_error', planned: 0 })
  t.same(
    failed.writes.filter(({ feature }) => feature === 'history'),
    [],
  )
  ben.droppedFails = false
  ben.dropped = undefined
  t.match(history(await world.run()), { status: 'failed' }, 'nor is a provider believed that has no such list any more')
  world.pairs = world.pairs.map((pair) => ({ ...pair, providers: { ben: { history_ignore_dropped_shows: false } } }))
  t.match(history(await world.run()), { status: 'ok' })
  t.same(
    withIds(holdings(ann, 'history')).filter((text) => !holdings(ben, 'history').includes(text)),
    [],
  )
})

t.test('missing items of a dropped show make no read look emptied, and nothing else is held for them', async (t) => {
  const { world, ann, ben, films } = await watched({ plays: true })
  await using _world = world
  for (let play = 1; play <= 14; play += 1)
    ann.put({ ...entryOf('history', EPISODES[0]!, 1), atMs: world.nowMs - play * 86_400_000 })
  for (let run = 0; run < 2; run += 1) await world.run()
  ignoring(world, [ann])
  ann.dropped = [SHOW]
  for (let run = 0; run < 2; run += 1) t.same((await world.run()).writes, [])
  ann.drop('history', EPISODES[0]!)
  ann.drop('history', films[0]!)
  t.same(
    (await world.run()).writes.map(({ op, work }) => [op, work]),
    [['remove', films[0]!.name]],
  )
  t.equal(ben.of('history').filter(({ work }) => work === EPISODES[0]).length, 15)
})

t.test('a row without its show waits with its counterpart that has it, and a title proves nothing', async (t) => {
  const { world, ann, ben } = await watched({ plays: true })
  await using _world = world
  ann.schemes = ['tmdb', 'tvdb']
  for (let run = 0; run < 2; run += 1) await world.run()
  ignoring(world, [ben])
  ben.dropped = [{ ...SHOW, ids: { imdb: SHOW.ids.imdb! } }]
  for (let run = 0; run < 2; run += 1) t.same((await world.run()).writes, [])
  ann.put({ ...entryOf('history', EPISODES[1]!, 1), atMs: world.nowMs - 86_400_000 })
  for (let run = 0; run < 2; run += 1) t.same((await world.run()).writes, [])

  // A show of the same title with other ids.
  ben.dropped = [{ ...workNamed('wire'), title: SHOW.title, year: SHOW.year }]
  t.same(
    (await world.run()).writes.map(({ op, work }) => [op, work]),
    [['add', EPISODES[1]!.name]],
  )
})

t.test(
  'P14 in random lives no item of a dropped show is written, nothing is removed, and all sync once in the end',
  () =>
    fc.assert(
      fc.asyncProperty(
        lives({ features: ['history'], drops: false, maxSteps: 5, readFaults: ['throw', 'partial', 'shuffle'] }),
        fc.boolean(),
        fc.array(fc.record({ a: fc.boolean(), b: fc.boolean() }), { minLength: 5, maxLength: 5 }),
        async (life, rewatches, dropped) => {
          const lived = await begin(life, { features: { history: { rewatches } } as never })
          await using world = lived.world
          const [ann, ben] = world.accounts as [FakeAccount, FakeAccount]
          ignoring(world, [ann, ben])
          for (const [index, step] of life.steps.entries()) {
            ann.dropped = dropped[index]!.a ? [SHOW] : []
            ben.dropped = dropped[index]!.b ? [SHOW] : []
            const { writes } = await lived.step(step)
            const isDropped = ann.dropped.length + ben.dropped.length > 0
            if (writes.some(({ op, work }) => op === 'remove' || (isDropped && NAMES.includes(work ?? ''))))
              throw new Error(JSON.stringify(writes))
          }
          ann.dropped = ben.dropped = []
          for (let run = 0; run < 4; run += 1)
            if ((await lived.step(CALM)).writes.some(({ op }) => op === 'remove')) throw new Error('a removal')
          if ((await lived.step(CALM)).writes.length > 0) throw new Error('it goes on writing')
          const [one, other] = [ann, ben].map((account) => withIds(holdings(account, 'history')).join())
          if (one !== other) throw new Error(`${one}\n${other}`)
          for (const account of [ann, ben]) {
            const plays = account.of('history').map(({ work, atMs }) => `${work.name} ${Math.floor(atMs / 1_000)}`)
            if (new Set(plays).size < plays.length) throw new Error(`twice: ${plays.join()}`)
          }
        },
      ),
      { numRuns: runsOf(20) },
    ),
)
