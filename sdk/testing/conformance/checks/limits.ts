// Checks of rate limits.
import type { Check } from '../contract.ts'
import { isPlayheadError } from '../../../errors.ts'
import {
  all,
  each,
  endText,
  failed,
  featuresOf,
  hasCode,
  must,
  needsFeature,
  needsService,
  seeded,
  textOf,
  writable,
} from './support.ts'

const group = 'limits'
const HOUR_S = 3_600
const adds = needsFeature(writable, 'nothing can be added')
const later = (seconds: number) => ({ status: 429, headers: { 'retry-after': String(seconds) } })

export const limits: readonly Check[] = [
  {
    id: 'limits.retry-after',
    group,
    title: 'a Retry-After is obeyed, and the read continues',
    points: 2,
    applies: needsService,
    run: (subject) =>
      each(subject, featuresOf(subject), async ({ simulator, clock, tryRead, fault }, feature) => {
        const wanted = await seeded({ simulator }, feature, 5)
        let isOver = false
        // One response in total, from the server that is asked first.
        fault({ kind: 'status', ...later(7), match: () => !isOver && (isOver = true) })
        const before = clock.now()
        const read = await tryRead(feature)
        if (failed(read)) {
          must(hasCode(read.error, 'PLH_RATE_LIMITED'), `the read threw ${textOf(read.error)}`)
          return
        }
        must(
          read.rows.length === wanted && read.end.complete,
          `${read.rows.length} of ${wanted} rows came, ${endText(read.end)}`,
        )
        must(clock.now() - before >= 7_000, `it waited ${clock.now() - before} ms of 7000`)
      }),
  },
  {
    id: 'limits.long',
    group,
    title: 'an hour to wait is reported at once, with the time, and no request is sent meanwhile',
    points: 2,
    applies: needsService,
    run: (subject) =>
      each(subject, featuresOf(subject), async ({ simulator, tryRead, fault, requests }, feature) => {
        await simulator.seed(0, feature, 5)
        fault({ kind: 'status', ...later(HOUR_S) })
        const read = await tryRead(feature)
        must(failed(read), 'the read answered')
        must(hasCode(read.error, 'PLH_RATE_LIMITED'), `the read threw ${textOf(read.error)}, not PLH_RATE_LIMITED`)
        const { retryAfterMs = 0 } = isPlayheadError(read.error) ? read.error : {}
        must(
          retryAfterMs > 3_000_000 && retryAfterMs <= 3_600_000,
          `it says to wait ${retryAfterMs} ms, the service said an hour`,
        )
        const before = requests().length
        await tryRead(feature)
        must(requests().length === before, 'the service was asked again within the hour')
      }),
  },
  {
    id: 'limits.quota',
    group,
    title: 'an allowance that is used up never reads as an empty list',
    points: 3,
    applies: needsService,
    run: (subject) =>
      each(subject, featuresOf(subject), async ({ simulator, tryRead, fault, clearFaults, clock }, feature) => {
        const wanted = await seeded({ simulator }, feature, 5)
        fault({ kind: 'status', ...(simulator.quota ?? later(HOUR_S)) })
        const read = await tryRead(feature)
        must(failed(read) || !read.end.complete, 'the read answered')
        clearFaults()
        clock.advance(25 * HOUR_S * 1_000)
        const after = await tryRead(feature)
        must(!failed(after) && after.rows.length === wanted, 'the next day it still reads nothing')
      }),
  },
  {
    id: 'limits.plan',
    group,
    title: 'a limit of the plan (420, 426) never reads as an empty list, and signs no account out',
    points: 3,
    applies: needsService,
    run: (subject) =>
      each(
        subject,
        featuresOf(subject),
        async ({ simulator, provider, tryRead, fault, clearFaults, clock }, feature) => {
          const wanted = await seeded({ simulator }, feature, 5)
          for (const status of [420, 426]) {
            fault({ kind: 'status', status })
            const during = await provider.probe('default')
            must(
              during.status !== 'auth_failed' && during.status !== 'not_configured',
              `${status}: the probe says ${during.status}`,
            )
            const read = await tryRead(feature)
            must(failed(read) || !read.end.complete, `${status}: the read is complete`)
            clearFaults()
            clock.advance(25 * HOUR_S * 1_000)
            await provider.probe('default')
            const after = await tryRead(feature)
            must(!failed(after) && after.rows.length === wanted, `${status}: the next day it still reads nothing`)
          }
        },
      ),
  },
  {
    id: 'limits.write',
    group,
    title: 'writes that are held back are reported as such, each of them',
    points: 2,
    applies: all(adds, needsService),
    run: (subject) =>
      each(subject, featuresOf(subject, writable), async ({ simulator, write, fault, isWrite }, feature) => {
        const items = await simulator.fresh(feature, 3)
        fault({ kind: 'status', ...later(HOUR_S), match: isWrite })
        const { outcomes, retryAfterMs } = await write(feature, 'add', items)
        must(
          outcomes.length === 3 && outcomes.every(({ outcome }) => outcome === 'rate_limited'),
          `the outcomes are ${outcomes.map(({ outcome, reason }) => `${outcome} (${reason})`).join(', ')}`,
        )
        must((retryAfterMs ?? 0) > 3_000_000, `it says to wait ${retryAfterMs} ms, the service said an hour`)
        must((await simulator.count(0, feature)) === 0, 'the service has some of them; the adapter is wrong')
      }),
  },
  {
    id: 'limits.write-later',
    group,
    title: 'when the wait is over the same items can be written',
    applies: all(adds, needsService),
    run: (subject) =>
      each(
        subject,
        featuresOf(subject, writable),
        async ({ simulator, write, fault, clearFaults, clock, isWrite }, feature) => {
          const items = await simulator.fresh(feature, 2)
          fault({ kind: 'status', ...later(60), match: isWrite })
          await write(feature, 'add', items)
          clearFaults()
          clock.advance(61_000)
          const { outcomes } = await write(feature, 'add', items)
          must(
            outcomes.every(({ outcome }) => outcome === 'applied' || outcome === 'already'),
            `the outcomes are ${outcomes.map(({ outcome }) => outcome).join(', ')}`,
          )
        },
      ),
  },
  {
    id: 'limits.probe',
    group,
    title: 'a probe under a limit says so, and the account is not taken for signed out',
    applies: needsService,
    async run(subject) {
      await using bench = await subject.open()
      bench.fault({ kind: 'status', ...later(HOUR_S) })
      const { status, reasonCode } = await bench.provider.probe('default')
      must(status === 'degraded', `the probe says ${status} ${reasonCode ?? ''}`)
      return undefined
    },
  },
  {
    id: 'limits.down',
    group,
    title: 'a service that is down is reported as down, never as signed out',
    points: 2,
    applies: needsService,
    async run(subject) {
      for (const fault of [{ kind: 'html' }, { kind: 'status', status: 500 }, { kind: 'reset' }] as const) {
        await using bench = await subject.open()
        bench.fault(fault)
        const { status, reasonCode } = await bench.provider.probe('default')
        must(status === 'down' || status === 'degraded', `${fault.kind}: the probe says ${status} ${reasonCode ?? ''}`)
      }
      return undefined
    },
  },
]
