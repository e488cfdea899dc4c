// Shared by the tests of providers that record plays: reports, and the property that no play is recorded twice or lost.
import fc, { runsOf } from '../fast-check.ts'
import type { Item, PlaysRequest, ScrobbleRequest, ScrobbleResult } from '@playhead/sdk'
import type { Exchange, Upstream } from '../upstreams/base/index.ts'
import type { Fault } from '../upstreams/base/faults.ts'

export const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

export type Report = Partial<Omit<ScrobbleRequest, 'item'>>

/** A provider that records playback. */
export interface Recorder {
  readonly scrobble?: (instance: string, request: ScrobbleRequest) => Promise<ScrobbleResult>
  readonly plays?: (instance: string, request: PlaysRequest) => Promise<readonly Item[]>
}

export function reportOf(item: Item, report: Report = {}): ScrobbleRequest {
  return { action: 'start', percent: 50, completed: false, atMs: Date.now(), ...report, item }
}

export const played = (percent = 95, more: Report = {}): Report => ({
  action: 'stop',
  percent,
  completed: true,
  ...more,
})

/** `applied`, or `rejected:provider_limit`. */
export async function told(provider: Recorder, item: Item, report?: Report): Promise<string> {
  const { outcome, reason } = await scrobbled(provider, item, report)
  return reason === undefined ? outcome : `${outcome}:${reason}`
}

export function scrobbled(
  provider: Recorder,
  item: Item,
  report?: Report,
  instance = 'default',
): Promise<ScrobbleResult> {
  return required(provider.scrobble)(instance, reportOf(item, report))
}

/** Whether the item has a play around this time. */
export function playsAbout(provider: Recorder, item: Item, aboutMs = Date.now()): Promise<readonly Item[]> {
  return required(provider.plays)('default', { item, fromMs: aboutMs - HOUR_MS, toMs: aboutMs + HOUR_MS })
}

/** Records requests to matching paths from now on, as `POST /scrobble/start` and its body. */
export function listenTo(upstream: Upstream, match = /scrobble|history|watched/): () => Promise<[string, any][]> {
  const exchanges: Exchange[] = []
  upstream.onAnswer((exchange) => void exchanges.push(exchange))
  return async () =>
    Promise.all(
      exchanges
        .splice(0)
        .filter(({ request: { method, path } }) => method === 'POST' && match.test(path))
        .map(async ({ request }) => [request.path, await request.json()] as [string, unknown]),
    )
}

const FAULTS: readonly Fault[] = [
  { kind: 'status', status: 500 },
  { kind: 'status', status: 503 },
  { kind: 'status', status: 502 },
  { kind: 'html', status: 200 },
  { kind: 'empty' },
  { kind: 'reset' },
  { kind: 'truncate', afterBytes: 5 },
]

interface Step {
  readonly title: number
  readonly action: 'start' | 'pause' | 'stop'
  readonly percent: number
  readonly completed: boolean
  readonly fault: number | undefined
}

export interface Recorded {
  readonly provider: Recorder
  readonly upstream: Upstream
  /** Unused titles; each run takes new ones. */
  readonly titles: () => readonly Item[]
  /** Number of recorded plays of the title. */
  readonly countOf: (title: Item) => number
  /** Advances time between two reports. */
  readonly later?: () => void
  /** Number of runs of the full property. */
  readonly whole?: number
}

/**
 * Random reports, with failures before or after the effect of a request: every play that was reported as recorded exists,
 * and no play exists that was not completed. An unknown outcome is resolved as the service does it: by a check, then by a
 * retry.
 */
export async function neverTooMany({
  provider,
  upstream,
  titles,
  countOf,
  later,
  whole = 40,
}: Recorded): Promise<void> {
  const step: fc.Arbitrary<Step> = fc.record({
    title: fc.nat({ max: 1 }),
    action: fc.constantFrom('start', 'pause', 'stop'),
    percent: fc.integer({ min: 0, max: 10_000 }).map((hundredths) => hundredths / 100),
    completed: fc.boolean(),
    fault: fc.option(fc.nat({ max: FAULTS.length - 1 }), { nil: undefined, freq: 2 }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      const items = titles()
      const completed = items.map(() => 0)
      const certain = items.map(() => 0)
      for (const { title, action, percent, completed: isDone, fault } of steps) {
        const item = items[title] as Item
        // Each title is watched only once, because the test covers less than an hour.
        const isPlay = action === 'stop' && isDone && completed[title] === 0
        if (isPlay) completed[title]! += 1
        upstream.faults.clear()
        if (fault !== undefined)
          upstream.faults.add({
            ...(FAULTS[fault] as Fault),
            match: ({ method, path }) => method === 'POST' && !/oauth|settings/.test(path),
            times: 1,
          })
        const atMs = Date.now()
        let result = await scrobbled(provider, item, { action, percent, completed: isPlay, atMs })
        upstream.faults.clear()
        for (let tries = 0; isPlay && ['unknown', 'failed'].includes(result.outcome) && tries < 3; tries += 1) {
          if (result.outcome === 'unknown' && (await playsAbout(provider, item, atMs)).length > 0)
            result = { outcome: 'already' }
          else result = await scrobbled(provider, item, { action, percent, completed: true, atMs })
        }
        if (isPlay && !['applied', 'already'].includes(result.outcome))
          throw new Error(`a play ends as ${JSON.stringify(result)}`)
        if (isPlay) certain[title]! += 1
        later?.()
      }
      items.forEach((item, index) => {
        const there = countOf(item)
        if (there > completed[index]!) throw new Error(`${there} plays of ${completed[index]} completed ones`)
        if (there < certain[index]!) throw new Error(`${there} plays of ${certain[index]} recorded ones`)
      })
    }),
    { numRuns: runsOf(whole) },
  )
}

export function required<Operation>(operation: Operation | undefined): Operation {
  if (operation === undefined) throw new TypeError('the provider lacks the operation')
  return operation
}
