// Checks of successful reads: every row exactly once, and reported as complete.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Item } from '../../../items/item.ts'
import { parseTime } from '../../../items/time.ts'
import type { ReadPart, ReadRequest } from '../../../provider/reads/contract.ts'
import type { Feature } from '../../../provider/features.ts'
import { addsUp } from '../../../provider/reads/read-end.ts'
import type { Bench, Check, Subject } from '../contract.ts'
import { heapMb } from '../heap.ts'
import {
  always,
  each,
  endText,
  featuresOf,
  forFeature,
  LeftOut,
  must,
  printsOf,
  same,
  seeded,
  thrownBy,
} from './support.ts'
import { defined } from '../../../defined.ts'

const group = 'reads'
const LARGEST_PART = 2_500
/** A library may be cached, but must not take more memory than its plain rows. */
const MAX_HEAP_MB = 12
const HELD_MB_PER_ROW = 0.002
const TIMES = ['watched_at', 'rated_at', 'added_at', 'progress_at'] as const
const DAY_MS = 86_400_000

async function parts({ provider }: Bench, feature: Parameters<Bench['read']>[0]): Promise<readonly ReadPart[]> {
  return Array.fromAsync(provider.read('default', { feature }))
}

interface ManyRead {
  readonly wanted: number
  readonly came: number
  readonly largestPart: number
  /** Memory in use when most rows had arrived. */
  readonly looked?: { readonly came: number; readonly heldMb: number }
}

/** Filling and reading the accounts takes long, so two checks share the result. */
const manyRead = new WeakMap<Subject, Promise<ReadonlyMap<Feature, ManyRead>>>()

async function eachOfMany(subject: Subject, check: (read: ManyRead) => void): Promise<undefined> {
  const left = manyRead.get(subject)
  const reading = left ?? readMany(subject)
  if (left === undefined) manyRead.set(subject, reading)
  else manyRead.delete(subject)
  for (const [feature, read] of await reading) await forFeature(feature, () => check(read))
}

async function readMany(subject: Subject): Promise<ReadonlyMap<Feature, ManyRead>> {
  const all = new Map<Feature, ManyRead>()
  await each(
    subject,
    featuresOf(subject),
    async (bench, feature) => {
      const wanted = await seeded(bench, feature, subject.items)
      const before = await heapMb()
      let [came, largestPart] = [0, 0]
      let looked: ManyRead['looked']
      for await (const part of bench.provider.read('default', { feature })) {
        const size = part.type === 'rows' ? part.rows.length : 0
        came += size
        largestPart = Math.max(largestPart, size)
        if (looked === undefined && came >= wanted * 0.9) looked = { came, heldMb: (await heapMb()) - before }
      }
      all.set(feature, { wanted, came, largestPart, ...defined({ looked }) })
    },
    { size: subject.items + 8 },
  )
  return all
}

