// A run for selected titles writes only those; its unfinished items are neither lost nor abandoned.
import fc, { runsOf } from '../../fast-check.ts'
import t from 'tap'
import type { Feature } from '@playhead/sdk'
import { FakeAccount } from './world/account.ts'
import { begin, entryOf, holdings, lives, withIds } from './world/scenario.ts'
import { createWorld, featureCapabilities, pairOf, START_MS } from './world/world.ts'
import { type Work, workNamed, WORKS } from './world/works.ts'

await featureCapabilities()

async function small(names: readonly string[], features: readonly Feature[]) {
  const clock = { nowMs: START_MS }
  const [ann, ben] = ['ANN', 'BEN'].map((id) => new FakeAccount({ id, now: () => clock.nowMs })) as [
    FakeAccount,
    FakeAccount,
  ]
  const pair = pairOf('ANN', 'BEN', { features: Object.fromEntries(features.map((feature) => [feature, {}])) })
  const world = await createWorld([ann, ben], [pair], clock)
  for (const feature of features) for (const name of names) ann.put(entryOf(feature, workNamed(name), 1))
  return { world, ann, ben }
}

t.test('only the title is written, by any of its ids, a show with its episodes', async (t) => {
  const names = ['heat', 'same-number', 'thrones-1-1', 'thrones-1-2']
  const { world, ann, ben } = await small(names, ['history'])
  await using _world = world
  const nothing = await world.run({ titles: ['movie:tmdb:1'] })
  t.same([nothing.writes, holdings(ben)], [[], []])
  const show = await world.run({ titles: ['show:tmdb:1399'] })
  t.equal(holdings(ben).length, 2, 'the episodes, and not the film with the same number')
  t.notOk(show.outcomes.some(({ outcome }) => outcome === 'failed'))
  await world.run({ titles: ['movie:imdb:tt0113277'] })
  t.equal(holdings(ben).length, 3)
  await world.run()
  t.same(withIds(holdings(ben)), withIds(holdings(ann)), 'the next whole run does the rest')
})

t.test('failures of other items stay listed, and are not retried', async (t) => {
  const { world, ben } = await small(['heat', 'alien'], ['watchlist'])
  await using _world = world
  ben.writeFault = 'not_found'
  await world.run()
  const before = (await world.engine.unresolved.list({ runId: 'all' })).items
  t.equal(before.length, 2)
  const { outcomes } = await world.run({ titles: ['movie:tmdb:1'] })
  t.notOk(outcomes.some(({ outcome }) => outcome === 'not_found'))
  t.equal((await world.engine.unresolved.list({ runId: 'all' })).items.length, 2)
})

t.test('random lives: a run for one work changes no other, and loses nothing for later runs', () =>
  fc.assert(
    fc.asyncProperty(
      lives(),
      fc.constantFrom(...WORKS.filter(({ name }) => name !== 'nameless')),
      async (life, work) => {
        const lived = await begin(life)
        await using world = lived.world
        const ids = work.showIds ?? work.ids
        const kind = work.type === 'movie' ? 'movie' : 'show'
        const titles = Object.entries(ids).map(([scheme, id]) => `${kind}:${scheme}:${id}`)
        const own = new Set(WORKS.filter((one) => sameTitle(one, work)).map(({ name }) => name))
        const others = () =>
          JSON.stringify(world.accounts.map((account) => holdings(account).filter((text) => !own.has(nameIn(text)))))
        for (const step of life.steps) {
          for (const action of step.actions) lived.act(action)
          const before = others()
          await world.run({ titles })
          if (others() !== before) throw new Error(`${work.name}: ${before} became ${others()}`)
        }
        world.settings = { ...world.settings, allow_mass_delete: true }
        for (let month = 0; month < 3; month += 1) {
          for (let run = 0; run < 3; run += 1) await world.run()
          world.advance(40 * 86_400_000)
        }
        await world.run()
        const [ann, ben] = world.accounts.map((account) =>
          withIds(holdings(account).filter((text) => !text.startsWith('progress'))),
        )
        if (JSON.stringify(ann) !== JSON.stringify(ben)) throw new Error(`${ann} is not ${ben}`)
      },
    ),
    { numRuns: runsOf(6) },
  ),
)

function nameIn(text: string): string {
  return text.split('|')[1] ?? ''
}

function sameTitle(one: Work, other: Work): boolean {
  const [x, y] = [one.showIds ?? one.ids, other.showIds ?? other.ids] as Record<string, string>[]
  return (
    (one.type === 'movie') === (other.type === 'movie') && Object.keys(x!).some((scheme) => x![scheme] === y![scheme])
  )
}
