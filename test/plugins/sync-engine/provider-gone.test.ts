// A provider disappears between two batches of a plan, or its service cannot be read: the sent items are stored, so that a
// later removal by a person stays.
import t from 'tap'
import { PlayheadError } from '@playhead/sdk'
import type { FakeAccount } from '../sync/world/account.ts'
import { entryOf } from '../sync/world/scenario.ts'
import { WORKS } from '../sync/world/works.ts'
import { FULL_SUPPORT, settled } from './support.ts'

const REMOVES = { enabled: true, add: true, remove: true }

/** After this many batches the account does not answer. */
function goesAfter(account: FakeAccount, batches: number, error: PlayheadError): () => void {
  const { write, probe } = account
  account.write = async (instance, request) => {
    const answer = await Reflect.apply(write, account, [instance, request])
    batches -= 1
    if (batches === 0) account.probe = async () => Promise.reject(error)
    return answer
  }
  return () => {
    account.probe = probe
    account.write = write
  }
}

for (const [error, reason] of [
  [
    new PlayheadError('PLH_NOT_FOUND', 'This service does not exist.', { wire: 'unknown_provider' }),
    'provider_missing',
  ],
  [new PlayheadError('PLH_CAPABILITY_GONE', 'Its plugin loads.'), 'provider_missing'],
  [new PlayheadError('PLH_UPSTREAM', 'Nobody answers.'), 'upstream_error'],
] as const)
  t.test(`P96 writes from before ${error.code} are stored`, async (t) => {
    const { world, ann, ben, films, watchlist } = await settled({
      count: 30,
      runs: 0,
      features: { watchlist: REMOVES },
    })
    world.settings = { ...world.settings, enable_remove: true }
    const back = goesAfter(ben, 2, error)
    t.match(watchlist(await world.run()), {
      status: 'partial',
      reason,
      about: [{ provider: 'BEN', instance: 'default' }],
      applied: 14,
      deferred: 16,
    })
    const there = ben.of('watchlist').length
    t.equal(there, 14)
    back()
    const film = films.find((each) => ben.has('watchlist', each))!
    ann.drop('watchlist', film)
    for (let run = 0; run < 3; run += 1) {
      await world.run()
      t.notOk(ann.has('watchlist', film), 'what a person took off does not come back')
    }
    t.notOk(ben.has('watchlist', film))
    t.equal(ann.of('watchlist').length, 29)
    t.equal(ben.of('watchlist').length, 29)
  })

t.test('P96 an unreadable side before removals loses no writes of the other side', async (t) => {
  const { world, ann, ben, films, watchlist } = await settled({
    count: 12,
    features: { watchlist: REMOVES },
    prepare(_, ben) {
      ben.support = {
        ...FULL_SUPPORT,
        watchlist: { ...FULL_SUPPORT.watchlist!, removalSideEffects: ['history', 'ratings'] },
      }
    },
  })
  world.settings = { ...world.settings, enable_remove: true }
  const approved = { pair_id: world.pairs[0]!.id, allow_mass_delete: true }
  const [gone, added] = [films[0]!, WORKS[0]!]
  ann.drop('watchlist', gone)
  t.match(watchlist(await world.run()), { held: 1 })
  ben.put(entryOf('watchlist', added, 5))
  let reads = 0
  const { read } = ben
  ben.read = ((...args: Parameters<typeof read>) => {
    reads += 1
    if (reads === 2) throw new PlayheadError('PLH_UPSTREAM', 'Nobody answers.')
    return Reflect.apply(read, ben, args)
  }) as typeof read
  t.match(watchlist(await world.run(approved)), {
    ...{ status: 'partial', reason: 'upstream_error', added: 1, removed: 0, deferred: 1 },
  })
  t.ok(ben.has('watchlist', gone))
  t.ok(ann.has('watchlist', added))
  ben.drop('watchlist', added)
  for (let run = 0; run < 3; run += 1) {
    await world.run(approved)
    t.notOk(ben.has('watchlist', added), 'what a person took off does not come back')
  }
  t.notOk(ben.has('watchlist', gone))
  for (const account of [ann, ben]) t.equal(account.of('watchlist').length, 11)
})
