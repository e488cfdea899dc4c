// Reads that go well: everything is there once, and said to be so.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { runInNewContext } from 'node:vm'
import { setFlagsFromString } from 'node:v8'
import type { Item } from '../../../items/item.ts'
import { parseTime } from '../../../items/time.ts'
import type { ReadPart } from '../../../provider/contract.ts'
import type { Bench } from '../bench.ts'
import type { Check } from '../contract.ts'
import { always, each, endText, featuresOf, must, printsOf, same, thrownBy } from './support.ts'

const group = 'reads'
const MANY = 2_600
const LARGEST_PART = 2_500
const TIMES = ['watched_at', 'rated_at', 'added_at', 'progress_at'] as const
const DAY_MS = 86_400_000

async function parts({ provider }: Bench, feature: Parameters<Bench['read']>[0]): Promise<readonly ReadPart[]> {
  return Array.fromAsync(provider.read('default', { feature }))
}

export const reads: readonly Check[] = [
  {
    id: 'reads.complete', group, title: 'a read gives every row, and says that it is complete', points: 3, applies: always,
    run: (subject) => each(subject, featuresOf(subject), async ({ simulator, read }, feature) => {
      await simulator.seed(0, feature, 13)
      const { rows, end } = await read(feature)
      const wanted = await simulator.count(0, feature)
      must(wanted === 13, `the stand-in keeps ${wanted} of 13 items; the adapter is wrong`)
      must(rows.length === wanted, `${rows.length} of ${wanted} rows came`)
      must(end.complete && end.semantics === 'present', `the read ended with ${endText(end)}`)
    }),
  },
  {
    id: 'reads.empty', group, title: 'an empty account is proven to be empty', points: 2, applies: always,
    run: (subject) => each(subject, featuresOf(subject), async ({ read }, feature) => {
      const { rows, end } = await read(feature)
      must(rows.length === 0, `${rows.length} rows came`)
      must(end.complete, `the read ended with ${endText(end)}`)
    }),
  },
  {
    id: 'reads.one-end', group, title: 'a read has exactly one end, and nothing after it', points: 2, applies: always,
    run: (subject) => each(subject, featuresOf(subject), async (bench, feature) => {
      await bench.simulator.seed(0, feature, 3)
      const all = await parts(bench, feature)
      const ends = all.filter(({ type }) => type === 'end').length
      must(ends === 1, `it has ${ends} ends`)
      must(all.at(-1)?.type === 'end', 'rows came after the end')
    }),
  },
  {
    id: 'reads.identity', group, title: 'every row is an item of a known kind with an identity', points: 2, applies: always,
    run: (subject) => each(subject, featuresOf(subject), async ({ simulator, read }, feature) => {
      await simulator.seed(0, feature, 13)
      for (const row of (await read(feature)).rows) {
        const ids = Object.keys(row.ids).length + Object.keys(row.show_ids ?? {}).length
        must(ids > 0, `"${row.title}" has no ids: it can only be matched by its title, which is never done`)
        must(row.type !== 'episode' || (row.season !== undefined && row.episode !== undefined) || Object.keys(row.ids).length > 0,
          `the episode "${row.title}" has neither ids nor numbers`)
      }
    }),
  },
  {
    id: 'reads.once', group, title: 'no row comes twice', points: 2, applies: always,
    run: (subject) => each(subject, featuresOf(subject), async ({ simulator, read }, feature) => {
      await simulator.seed(0, feature, 13)
      const prints = printsOf((await read(feature)).rows)
      const twice = prints.find((print, index) => print === prints[index + 1])
      must(twice === undefined, `${twice} came twice`)
    }),
  },
  {
    id: 'reads.values', group, title: 'rows carry the value of their feature', applies: always,
    run: (subject) => each(subject, featuresOf(subject, ({ read }) => read), async ({ simulator, read }, feature) => {
      await simulator.seed(0, feature, 3)
      for (const row of (await read(feature)).rows) {
        const { rating, progress_ms, progress_percent, watched, watched_at } = row
        must(feature !== 'ratings' || rating !== undefined, `"${row.title}" has no rating`)
        must(feature !== 'progress' || progress_ms !== undefined || progress_percent !== undefined, `"${row.title}" has no position`)
        must(feature !== 'history' || watched === true || watched_at !== undefined, `"${row.title}" was not watched`)
      }
    }),
  },
  {
    id: 'reads.times', group, title: 'times are those of the service, whatever clock Playhead has', points: 2, applies: always,
    async run(subject) {
      for (const feature of featuresOf(subject)) {
        for (const skewMs of [-3 * DAY_MS, 3 * DAY_MS]) {
          await using bench = await subject.open({ skewMs })
          await bench.simulator.seed(0, feature, 3)
          const { rows, end } = await bench.read(feature)
          must(end.complete && rows.length === 3, `${feature}: with a clock that is off ${rows.length} of 3 rows came, ${endText(end)}`)
          for (const row of rows) must(isPast(row), `${feature}: "${row.title}" has a time in the future, which nobody but Playhead's clock knows`)
        }
      }
      return undefined
    },
  },
  {
    id: 'reads.repeatable', group, title: 'a second read gives the same rows', points: 2, applies: always,
    run: (subject) => each(subject, featuresOf(subject), async ({ simulator, read }, feature) => {
      await simulator.seed(0, feature, 13)
      const first = printsOf((await read(feature)).rows)
      must(same(first, printsOf((await read(feature)).rows)), 'the rows differ')
    }),
  },
  {
    id: 'reads.at-once', group, title: 'reads at the same time do not disturb each other', applies: always,
    run: (subject) => each(subject, featuresOf(subject), async ({ simulator, read }, feature) => {
      await simulator.seed(0, feature, 13)
      const all = await Promise.all([read(feature), read(feature), read(feature)])
      for (const { rows, end } of all) must(rows.length === 13 && end.complete, `one gave ${rows.length} of 13 rows, ${endText(end)}`)
    }),
  },
  {
    id: 'reads.changes', group, title: 'what a person adds is in the next read', points: 2, applies: always,
    run: (subject) => each(subject, featuresOf(subject), async ({ simulator, read }, feature) => {
      await simulator.seed(0, feature, 3)
      await read(feature)
      await simulator.seed(0, feature, 1)
      const { rows } = await read(feature)
      must(rows.length === 4, `${rows.length} of 4 rows came`)
    }),
  },
  {
    id: 'reads.taken-off', group, title: 'what a person takes off is not in the next read', points: 2,
    applies: ({ can }) => can.takeOff || 'its adapter cannot take items off',
    run: (subject) => each(subject, featuresOf(subject), async ({ simulator, read }, feature) => {
      await simulator.seed(0, feature, 3)
      await read(feature)
      await simulator.takeOff?.(0, feature)
      const wanted = await simulator.count(0, feature)
      const { rows, end } = await read(feature)
      must(!end.complete || rows.length === wanted, `${rows.length} rows came, ${wanted} are there`)
    }),
  },
  {
    id: 'reads.many', group, title: 'many rows come in parts, all of them', points: 2, applies: always,
    run: (subject) => each(subject, featuresOf(subject), async (bench, feature) => {
      await bench.simulator.seed(0, feature, MANY)
      const seen = await parts(bench, feature)
      const sizes = seen.map((part) => (part.type === 'rows' ? part.rows.length : 0))
      const came = sizes.reduce((sum, size) => sum + size, 0)
      must(came === MANY, `${came} of ${MANY} rows came`)
      must(Math.max(...sizes) <= LARGEST_PART, `${Math.max(...sizes)} rows came at once; give them as they come`)
    }, { size: MANY + 8 }),
  },
  {
    id: 'reads.memory', group, title: 'reading again and again keeps nothing in memory', alone: true, applies: always,
    run: (subject) => each(subject, featuresOf(subject), async (bench, feature) => {
      await bench.simulator.seed(0, feature, 300)
      const readAll = async (times: number) => {
        for (let turn = 0; turn < times; turn += 1) for await (const _ of bench.provider.read('default', { feature }));
        return heapMb()
      }
      await readAll(2)
      const before = await readAll(2)
      const after = await readAll(5)
      must(after - before < 2, `five reads of 300 rows left ${(after - before).toFixed(1)} MB`)
    }, { size: 308 }),
  },
  {
    id: 'reads.stop', group, title: 'a reader that goes away leaves nothing behind', applies: always,
    run: (subject) => each(subject, featuresOf(subject), async ({ simulator, provider, host, read }, feature) => {
      await simulator.seed(0, feature, 40)
      for await (const _ of provider.read('default', { feature })) break
      await nextTurn()
      must(host.failures.length === 0, `${host.failures[0]?.what} failed`)
      const { rows } = await read(feature)
      must(rows.length === 40, `the next read gave ${rows.length} of 40 rows`)
    }, { size: 48 }),
  },
  {
    id: 'reads.plays', group, title: 'single plays are read one by one, or refused', applies: ({ description }) =>
      description.features.history?.read === true || 'it has no history',
    async run(subject) {
      await using bench = await subject.open()
      await bench.simulator.seed(0, 'history', 5)
      if (subject.description.features.history?.plays?.read !== true) {
        must(await thrownBy(() => bench.read('history', { plays: true })) !== undefined, 'single plays are read although it says that it cannot')
        return undefined
      }
      const { rows, end } = await bench.read('history', { plays: true })
      must(end.complete && rows.length >= 5, `${rows.length} plays of 5 items came, ${endText(end)}`)
      must(rows.every(({ watched_at: at }) => at !== undefined), 'a play has no time')
      return undefined
    },
  },
]

function isPast(row: Item): boolean {
  return TIMES.every((name) => {
    const time = parseTime(row[name])
    return time === undefined || time.atMs < Date.now() + DAY_MS
  })
}

async function heapMb(): Promise<number> {
  await nextTurn()
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  collect()
  return process.memoryUsage().heapUsed / 1024 ** 2
}
