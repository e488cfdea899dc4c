// Undoes the plans of one account one after the other, because only one run is active at a time.
import { api } from '../../api/client.ts'
import { isApiError } from '../../api/error.ts'
import { runs } from '../../texts/en/runs.ts'
import { notUndoneLines } from './not-undone.tsx'

const POLL_MS = 400
const TRIES = 60

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Resolves with one sentence for each change that could not be undone. */
export async function undoPlans(plans: readonly string[], onDone: (count: number) => void): Promise<readonly string[]> {
  const left = new Set<string>()
  for (const [index, planId] of plans.entries()) {
    const runId = await begin(planId)
    if (runId !== undefined) {
      const run = await end(runId)
      for (const line of run === undefined ? [] : notUndoneLines(run)) left.add(`${line}.`)
      if (run?.result !== 'ok' && run?.result !== 'partial') left.add(runs.undo.unfinished)
    }
    onDone(index + 1)
  }
  return [...left]
}

async function begin(planId: string): Promise<string | undefined> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      const { run_id: id } = await api('POST /api/run/{run_id}/undo', {
        params: { run_id: planId },
        body: { dry_run: false },
      })
      return id
    } catch (error) {
      if (!isApiError(error, 409) || error.code !== 'already_running' || attempt >= TRIES) throw error
      await wait(POLL_MS)
    }
  }
}

async function end(runId: string) {
  for (let attempt = 0; attempt < TRIES * 5; attempt += 1) {
    const { run } = await api('GET /api/runs/{run_id}', { params: { run_id: runId } })
    if (!run.running) return run
    await wait(POLL_MS)
  }
  return undefined
}
