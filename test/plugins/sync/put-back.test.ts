// Items that a person adds again after the engine removed them stay.
import t from 'tap'
import type { Feature } from '@playhead/sdk'
import { type Entry, FakeAccount } from './world/account.ts'
import { ALL_FEATURES, entryOf } from './world/scenario.ts'
import { createWorld, featureCapabilities, pairOf, START_MS } from './world/world.ts'
import { numberedWork, type Work } from './world/works.ts'

await featureCapabilities()

const WORKS = Array.from({ length: 30 }, (_, index) => numberedWork(index))
const SUBJECT = WORKS[7] as Work

interface Case {
  readonly feature: Feature
  readonly plays?: boolean
  readonly undated?: boolean
  readonly incremental?: boolean
  readonly mode?: 'one_way' | 'two_way'
}

async function settled({ feature, plays, undated = false, incremental = false, mode = 'two_way' }: Case) {
  const clock = { nowMs: START_MS }
  const accounts = ['ANN', 'BEN'].map((id) => new FakeAccount({ id, now: () => clock.nowMs }))
  const [ann, ben] = accounts as [FakeAccount, FakeAccount]
  for (const account of accounts) Object.assign(account, { undated, incremental })
  const pair = pairOf('ANN', 'BEN', { mode, features: { [feature]: plays === true ? { rewatches: true } : {} } })
  const world = await createWorld(accounts, [pair], clock, WORKS)
  for (const work of WORKS) ann.put(entryOf(feature, work, 5))
  await world.run()
  await world.run()
  return { world, ann, ben }
}

/** The person removes it; returns the entry, so that it can be added again unchanged. */
function takeOff(account: FakeAccount, feature: Feature): Entry {
  const entry = account.of(feature).find(({ work }) => work.name === SUBJECT.name) as Entry
  account.drop(feature, SUBJECT)
  return entry
}

const CASES: readonly Case[] = [
  ...ALL_FEATURES.flatMap((feature): Case[] => [{ feature }, { feature, undated: true }]),
  { feature: 'history', plays: true },
  { feature: 'watchlist', undated: true, incremental: true },
]
const nameOf = ({ feature, plays, undated, incremental, mode = 'two_way' }: Case) =>
  [mode.replace('_', '-'), feature, plays && 'by play', undated && 'undated', incremental && 'incremental']
    .filter(Boolean)
    .join(' ')

for (const each of CASES.flatMap((one): Case[] => [one, { ...one, mode: 'one_way' }])) {
  for (const runsBetween of [1, 2, 3]) {
    for (const verified of [true, false]) {
      t.test(
        `P90 an item added again unchanged, ${runsBetween} runs after it was removed, is on both sides and stays (${nameOf(each)}${verified ? '' : ', not verified'})`,
        async (t) => {
          const { world, ann, ben } = await settled(each)
          await using _world = world
          world.settings = { ...world.settings, verify_after_write: verified }
          const entry = takeOff(ann, each.feature)
          for (let run = 0; run < runsBetween; run += 1) await world.run()
          ann.put(entry)
          for (let run = 0; run < 6; run += 1) {
            await world.run()
            world.advance(run * 12 * 3_600_000)
            t.ok(ann.has(each.feature, SUBJECT), `the person has it after run ${run + 1}`)
          }
          t.ok(ben.has(each.feature, SUBJECT), 'it returned to the other side')
          t.equal(ben.of(each.feature).length, WORKS.length)
        },
      )
    }
  }
}

for (const each of CASES) {
  for (const runsBetween of [1, 2]) {
    t.test(
      `P90 an item added again on the side that Playhead removed it from is added to the other side too (${nameOf(each)}, ${runsBetween})`,
      async (t) => {
        const { world, ann, ben } = await settled(each)
        await using _world = world
        const entry = ben.of(each.feature).find(({ work }) => work.name === SUBJECT.name) as Entry
        takeOff(ann, each.feature)
        for (let run = 0; run < runsBetween; run += 1) await world.run()
        t.notOk(ben.has(each.feature, SUBJECT), 'it was removed here as well')
        ben.put(entry)
        for (let run = 0; run < 6; run += 1) {
          await world.run()
          world.advance(12 * 3_600_000)
        }
        t.ok(ben.has(each.feature, SUBJECT), 'the person has it')
        t.ok(ann.has(each.feature, SUBJECT), 'it came to the other side')
      },
    )
  }
}

for (const mode of ['one_way', 'two_way'] as const) {
  for (const each of CASES) {
    for (const runs of [1, 2, 3]) {
      t.test(
        `P91 items that a server hid for ${runs} runs return by themselves (${nameOf({ ...each, mode })})`,
        async (t) => {
          const { world, ann, ben } = await settled({ ...each, mode })
          await using _world = world
          for (const work of WORKS.slice(0, 5)) ann.hidden.add(work.name)
          for (let run = 0; run < runs; run += 1) await world.run()
          ann.hidden.clear()
          for (let run = 0; run < 4; run += 1) await world.run()
          t.equal(ann.of(each.feature).length, WORKS.length, 'nothing was removed where it had been hidden')
          t.equal(ben.of(each.feature).length, WORKS.length, 'nothing is missing on the other side')
        },
      )
    }
  }
}
