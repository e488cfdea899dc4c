// Approvals: single held removals, and the mirror of a pair, for each approved account.
import t from 'tap'
import type { RunRequest } from '@playhead/sdk'
import type { ReadFault } from '../sync/world/account.ts'
import { entryOf } from '../sync/world/scenario.ts'
import { pairOf, type Ran, type World } from '../sync/world/world.ts'
import { workNamed } from '../sync/world/works.ts'
import { FULL_SUPPORT, settled } from './support.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const PAIR = { pair_id: 'ANN-BEN' }
const APPROVE = { ...PAIR, allow_mass_delete: true }
const MIRROR = { ...PAIR, confirm_mirror: true }
const TWO = { watchlist: {}, history: {} }
const removed = ({ writes }: Ran) => writes.filter(({ op }) => op === 'remove')

/** The ways to approve held removals: for the pair, by the plan that holds them, by a preview. */
const WAYS: Readonly<Record<string, (world: World, held: Ran) => Promise<RunRequest>>> = {
  'of the pair': async () => APPROVE,
  'by its plan': async (world, held) => ({ ...APPROVE, plan_id: world.feature(held, 'watchlist').plan_id! }),
  'by a preview': async (world) => {
    const ran = await world.run({ ...PAIR, dry_run: true })
    return { ...APPROVE, plan_id: world.feature(ran, 'watchlist').plan_id! }
  },
}

for (const fault of ['lying_partial', 'empty', 'unreadable', 'title_only'] as readonly ReadFault[])
  for (const [way, approve] of Object.entries(WAYS))
    for (const lists of [false, true])
      t.test(
        `P97 items that a read (${fault}${lists ? ', lists only' : ''}) loses when removals are approved ${way} are not removed`,
        async (t) => {
          const { world, ann, ben, films } = await settled({ features: TWO })
          await using _world = world
          ann.tellsListsOnly = ben.tellsListsOnly = lists
          for (const film of films.slice(0, 11)) ann.drop('watchlist', film)
          let held = await world.run()
          for (let run = 0; run < 3; run += 1) {
            world.advance(DAY_MS)
            held = await world.run()
          }
          t.match(world.feature(held, 'watchlist'), { held: 11 })
          const request = await approve(world, held)

          let draw = 0
          Object.assign(ann, { random: () => ((draw += 1) % 2 === 0 ? 0.2 : 0.8) })
          ann.readFault = fault
          const ran = await world.run(request)

          const wrong = removed(ran).filter(
            ({ feature, work }) => feature !== 'watchlist' || !films.slice(0, 11).some(({ name }) => name === work),
          )
          t.same(wrong, [], 'nothing but what was shown')
          const after = ran.report.pairs[0]!.features.find(({ feature }) => feature === 'watchlist')!
          if (after.held > 0) t.equal(after.reason, 'changed_since_approval')
          ann.readFault = undefined
          for (let run = 0; run < 4; run += 1) {
            world.advance(DAY_MS)
            await world.run(APPROVE)
          }
          t.equal(ben.of('watchlist').length, 29, 'what was shown is gone in the end')
          t.equal(ben.of('history').length, 40)
        },
      )

t.test('P97 items removed after the approval, or at the other side, wait for a separate one', async (t) => {
  const { world, ann, ben, films, watchlist } = await settled({ count: 60, features: TWO })
  await using _world = world
  t.equal(removed(await world.run(APPROVE)).length, 0)
  for (const film of films.slice(0, 11)) ann.drop('watchlist', film)

  const unseen = await world.run(APPROVE)

  t.equal(removed(unseen).length, 0, 'an approval is not of what comes after it')
  t.match(watchlist(unseen), { status: 'partial', held: 11, reason: 'changed_since_approval' })
  for (const film of films.slice(11, 22)) ann.drop('watchlist', film)
  for (const film of films.slice(22, 34)) ben.drop('watchlist', film)
  for (const film of films.slice(0, 12)) ann.drop('history', film)

  const ran = await world.run(APPROVE)

  t.same(
    removed(ran)
      .map(({ account, feature, work }) => `${account} ${feature} ${work}`)
      .toSorted(),
    films
      .slice(0, 11)
      .map(({ name }) => `BEN watchlist ${name}`)
      .toSorted(),
  )
  t.match(watchlist(ran), { held: 23, reason: 'changed_since_approval' })
  t.match(world.feature(ran, 'history'), { held: 12, reason: 'changed_since_approval' })
  const { items } = await world.engine.unresolved.list({ runId: 'all' })
  t.equal(items.filter(({ reason_code: code }) => code === 'held_mass_delete').length, 35, 'they are listed')
  t.equal(removed(await world.run(APPROVE)).length, 35)
  t.equal(removed(await world.run()).length, 0)
})

