// Checks of writes: one correct outcome per item, and no unrequested changes.
import { writeOutcomes } from '../../../provider/writes/outcomes.ts'
import type { Item } from '../../../items/item.ts'
import { progressOf } from '../../../items/progress.ts'
import type { WriteOutcome } from '../../../provider/writes/contract.ts'
import type { Feature } from '../../../provider/features.ts'
import type { Check } from '../contract.ts'
import { createTokenIndex } from '../token-index.ts'
import {
  all,
  each,
  featuresOf,
  hasCode,
  must,
  nameOf,
  needsFeature,
  needsService,
  printsOf,
  removable,
  textOf,
  thrownBy,
  writable,
} from './support.ts'
import { defined } from '../../../defined.ts'

const group = 'writes'
const DONE: readonly string[] = writeOutcomes('done')
/** Films, shows, seasons and episodes: enough for an adapter that alternates kinds to return one of each. */
const KINDS = 4
const REFUSED: readonly string[] = writeOutcomes('refused')
const adds = needsFeature(writable, 'nothing can be added')
const removes = needsFeature(removable, 'nothing can be removed')

function words(outcomes: readonly WriteOutcome[]): string {
  return outcomes.map(({ outcome, reason }) => (reason === undefined ? outcome : `${outcome} (${reason})`)).join(', ')
}

const DAY_MS = 86_400_000

/** Some services round positions to minutes. A play gets a later time, because services may ignore an older one. */
function withOtherValue(feature: Feature, item: Item): Item {
  if (feature === 'history')
    return { ...item, watched_at: new Date(Date.parse(item.watched_at ?? '') + DAY_MS).toISOString() }
  if (feature === 'ratings') return { ...item, rating: item.rating === 4 ? 8 : 4 }
  const durationMs = item.duration_ms ?? 6_000_000
  return { ...item, progress_ms: Math.floor(durationMs / 2), duration_ms: durationMs }
}

function currentValue(feature: Feature, item: Item): number | undefined {
  if (feature === 'ratings') return item.rating
  if (feature === 'history') return Math.floor(Date.parse(item.watched_at ?? '') / 60_000)
  const { percent } = progressOf(item)
  return percent === undefined ? undefined : Math.round(percent / 2)
}

