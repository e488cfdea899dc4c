// Requests and quotas of a run: events for low quotas, and totals at the end. Totals are per account, so they include
// concurrent requests of other work.
import { type AccountName, accountName, type AccountStats, type HostFacts } from '@playhead/sdk'
import type { RunOrder } from '../contract.ts'
import type { EngineEvent } from '../events.ts'
import { accountOf, endsOf } from '../pairs/pair.ts'

/** An event is sent when at most this share of a quota remains. */
const LOW_SHARE = 0.1

interface Quota {
  readonly limit: number | null
  readonly remaining: number | null
  /** Epoch seconds. */
  readonly reset: number | null
}

interface Account extends AccountName {
  readonly before: Sums
  isLow: boolean
}

type Sums = AccountStats['calls']

const NONE: Sums = { count: 0, failed: 0, bytesIn: 0, bytesOut: 0, ms: 0 }

export function createTelemetry(
  { upstream, upstreamCalls }: Pick<HostFacts, 'upstream' | 'upstreamCalls'>,
  { pairs, startedAtMs }: RunOrder,
) {
  const stats = () => new Map(upstream().map((each) => [each.account, each]))
  const atStart = stats()
  const accounts = new Map<string, Account>()
  for (const { provider, instance } of pairs.flatMap((pair) => Object.values(endsOf(pair)))) {
    const name = accountName(provider, instance)
    accounts.set(name, { provider, instance, before: atStart.get(name)?.calls ?? NONE, isLow: false })
  }

  return {
    /** The quota that the service last reported; null if it reports none. */
    quotaOf({ provider, instance }: AccountName): Quota | null {
      const { limit, remaining, resetAtMs } = stats().get(accountName(provider, instance))?.quota ?? {}
      if (limit === undefined && remaining === undefined && resetAtMs === undefined) return null
      return { limit: limit ?? null, remaining: remaining ?? null, reset: inSeconds(resetAtMs) }
    },

    /** Accounts whose quota became low since the last call. */
    low(): readonly EngineEvent[] {
      const now = stats()
      const events: EngineEvent[] = []
      for (const [name, account] of accounts) {
        const { limit, remaining, resetAtMs } = now.get(name)?.quota ?? {}
        const threshold = limit === undefined ? undefined : Math.floor(limit * LOW_SHARE)
        const isLow = threshold !== undefined && remaining !== undefined && remaining <= threshold
        const reset = inSeconds(resetAtMs)
        if (isLow && !account.isLow)
          events.push({ type: 'rate:low', ...accountOf(account), remaining, threshold, reset })
        account.isLow = isLow
      }
      return events
    },

    /** At the end: one event per account, and one for all accounts. */
    totals(): readonly EngineEvent[] {
      const now = stats()
      const asked = [...accounts].map(([name, account]) => ({
        account: accountOf(account),
        sums: since(account.before, now.get(name)?.calls ?? NONE),
      }))
      const all = asked.reduce((total, { sums }) => combine(total, sums, (x, y) => x + y), NONE)
      const calls = upstreamCalls().filter(({ account, atMs }) => atMs >= startedAtMs && accounts.has(account))
      const countBy = (name: 'method' | 'status') =>
        Object.fromEntries([...Map.groupBy(calls, (call) => call[name])].map(([value, own]) => [value, own.length]))
      return [
        ...asked.map(({ account, sums }) => ({ type: 'api:totals' as const, ...account, ...wireSums(sums) })),
        {
          type: 'http:overview',
          ...wireSums(all),
          // Only the latest exchanges are stored: the number of those behind the counts by method and status.
          looked: calls.length,
          methods: countBy('method'),
          statuses: countBy('status'),
        },
      ]
    },
  }
}

function since(start: Sums, now: Sums): Sums {
  // The counters of a forgotten account restart at 0.
  return start.count > now.count ? now : combine(now, start, (x, y) => x - y)
}

function combine(a: Sums, b: Sums, by: (x: number, y: number) => number): Sums {
  const names = Object.keys(NONE) as (keyof Sums)[]
  return Object.fromEntries(names.map((name) => [name, by(a[name], b[name])])) as unknown as Sums
}

function wireSums({ count, failed, bytesIn, bytesOut, ms }: Sums) {
  const average = count === 0 ? null : Math.round((ms / count) * 10) / 10
  return { requests: count, failed, bytes_in: bytesIn, bytes_out: bytesOut, latency_ms_avg: average }
}

function inSeconds(atMs: number | undefined): number | null {
  return atMs === undefined ? null : Math.ceil(atMs / 1_000)
}
