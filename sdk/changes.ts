// Applying plans of the library, for plugins that change accounts.
import type { ChangeOutcome, LibraryService } from './capabilities/library.ts'
import type { Remote } from './context.ts'
import { isPlayheadError } from './errors.ts'

/**
 * As `applyWhenFree`, but a plan that waits already, or was applied before, for example by a process that ended, has
 * its outcomes; null while it waits.
 */
export async function applyOrJoin(
  library: Pick<Remote<LibraryService>, 'applyWhenFree' | 'outcomes'>,
  planId: string,
  options: { readonly approved?: boolean; readonly waitMs: number },
): Promise<readonly ChangeOutcome[] | null> {
  try {
    return await library.applyWhenFree(planId, options)
  } catch (error) {
    const isKnown = isPlayheadError(error, 'PLH_CONFLICT') && /^plan_(?:applied|waiting)$/.test(error.wire)
    if (!isKnown) throw error
    return library.outcomes(planId)
  }
}