export const writes: readonly Check[] = [
  {
    id: 'writes.add',
    group,
    title: 'an added item is reported, is in the account, and is read back',
    points: 3,
    applies: adds,
    run: (subject) =>
      each(subject, featuresOf(subject, writable), async ({ simulator, outcomesOf, read }, feature) => {
        const items = await simulator.fresh(feature, KINDS)
        const outcomes = await outcomesOf(feature, 'add', items)
        must(
          outcomes.every(({ outcome }) => outcome === 'applied'),
          `the outcomes are ${words(outcomes)}`,
        )
        const count = await simulator.count(0, feature)
        must(count === KINDS, `the service has ${count} of ${KINDS}`)
        const { rows } = await read(feature)
        must(rows.length === KINDS, `${rows.length} of ${KINDS} are read back`)
      }),
  },
  {
    id: 'writes.one-outcome',
    group,
    title: 'every item gets exactly one outcome, also in a mixed batch',
    points: 2,
    applies: adds,
    run: (subject) =>
      each(subject, featuresOf(subject, writable), async ({ simulator, write }, feature) => {
        const [first, ...rest] = (await simulator.fresh(feature, 4)) as [Item, ...Item[]]
        const items = [first, { type: 'movie', title: 'Nothing but a title', ids: {} } as const, ...rest]
        const { outcomes } = await write(feature, 'add', items)
        const keys = outcomes.map(({ key }) => key).sort()
        must(
          keys.join() ===
            items
              .map((_, index) => `k${index}`)
              .sort()
              .join(),
          `${items.length} items have the outcomes ${keys.join()}`,
        )
      }),
  },
  {
    id: 'writes.again',
    group,
    title: 'adding the same again changes nothing',
    points: 3,
    applies: needsFeature(
      (one) => writable(one) && one.idempotentAdd === true,
      'it does not promise that adding twice is harmless',
    ),
    run: (subject) =>
      each(
        subject,
        featuresOf(subject, (one) => writable(one) && one.idempotentAdd === true),
        async ({ simulator, outcomesOf, read }, feature) => {
          const items = await simulator.fresh(feature, 3)
          await outcomesOf(feature, 'add', items)
          const before = printsOf((await read(feature)).rows)
          const outcomes = await outcomesOf(feature, 'add', items)
          must(
            outcomes.every(({ outcome }) => DONE.includes(outcome)),
            `the outcomes are ${words(outcomes)}`,
          )
          const count = await simulator.count(0, feature)
          must(count === 3, `the service now has ${count} of 3`)
          must(printsOf((await read(feature)).rows).join() === before.join(), 'the rows changed')
        },
      ),
  },
  {
    id: 'writes.leaves-others',
    group,
    title: 'a write touches no other row',
    points: 3,
    applies: adds,
    run: (subject) =>
      each(subject, featuresOf(subject, writable), async ({ simulator, outcomesOf, read }, feature) => {
        await simulator.seed(0, feature, 5)
        const before = printsOf((await read(feature)).rows)
        await outcomesOf(feature, 'add', await simulator.fresh(feature, 2))
        const after = new Set(printsOf((await read(feature)).rows))
        const changed = before.filter((print) => !after.has(print))
        must(changed.length === 0, `${changed.length} of 5 other rows changed: ${changed[0]}`)
      }),
  },
  {
    id: 'writes.not-found',
    group,
    title: 'an item that the service does not know is reported as such, and the others are written',
    points: 2,
    applies: all(adds, ({ can }) => can.unknown || 'it takes every item'),
    run: (subject) =>
      each(subject, featuresOf(subject, writable), async ({ simulator, outcomesOf }, feature) => {
        const unknown = simulator.unknown?.(feature)
        if (unknown === undefined) return
        const [one, two] = (await simulator.fresh(feature, 2)) as [Item, Item]
        const outcomes = await outcomesOf(feature, 'add', [one, unknown, two])
        must(REFUSED.includes(outcomes[1]?.outcome ?? ''), `the unknown item is ${words(outcomes.slice(1, 2))}`)
        must(
          outcomes[0]?.outcome === 'applied' && outcomes[2]?.outcome === 'applied',
          `the others are ${words(outcomes)}`,
        )
        const count = await simulator.count(0, feature)
        must(count === 2, `the service has ${count} of 2`)
      }),
  },
  {
    id: 'writes.title-only',
    group,
    title: 'an item with nothing but a title is never written',
    points: 3,
    applies: adds,
    run: (subject) =>
      each(subject, featuresOf(subject, writable), async ({ simulator, outcomesOf }, feature) => {
        const [{ ids: _ids, show_ids: _showIds, ...fresh }] = (await simulator.fresh(feature, 1)) as [Item]
        const outcomes = await outcomesOf(feature, 'add', [
          { ...fresh, title: fresh.title ?? 'Nothing but a title', ids: {} },
        ])
        must(REFUSED.includes(outcomes[0]?.outcome ?? ''), `it is ${words(outcomes)}`)
        const count = await simulator.count(0, feature)
        must(count === 0, 'the service has it')
      }),
  },
  {
    id: 'writes.batch',
    group,
    title: 'a batch that is too large, or names an item twice, is refused as a whole',
    applies: adds,
    run: (subject) =>
      each(subject, featuresOf(subject, writable), async (bench, feature) => {
        const most = subject.description.features[feature]?.maxBatch ?? 100
        const [item] = (await bench.simulator.fresh(feature, 1)) as [Item]
        const before = bench.requests().length
        const tooLarge = await thrownBy(() =>
          bench.write(
            feature,
            'add',
            Array.from({ length: most + 1 }, () => item),
          ),
        )
        must(hasCode(tooLarge, 'PLH_INVALID'), `${most + 1} items gave ${textOf(tooLarge)}`)
        const twice = await thrownBy(() =>
          bench.write(feature, 'add', [], {
            items: [
              { key: 'a', item },
              { key: 'a', item },
            ],
          }),
        )
        must(hasCode(twice, 'PLH_INVALID'), `a key that is there twice gave ${textOf(twice)}`)
        must(bench.requests().length === before, 'the service was asked')
      }),
  },
  {
    id: 'writes.remove',
    group,
    title: 'what is removed is gone, and nothing else',
    points: 3,
    applies: removes,
    run: (subject) =>
      each(subject, featuresOf(subject, removable), async ({ simulator, outcomesOf, read }, feature) => {
        await simulator.seed(0, feature, 4)
        const { rows } = await read(feature)
        const [row, ...rest] = rows as [Item, ...Item[]]
        const outcomes = await outcomesOf(feature, 'remove', [row])
        must(outcomes[0]?.outcome === 'applied', `it is ${words(outcomes)}`)
        const left = new Set((await read(feature)).rows.map(nameOf))
        must(!left.has(nameOf(row)), 'it is still there')
        must(
          rest.every((other) => left.has(nameOf(other))),
          `${rest.length - left.size} other rows went with it`,
        )
        const others = await outcomesOf(feature, 'remove', rest)
        must(
          others.every(({ outcome }) => outcome === 'applied'),
          `of all others the outcomes are ${words(others)}`,
        )
        const kept = (await read(feature)).rows
        must(kept.length === 0, `${kept.length} rows are left when all were removed`)
      }),
  },
  {
    id: 'writes.remove-absent',
    group,
    title: 'removing what is not there is no failure, and removes nothing',
    points: 2,
    applies: removes,
    run: (subject) =>
      each(subject, featuresOf(subject, removable), async ({ simulator, outcomesOf }, feature) => {
        await simulator.seed(0, feature, 3)
        const outcomes = await outcomesOf(feature, 'remove', await simulator.fresh(feature, 1))
        must([...DONE, ...REFUSED].includes(outcomes[0]?.outcome ?? ''), `it is ${words(outcomes)}`)
        const count = await simulator.count(0, feature)
        must(count === 3, `the service has ${count} of 3`)
      }),
  },
  {
    id: 'writes.update',
    group,
    title: 'an item that is there can be given another value',
    applies: needsFeature((one) => writable(one) && one.update, 'nothing can be updated'),
    run: (subject) =>
      each(
        subject,
        featuresOf(subject, (one) => writable(one) && one.update),
        async ({ simulator, outcomesOf, read, write }, feature) => {
          if (feature !== 'ratings' && feature !== 'progress' && feature !== 'history') return
          const items = await simulator.fresh(feature, 4)
          await outcomesOf(feature, 'add', items)
          const others = items.map((item) => withOtherValue(feature, item))
          const before = createTokenIndex<Item>((row) => row, { within: 'provider' })
          for (const row of (await read(feature)).rows) before.add(row)
          const { outcomes } = await write(feature, 'update', [], {
            items: others.map((item, index) => {
              const found = before.find(item)
              const current = found.outcome === 'match' ? found.rows[0] : undefined
              return { key: `k${index}`, item, ...defined({ current }) }
            }),
          })
          must(
            outcomes.length >= others.length && outcomes.every(({ outcome }) => outcome === 'applied'),
            `it is ${words(outcomes)}`,
          )
          const { rows } = await read(feature)
          const after = createTokenIndex<Item>((row) => row, { within: 'provider' })
          for (const row of rows) after.add(row)
          must(rows.length === items.length, `${rows.length} rows for ${items.length} items`)
          for (const item of others) {
            const wanted = currentValue(feature, item)
            const row = after.find(item)
            must(
              row.outcome === 'match' && currentValue(feature, row.rows[0]!) === wanted,
              `the item that was given the value ${wanted} does not have it`,
            )
          }
        },
      ),
  },
  {
    id: 'writes.lost-answer',
    group,
    title: 'a write whose answer is lost is never called undone',
    points: 3,
    applies: all(adds, needsService),
    run: (subject) =>
      each(
        subject,
        featuresOf(subject, writable),
        async ({ simulator, outcomesOf, fault, clearFaults, isWrite }, feature) => {
          const items = await simulator.fresh(feature, 2)
          fault({ kind: 'reset', match: isWrite })
          const outcomes = await outcomesOf(feature, 'add', items)
          clearFaults()
          const count = await simulator.count(0, feature)
          const claimed = outcomes.filter(({ outcome }) => DONE.includes(outcome)).length
          const open = outcomes.filter(({ outcome }) => outcome === 'unknown').length
          must(count <= claimed + open, `the service has ${count} of 2, and the outcomes are ${words(outcomes)}`)
          must(claimed <= count, `the service has ${count} of 2, and the outcomes are ${words(outcomes)}`)
        },
      ),
  },
  {
    id: 'writes.server-error',
    group,
    title: 'a write that the service did not carry out is never called applied',
    points: 3,
    applies: all(adds, needsService),
    run: (subject) =>
      each(
        subject,
        featuresOf(subject, writable),
        async ({ simulator, outcomesOf, fault, clearFaults, isWrite }, feature) => {
          const items = await simulator.fresh(feature, 2)
          fault({ kind: 'status', status: 500, match: isWrite })
          const outcomes = await outcomesOf(feature, 'add', items).catch(() => [])
          clearFaults()
          must(
            (await simulator.count(0, feature)) === 0,
            'the service has it although it answered 500; the adapter is wrong',
          )
          must(
            outcomes.every(({ outcome }) => !DONE.includes(outcome)),
            `the outcomes are ${words(outcomes)}`,
          )
        },
      ),
  },
  {
    id: 'writes.partial',
    group,
    title: 'a batch that breaks off in the middle reports which items were written',
    points: 3,
    applies: all(adds, needsService),
    run: (subject) =>
      each(
        subject,
        featuresOf(subject, writable),
        async ({ simulator, outcomesOf, fault, clearFaults, isWrite }, feature) => {
          const items = await simulator.fresh(feature, 5)
          let sent = 0
          fault({ kind: 'status', status: 500, match: (request) => isWrite(request) && (sent += 1) > 2 })
          const outcomes = await outcomesOf(feature, 'add', items)
          clearFaults()
          const count = await simulator.count(0, feature)
          const claimed = outcomes.filter(({ outcome }) => DONE.includes(outcome)).length
          const open = outcomes.filter(({ outcome }) => outcome === 'unknown').length
          must(
            claimed <= count && count <= claimed + open,
            `the service has ${count} of 5, and the outcomes are ${words(outcomes)}`,
          )
        },
      ),
  },
  {
    id: 'writes.retried',
    group,
    title: 'what failed is written by the next try, once',
    points: 2,
    applies: all(adds, needsService),
    run: (subject) =>
      each(
        subject,
        featuresOf(subject, writable),
        async ({ simulator, outcomesOf, fault, clearFaults, isWrite }, feature) => {
          const items = await simulator.fresh(feature, 2)
          fault({ kind: 'status', status: 500, match: isWrite })
          await outcomesOf(feature, 'add', items).catch(() => [])
          clearFaults()
          const outcomes = await outcomesOf(feature, 'add', items)
          must(
            outcomes.every(({ outcome }) => DONE.includes(outcome)),
            `the outcomes are ${words(outcomes)}`,
          )
          const count = await simulator.count(0, feature)
          must(count === 2, `the service has ${count} of 2`)
        },
      ),
  },
]
