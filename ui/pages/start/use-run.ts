// A run of the setup guide: live while it runs, then its report.
import { api } from '../../api/client.ts'
import { runs } from '../../texts/en/runs.ts'
import { useEffect } from 'react'
import { useRead } from '../../api/query.ts'
import { useLiveRun } from '../../parts/runs/use-live-run.ts'

export function useRun(runId: string) {
  const query = useRead(['runs', runId], 'GET /api/runs/{run_id}', { params: { run_id: runId } })
  const live = useLiveRun()
  const isThis = live.summary?.run_id === runId
  const { data, refetch } = query
  const hasEnded = isThis && live.summary?.running === false
  // The run may have ended between the first read and the stream.
  useEffect(() => {
    if (hasEnded && data?.run.running === true) void refetch()
  }, [hasEnded, data?.run.running, refetch])
  return { query, live, isThis }
}

/** Starts a plan-only run and returns its id. */
export function startPlan(pairId: string): Promise<string> {
  return startRun({ pair_id: pairId, dry_run: true })
}

export async function startRun(order: { readonly pair_id: string; readonly dry_run?: boolean }): Promise<string> {
  const { run_id: runId } = await api('POST /api/run', { body: { ...order, source: 'ui' } })
  if (runId === undefined) throw new Error(runs.nothingToRun)
  return runId
}