t.test('P97 a removal that deletes other data with it is approved separately', async (t) => {
  const { world, ann, ben, films, watchlist } = await settled({
    prepare(_, ben) {
      ben.support = {
        ...FULL_SUPPORT,
        watchlist: { ...FULL_SUPPORT.watchlist!, removalSideEffects: ['history', 'ratings'] },
      }
    },
  })
  await using _world = world
  ann.drop('watchlist', films[0]!)
  await world.run()
  ann.drop('watchlist', films[1]!)
  const ran = await world.run(APPROVE)
  t.same(
    removed(ran).map(({ work }) => work),
    [films[0]!.name],
  )
  t.match(watchlist(ran), { held: 1, reason: 'changed_since_approval' })
  t.ok(ben.has('watchlist', films[1]!))
})

for (const side of ['a', 'b'] as const)
  t.test(`P97 the plan of one account approves nothing at another (${side})`, async (t) => {
    const { world, ann, ben, films, watchlist } = await settled()
    await using _world = world
    for (const film of films.slice(0, 11)) ann.drop('watchlist', film)
    const { plan_id: planId } = watchlist(await world.run())
    const account = side === 'a' ? ann : ben
    account.identity = 'another/person'
    for (let run = 0; run < 2; run += 1) await world.run()
    for (const film of films) for (const each of [ann, ben]) each.put(entryOf('watchlist', film, 1))
    for (let run = 0; run < 3; run += 1) await world.run()
    for (const film of films.slice(0, 11)) ann.drop('watchlist', film)
    const ran = await world.run({ ...APPROVE, plan_id: planId! })
    t.same(removed(ran), [])
    t.match(watchlist(ran), { status: 'skipped', reason: 'account_changed' })
    t.equal(ben.of('watchlist').length, 40)
    t.match(watchlist(await world.run()), { held: 11 }, 'and the pair goes on')
  })

// A mirror.

type Features = NonNullable<NonNullable<Parameters<typeof pairOf>[2]>['features']>

async function mirror(features: Features = { watchlist: { remove_mode: 'mirror' } }) {
  const home = await settled({ mode: 'one_way', count: 20, features, runs: 1 })
  t.teardown(() => home.world[Symbol.asyncDispose]())
  await home.world.run(MIRROR)
  return home
}

async function changed({ world }: { readonly world: World }): Promise<readonly string[]> {
  const names: string[] = []
  for (let run = 0; run < 4; run += 1) {
    world.advance(DAY_MS)
    names.push(...removed(await world.run()).map(({ feature, work }) => `${feature} ${work}`))
  }
  return names
}

t.test('P97 a confirmed mirror continues, also after the same person signs in again', async (t) => {
  const home = await mirror()
  home.ben.put(entryOf('watchlist', workNamed('heat'), 1))
  t.same(await changed(home), ['watchlist heat'])
  const { ben } = home
  const { profiles } = ben
  ben.profiles = () => profiles.call(ben).map((profile) => ({ ...profile, fingerprint: 'a new token' }))
  ben.put(entryOf('watchlist', workNamed('alien'), 1))
  t.same(await changed(home), ['watchlist alien'])
})

