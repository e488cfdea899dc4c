// slow: the whole service over every combination
// Every combination of two providers, with each shared feature: both sides converge, nothing is lost or written twice, and then
// no change remains. PLAYHEAD_TEST_SEED selects other works. Every eighth combination runs, others with another seed; of the
// two-way pairs, which have their own file, every sixth. PLAYHEAD_TEST_PART=1 runs all.
import t from 'tap'
import { oneWay, startCombinationWorld, sharedFeatures } from './combination-world.ts'
import { combinationSeed, convergesAs } from './combination-checks.ts'

const EACH = process.env['PLAYHEAD_TEST_PART'] === '1' ? 1 : 8

t.test('one-way, data of a source reaches every target that accepts it', async (t) => {
  await using world = await startCombinationWorld()
  const { providers } = world
  const all = providers.flatMap((source) =>
    providers.filter((target) => target !== source).map((target) => [source, target] as const),
  )
  const possible = all.filter((pair) => oneWay(...pair) === undefined)
  const impossible = all.filter((pair) => oneWay(...pair) !== undefined)
  t.equal(providers.length, 12)
  t.equal(possible.length, 11 * 11, 'whoever is read and whoever is written')
  t.equal(impossible.length, 11, 'nothing can be written to Tautulli')

  let carried = 0
  for (const [index, [source, target]] of possible.entries()) {
    if (sharedFeatures(source, target, 'one_way').length === 0 || combinationSeed(index) % EACH !== 0) continue
    await t.test(`${source.label} to ${target.label}`, async (t) => {
      const accounts = [await world.account(source.id), await world.account(target.id)] as const
      carried += await convergesAs(t, world, accounts, 'one_way', combinationSeed(index))
    })
  }
  const unable = possible
    .filter((pair) => sharedFeatures(...pair, 'one_way').length === 0)
    .map(([source, target]) => `${source.label} to ${target.label}`)
  t.same(unable, ['Tautulli to AniList', 'Tautulli to TMDB'], 'all others share a feature')
  t.ok(carried > 780 / EACH / 1.5, `${carried} works were carried over`)

  await t.test('a read-only account is refused as a target', async (t) => {
    for (const [source, target] of impossible) {
      const { status, body } = await world.ask(source.id, target.id, 'one_way')
      t.equal(status, 422)
      t.match(body, {
        ok: false,
        error: 'invalid_pair',
        detail: [{ loc: ['body', 'target'], msg: oneWay(source, target) }],
      })
    }
  })

  await t.test('a feature that only one of them has is skipped, and nothing is written', async (t) => {
    const accounts = [await world.account('STATSA'), await world.account('METAA')] as const
    await accounts[0].put('history', { work: 'movie/1', atMs: 1_700_000_040_000 })
    const id = await world.pair(...accounts, 'one_way', ['history', 'watchlist'])
    const before = accounts[1].writes()
    const { pairs } = await world.run()
    t.match(
      pairs[0].features.map(({ status, reason }: any) => [status, reason]),
      [
        ['skipped', 'unsupported'],
        ['skipped', 'unsupported'],
      ],
    )
    t.equal(accounts[1].writes(), before)
    await world.removePair(id)
  })
})
