// Changes to one account outside a run: what is planned, held and left out, taken back, and next to a run that is
// cancelled.
import t from 'tap'
import { entryOf } from '../sync/world/scenario.ts'
import { type Work, workNamed } from '../sync/world/works.ts'
import { settled } from './support.ts'

const direct = (op: 'add' | 'remove', { ids, title, year }: Work, provider = 'BEN') => ({
  provider,
  instance: 'default',
  feature: 'watchlist' as const,
  op,
  cause: 'watchlist_tool',
  items: [{ key: title, item: { type: 'movie' as const, title, year, ids } }],
})

for (const cancelAt of ['read', 'write'] as const) {
  t.test(
    `a write outside a run is refused until a run that was cancelled at a ${cancelAt} has ended, and counts from then on`,
    async (t) => {
      const { world, ann, ben, films } = await settled({ count: 20 })
      await using _world = world
      const fresh = ['heat', 'alien', 'matrix'].map(workNamed)
      for (const work of fresh) ann.put(entryOf('watchlist', work, 1))
      const [gone] = films as [Work]
      const stop = new AbortController()
      const meanwhile: Promise<unknown>[] = []
      const interfere = () => {
        stop.abort()
        meanwhile.push(world.change(direct('remove', gone)).catch((error: unknown) => error))
      }
      const { read, write } = ben
      if (cancelAt === 'read') {
        ben.read = (...given) => {
          interfere()
          return Reflect.apply(read, ben, given)
        }
      } else {
        ben.write = async (...given) => {
          interfere()
          return Reflect.apply(write, ben, given)
        }
      }
      const cancelled = await world.run({}, stop.signal)
      ;[ben.read, ben.write] = [read, write]
      t.equal(cancelled.report.result, 'cancelled')
      t.match(await Promise.all(meanwhile), [{ code: 'PLH_CONFLICT', wire: 'busy' }])
      t.ok(ben.has('watchlist', gone), 'what was refused was not written')

      const outcomes = await world.change(direct('remove', gone))
      t.match(outcomes, [{ key: gone.title, outcome: 'applied' }])
      for (let run = 0; run < 3; run += 1) await world.run()
      for (const account of [ann, ben]) {
        t.notOk(account.has('watchlist', gone), `it went from ${account.id}`)
        for (const work of fresh) t.ok(account.has('watchlist', work), `${work.name} arrived at ${account.id}`)
        t.equal(account.of('watchlist').length, 22)
      }
      t.same((await world.run()).writes, [])
    },
  )
}

t.test('what a cancelled run wrote, and the tool took away before it was seen, stays away', async (t) => {
  const { world, ann, ben } = await settled({ count: 20 })
  await using _world = world
  const heat = workNamed('heat')
  ann.put(entryOf('watchlist', heat, 1))
  const stop = new AbortController()
  const { write } = ben
  ben.write = async (...given) => {
    const result = await Reflect.apply(write, ben, given)
    stop.abort()
    return result
  }
  await world.run({}, stop.signal)
  ben.write = write
  t.ok(ben.has('watchlist', heat))
  await world.change(direct('remove', heat))
  for (let run = 0; run < 3; run += 1) await world.run()
  t.notOk(ben.has('watchlist', heat))
})