for (const side of ['ann', 'ben'] as const)
  for (const again of [false, true])
    t.test(
      `P97 a mirror is confirmed for both accounts: another person (${side}${again ? ', and then the first one' : ''}) keeps their items`,
      async (t) => {
        const home = await mirror()
        const account = home[side]
        const { identity } = account
        account.identity = 'another/person'
        if (again) {
          await home.world.run()
          account.identity = identity
        }
        home.ben.put(entryOf('watchlist', workNamed('heat'), 5))
        t.same(await changed(home), [])
        t.ok(home.ben.has('watchlist', workNamed('heat')))
        const { items } = await home.world.engine.unresolved.list({ runId: 'all' })
        t.ok(
          items.some(({ reason_code: code }) => code === 'mirror_not_confirmed'),
          'it asks for a confirmation',
        )
        await home.world.run(MIRROR)
        t.notOk(home.ben.has('watchlist', workNamed('heat')), 'which is for these accounts')
      },
    )

t.test('P97 a mirror is confirmed for the current setup of the pair', async (t) => {
  const heat = workNamed('heat')
  const edits: Readonly<Record<string, (world: World) => Promise<unknown> | unknown>> = {
    'source and target exchanged, and back': async (world) => {
      const [pair] = world.pairs
      world.pairs = [{ ...pair!, source: 'BEN', target: 'ANN' }]
      await world.run()
      world.pairs = [pair!]
    },
    'two-way, and back': async (world) => {
      const [pair] = world.pairs
      world.pairs = [{ ...pair!, mode: 'two_way' }]
      await world.run()
      world.pairs = [pair!]
    },
    'switched off, and on again': async (world) => {
      const [pair] = world.pairs
      world.pairs = [
        pairOf('ANN', 'BEN', {
          mode: 'one_way',
          features: { ratings: { remove_mode: 'source_deletes', types: ['movies'] } },
        }),
      ]
      await world.run()
      world.pairs = [pair!]
    },
    'other kinds': (world) => {
      world.pairs = [
        pairOf('ANN', 'BEN', { mode: 'one_way', features: { ratings: { remove_mode: 'mirror', types: 'all' } } }),
      ]
    },
    'a reset': (world) => world.engine.resetPair('ANN-BEN'),
  }
  for (const [name, edit] of Object.entries(edits)) {
    const home = await mirror({ ratings: { remove_mode: 'mirror', types: ['movies'] } })
    await edit(home.world)
    await home.world.run()
    home.ben.put(entryOf('ratings', heat, 5))
    t.same(await changed(home), [], name)
  }
  const home = await mirror()
  home.world.pairs = [
    pairOf('ANN', 'BEN', {
      mode: 'one_way',
      features: { watchlist: { remove_mode: 'mirror' }, ratings: { remove_mode: 'mirror' } },
    }),
  ]
  await home.world.run()
  home.ben.put(entryOf('ratings', heat, 5))
  t.same(await changed(home), [], 'another feature')
})

t.test('P97 a preview of a mirror confirms nothing', async (t) => {
  const home = await settled({ mode: 'one_way', count: 20, features: { watchlist: { remove_mode: 'mirror' } } })
  await using _world = home.world
  home.ben.put(entryOf('watchlist', workNamed('heat'), 5))
  const dry = await home.world.run({ ...MIRROR, dry_run: true })
  t.match(home.watchlist(dry), { planned: 1 })
  t.same(await changed(home), [])
})

t.test(
  'P97 a mirror that a first run left alone asks for its confirmation, even if the source was empty',
  async (t) => {
    const home = await settled({
      mode: 'one_way',
      count: 0,
      features: { watchlist: { remove_mode: 'mirror' } },
      runs: 0,
    })
    await using _world = home.world
    home.ben.put(entryOf('watchlist', workNamed('heat'), 5))
    for (let run = 0; run < 2; run += 1) await home.world.run()
    t.match(await home.open(), [{ reason_code: 'mirror_not_confirmed' }])
  },
)
