// The event archive: insert speed and size, query speed among 1.2 million events, and delays of other requests meanwhile.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { createTestHost } from '@playhead/sdk/testing'
import { type EventArchive, EVENT_ARCHIVE } from '@playhead/sdk'
import plugin from '../../plugins/services/events/index.ts'
import { expectOk, runToEnd } from '../demo/sign-in.ts'
import { makeEvents } from './events/make-events.ts'
import type { Figure } from './index.ts'
import { FILLING_PROVIDER } from './large-provider.ts'
import { ON, withService } from './sync.ts'

const EVENTS = Number(process.env['BENCH_EVENTS'] ?? 1_200_000)
const TIMES = 15
const manifest = new URL('../../plugins/services/events/plugin.json', import.meta.url)

const QUERIES: readonly (readonly [what: string, path: string, aimMs: number])[] = [
  ['recent events', '/api/events/recent?view=events', 20],
  ['recent groups', '/api/events/recent', 20],
  ['events by a rare title', '/api/events/search?view=events&visibility=all&q=winter%20harbour', 20],
  ['events by a word', '/api/events/search?view=events&q=lantern', 20],
  ['groups by a word', '/api/events/search?q=lantern', 20],
  [
    'events by three filters',
    '/api/events/search?view=events&feature=ratings&provider=TRACKB&event_type=write_failed',
    20,
  ],
  ['groups by three filters', '/api/events/search?feature=ratings&provider=TRACKB&event_type=write_failed', 20],
  ['groups with total', '/api/events/groups', 150],
  ['groups that are problems', '/api/events/groups?category=problems', 150],
  ['tree with total', '/api/events/tree', 150],
  ['tree by a word', '/api/events/tree?q=lantern', 150],
  ['tree by three filters', '/api/events/tree?feature=ratings&provider=TRACKB&event_type=write_failed', 150],
  ['statistics over a year', '/api/events/statistics?range=365d', 150],
  ['trace of an item', '/api/events/item/movie%3Atmdb%3A4711', 20],
  ['events, page at offset 1,000,000', '/api/events/recent?view=events&offset=1000000', 150],
  ['a run', '/api/events/groups/1', 150],
  ['status', '/api/events/status', 150],
]

export async function benchEvents(): Promise<readonly Figure[]> {
  return [...(await benchArchive()), ...(await benchRecording())]
}

/** A run that writes 100,000 films, with the archive and without. */
export async function benchRecording(): Promise<readonly Figure[]> {
  const measured: { readonly wallMs: number; readonly cpuMs: number; readonly blockMs: number }[] = []
  for (const isRecorded of [false, true]) {
    measured.push(
      await withService(async ({ client, service }) => {
        if (!isRecorded) await expectOk(client, '/api/plugins/events/disable', {})
        await expectOk(client, '/api/pairs', {
          source: 'LARGEA',
          target: 'LARGEB',
          mode: 'one_way',
          enabled: true,
          features: { history: ON },
        })
        await service.ask('reset')
        const before = await service.ask('cpu')
        const at = performance.now()
        await runToEnd(client, {})
        const wallMs = performance.now() - at
        const after = await service.ask('cpu')
        return {
          wallMs,
          cpuMs: (after.user + after.system - before.user - before.system) / 1_000,
          blockMs: await service.ask('block'),
        }
      }, FILLING_PROVIDER),
    )
  }
  const [without, recorded] = measured as [(typeof measured)[0], (typeof measured)[0]]
  return [
    { what: 'run of 100,000 outcomes: wall, without the archive', value: without.wallMs / 1_000, unit: 's' },
    {
      what: 'run of 100,000 outcomes: wall, recorded to not recorded',
      value: recorded.wallMs / without.wallMs,
      unit: 'ratio',
      aim: '< 1.1',
    },
    {
      what: 'run of 100,000 outcomes: CPU of all threads, recorded to not recorded',
      value: recorded.cpuMs / without.cpuMs,
      unit: 'ratio',
    },
    {
      what: 'run of 100,000 outcomes: longest event-loop stall, recorded',
      value: recorded.blockMs,
      unit: 'ms',
      aim: '< 50',
    },
  ]
}

async function benchArchive(): Promise<readonly Figure[]> {
  await using host = await createTestHost({ plugin, manifest })
  const archive = host.capability<EventArchive>(EVENT_ARCHIVE)
  const figures: Figure[] = []

  const stall = watchStalls()
  const startedAt = performance.now()
  const cpu = process.cpuUsage()
  let mainMs = 0
  for (const batch of makeEvents(EVENTS, Date.now())) {
    const at = performance.now()
    const queued = archive.record(batch)
    mainMs += performance.now() - at
    await queued
  }
  await archive.flushed()
  const seconds = (performance.now() - startedAt) / 1_000
  const used = process.cpuUsage(cpu)
  const facts = await archive.facts()
  figures.push(
    { what: `${EVENTS} events through the writer: rate`, value: facts.events / seconds, unit: '/s', aim: '> 5,000' },
    { what: 'CPU of all threads per event', value: (used.user + used.system) / facts.events, unit: 'us' },
    { what: 'call of record() per event', value: (mainMs * 1_000) / facts.events, unit: 'us', aim: '< 10' },
    { what: 'longest event-loop stall while they go in', value: stall.stop(), unit: 'ms', aim: '< 50' },
    { what: 'bytes per event', value: facts.size_bytes / facts.events, unit: 'B' },
    { what: 'events that were dropped', value: facts.dropped, unit: 'events', aim: '0' },
  )

  for (const [what, path, aim] of QUERIES) {
    const times: number[] = []
    for (let index = 0; index <= TIMES; index += 1) {
      const at = performance.now()
      const answer = await host.inject(path)
      if (index > 0) times.push(performance.now() - at)
      if (answer.statusCode !== 200)
        throw new Error(`${path} answered ${answer.statusCode}: ${answer.body.slice(0, 300)}`)
    }
    times.sort((a, b) => a - b)
    figures.push({ what: `${what}: median`, value: times[TIMES >> 1] as number, unit: 'ms', aim: `< ${aim}` })
    figures.push({ what: `${what}: p95`, value: times[Math.ceil(TIMES * 0.95) - 1] as number, unit: 'ms' })
  }

  const together = watchStalls()
  await Promise.all(QUERIES.map(([, path]) => host.inject(path)))
  figures.push({
    what: 'longest event-loop stall while all of them run together',
    value: together.stop(),
    unit: 'ms',
    aim: '< 50',
  })
  return figures
}

/** The longest time by which a timer was late. */
function watchStalls() {
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  return {
    stop: () => {
      delay.disable()
      return Math.max(0, delay.max / 1e6 - 5)
    },
  }
}
