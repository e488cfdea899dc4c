// Starting a run from the guide.
import { api } from '../../api/client.ts'
import { runs } from '../../texts/en/runs.ts'

/** Starts a run that only plans, and gives its id. */
export function askForPlan(pairId: string): Promise<string> {
  return startRun({ pair_id: pairId, dry_run: true })
}

export async function startRun(order: { readonly pair_id: string; readonly dry_run?: boolean }): Promise<string> {
  const { run_id: runId } = await api('POST /api/run', { body: { ...order, source: 'ui' } })
  if (runId === undefined) throw new Error(runs.nothingToRun)
  return runId
}
