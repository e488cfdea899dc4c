// Metric sources, one per subject; an unavailable source has no metrics.
import {
  ACCOUNTS,
  EVENT_ARCHIVE,
  type HostFacts,
  type Overview,
  type PairState,
  type PluginContext,
  STATUS,
  SYNC,
  SYNC_STATES,
} from '@playhead/sdk'
import { counter, gauge, type Family, type Sample } from './exposition.ts'
import type { RunRecord } from './run-record.ts'

export type Source = () => Promise<readonly Family[]>

const DAY_MS = 86_400_000
const RESULTS = ['ok', 'partial', 'failed', 'cancelled', 'skipped'] as const

/** By name. A source named after a capability needs it. */
export function createSources(ctx: PluginContext, runs: () => Promise<RunRecord>): Readonly<Record<string, Source>> {
  const { host } = ctx
  const sync = ctx.use(SYNC)
  const accounts = ctx.use(ACCOUNTS)
  const archive = ctx.use(EVENT_ARCHIVE)
  return {
    host: async () => [...aboutService(host), ...aboutPlugins(host), ...aboutUpstream(host)],
    async sync() {
      const [pairs, open, record] = [await sync.pairs(), await sync.openCounts(), await runs()]
      const overview = await ctx.tryUse(STATUS)?.overview()
      return [
        ...aboutRuns(record, pairs),
        ...aboutPairs(record, pairs, open),
        ...(overview === undefined ? [] : aboutStatus(overview)),
      ]
    },
    async accounts() {
      const all = (await accounts.list()).filter(({ configured }) => configured)
      const labelsOf = ({ provider, instance }: { readonly provider: string; readonly instance: string }) => ({
        provider,
        instance,
      })
      return [
        gauge('playhead_accounts', 'Profiles that are configured.', all.length),
        gauge(
          'playhead_credential_days_left',
          'Days until the stored credential of a profile ends; below 0 it has ended. Only where the service says so. `renews`: it is renewed before, by itself.',
          all.flatMap((account) =>
            account.credentialEndsAtMs === undefined
              ? []
              : [
                  {
                    labels: { ...labelsOf(account), renews: String(account.credentialRenews === true) },
                    value: (account.credentialEndsAtMs - Date.now()) / DAY_MS,
                  },
                ],
          ),
        ),
      ]
    },
    async events() {
      const facts = await archive.facts()
      return [
        gauge('playhead_archive_events', 'Events in the archive.', facts.events),
        gauge('playhead_archive_open_problems', 'Groups of events with an open problem.', facts.open_problems),
        gauge('playhead_archive_size_bytes', 'Size of the event archive on disk.', facts.size_bytes),
        counter('playhead_archive_dropped_total', 'Facts that could not be stored.', facts.dropped),
      ]
    },
  }
}

function aboutRuns({ results, endedAtMs }: RunRecord, pairs: readonly PairState[]): readonly Family[] {
  return [
    counter(
      'playhead_runs_total',
      'Runs that have ended and were not dry, by their result.',
      RESULTS.map((result) => ({ labels: { result }, value: results[result] ?? 0 })),
    ),
    gauge(
      'playhead_last_run_timestamp_seconds',
      'End of the last run that was not dry.',
      endedAtMs === null ? [] : endedAtMs / 1_000,
    ),
    gauge('playhead_pairs_running', 'Pairs in the active run.', pairs.filter(({ running }) => running).length),
  ]
}

type OpenCounts = readonly { readonly pair_id: string; readonly feature: string; readonly count: number }[]

function aboutPairs({ pairs: records }: RunRecord, pairs: readonly PairState[], open: OpenCounts): readonly Family[] {
  const counts = new Map(open.map(({ pair_id: pair, feature, count }) => [`${pair} ${feature}`, count]))
  const features = pairs.flatMap(({ id }) => {
    const names = new Set([
      ...Object.keys(records[id]?.features ?? {}),
      ...open.filter(({ pair_id: pair }) => pair === id).map(({ feature }) => feature),
    ])
    return [...names]
      .sort()
      .map((feature) => ({
        labels: { pair: id, feature },
        record: records[id]?.features[feature],
        count: counts.get(`${id} ${feature}`) ?? 0,
      }))
  })
  const successes = pairs.flatMap(({ id }): { labels: { pair: string }; atMs: number }[] => {
    const atMs = records[id]?.successAtMs
    return atMs == null ? [] : [{ labels: { pair: id }, atMs }]
  })
  const ofRecord = (pick: (record: { readonly planned: number; readonly held: number }) => number): readonly Sample[] =>
    features.flatMap(({ labels, record }) => (record === undefined ? [] : [{ labels, value: pick(record) }]))
  return [
    gauge(
      'playhead_pair_enabled',
      '1 for a pair that takes part in runs.',
      pairs.map(({ id, enabled }) => ({ labels: { pair: id }, value: Number(enabled) })),
    ),
    gauge(
      'playhead_pair_last_success_timestamp_seconds',
      'End of the last run without a failure of the pair.',
      successes.map(({ labels, atMs }) => ({ labels, value: atMs / 1_000 })),
    ),
    gauge(
      'playhead_pair_seconds_since_success',
      'How long ago that was.',
      successes.map(({ labels, atMs }) => ({ labels, value: Math.max(0, Date.now() - atMs) / 1_000 })),
    ),
    gauge(
      'playhead_pair_planned_operations',
      'Operations in the plan of the last run.',
      ofRecord(({ planned }) => planned),
    ),
    gauge(
      'playhead_pair_held_items',
      'Items that the last run held for approval.',
      ofRecord(({ held }) => held),
    ),
    gauge(
      'playhead_pair_open_items',
      'Items that need a person: failed, held, ambiguous or left apart. Without those that a library lacks.',
      features.map(({ labels, count }) => ({ labels, value: count })),
    ),
  ]
}

