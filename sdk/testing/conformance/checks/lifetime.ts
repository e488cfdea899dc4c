// Checks of cancelling and reloading, and of leaks.
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { Feature } from '../../../provider/features.ts'
import type { Bench, Check } from '../contract.ts'
import { heapMb } from '../heap.ts'
import {
  all,
  each,
  Failure,
  featuresOf,
  must,
  needsFeature,
  needsService,
  seeded,
  textOf,
  writable,
  always,
} from './support.ts'

const LIMIT_MS = 2_000
/** One-time allocations stay; the growth of further reloads is measured. */
const RELOADS_BEFORE = 25
const RELOADS = 75
const GROWTH_MB = 4

/** Aborts the work while it waits for a response that never comes, and checks that it ends. */
async function cancelled({ fault }: Bench, work: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
  fault({ kind: 'hang' })
  const stop = new AbortController()
  const ended = work(stop.signal).then(
    () => 'answered',
    (error: unknown) => (error instanceof Failure ? error : 'threw'),
  )
  await sleep(50)
  stop.abort()
  const how = await Promise.race([ended, sleep(LIMIT_MS, 'still running', { ref: false })])
  if (how instanceof Failure) throw how
  must(how !== 'still running', `it goes on ${LIMIT_MS / 1_000} s after it was cancelled`)
}

