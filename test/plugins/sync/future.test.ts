// A play in the future, from a wrong clock: it is not written, and it is listed.
import t from 'tap'
import { FakeAccount } from './world/account.ts'
import { toItem, workNamed } from './world/works.ts'
import { createWorld, featureCapabilities, pairOf, START_MS } from './world/world.ts'

await featureCapabilities()

const YEAR_MS = 365 * 86_400_000
const HOUR_MS = 3_600_000

for (const rewatches of [false, true])
  t.test(`a play of a future year is written nowhere, ${rewatches ? 'play by play' : 'item by item'}`, async (t) => {
    const clock = { nowMs: START_MS }
    const [ann, ben] = ['ANN', 'BEN'].map((id) => new FakeAccount({ id, now: () => clock.nowMs })) as [
      FakeAccount,
      FakeAccount,
    ]
    const pair = pairOf('ANN', 'BEN', { mode: 'two_way', features: { history: { rewatches } } })
    await using world = await createWorld([ann, ben], [pair], clock)
    const [early, near, past] = ['heat', 'alien', 'matrix'].map((name) => workNamed(name)) as [any, any, any]
    ann.put({ work: early, feature: 'history', atMs: START_MS + 5 * YEAR_MS })
    ann.put({ work: near, feature: 'history', atMs: START_MS + HOUR_MS })
    ann.put({ work: past, feature: 'history', atMs: START_MS - HOUR_MS })
    for (let run = 0; run < 2; run += 1) {
      const ran = await world.run()
      t.equal(world.feature(ran, 'history').unresolved, 1)
    }
    t.notOk(ben.has('history', early))
    t.ok(ben.has('history', near), 'a clock may be a little ahead')
    t.ok(ben.has('history', past))
    t.ok(ann.has('history', early), 'and nothing is removed')
    clock.nowMs += 6 * YEAR_MS
    await world.run()
    t.ok(ben.has('history', early), 'once it is past it is a play as any other')
  })

t.test('a change to one account does not write it either', async (t) => {
  const ben = new FakeAccount({ id: 'BEN', now: () => START_MS })
  const ann = new FakeAccount({ id: 'ANN', now: () => START_MS })
  await using world = await createWorld([ann, ben], [pairOf('ANN', 'BEN', { features: { history: {} } })], {
    nowMs: START_MS,
  })
  await world.run()
  const at = new Date(START_MS + 5 * YEAR_MS).toISOString().replace('.000Z', 'Z')
  const item = { ...toItem(workNamed('heat'), ['tmdb', 'imdb']), watched: true, watched_at: at }
  const request = { provider: 'BEN', instance: 'default', feature: 'history' as const, cause: 'editor' }
  const { leftOut } = await world.engine.planChanges(
    { ...request, changes: [{ op: 'add', key: 'x', item }] },
    world.settings,
  )
  t.match(leftOut, [{ key: 'x', op: 'add', reason: 'watched_in_future' }])
})
