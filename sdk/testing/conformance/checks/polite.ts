// Checks of load: few concurrent requests, few in total, none after the end, and an event loop that is never blocked.
import { setTimeout as sleep } from 'node:timers/promises'
import { orAfter } from '../../../waiting.ts'
import type { Bench, Check } from '../contract.ts'
import {
  all,
  always,
  each,
  endText,
  failed,
  featuresOf,
  must,
  needsFeature,
  needsService,
  seeded,
  writable,
} from './support.ts'

const ROWS = 160
/** Maximum of concurrent requests for one account. */
const AT_ONCE = 10
/** Requests that succeed before the service hangs, so that the number of pages is known. */
const FREE = 3
const QUIET_MS = 250
/** Processor time of one turn of the event loop: other work on the machine does not count. */
const BLOCKED_MS = 250
const TIMEOUT_MS = 45_000

/** Waits until no more requests arrive. */
async function quiet({ requests }: Bench): Promise<number> {
  for (let last = -1; ; ) {
    const now = requests().length
    if (now === last) return now
    last = now
    await sleep(QUIET_MS)
  }
}

export const polite: readonly Check[] = [
  {
    id: 'reads.at-most',
    group: 'reads',
    title: `a read has at most ${AT_ONCE} requests under way`,
    points: 2,
    applies: needsService,
    run: (subject) =>
      each(
        subject,
        featuresOf(subject),
        async (bench, feature) => {
          await seeded(bench, feature, ROWS)
          const before = bench.requests().length
          let seen = 0
          bench.fault({ kind: 'hang', match: () => (seen += 1) > FREE })
          const stop = new AbortController()
          const reading = Array.fromAsync(bench.provider.read('default', { feature }, stop.signal)).catch(() => [])
          const underWay = (await quiet(bench)) - before - FREE
          stop.abort()
          await reading
          must(underWay <= AT_ONCE, `${underWay} requests were sent without waiting for an answer`)
        },
        { size: ROWS + 8 },
      ),
  },
  {
    id: 'reads.requests',
    group: 'reads',
    title: 'a read sends no further request for each row',
    points: 2,
    applies: needsService,
    run: (subject) =>
      each(
        subject,
        featuresOf(subject),
        async (bench, feature) => {
          const rows = await seeded(bench, feature, ROWS)
          const before = bench.requests().length
          await bench.read(feature)
          const spent = bench.requests().length - before
          must(spent < rows, `${spent} requests for ${rows} rows`)
        },
        { size: ROWS + 8 },
      ),
  },
  {
    id: 'reads.loop',
    group: 'reads',
    title: `a read yields to others: no turn of it takes ${BLOCKED_MS} ms`,
    points: 2,
    alone: true,
    applies: always,
    run: (subject) =>
      each(
        subject,
        featuresOf(subject),
        async (bench, feature) => {
          await seeded(bench, feature, ROWS)
          // Compiles and warms up the code.
          await bench.read(feature)
          let longest = 0
          let before = process.threadCpuUsage()
          const timer = setInterval(() => {
            const { user, system } = process.threadCpuUsage(before)
            longest = Math.max(longest, (user + system) / 1_000)
            before = process.threadCpuUsage()
          }, 1)
          await bench.read(feature)
          await sleep(5)
          clearInterval(timer)
          must(longest < BLOCKED_MS, `one turn took ${Math.round(longest)} ms`)
        },
        { size: ROWS + 8 },
      ),
  },
  {
    id: 'damage.timeout',
    group: 'damage',
    title: 'a service that does not answer is given up after a while, and is no empty list',
    points: 3,
    waits: true,
    applies: needsService,
    async run(subject) {
      const [feature] = featuresOf(subject)
      if (feature === undefined) return undefined
      await using bench = await subject.open()
      await seeded(bench, feature, 5)
      const before = bench.requests().length
      await bench.read(feature)
      const asked = bench.requests().length - before
      for (let last = asked; last > 0; last -= 1) {
        // Reload to drop cached lists, then hang at the last request of the read.
        await bench.host.reload()
        let [seen, hangs] = [0, false]
        bench.fault({ kind: 'hang', match: () => (seen += 1) >= last && (hangs = true) })
        // Measured like the limits of requests, so that on a busy machine neither of them ends early.
        const read = await orAfter(bench.tryRead(feature), TIMEOUT_MS, undefined)
        bench.clearFaults()
        // Cached data reduced the number of requests.
        if (!hangs) continue
        must(read !== undefined, `the read of ${feature} still waits after ${TIMEOUT_MS / 1_000} s`)
        must(
          failed(read) || !read.end.complete,
          failed(read) ? '' : `${feature}: it gave ${read.rows.length} rows, ${endText(read.end)}`,
        )
        return undefined
      }
      return undefined
    },
  },
  {
    id: 'writes.at-most',
    group: 'writes',
    title: `a write has at most ${AT_ONCE} requests under way`,
    points: 2,
    applies: all(needsFeature(writable, 'nothing can be added'), needsService),
    run: (subject) =>
      each(
        subject,
        featuresOf(subject, writable),
        async (bench, feature) => {
          const most = Math.min(subject.description.features[feature]?.maxBatch ?? 100, 40)
          const items = await bench.simulator.fresh(feature, most)
          const before = bench.requests().filter(bench.isWrite).length
          bench.fault({ kind: 'hang', match: bench.isWrite })
          const stop = new AbortController()
          const keyed = items.map((item, index) => ({ key: `k${index}`, item }))
          const writing = bench.provider
            .write('default', { feature, op: 'add', items: keyed }, stop.signal)
            .catch(() => undefined)
          await quiet(bench)
          const underWay = bench.requests().filter(bench.isWrite).length - before
          stop.abort()
          await writing
          must(underWay <= AT_ONCE, `${underWay} requests were sent without waiting for an answer`)
        },
        { size: 48 },
      ),
  },
  {
    id: 'cancel.stops',
    group: 'cancel',
    title: 'what is called off asks the service for nothing more',
    points: 2,
    applies: needsService,
    run: (subject) =>
      each(
        subject,
        featuresOf(subject),
        async (bench, feature) => {
          await seeded(bench, feature, ROWS)
          const before = bench.requests().length
          const stop = new AbortController()
          const reading = Array.fromAsync(bench.provider.read('default', { feature }, stop.signal)).catch(() => [])
          let isOver = false
          void reading.then(() => (isOver = true))
          // Abort in the middle of the pages, if there are enough.
          while (!isOver && bench.requests().length < before + FREE + 2) await sleep(1)
          const atOnce = bench.requests().length
          stop.abort()
          await reading
          const more = (await quiet(bench)) - atOnce
          must(more <= AT_ONCE, `${more} more requests came after it was called off`)
          if (subject.description.features[feature]?.add !== true) return
          const most = Math.min(subject.description.features[feature]?.maxBatch ?? 100, 40)
          const items = (await bench.simulator.fresh(feature, most)).map((item, index) => ({ key: `k${index}`, item }))
          const writes = () => bench.requests().filter(bench.isWrite).length
          const sent = writes()
          const end = new AbortController()
          const writing = bench.provider
            .write('default', { feature, op: 'add', items }, end.signal)
            .catch(() => undefined)
          for (let turn = 0; turn < 1_000 && writes() === sent; turn += 1) await sleep(1)
          const known = writes()
          end.abort()
          await writing
          await quiet(bench)
          const late = writes() - known
          must(late <= AT_ONCE, `${late} more writes came after it was called off`)
        },
        { size: ROWS + 48 },
      ),
  },
]
