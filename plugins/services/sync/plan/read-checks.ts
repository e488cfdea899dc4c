// Checks both reads: whether missing rows may count as removed, and whether a read is so much smaller than before that
// removals are held.
import type { Side } from '@playhead/sdk'
import type { Groups } from '../library/groups.ts'
import { type CapCheck, checkCap } from './capped-lists.ts'
import { coverageOf, isNewSignIn, type Uncovered, uncoveredSince } from './coverage.ts'
import type { SideRead } from '../library/read-side.ts'
import type { Coverage } from '../store/state.ts'
import type { FeatureRun } from '../feature-run.ts'
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
  /** What the reads cover. */
  readonly coverage: Readonly<Record<Side, Coverage>>
  /** Rows that were read in the last run, and are out of scope now. */
  readonly uncovered: Readonly<Record<Side, Uncovered>>
  /** Rows that no run has covered before this one. */
  readonly newlyCovered: Readonly<Record<Side, Uncovered>>
  /** Rows that a list with a cap does not show any more. */
  readonly caps: Readonly<Record<Side, CapCheck>>
}

// An account with this few rows counts as empty after several empty reads over some hours.
const SMALL_ACCOUNT = 10
const EMPTY_READS = 3
const EMPTY_MS = 6 * 3_600_000
const SHRINK_MIN = 10
const SHRINK_RATIO = 0.25

export async function checkReads(
  run: FeatureRun,
  groups: Groups,
  reads: Readonly<Record<Side, SideRead>>,
): Promise<ReadChecks> {
  const { state } = run
  const each = <Value>(of: (side: Side) => Value) => ({ a: of('a'), b: of('b') })
  const coverage = each((side) => coverageOf(run, side))
  const uncovered = each((side) => (state === null ? NOTHING : uncoveredSince(state.coverage?.[side], coverage[side])))
  const isNarrower = (side: Side) => uncovered[side] === 'all' || uncovered[side].size > 0
  const shrunk = each((side) => (reads[side].complete ? shrinkReason(side) : null))
  // The first read after a failure, a sign-in or an upgrade may show less than the account has.
  const isDoubtful = (side: Side) =>
    state !== null && (!state.armed || state.coverage === undefined || isNewSignIn(run, side))

  function shrinkReason(side: Side): 'empty_read' | 'shrunk_read' | null {
    const seen = groups.base.seen[side]
    if (seen === 0 || isNarrower(side)) return null
    if (reads[side].rows.size === 0) return 'empty_read'
    return groups.missing[side] > shrinkLimit(seen) ? 'shrunk_read' : null
  }

  function unreadableReason(side: Side): typeof UNREADABLE | null {
    const { complete, unreadable } = reads[side]
    const hasNewRows = complete && !isNarrower(side) && hasNew(unreadable, state?.known?.[side] ?? [])
    return hasNewRows && groups.missing[side] > 0 ? UNREADABLE : null
  }

  /** A service may answer with an empty list for an hour. */
  function isEmptied(side: Side): boolean {
    const sinceMs = state?.suspectAtMs?.[side] ?? reads[side].atMs
    return (
      shrunk[side] === 'empty_read' &&
      groups.base.seen[side] <= SMALL_ACCOUNT &&
      (state?.suspect[side] ?? 0) + 1 >= EMPTY_READS &&
      reads[side].atMs - sinceMs >= EMPTY_MS
    )
  }

  const caps = { a: await checkCap(run, groups, reads.a, 'a'), b: await checkCap(run, groups, reads.b, 'b') }
  return {
    coverage,
    uncovered,
    newlyCovered: each((side) =>
      state?.coverage === undefined ? NOTHING : uncoveredSince(coverage[side], state.coverage[side]),
    ),
    caps,
    shrunk: each((side) => shrunk[side] !== null),
    implausible: each((side) => (shrunk[side] === null || isEmptied(side) ? unreadableReason(side) : shrunk[side])),
    unknownIfSeen: each((side) => isDoubtful(side) || !reads[side].complete),
    mayProve: each(
      (side) =>
        state !== null &&
        !isDoubtful(side) &&
        reads[side].complete &&
        run.order.settings.include_observed_deletes &&
        run.sides[side].support.observedDeletes !== false,
    ),
  }
}

const NOTHING: Uncovered = new Set()

/** More missing rows than this make a read implausible. */
export function shrinkLimit(seen: number): number {
  return Math.max(SHRINK_MIN, seen * SHRINK_RATIO)
}
