// A read without an end fails, and none of its rows are used.
import t from 'tap'
import type { ReadPart } from '@playhead/sdk'
import { FakeAccount } from './world/account.ts'
import { createWorld, featureCapabilities, pairOf, START_MS } from './world/world.ts'
import { numberedWork, toItem } from './world/works.ts'

await featureCapabilities()

class Endless extends FakeAccount {
  override async *read(): AsyncIterable<ReadPart> {
    for (let index = 0; ; index += 1)
      yield { type: 'rows', rows: [{ ...toItem(numberedWork(index), ['tmdb']), rating: 7 }], total: 1_000_000_000 }
  }
}

t.test('endless new rows end the read at a limit, and the feature fails with a reason', async (t) => {
  const clock = { nowMs: START_MS }
  const endless = new Endless({ id: 'ANN', now: () => clock.nowMs })
  const ben = new FakeAccount({ id: 'BEN', now: () => clock.nowMs })
  await using world = await createWorld(
    [endless, ben],
    [pairOf('ANN', 'BEN', { features: { ratings: {} } })],
    clock,
    [],
    { maxRows: 5_000 },
  )
  const ran = await world.run()
  t.match(world.feature(ran, 'ratings'), { status: 'failed', reason: 'too_many_rows' })
  t.same(ran.writes, [])
  t.equal(ran.report.result, 'failed')
})