export const reads: readonly Check[] = [
  {
    id: 'reads.complete',
    group,
    title: 'a read gives every row, and says that it is complete',
    points: 3,
    applies: always,
    run: (subject) =>
      each(subject, featuresOf(subject), async ({ simulator, read }, feature) => {
        const wanted = await seeded({ simulator }, feature, 13)
        const { rows, end } = await read(feature)
        must(rows.length === wanted, `${rows.length} of ${wanted} rows came`)
        must(end.complete && end.semantics === 'present', `the read ended with ${endText(end)}`)
      }),
  },
  {
    id: 'reads.empty',
    group,
    title: 'an empty account is proven to be empty',
    points: 2,
    applies: always,
    run: (subject) =>
      each(subject, featuresOf(subject), async ({ simulator, read }, feature) => {
        if ((await simulator.count(0, feature)) > 0) throw new LeftOut('its account is not empty')
        const { rows, end } = await read(feature)
        must(rows.length === 0, `${rows.length} rows came`)
        must(end.complete, `the read ended with ${endText(end)}`)
      }),
  },
  {
    id: 'reads.one-end',
    group,
    title: 'a read has exactly one end, and nothing after it',
    points: 2,
    applies: always,
    run: (subject) =>
      each(subject, featuresOf(subject), async (bench, feature) => {
        await bench.simulator.seed(0, feature, 3)
        const all = await parts(bench, feature)
        const ends = all.filter(({ type }) => type === 'end').length
        must(ends === 1, `it has ${ends} ends`)
        must(all.at(-1)?.type === 'end', 'rows came after the end')
      }),
  },
  {
    id: 'reads.identity',
    group,
    title: 'every row is an item of a known kind with an identity',
    points: 2,
    applies: always,
    run: (subject) =>
      each(subject, featuresOf(subject), async ({ simulator, read }, feature) => {
        await simulator.seed(0, feature, 13)
        for (const row of (await read(feature)).rows) {
          const ids = Object.keys(row.ids).length + Object.keys(row.show_ids ?? {}).length
          must(ids > 0, `"${row.title}" has no ids: it can only be matched by its title, which is never done`)
          must(
            row.type !== 'episode' ||
              (row.season !== undefined && row.episode !== undefined) ||
              Object.keys(row.ids).length > 0,
            `the episode "${row.title}" has neither ids nor numbers`,
          )
        }
      }),
  },
  {
    id: 'reads.once',
    group,
    title: 'no row comes twice',
    points: 2,
    applies: always,
    run: (subject) =>
      each(subject, featuresOf(subject), async ({ simulator, read }, feature) => {
        await simulator.seed(0, feature, 13)
        const prints = printsOf((await read(feature)).rows)
        const twice = prints.find((print, index) => print === prints[index + 1])
        must(twice === undefined, `${twice} came twice`)
      }),
  },
  {
    id: 'reads.values',
    group,
    title: 'rows carry the value of their feature',
    applies: always,
    run: (subject) =>
      each(
        subject,
        featuresOf(subject, ({ read }) => read),
        async ({ simulator, read }, feature) => {
          await simulator.seed(0, feature, 3)
          for (const row of (await read(feature)).rows) {
            const { rating, progress_ms, progress_percent, watched, watched_at } = row
            must(feature !== 'ratings' || rating !== undefined, `"${row.title}" has no rating`)
            must(
              feature !== 'progress' || progress_ms !== undefined || progress_percent !== undefined,
              `"${row.title}" has no position`,
            )
            must(
              feature !== 'history' || watched === true || watched_at !== undefined,
              `"${row.title}" was not watched`,
            )
          }
        },
      ),
  },
  {
    id: 'reads.times',
    group,
    title: "times are those of the service, regardless of Playhead's clock",
    points: 2,
    applies: always,
    async run(subject) {
      for (const feature of featuresOf(subject)) {
        for (const skewMs of [-3 * DAY_MS, 3 * DAY_MS]) {
          await using bench = await subject.open({ skewMs })
          const wanted = await seeded(bench, feature, 3)
          const { rows, end } = await bench.read(feature)
          must(
            end.complete && rows.length === wanted,
            `${feature}: with a clock that is off ${rows.length} of ${wanted} rows came, ${endText(end)}`,
          )
          for (const row of rows)
            must(
              isPast(row),
              `${feature}: "${row.title}" has a time in the future, which nobody but Playhead's clock knows`,
            )
        }
      }
      return undefined
    },
  },
  {
    id: 'reads.total',
    group,
    title: 'the total that a read reports is that of its rows, for every request',
    points: 2,
    applies: always,
    run: (subject) =>
      each(subject, featuresOf(subject), async (bench, feature) => {
        await seeded(bench, feature, 13)
        const kinds = subject.description.features[feature]?.kinds ?? []
        const requests: readonly Pick<ReadRequest, 'kinds'>[] = [{}, ...kinds.map((kind) => ({ kinds: [kind] }))]
        for (const request of requests) {
          let [given, total]: [number, number | undefined] = [0, undefined]
          for await (const part of bench.provider.read('default', { feature, ...request })) {
            if (part.type === 'rows') [given, total] = [given + part.rows.length, part.total ?? total]
            else {
              must(
                !part.end.complete || addsUp(total, given, part.end),
                `${given} ${request.kinds?.join() ?? 'row'}s came and ${part.end.unreadable?.length ?? 0} could not be told, but the total is ${total}: such a read is not believed`,
              )
            }
          }
        }
      }),
  },
  {
    id: 'reads.repeatable',
    group,
    title: 'a second read gives the same rows',
    points: 2,
    applies: always,
    run: (subject) =>
      each(subject, featuresOf(subject), async ({ simulator, read }, feature) => {
        await simulator.seed(0, feature, 13)
        const first = printsOf((await read(feature)).rows)
        must(same(first, printsOf((await read(feature)).rows)), 'the rows differ')
      }),
  },
  {
    id: 'reads.at-once',
    group,
    title: 'reads at the same time do not disturb each other',
    applies: always,
    run: (subject) =>
      each(subject, featuresOf(subject), async ({ simulator, read }, feature) => {
        const wanted = await seeded({ simulator }, feature, 13)
        const all = await Promise.all([read(feature), read(feature), read(feature)])
        for (const { rows, end } of all)
          must(rows.length === wanted && end.complete, `one gave ${rows.length} of ${wanted} rows, ${endText(end)}`)
      }),
  },
  {
    id: 'reads.changes',
    group,
    title: 'what a person adds is in the next read',
    points: 2,
    applies: always,
    run: (subject) =>
      each(subject, featuresOf(subject), async ({ simulator, provider, read }, feature) => {
        await simulator.seed(0, feature, 3)
        await read(feature)
        await simulator.seed(0, feature, 1)
        // As at the start of a run: resets the values that features of a run share.
        await provider.probe('default')
        const { rows } = await read(feature)
        must(rows.length === 4, `${rows.length} of 4 rows came`)
      }),
  },
  {
    id: 'reads.taken-off',
    group,
    title: 'what a person takes off is not in the next read',
    points: 2,
    applies: ({ can }) => can.takeOff || 'its adapter cannot take items off',
    run: (subject) =>
      each(subject, featuresOf(subject), async ({ simulator, provider, read }, feature) => {
        await simulator.seed(0, feature, 3)
        await read(feature)
        await simulator.takeOff?.(0, feature)
        await provider.probe('default')
        const wanted = await simulator.count(0, feature)
        const { rows, end } = await read(feature)
        must(!end.complete || rows.length === wanted, `${rows.length} rows came, ${wanted} are there`)
      }),
  },
  {
    id: 'reads.many',
    group,
    title: 'many rows come in parts, all of them',
    points: 2,
    alone: true,
    applies: always,
    run: (subject) =>
      eachOfMany(subject, ({ wanted, came, largestPart }) => {
        must(came === wanted, `${came} of ${wanted} rows came`)
        must(largestPart <= LARGEST_PART, `${largestPart} rows came at once; give them as they come`)
      }),
  },
  {
    id: 'reads.bounded',
    group,
    title: 'what a read holds in memory is bounded, however many rows there are',
    points: 2,
    alone: true,
    applies: always,
    run: (subject) =>
      eachOfMany(subject, ({ wanted, looked }) => {
        const limit = MAX_HEAP_MB + wanted * HELD_MB_PER_ROW
        must(
          looked === undefined || looked.heldMb < limit,
          `after ${looked?.came} of ${wanted} rows it holds ${looked?.heldMb.toFixed(1)} MB`,
        )
      }),
  },
  {
    id: 'reads.memory',
    group,
    title: 'reading again and again keeps nothing in memory',
    alone: true,
    applies: always,
    run: (subject) =>
      each(
        subject,
        featuresOf(subject),
        async (bench, feature) => {
          await bench.simulator.seed(0, feature, 300)
          const readAll = async (times: number) => {
            for (let turn = 0; turn < times; turn += 1)
              for await (const _ of bench.provider.read('default', { feature }));
          }
          await readAll(4)
          const before = await heapMb()
          await readAll(5)
          const after = await heapMb()
          must(after - before < 2, `five reads of 300 rows left ${(after - before).toFixed(1)} MB`)
        },
        { size: 308 },
      ),
  },
  {
    id: 'reads.stop',
    group,
    title: 'a reader that stops leaves nothing behind',
    applies: always,
    run: (subject) =>
      each(
        subject,
        featuresOf(subject),
        async ({ simulator, provider, host, read }, feature) => {
          const wanted = await seeded({ simulator }, feature, 40)
          for await (const _ of provider.read('default', { feature })) break
          await nextTurn()
          must(host.failures.length === 0, `${host.failures[0]?.what} failed`)
          const { rows } = await read(feature)
          must(rows.length === wanted, `the next read gave ${rows.length} of ${wanted} rows`)
        },
        { size: 48 },
      ),
  },
  {
    id: 'reads.plays',
    group,
    title: 'single plays are read one by one, or refused',
    applies: ({ description }) => description.features.history?.read === true || 'it has no history',
    async run(subject) {
      await using bench = await subject.open()
      const wanted = await seeded(bench, 'history', 5)
      if (subject.description.features.history?.plays?.read !== true) {
        must(
          (await thrownBy(() => bench.read('history', { plays: true }))) !== undefined,
          'single plays are read although it says that it cannot',
        )
        return undefined
      }
      const { rows, end } = await bench.read('history', { plays: true })
      must(end.complete && rows.length >= wanted, `${rows.length} plays of ${wanted} items came, ${endText(end)}`)
      must(
        rows.every(({ watched_at: at }) => at !== undefined),
        'a play has no time',
      )
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
