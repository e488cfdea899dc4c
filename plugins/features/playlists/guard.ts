// The guard against mass deletion. It blocks all removals of a side or none.
import type { MassDeleteGuard } from '@playhead/sdk'
import { type Removal, remove } from './draft-list.ts'

export interface Guarded {
  readonly removals: readonly Removal[]
  /** Entries of the list, or of all targets. */
  readonly size: number
  /** Set if the other side is empty: an emptied list and a failing server look the same. */
  readonly emptied: 'source_emptied' | 'targets_emptied' | undefined
  readonly guard: MassDeleteGuard
  /** Nothing is removed in the first run. */
  readonly initial: boolean
}

/** Plans the removals, or counts them as blocked and returns the warnings. */
export function removeGuarded(guarded: Guarded): readonly string[] {
  const reasons = guarded.removals.length === 0 ? [] : whyBlocked(guarded)
  if (reasons.length === 0) remove(guarded.removals)
  else for (const { draft } of guarded.removals) draft.blocked += 1
  return reasons
}

function whyBlocked({ removals, size, emptied, guard, initial }: Guarded): readonly string[] {
  if (guard.approved) return []
  if (initial) return ['first_run_keeps']
  if (emptied !== undefined) return ['mass_delete_blocked', emptied]
  return removals.length > Math.max(guard.min, guard.ratio * size) ? ['mass_delete_blocked'] : []
}
