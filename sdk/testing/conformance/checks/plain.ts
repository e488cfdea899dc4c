// Checks of values that cross the SDK: plain data of the declared shape, so that a plugin can run on its own thread.
import { Value } from '@sinclair/typebox/value'
import { Item } from '../../../items/item.ts'
import { isWriteOutcome } from '../../../provider/writes/outcomes.ts'
import { oddValue } from '../../plain-data.ts'
import type { Check } from '../contract.ts'
import { always, each, featuresOf, must, needsFeature, seeded, writable } from './support.ts'

function mustBePlain(value: unknown, what: string): void {
  const odd = oddValue(value, what)
  must(odd === undefined, `${odd}, not plain data`)
}

export const plain: readonly Check[] = [
  {
    id: 'basics.plain',
    group: 'basics',
    title: 'what it says about itself, its profiles and its health is plain data',
    applies: always,
    async run(subject) {
      await using bench = await subject.open()
      mustBePlain(await bench.provider.describe(), 'the description')
      mustBePlain(await bench.provider.profiles(), 'the profiles')
      mustBePlain(await bench.provider.probe('default'), 'the health')
      return undefined
    },
  },
  {
    id: 'reads.plain',
    group: 'reads',
    title: 'rows are plain data with the fields of an item: ids as text, times as UTC text, ratings from 1 to 10',
    points: 2,
    applies: always,
    run: (subject) =>
      each(subject, featuresOf(subject), async (bench, feature) => {
        await seeded(bench, feature, 13)
        const { rows, end } = await bench.read(feature)
        mustBePlain(end, 'the end')
        for (const row of rows) {
          mustBePlain(row, `"${row.title ?? row.series_title ?? row.type}"`)
          const wrong = Value.Errors(Item, row).First()
          must(
            wrong === undefined,
            `"${row.title ?? row.series_title ?? row.type}": ${wrong?.path.slice(1)} is ${JSON.stringify(wrong?.value)}: ${wrong?.message}`,
          )
        }
      }),
  },
  {
    id: 'reads.kinds',
    group: 'reads',
    title: 'a read of one kind gives that kind and no other',
    applies: needsFeature(({ read, kinds }) => read && kinds.length > 1, 'it has one kind'),
    run: (subject) =>
      each(
        subject,
        featuresOf(subject, ({ read, kinds }) => read && kinds.length > 1),
        async (bench, feature) => {
          await seeded(bench, feature, 13)
          for (const kind of subject.description.features[feature]?.kinds ?? []) {
            const other = (await bench.read(feature, { kinds: [kind] })).rows.find(
              ({ type }) => type !== kind && type !== 'anime',
            )
            must(other === undefined, `a ${other?.type} came where only ${kind}s were asked for`)
          }
        },
      ),
  },
  {
    id: 'writes.plain',
    group: 'writes',
    title: 'outcomes are plain data, with a reason that is a code',
    applies: needsFeature(writable, 'nothing can be added'),
    run: (subject) =>
      each(subject, featuresOf(subject, writable), async ({ simulator, write, fault, isWrite }, feature) => {
        const unknown = simulator.unknown?.(feature)
        const items = [...(await simulator.fresh(feature, 2)), ...(unknown === undefined ? [] : [unknown])]
        const good = await write(feature, 'add', items)
        if (subject.can.fail) fault({ kind: 'status', status: 500, match: isWrite })
        const bad = await write(feature, 'add', items).catch(() => ({ outcomes: [] }))
        for (const result of [good, bad]) {
          mustBePlain(result, 'the result')
          for (const { outcome, reason } of result.outcomes) {
            must(isWriteOutcome(outcome), `there is no outcome "${String(outcome)}"`)
            must(reason === undefined || /^[a-z0-9_]{1,64}$/.test(reason), `the reason "${reason}" is no code`)
          }
        }
      }),
  },
]
