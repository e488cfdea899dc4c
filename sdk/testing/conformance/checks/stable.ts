// Checks that written rows match on the next read, so that a second run has nothing to do.
import type { Item } from '../../../items/item.ts'
import { REPORTED_PLAY_MS } from '../../../items/play-times.ts'
import { progressOf } from '../../../items/progress.ts'
import { parseTime, sameTime } from '../../../items/time.ts'
import { createTokenIndex } from '../token-index.ts'
import type { Feature } from '../../../provider/features.ts'
import type { Check } from '../contract.ts'
import { all, always, each, featuresOf, must, needsFeature, needsService, printsOf, same, writable } from './support.ts'

const group = 'stable'
const adds = needsFeature(writable, 'nothing can be added')

/** The difference between the wanted item and the row; undefined if a plan would do nothing. */
function difference(feature: Feature, wanted: Item, row: Item): string | undefined {
  if (feature === 'ratings' && wanted.rating !== row.rating) return `the rating is ${row.rating}, not ${wanted.rating}`
  if (feature === 'history' && wanted.watched_at !== undefined && row.watched_at !== undefined) {
    const [one, other] = [parseTime(wanted.watched_at), parseTime(row.watched_at)]
    if (one !== undefined && other !== undefined && !sameTime(one, other, REPORTED_PLAY_MS))
      return `it was watched ${row.watched_at}, not ${wanted.watched_at}`
  }
  if (feature === 'progress') {
    const [one, other] = [progressOf(wanted).percent, progressOf(row).percent]
    if (one !== undefined && other !== undefined && Math.abs(one - other) > 1)
      return `the position is ${other} %, not ${one} %`
  }
  return undefined
}

export const stable: readonly Check[] = [
  {
    id: 'stable.recognised',
    group,
    title: 'an item that was written is recognized by its ids, with the value that was written',
    points: 3,
    applies: adds,
    run: (subject) =>
      each(subject, featuresOf(subject, writable), async ({ simulator, outcomesOf, read }, feature) => {
        const items = await simulator.fresh(feature, 3)
        await outcomesOf(feature, 'add', items)
        // Some services only have ids of their own, which suffice within the provider.
        const index = createTokenIndex<Item>((row) => row, { within: 'provider' })
        for (const row of (await read(feature)).rows) index.add(row)
        for (const item of items) {
          const found = index.find(item)
          must(
            found.outcome === 'match' && found.by === 'token',
            `${JSON.stringify(item.ids)} is read back as another item (${found.outcome})`,
          )
          const differs = difference(feature, item, found.rows[0] as Item)
          must(differs === undefined, `${JSON.stringify(item.ids)}: ${differs}`)
        }
      }),
  },
  {
    id: 'stable.second-write',
    group,
    title: 'writing what was read back plans and changes nothing',
    points: 2,
    applies: needsFeature(
      (one) => writable(one) && one.idempotentAdd === true,
      'it does not promise that adding twice is harmless',
    ),
    run: (subject) =>
      each(
        subject,
        featuresOf(subject, (one) => writable(one) && one.idempotentAdd === true),
        async ({ simulator, outcomesOf, read }, feature) => {
          await simulator.seed(0, feature, 5)
          const { rows } = await read(feature)
          const outcomes = await outcomesOf(
            feature,
            'add',
            rows.map(({ native: _native, library_id: _library, ...item }) => item),
          )
          const strange = outcomes.find(({ outcome }) => !['already', 'applied'].includes(outcome))
          must(strange === undefined, `an item that is there is ${strange?.outcome} ${strange?.reason ?? ''}`)
          const count = await simulator.count(0, feature)
          must(count === 5, `the service has ${count} of 5`)
          must(same(printsOf(rows), printsOf((await read(feature)).rows)), 'the rows changed')
        },
      ),
  },
  {
    id: 'stable.after-reload',
    group,
    title: 'a read after a reload gives the same rows',
    points: 2,
    applies: always,
    run: (subject) =>
      each(subject, featuresOf(subject), async ({ simulator, read, host }, feature) => {
        await simulator.seed(0, feature, 13)
        const before = printsOf((await read(feature)).rows)
        await host.reload()
        must(same(before, printsOf((await read(feature)).rows)), 'the rows differ')
      }),
  },
  {
    id: 'stable.quiet',
    group,
    title: 'reading changes nothing at the service',
    points: 2,
    applies: all(always, needsService),
    run: (subject) =>
      each(subject, featuresOf(subject), async ({ simulator, read, provider, requests, isWrite }, feature) => {
        await simulator.seed(0, feature, 5)
        const before = await simulator.count(0, feature)
        const asked = requests().length
        await read(feature)
        await provider.probe('default')
        const write = requests()
          .slice(asked)
          .find((request) => isWrite(request) && simulator.isRefresh?.(request) !== true)
        must(write === undefined, `a read sent ${write?.method} ${write?.path}`)
        const after = await simulator.count(0, feature)
        must(after === before, `the service had ${before} rows and has ${after}`)
      }),
  },
]
