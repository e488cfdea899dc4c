// Requests and quotas of a run: events for low quotas, and totals at the end. Totals are per account, so they include
// concurrent requests of other work.
import { accountName, type AccountStats, type EventParty, type HostFacts } from '@playhead/sdk'
import type { RunOrder } from '../contract.ts'
import type { EngineEvent } from '../events.ts'

/** An event is sent when at most this share of a quota remains. */
const LOW_SHARE = 0.1

interface Telemetry {
  /** The quota that the service last reported; null if it reports none. */
  quotaOf(account: EventParty): Quota | null
  /** Accounts whose quota became low since the last call. */
  low(): readonly EngineEvent[]
  /** At the end: one event per account, and one for all accounts. */
  totals(): readonly EngineEvent[]
}

interface Quota {
  readonly limit: number | null
  readonly remaining: number | null
  /** Epoch seconds. */
  readonly reset: number | null
}

interface Account {
  readonly provider: string
  readonly instance: string
  readonly before: Sums
  isLow: boolean
}

type Sums = AccountStats['calls']

const NONE: Sums = { count: 0, failed: 0, bytesIn: 0, bytesOut: 0, ms: 0 }

export function createTelemetry(
  { upstream, upstreamCalls }: Pick<HostFacts, 'upstream' | 'upstreamCalls'>,
  { pairs, startedAtMs }: RunOrder,
): Telemetry {
  const stats = () => new Map(upstream().map((each) => [each.account, each]))
  const atStart = stats()
  const accounts = new Map<string, Account>()
  for (const pair of pairs) {
    for (const [provider, instance] of [
      [pair.source, pair.source_instance],
      [pair.target, pair.target_instance],
    ] as const) {
      const name = accountName(provider, instance)
      accounts.set(name, { provider, instance, before: atStart.get(name)?.calls ?? NONE, isLow: false })
    }
  }

  return {
    quotaOf({ provider, instance }) {
      const { limit, remaining, resetAtMs } = stats().get(accountName(provider, instance))?.quota ?? {}
      if (limit === undefined && remaining === undefined && resetAtMs === undefined) return null
      return { limit: limit ?? null, remaining: remaining ?? null, reset: inSeconds(resetAtMs) }
    },

    low() {
      const now = stats()
      const events: EngineEvent[] = []
      for (const [name, account] of accounts) {
        const { limit, remaining, resetAtMs } = now.get(name)?.quota ?? {}
        const threshold = limit === undefined ? undefined : Math.floor(limit * LOW_SHARE)
        const isLow = threshold !== undefined && remaining !== undefined && remaining <= threshold
        if (isLow && !account.isLow) {
          events.push({
            type: 'rate:low',
            provider: account.provider,
            instance: account.instance,
            remaining,
            threshold,
            reset: inSeconds(resetAtMs),
          })
        }
        account.isLow = isLow
      }
      return events
    },

    totals() {
      const now = stats()
      const asked = [...accounts].map(([name, { provider, instance, before }]) => ({
        provider,
        instance,
        sums: since(before, now.get(name)?.calls ?? NONE),
      }))
      const methods: Record<string, number> = {}
      const statuses: Record<string, number> = {}
      let counted = 0
      for (const { account, atMs, method, status } of upstreamCalls()) {
        if (atMs < startedAtMs || !accounts.has(account)) continue
        counted += 1
        methods[method] = (methods[method] ?? 0) + 1
        statuses[status] = (statuses[status] ?? 0) + 1
      }
      const all = asked.reduce((total, { sums }) => combine(total, sums, (x, y) => x + y), NONE)
      return [
        ...asked.map(({ provider, instance, sums }) => ({
          type: 'api:totals' as const,
          provider,
          instance,
          ...wireSums(sums),
        })),
        // Only the latest exchanges are stored. `looked` is the number of exchanges behind the counts by method and status.
        { type: 'http:overview', ...wireSums(all), looked: counted, methods, statuses },
      ]
    },
  }
}

function since(start: Sums, now: Sums): Sums {
  // The counters of a forgotten account restart at 0.
  return start.count > now.count ? now : combine(now, start, (x, y) => x - y)
}

function combine(a: Sums, b: Sums, by: (x: number, y: number) => number): Sums {
  return {
    count: by(a.count, b.count),
    failed: by(a.failed, b.failed),
    bytesIn: by(a.bytesIn, b.bytesIn),
    bytesOut: by(a.bytesOut, b.bytesOut),
    ms: by(a.ms, b.ms),
  }
}

function wireSums({ count, failed, bytesIn, bytesOut, ms }: Sums) {
  return {
    requests: count,
    failed,
    bytes_in: bytesIn,
    bytes_out: bytesOut,
    latency_ms_avg: count === 0 ? null : Math.round((ms / count) * 10) / 10,
  }
}

function inSeconds(atMs: number | undefined): number | null {
  return atMs === undefined ? null : Math.ceil(atMs / 1_000)
}
