// Whether a read may prove that something is gone, and whether it looks so emptied that removals must wait for a
// person.
import type { Side } from '@playhead/sdk'
import type { Groups } from '../library/groups.ts'
import type { SideRead } from '../library/read-side.ts'
import { type FeatureRun, SIDES } from '../feature-run.ts'
import { hasNew, learn, UNREADABLE } from './unreadable.ts'

type Implausibility = 'empty_read' | 'shrunk_read' | typeof UNREADABLE

export interface ReadChecks {
  /** Absence on this side may lead to a removal on the other. */
  readonly mayProve: Readonly<Record<Side, boolean>>
  /** Rows that were seen before and are missing now count as unknown: not even an add follows. */
  readonly unknownIfSeen: Readonly<Record<Side, boolean>>
  /** Removals that follow from this side's absences are held, and why. */
  readonly implausible: Readonly<Record<Side, Implausibility | null>>
  /** The read looked emptied, whether that was approved or not. */
  readonly shrunk: Readonly<Record<Side, boolean>>
  /** Rows that were seen under another scope and are missing are out of scope, not gone. */
  readonly scopeChanged: boolean
  /** Rows that cannot be told, and that are none of what was seen. */
  readonly known: Readonly<Record<Side, readonly string[]>>
}

// An emptied account of so few rows is believed when it is empty twice.
const FEW = 10
const SHRINK_MIN = 10
const SHRINK_RATIO = 0.25

export function checkReads(
  run: FeatureRun,
  groups: Groups,
  reads: Readonly<Record<Side, SideRead>>,
  scope: string,
): ReadChecks {
  const { state } = run
  const scopeChanged =
    state !== null &&
    (state.scope !== scope || SIDES.some((side) => state.fingerprint[side] !== run.sides[side].account.fingerprint))
  const each = <Value>(of: (side: Side) => Value) => ({ a: of('a'), b: of('b') })
  const shrunk = each((side) => (reads[side].complete ? shrinkReason(side) : null))

  function shrinkReason(side: Side): 'empty_read' | 'shrunk_read' | null {
    const seen = groups.base.seen[side]
    if (seen === 0 || scopeChanged) return null
    if (reads[side].rows.size === 0) return 'empty_read'
    return groups.missing[side] > shrinkLimit(seen) ? 'shrunk_read' : null
  }

  function unreadableReason(side: Side): typeof UNREADABLE | null {
    const { complete, unreadable } = reads[side]
    const hasNewRows = complete && !scopeChanged && hasNew(unreadable, state?.known?.[side] ?? [])
    return hasNewRows && groups.missing[side] > 0 ? UNREADABLE : null
  }

  return {
    scopeChanged,
    shrunk: each((side) => shrunk[side] !== null),
    implausible: each((side) => {
      const why = shrunk[side]
      const twice = why === 'empty_read' && (state?.suspect[side] ?? 0) > 0 && groups.base.seen[side] <= FEW
      if (run.approved) return null
      return why === null || twice ? unreadableReason(side) : why
    }),
    known: each((side) =>
      learn({
        read: reads[side],
        known: state?.known?.[side] ?? [],
        nothingMissing: run.approved || groups.missing[side] === 0,
      }),
    ),
    unknownIfSeen: each((side) => state?.armed === false || !reads[side].complete),
    mayProve: each(
      (side) =>
        state?.armed === true &&
        reads[side].complete &&
        run.order.settings.include_observed_deletes &&
        run.sides[side].support.observedDeletes !== false,
    ),
  }
}

/** So many of the rows that were seen may be missing from a read that is believed. */
export function shrinkLimit(seen: number): number {
  return Math.max(SHRINK_MIN, seen * SHRINK_RATIO)
}
