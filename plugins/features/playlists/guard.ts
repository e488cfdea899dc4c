// The guard against mass deletion. It blocks either all removals of a side or none.
import type { MassDeleteGuard } from '@playhead/sdk'
import { type Removal, remove } from './draft-list.ts'

interface Guarded {
  readonly removals: readonly Removal[]
  /** Number of entries of the list, or of all targets. */
  readonly size: number
  /** Set if the other side is empty, because an emptied list and a failing server look the same. */
  readonly emptied: 'source_emptied' | 'targets_emptied' | undefined
  /** Number of unreadable entries of the other side, now and when all recorded items were present. */
  readonly unreadable: { readonly now: number; readonly before: number }
  readonly guard: MassDeleteGuard
  /** The first run removes nothing. */
  readonly initial: boolean
}

/** Plans the removals, or counts them as blocked. Returns the warnings. */
export function removeGuarded(guarded: Guarded): readonly string[] {
  const { removals, unreadable, guard } = guarded
  const { now, before } = unreadable
  const isSure = ({ managed }: Removal) => guard.approved || (managed ? now <= before : now === 0)
  const [sure, hidden] = [removals.filter(isSure), removals.filter((one) => !isSure(one))]
  const reasons = sure.length === 0 ? [] : whyBlocked({ ...guarded, removals: sure })
  if (reasons.length === 0) remove(sure)
  for (const { draft, entry } of reasons.length === 0 ? hidden : removals) {
    draft.blocked += 1
    draft.held.push({ key: entry.key, item: entry.item })
  }
  return hidden.length === 0 ? reasons : [...reasons, 'unreadable_entries']
}

function whyBlocked({ removals, size, emptied, guard, initial }: Guarded): readonly string[] {
  if (guard.approved) return []
  if (initial) return ['first_run_keeps']
  if (emptied !== undefined) return ['mass_delete_blocked', emptied]
  return removals.length > Math.max(guard.min, guard.ratio * size) ? ['mass_delete_blocked'] : []
}
