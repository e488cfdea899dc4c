// A pair of accounts with films, synced twice, so that all were seen on both sides.
import type { Feature, FeatureOptions } from '@playhead/sdk'
import { FakeAccount, FULL_SUPPORT } from '../sync/world/account.ts'
import { entryOf } from '../sync/world/scenario.ts'
import { createWorld, featureCapabilities, pairOf, START_MS } from '../sync/world/world.ts'
import { numberedWork, WORKS } from '../sync/world/works.ts'

await featureCapabilities()

export { FULL_SUPPORT }

export interface SettledOptions {
  readonly count?: number
  readonly mode?: 'one_way' | 'two_way'
  readonly features?: { readonly [feature in Feature]?: Partial<FeatureOptions> }
  /** Number of runs before it is returned. */
  readonly runs?: number
  readonly prepare?: (ann: FakeAccount, ben: FakeAccount) => void
}

export async function settled({
  count = 40,
  mode = 'two_way',
  features = { watchlist: {} },
  runs = 2,
  prepare,
}: SettledOptions = {}) {
  const clock = { nowMs: START_MS }
  const [ann, ben] = ['ANN', 'BEN'].map((id) => new FakeAccount({ id, now: () => clock.nowMs })) as [
    FakeAccount,
    FakeAccount,
  ]
  const films = Array.from({ length: count }, (_, index) => numberedWork(index))
  const world = await createWorld([ann, ben], [pairOf('ANN', 'BEN', { mode, features })], clock, [...films, ...WORKS])
  prepare?.(ann, ben)
  for (const film of films) for (const feature of Object.keys(features) as Feature[]) ann.put(entryOf(feature, film, 5))
  for (let run = 0; run < runs; run += 1) await world.run()
  const watchlist = (ran: Awaited<ReturnType<typeof world.run>>) => world.feature(ran, 'watchlist')
  const open = async () => (await world.engine.unresolved.list({ runId: 'all' })).items
  return { world, ann, ben, films, watchlist, open }
}
