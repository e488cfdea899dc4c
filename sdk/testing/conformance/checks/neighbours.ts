// Checks that writes affect only the requested item: not other works, other episodes or other features, nor twice.
import { writeOutcomes } from '../../../provider/writes/outcomes.ts'
import type { Item } from '../../../items/item.ts'
import type { Feature } from '../../../provider/features.ts'
import type { Bench, Check } from '../contract.ts'
import {
  all,
  each,
  featuresOf,
  forFeature,
  LeftOut,
  must,
  nameOf,
  needsFeature,
  needsService,
  removable,
  writable,
} from './support.ts'
import { defined } from '../../../defined.ts'

const group = 'writes'
const DONE: readonly string[] = writeOutcomes('done')
/** Outcomes that are wrong if the service has the item afterwards. */
const REFUSED: readonly string[] = writeOutcomes('refused', 'failed')
const adds = needsFeature(writable, 'nothing can be added')
const removes = needsFeature(removable, 'nothing can be removed')

export const neighbours: readonly Check[] = [
  {
    id: 'writes.by-ids',
    group,
    title: 'the ids identify the item, regardless of its title',
    points: 3,
    applies: adds,
    run: (subject) =>
      each(subject, featuresOf(subject, writable), async ({ simulator, outcomesOf, read }, feature) => {
        const [one, other, third] = (await simulator.fresh(feature, 3)) as [Item, Item, Item]
        const titled = (item: Item, by: Item): Item => ({
          ...item,
          ...defined({ title: by.title, year: by.year, series_title: by.series_title }),
        })
        await outcomesOf(feature, 'add', [one, third])
        const known = (await read(feature)).rows.map(nameOf)
        // The title of an existing item with the ids of an unknown one.
        const outcomes = await outcomesOf(feature, 'add', [titled(other, one)])
        const rows = (await read(feature)).rows
        const came = rows.filter((row) => !known.includes(nameOf(row)))
        must(
          !DONE.includes(outcomes[0]?.outcome ?? '') || came.length === 1,
          'an item with the title of another was not written by its ids',
        )
        must(
          known.every((name) => rows.some((row) => nameOf(row) === name)),
          'an item with the title of another replaced it',
        )
        if (subject.description.features[feature]?.remove !== true || came.length === 0) return
        await outcomesOf(feature, 'remove', [titled(came[0] as Item, one)])
        const left = new Set((await read(feature)).rows.map(nameOf))
        must(
          known.every((name) => left.has(name)),
          'an item was removed that only has the same title',
        )
      }),
  },
  {
    id: 'writes.episodes',
    group,
    title: 'episodes are written and removed one by one: no gap is filled, no neighbor goes with them',
    points: 3,
    applies: all(adds, ({ can }) => can.episodes || 'its adapter has no episodes of one show'),
    async run(subject) {
      let looked = 0
      for (const feature of featuresOf(subject, writable)) {
        if (subject.description.features[feature]?.kinds.includes('episode') !== true) continue
        await using bench = await subject.open()
        await forFeature(feature, async () => {
          const [first, , third, , fifth] = ((await bench.simulator.episodes?.(feature, 5)) ?? []) as Item[]
          if (first === undefined || third === undefined || fifth === undefined) return
          looked += 1
          const asked = [first, third, fifth]
          const outcomes = await bench.outcomesOf(feature, 'add', asked)
          const done = asked.filter((_, index) => DONE.includes(outcomes[index]?.outcome ?? ''))
          await mustHave(bench, feature, done, 'added')
          const removed = done[1]
          if (removed === undefined || subject.description.features[feature]?.remove !== true) return
          const row = (await bench.read(feature)).rows.find((one) => isSameEpisode(one, removed))
          const [told] = await bench.outcomesOf(feature, 'remove', [row ?? removed])
          const left = DONE.includes(told?.outcome ?? '') ? done.filter((one) => one !== removed) : done
          await mustHave(bench, feature, left, 'one was removed')
        })
      }
      if (looked === 0) throw new LeftOut('it takes no episodes')
      return undefined
    },
  },
  {
    id: 'writes.lost-once',
    group,
    title: 'a write whose answer is lost once is neither done twice nor reported as refused',
    points: 3,
    applies: all(adds, needsService),
    run: (subject) =>
      each(subject, featuresOf(subject, writable), async (bench, feature) => {
        const { simulator, outcomesOf, fault, clearFaults, isWrite } = bench
        const items = await simulator.fresh(feature, 2)
        fault({ kind: 'reset', match: isWrite, times: 1 })
        const outcomes = await outcomesOf(feature, 'add', items)
        clearFaults()
        const count = await simulator.count(0, feature)
        must(count <= items.length, `${items.length} items were added, and the service has ${count}`)
        const refused = outcomes.filter(({ outcome }) => REFUSED.includes(outcome)).length
        must(
          count + refused <= items.length,
          `the service has ${count} of ${items.length}, and ${refused} are told as ${outcomes.map(({ outcome }) => outcome).join(', ')}`,
        )
      }),
  },
  {
    id: 'writes.remove-lost',
    group,
    title: 'a removal whose answer is lost is never called undone',
    points: 2,
    applies: all(removes, needsService),
    run: (subject) =>
      each(subject, featuresOf(subject, removable), async (bench, feature) => {
        const { simulator, outcomesOf, read, fault, clearFaults, isWrite } = bench
        await simulator.seed(0, feature, 3)
        const before = await simulator.count(0, feature)
        const [row] = (await read(feature)).rows as readonly [Item]
        fault({ kind: 'reset', match: isWrite, times: 1 })
        const [told] = await outcomesOf(feature, 'remove', [row])
        clearFaults()
        const gone = before - (await simulator.count(0, feature))
        must(gone <= 1, `one item was removed, and ${gone} are gone`)
        must(
          gone === 0
            ? !DONE.includes(told?.outcome ?? '')
            : !['rejected', 'failed', 'unsupported'].includes(told?.outcome ?? ''),
          `${gone === 0 ? 'it is there' : 'it is gone'}, and the outcome is ${told?.outcome} (${told?.reason})`,
        )
      }),
  },
  {
    id: 'writes.full-batch',
    group,
    title: 'as many items as it says that it takes at once are written at once',
    points: 2,
    applies: adds,
    async run(subject) {
      for (const feature of featuresOf(subject, writable)) {
        const most = Math.min(subject.description.features[feature]?.maxBatch ?? 100, 250)
        await using bench = await subject.open({ size: most + 8 })
        await forFeature(feature, async () => {
          const outcomes = await bench.outcomesOf(feature, 'add', await bench.simulator.fresh(feature, most))
          const left = outcomes.find(({ outcome }) => !DONE.includes(outcome))
          must(left === undefined, `of ${most} items one is ${left?.outcome} (${left?.reason})`)
          const count = await bench.simulator.count(0, feature)
          must(count === most, `the service has ${count} of ${most}`)
        })
      }
      return undefined
    },
  },
]

const isSameEpisode = (one: Item, other: Item) => one.season === other.season && one.episode === other.episode

async function mustHave(
  { read, provider }: Bench,
  feature: Feature,
  wanted: readonly Item[],
  when: string,
): Promise<void> {
  await provider.probe('default')
  const numbers = (items: readonly Item[]) =>
    items
      .map(({ season, episode }) => `${season}×${episode}`)
      .sort()
      .join(', ')
  const rows = (await read(feature)).rows.filter(({ type }) => type === 'episode')
  must(
    numbers(rows) === numbers(wanted),
    `after ${when} it has ${numbers(rows) || 'none'}, not ${numbers(wanted) || 'none'}`,
  )
}
