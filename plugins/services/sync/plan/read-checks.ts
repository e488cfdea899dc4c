// Checks both reads: whether missing rows may count as removed, and whether a read is so much smaller than before that
// removals are held.
import type { Side } from '@playhead/sdk'
import type { Groups } from '../library/groups.ts'
import type { SideRead } from '../library/read-side.ts'
import { type FeatureRun, SIDES } from '../feature-run.ts'
import { hasNew, UNREADABLE } from '../library/unreadable.ts'

type Implausibility = 'empty_read' | 'shrunk_read' | typeof UNREADABLE

export interface ReadChecks {
  /** Rows missing on this side may be removed on the other. */
  readonly mayProve: Readonly<Record<Side, boolean>>
  /** Missing rows that were seen before count as unknown: they cause no operation, not even an add. */
  readonly unknownIfSeen: Readonly<Record<Side, boolean>>
  /** Why removals caused by this side's absences are held; null if the read is plausible. */
  readonly implausible: Readonly<Record<Side, Implausibility | null>>
  /** The account looks emptied. */
  readonly shrunk: Readonly<Record<Side, boolean>>
  /** Missing rows that were seen under another scope are out of scope, not gone. */
  readonly scopeChanged: boolean
}

// An account with this few rows counts as empty after two empty reads.
const SMALL_ACCOUNT = 10
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
      const twice = why === 'empty_read' && (state?.suspect[side] ?? 0) > 0 && groups.base.seen[side] <= SMALL_ACCOUNT
      return why === null || twice ? unreadableReason(side) : why
    }),
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

/** More missing rows than this make a read implausible. */
export function shrinkLimit(seen: number): number {
  return Math.max(SHRINK_MIN, seen * SHRINK_RATIO)
}
