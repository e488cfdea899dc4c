// Results of runs: counts by result, and the last success of each pair. Stored, so that a restart does not reset them.
import type { PluginContext, RunSummary } from '@playhead/sdk'
import { followRuns } from '@playhead/sdk/sync'

interface PairRecord {
  /** End of the last run without a failure of the pair, epoch milliseconds. */
  readonly successAtMs: number | null
  readonly features: Readonly<Record<string, { readonly planned: number; readonly held: number }>>
}

export interface RunRecord {
  /** The last counted run. */
  readonly runId: string | null
  readonly endedAtMs: number | null
  readonly results: Readonly<Record<string, number>>
  readonly pairs: Readonly<Record<string, PairRecord>>
}

const ENTRY = 'runs'
const NONE: RunRecord = { runId: null, endedAtMs: null, results: {}, pairs: {} }
const WELL = new Set(['ok', 'nothing_to_do'])

/** Call in setup; the returned function reads the stored record. */
export function recordRuns(ctx: PluginContext): () => Promise<RunRecord> {
  const read = async () => (await ctx.store.get<RunRecord>(ENTRY)) ?? NONE
  followRuns(ctx, async (run, sync) => {
    const before = await read()
    // Runs are reported again after a crash.
    if (before.runId === run.run_id) return
    const known = new Set((await sync.pairs()).map(({ id }) => id))
    await ctx.store.set(ENTRY, withRun(before, run, known))
  })
  return read
}

function withRun(before: RunRecord, run: RunSummary, known: ReadonlySet<string>): RunRecord {
  const endedAtMs = Date.parse(String(run['finished_at']))
  const pairs: Record<string, PairRecord> = Object.fromEntries(
    Object.entries(before.pairs).filter(([id]) => known.has(id)),
  )
  for (const { pair_id: id, status, features } of run.pairs ?? []) {
    if (!known.has(id)) continue
    pairs[id] = {
      successAtMs: WELL.has(status) ? endedAtMs : (before.pairs[id]?.successAtMs ?? null),
      features: Object.fromEntries(features.map(({ feature, planned, held }) => [feature, { planned, held }])),
    }
  }
  return {
    runId: run.run_id,
    endedAtMs,
    results: { ...before.results, [run.result]: (before.results[run.result] ?? 0) + 1 },
    pairs,
  }
}
