// Run reports as rows of the insights.
import type { Feature, RunSummary } from '@playhead/sdk'
import { parseTime } from '@playhead/sdk/items'
import type { Counts } from './statistics.ts'

interface FeatureResult extends Counts {
  readonly spotlight_add: readonly unknown[]
  readonly spotlight_remove: readonly unknown[]
  readonly spotlight_update: readonly unknown[]
}

function resultsOf(run: RunSummary): Readonly<Record<string, FeatureResult | undefined>> {
  return (run['features'] ?? {}) as Readonly<Record<string, FeatureResult | undefined>>
}

/** @param posts watchlist rows per provider after the run, where they were counted */
export function reportRow(run: RunSummary, posts: Readonly<Record<string, number>>): Readonly<Record<string, unknown>> {
  const { run_id, result, exit_code } = run
  const sums = { added: run['added_last'] ?? 0, removed: run['removed_last'] ?? 0, updated: run['updated_last'] ?? 0 }
  const enabled = run['enabled'] ?? {}
  return {
    run_id,
    result,
    exit_code,
    started_at: run['started_at'],
    finished_at: run['finished_at'],
    raw_started_ts: run['raw_started_ts'],
    duration_sec: run['duration_sec'],
    added: sums.added,
    removed: sums.removed,
    updated_total: sums.updated,
    added_last: sums.added,
    removed_last: sums.removed,
    updated_last: sums.updated,
    features: resultsOf(run),
    features_enabled: enabled,
    enabled,
    provider_counts: run['provider_counts'] ?? {},
    provider_counts_pre: run['provider_counts_pre'] ?? {},
    provider_counts_post: posts,
    provider_posts: posts,
    timeline: run['timeline'] ?? {},
    ...Object.fromEntries(Object.entries(posts).map(([provider, count]) => [`${provider.toLowerCase()}_post`, count])),
  }
}

/** @param runs newest first */
export function newestResult(runs: readonly RunSummary[], feature: Feature): FeatureResult | undefined {
  return runs.map((run) => resultsOf(run)[feature]).find((result) => result !== undefined)
}

export function playlistRows(runs: readonly RunSummary[]): readonly object[] {
  return runs.flatMap((run) => {
    const result = run.dry_run ? undefined : resultsOf(run)['playlists']
    if (result === undefined) return []
    const isGood = run.result === 'ok' || run.result === 'partial'
    return [
      {
        ts: Math.floor((parseTime(run['finished_at'])?.atMs ?? 0) / 1_000),
        type: 'Run',
        status: isGood ? 'completed' : 'error',
        label: 'Playlists',
        details: `${result.added} added, ${result.removed} removed, ${result.updated} updated`,
      },
    ]
  })
}