function aboutStatus({ status, pairs }: Overview): readonly Family[] {
  return [
    gauge('playhead_need_you', 'Items and decisions that need a person, of all pairs.', status.count),
    gauge(
      'playhead_pair_status',
      '1 for the state that a pair is in: in_sync, need_you, working, paused, cannot_reach or failed.',
      pairs.flatMap(({ id: pair, status: { state } }) =>
        SYNC_STATES.map((one) => ({ labels: { pair, state: one }, value: Number(one === state) })),
      ),
    ),
  ]
}

// A plugin is loaded at its first use, and may be in the middle of it.
const UP: ReadonlySet<string> = new Set(['active', 'dormant', 'building', 'staging'])

function aboutPlugins(host: HostFacts): readonly Family[] {
  const plugins = host.plugins()
  const each = (value: (plugin: (typeof plugins)[number]) => number) =>
    plugins.map((plugin) => ({ labels: { plugin: plugin.id }, value: value(plugin) }))
  return [
    gauge(
      'playhead_plugin_up',
      '1 for a plugin that runs, or is loaded when it is used.',
      each(({ state }) => Number(UP.has(state))),
    ),
    counter(
      'playhead_plugin_faults_total',
      'Failures on the account of a plugin since the start.',
      each(({ faults }) => faults),
    ),
    counter(
      'playhead_plugin_reloads_total',
      'Versions of a plugin after its first since the start.',
      each(({ reloads }) => reloads),
    ),
  ]
}

function aboutUpstream(host: HostFacts): readonly Family[] {
  // A tilde marks connection tests at an entered address.
  const accounts = host.upstream().filter(({ account }) => !account.includes('~'))
  const each = (value: (account: (typeof accounts)[number]) => number | undefined) =>
    accounts.flatMap((account) => {
      const found = value(account)
      return found === undefined ? [] : [{ labels: { account: account.account }, value: found }]
    })
  return [
    counter(
      'playhead_upstream_requests_total',
      'Requests to a service, by account.',
      each(({ requests }) => requests),
    ),
    counter(
      'playhead_upstream_retries_total',
      'Of these, how many were sent again.',
      each(({ retries }) => retries),
    ),
    counter(
      'playhead_upstream_refreshes_total',
      'Refreshed credentials.',
      each(({ refreshes }) => refreshes),
    ),
    gauge(
      'playhead_upstream_in_flight',
      'Requests under way.',
      each(({ inFlight }) => inFlight),
    ),
    gauge(
      'playhead_upstream_paused_seconds',
      'How long the service still asks to wait.',
      each(({ pausedUntilMs }) => Math.max(0, pausedUntilMs - Date.now()) / 1_000),
    ),
    gauge(
      'playhead_upstream_quota_limit',
      'Requests that the service allows in its window, as it said last.',
      each(({ quota }) => quota.limit),
    ),
    gauge(
      'playhead_upstream_quota_remaining',
      'Of these, how many were left when it said so.',
      each(({ quota }) => quota.remaining),
    ),
  ]
}

function aboutService(host: HostFacts): readonly Family[] {
  const facts = host.process()
  const { loopDelayMs: delay } = facts
  return [
    gauge('playhead_info', 'The version that runs.', [{ labels: { version: host.version }, value: 1 }]),
    gauge('process_start_time_seconds', 'Start of the service.', host.startedAtMs / 1_000),
    gauge('process_resident_memory_bytes', 'Memory of the process.', facts.rssBytes),
    counter('process_cpu_user_seconds_total', 'Processor time in the program.', facts.cpuUserSeconds),
    counter(
      'process_cpu_system_seconds_total',
      'Processor time in the system for the program.',
      facts.cpuSystemSeconds,
    ),
    gauge('nodejs_heap_size_used_bytes', 'Heap in use.', facts.heapUsedBytes),
    gauge('nodejs_heap_size_limit_bytes', 'Heap that the process may use.', facts.heapLimitBytes),
    gauge('nodejs_external_memory_bytes', 'Memory of buffers, outside the heap.', facts.externalBytes),
    gauge(
      'playhead_event_loop_delay_seconds',
      'How late the event loop was since the reading before.',
      delay === null
        ? []
        : (['mean', 'p99', 'max'] as const).map((quantity) => ({
            labels: { quantity },
            value: delay[quantity] / 1_000,
          })),
    ),
  ]
}
