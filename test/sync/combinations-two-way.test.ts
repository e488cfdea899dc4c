// slow: the whole service over every combination
// Two-way combinations of providers, and of each provider with itself for two people. Every sixth combination runs;
// PLAYHEAD_TEST_PART=1 runs all.
import t from 'tap'
import { sharedFeatures, startCombinationWorld, twoWay } from './combination-world.ts'
import { combinationSeed, convergesAs } from './combination-checks.ts'

const EACH = process.env['PLAYHEAD_TEST_PART'] === '1' ? 1 : 6

t.test('two-way, two accounts converge, and so do two profiles of one person', async (t) => {
  await using world = await startCombinationWorld()
  const { providers } = world
  const all = providers.flatMap((source, index) =>
    providers.slice(index + 1).map((target) => [source, target] as const),
  )
  const possible = all.filter((pair) => twoWay(...pair) === undefined)
  t.equal(all.length, 66)
  t.equal(possible.length, 55, 'all but those of Tautulli')

  let carried = 0
  for (const [index, [source, target]] of possible.entries()) {
    t.ok(sharedFeatures(source, target, 'two_way').length > 0, `${source.label} and ${target.label} share a feature`)
    if (index % EACH !== 0) continue
    await t.test(`${source.label} and ${target.label}`, async (t) => {
      const accounts = [await world.account(source.id), await world.account(target.id)] as const
      carried += await convergesAs(t, world, accounts, 'two_way', combinationSeed(1_000 + index))
    })
  }
  t.ok(carried > (750 / EACH) * 0.8, `${carried} works were carried over`)

  const writable = providers.filter((one) => twoWay(one, one) === undefined)
  t.equal(writable.length, 11)
  for (const [index, provider] of writable.entries()) {
    await t.test(`two profiles of ${provider.label}`, async (t) => {
      const accounts = [await world.account(provider.id), await world.account(provider.id, true)] as const
      t.not(await convergesAs(t, world, accounts, 'two_way', combinationSeed(2_000 + index)), 0)
    })
  }

  await t.test('a read-only account is refused in a two-way pair, on either side', async (t) => {
    for (const [source, target] of all
      .filter((pair) => twoWay(...pair) !== undefined)
      .flatMap(
        ([a, b]) =>
          [
            [a, b],
            [b, a],
          ] as const,
      )) {
      const { status, body } = await world.ask(source.id, target.id, 'two_way')
      t.equal(status, 422)
      t.equal(body.error, 'invalid_pair')
      t.ok(
        body.detail.some(({ loc, msg }: any) => loc.join('.') === 'body.mode' && msg === twoWay(source, target)),
        JSON.stringify(body.detail),
      )
    }
  })
})
