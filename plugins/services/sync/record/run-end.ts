// Events that end the stream of a run, before its summary.
import type { RunSummary } from '@playhead/sdk'
import type { RunOrder } from '../contract.ts'
import type { EngineEvent } from '../events.ts'
import { totalsOf } from './outcome.ts'

type Lanes = Readonly<Record<string, { readonly added: number; readonly updated: number; readonly removed: number }>>

export function endEvents(
  result: RunSummary,
  { runId, pairs }: RunOrder,
  isDry: boolean,
  version: string,
): readonly EngineEvent[] {
  const { added, updated, removed, skipped, unresolved, errors } = totalsOf(result)
  const counts = { added, updated, removed }
  const cancelled = result.result === 'cancelled'
  const features = Object.fromEntries(
    Object.entries(result['features'] as Lanes).map(([feature, { added, updated, removed }]) => [
      feature,
      { added, updated, removed },
    ]),
  )
  return [
    { type: 'stats:overview', features, providers: result['provider_counts'] },
    ...(cancelled ? [{ type: 'run:cancelled' as const, run_id: runId, pairs: pairs.length, ...counts }] : []),
    {
      type: 'run:done',
      run_id: runId,
      result: result.result,
      counts,
      // Each item has its own outcome, so no outcome is inferred.
      added_provider_reported: added,
      skipped,
      skipped_exact: skipped,
      skipped_inferred: 0,
      attempted_add_duplicate_keys: 0,
      unresolved,
      errors,
      pairs: pairs.length,
      cancelled,
      dry_run: isDry,
      mode: version,
    },
  ]
}
