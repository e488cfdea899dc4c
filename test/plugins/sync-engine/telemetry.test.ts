// Events about requests and quotas, from the host's account statistics.
import t from 'tap'
import type { AccountStats, UpstreamCall } from '@playhead/sdk'
import type { RunOrder } from '../../../plugins/services/sync/contract.ts'
import type { Pair } from '../../../plugins/services/sync/pairs/pair.ts'
import { createTelemetry } from '../../../plugins/services/sync/record/telemetry.ts'

const START_MS = 1_790_000_000_000
const pair = { source: 'ANN', source_instance: 'default', target: 'BEN', target_instance: 'BEN-P01' } as Pair
const ORDER = {
  runId: 'run',
  pairs: [pair, pair],
  startedAtMs: START_MS,
  request: {},
  settings: {},
} as unknown as RunOrder

function account(name: string, count: number, more: Partial<AccountStats> = {}): AccountStats {
  const calls = { count, failed: count > 0 ? 1 : 0, bytesIn: count * 100, bytesOut: count * 10, ms: count * 20 }
  return {
    account: name,
    requests: count,
    retries: 0,
    refreshes: 0,
    inFlight: 0,
    pausedUntilMs: 0,
    quota: {},
    calls,
    ...more,
  }
}

t.test(
  'sums are those of the run, by account and over all, and exchanges of others or before it are not counted',
  async (t) => {
    let known = [account('ANN@default', 5), account('EVE@default', 7)]
    const call = (name: string, atMs: number, status = 200) =>
      ({ account: name, atMs, method: 'GET', status }) as UpstreamCall
    const calls = [
      call('ANN@default', START_MS - 1),
      call('ANN@default', START_MS + 5),
      call('BEN@BEN-P01', START_MS + 6, 503),
      call('EVE@default', START_MS + 7),
    ]
    const telemetry = createTelemetry({ upstream: () => known, upstreamCalls: () => calls }, ORDER)

    known = [account('ANN@default', 9), account('BEN@BEN-P01', 4), account('EVE@default', 70)]

    t.same(telemetry.totals(), [
      {
        type: 'api:totals',
        provider: 'ANN',
        instance: 'default',
        requests: 4,
        failed: 0,
        bytes_in: 400,
        bytes_out: 40,
        latency_ms_avg: 20,
      },
      {
        type: 'api:totals',
        provider: 'BEN',
        instance: 'BEN-P01',
        requests: 4,
        failed: 1,
        bytes_in: 400,
        bytes_out: 40,
        latency_ms_avg: 20,
      },
      {
        type: 'http:overview',
        requests: 8,
        failed: 1,
        bytes_in: 800,
        bytes_out: 80,
        latency_ms_avg: 20,
        looked: 2,
        methods: { GET: 2 },
        statuses: { 200: 1, 503: 1 },
      },
    ])
  },
)

t.test('a low quota is reported once, and again after it was refilled', async (t) => {
  let quota: AccountStats['quota'] = { limit: 1_000, remaining: 101 }
  const telemetry = createTelemetry(
    { upstream: () => [account('ANN@default', 1, { quota })], upstreamCalls: () => [] },
    ORDER,
  )
  t.same(telemetry.low(), [])
  t.same(telemetry.quotaOf({ provider: 'ANN', instance: 'default' }), { limit: 1_000, remaining: 101, reset: null })
  t.equal(telemetry.quotaOf({ provider: 'BEN', instance: 'BEN-P01' }), null)

  quota = { limit: 1_000, remaining: 100, resetAtMs: START_MS + 500 }
  const low = {
    type: 'rate:low',
    provider: 'ANN',
    instance: 'default',
    remaining: 100,
    threshold: 100,
    reset: START_MS / 1_000 + 1,
  }
  t.same(telemetry.low(), [low])
  t.same(telemetry.low(), [])
  quota = { limit: 1_000, remaining: 1_000 }
  t.same(telemetry.low(), [])
  quota = { remaining: 0 }
  t.same(telemetry.low(), [], 'without a known limit no quota is low')
})