export const lifetime: readonly Check[] = [
  {
    id: 'cancel.read',
    group: 'cancel',
    title: 'a cancelled read ends within two seconds, and is not complete',
    points: 2,
    alone: true,
    applies: needsService,
    run: (subject) =>
      each(subject, featuresOf(subject), async (bench, feature) => {
        await bench.simulator.seed(0, feature, 3)
        await cancelled(bench, async (signal) => {
          for await (const part of bench.provider.read('default', { feature }, signal))
            must(part.type !== 'end' || !part.end.complete, 'it calls itself complete')
        })
      }),
  },
  {
    id: 'cancel.write',
    group: 'cancel',
    title: 'a cancelled write ends within two seconds',
    alone: true,
    applies: all(needsFeature(writable, 'nothing can be added'), needsService),
    run: (subject) =>
      each(subject, featuresOf(subject, writable), async (bench, feature) => {
        const items = await bench.simulator.fresh(feature, 2)
        await cancelled(bench, async (signal) => {
          const keyed = items.map((item, index) => ({ key: `k${index}`, item }))
          const { outcomes } = await bench.provider.write('default', { feature, op: 'add', items: keyed }, signal)
          must(
            outcomes.every(({ outcome }) => outcome !== 'applied'),
            'it calls an item applied',
          )
        })
      }),
  },
  {
    id: 'cancel.probe',
    group: 'cancel',
    title: 'a cancelled probe ends within two seconds',
    alone: true,
    applies: needsService,
    async run(subject) {
      await using bench = await subject.open()
      await cancelled(bench, async (signal) => await bench.provider.probe('default', signal))
      return undefined
    },
  },
  {
    id: 'cancel.others',
    group: 'cancel',
    title: 'cancelling one read leaves the next ones alone',
    points: 2,
    applies: needsService,
    run: (subject) =>
      each(subject, featuresOf(subject), async (bench, feature) => {
        const wanted = await seeded(bench, feature, 3)
        // The account is known by now. A shared request continues after one caller aborts.
        await bench.read(feature)
        await bench.read(feature)
        await cancelled(
          bench,
          async (signal) => await Array.fromAsync(bench.provider.read('default', { feature }, signal)),
        )
        bench.clearFaults()
        const { rows, end } = await bench.read(feature)
        must(rows.length === wanted && end.complete, `the next read gave ${rows.length} of ${wanted} rows`)
      }),
  },
  {
    id: 'damage.unhandled',
    group: 'damage',
    title: 'a failure leaves no promise behind that nothing waits for',
    points: 2,
    alone: true,
    applies: needsService,
    async run(subject) {
      const left: unknown[] = []
      const note = (error: unknown) => void left.push(error)
      process.on('unhandledRejection', note)
      try {
        for (const fault of [undefined, { kind: 'status', status: 500 }, { kind: 'reset' }] as const) {
          await using bench = await subject.open()
          if (fault !== undefined) bench.fault(fault)
          for (const feature of featuresOf(subject)) await bench.tryRead(feature)
          for (const feature of featuresOf(subject, writable))
            await bench.write(feature, 'add', await bench.simulator.fresh(feature, 1)).catch(() => undefined)
          await bench.provider.probe('default')
          await sleep(50)
          for (const { what, error } of bench.host.failures) left.push(new Error(`${what}: ${textOf(error)}`))
        }
      } finally {
        process.off('unhandledRejection', note)
      }
      must(left.length === 0, `${left.length} were left: ${textOf(left[0])}`)
      return undefined
    },
  },
  {
    id: 'reload.signed-in',
    group: 'reload',
    title: 'profiles, their fingerprints and accounts outlive a reload',
    points: 2,
    applies: always,
    async run(subject) {
      await using bench = await subject.open()
      const look = async () => {
        const { status, account } = await bench.provider.probe('default')
        const profiles = (await bench.provider.profiles()).map(({ id, configured, fingerprint }) => ({
          id,
          configured,
          fingerprint,
        }))
        return JSON.stringify({ status, account, profiles })
      }
      const before = await look()
      await bench.host.reload()
      const after = await look()
      must(after === before, `before: ${before}; after: ${after}`)
      return undefined
    },
  },
  {
    id: 'reload.during-read',
    group: 'reload',
    title: 'a reload in the middle of a read never makes it complete too early',
    points: 3,
    applies: always,
    run: (subject) =>
      each(
        subject,
        featuresOf(subject),
        async (bench, feature) => {
          const wanted = await seeded(bench, feature, 40)
          await readOver(bench, feature, wanted)
          const { rows } = await bench.read(feature)
          must(rows.length === wanted, `afterwards ${rows.length} of ${wanted} rows came`)
        },
        { size: 48 },
      ),
  },
  {
    id: 'reload.growth',
    group: 'reload',
    title: 'reloading it again and again leaves nothing behind',
    alone: true,
    applies: always,
    async run(subject) {
      await using bench = await subject.open()
      const [feature = 'history'] = featuresOf(subject)
      await bench.simulator.seed(0, feature, 3)
      const turn = async () => {
        await bench.host.reload()
        await bench.read(feature)
      }
      const look = async (reloads: number) => {
        for (let turns = 0; turns < reloads; turns += 1) await turn()
        await sleep(20)
        await nextTurn()
        return { open: process.getActiveResourcesInfo().length, heap: await heapMb() }
      }
      const before = await look(RELOADS_BEFORE)
      const after = await look(RELOADS)
      must(
        after.open - before.open < RELOADS / 2,
        `${RELOADS} reloads left ${after.open - before.open} timers or connections`,
      )
      must(after.heap - before.heap < GROWTH_MB, `${RELOADS} reloads left ${(after.heap - before.heap).toFixed(1)} MB`)
      must(bench.host.failures.length === 0, `${bench.host.failures[0]?.what} failed`)
      return undefined
    },
  },
]

async function readOver({ provider, host }: Bench, feature: Feature, wanted: number): Promise<void> {
  let came = 0
  let isReloaded = false
  try {
    for await (const part of provider.read('default', { feature })) {
      if (part.type === 'rows') came += part.rows.length
      else must(!part.end.complete || came === wanted, `it gave ${came} of ${wanted} rows and called them complete`)
      if (isReloaded) continue
      isReloaded = true
      await host.reload()
    }
  } catch (error) {
    // An interrupted read may throw, but must not claim to be complete.
    if (error instanceof Failure) throw error
  }
}
