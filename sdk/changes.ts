// Undoes plans of the library, and waits for accounts.
import type { LibraryService } from './capabilities/library.ts'
import type { SyncService } from './capabilities/sync.ts'
import type { Remote } from './capability.ts'
import { isPlayheadError, PlayheadError } from './errors.ts'
import { pause } from './waiting.ts'

/** The result of an undo: if `notUndone` is empty, everything is undone. */
export interface PlanUndo {
  readonly runId: string | null
  /** Operations that were not undone, by reason. */
  readonly notUndone: Readonly<Record<string, number>>
  /** Number of these that another undo may revert. */
  readonly left: number
}

/**
 * Undoes a plan and waits for the end of that run; during another run it waits for its end first. Operations that are
 * already undone count as undone. `begin` ends waiting for the begin, `end` also for the end; the run itself continues.
 *
 * @throws `PLH_UPSTREAM` (`undo_incomplete`) if the run failed or was cancelled; it can be repeated
 */
export async function undoPlan(
  { library, sync }: { readonly library: Pick<Remote<LibraryService>, 'undo'>; readonly sync: UndoRuns },
  planId: string,
  { begin, end }: { readonly begin: AbortSignal; readonly end: AbortSignal },
): Promise<PlanUndo> {
  const started = await untilAccountIsFree(() => library.undo(planId), begin).catch((error: unknown) => {
    if (isPlayheadError(error, 'PLH_CONFLICT') && error.wire === 'nothing_to_undo') return null
    throw error
  })
  if (started === null) return { runId: null, notUndone: {}, left: 0 }
  const runId = started.status === 'accepted' ? started.run_id : null
  const summary = runId === null ? null : await sync.finished(runId, end)
  const { result, not_undone: notUndone = {}, left_to_undo: left = 0 } = summary ?? {}
  if (result === 'ok' || result === 'partial') return { runId, notUndone, left }
  throw new PlayheadError('PLH_UPSTREAM', 'Not everything could be undone. Undo it again later.', {
    wire: 'undo_incomplete',
  })
}

type UndoRuns = Pick<Remote<SyncService>, 'finished'>
const POLL_MS = 1_000

/** Retries while another run, or other work on the account, causes a conflict. */
export async function untilAccountIsFree<Result>(act: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
  for (;;) {
    signal.throwIfAborted()
    try {
      return await act()
    } catch (error) {
      if (!isPlayheadError(error, 'PLH_CONFLICT') || !['already_running', 'busy'].includes(error.wire)) throw error
      await pause(POLL_MS, signal)
    }
  }
}
