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

/** The conclusions from the read of a side about the rows that it lacks. */
interface SideChecks extends CapCheck {
  /** Rows missing on this side may be removed on the other. */
  readonly mayProve: boolean
  /** Missing rows that were seen before count as unknown: they cause no operation, not even an add. */
  readonly unknownIfSeen: boolean
  /** Why removals caused by this side's absences are held; null if the read is plausible. */
  readonly implausible: Implausibility | null
  /** The account looks emptied. */
  readonly shrunk: boolean
  /** The coverage of the read. */
  readonly coverage: Coverage
  /** Rows that were read in the last run, and are out of scope now. */
  readonly uncovered: Uncovered
  /** Rows that no run has covered before this one. */
  readonly newlyCovered: Uncovered
}

export type ReadChecks = Readonly<Record<Side, SideChecks>>

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
  return { a: await checkSide(run, groups, reads.a, 'a'), b: await checkSide(run, groups, reads.b, 'b') }
}

async function checkSide(run: FeatureRun, groups: Groups, read: SideRead, side: Side): Promise<SideChecks> {
  const { state, order, sides } = run
  const { complete, unreadable, rows, atMs } = read
  const [seen, missing] = [groups.base.seen[side], groups.missing[side]]
  const before = state?.coverage?.[side]
  const coverage = coverageOf(run, side)
  const uncovered = uncoveredSince(before, coverage)
  const isNarrower = uncovered === 'all' || uncovered.size > 0
  const limit = complete && !isNarrower && seen > 0 ? shrinkLimit(seen) : Infinity
  const isEmpty = rows.size === 0 && limit < Infinity
  // A service may answer with an empty list for an hour.
  const isEmptied =
    isEmpty &&
    seen <= SMALL_ACCOUNT &&
    (state?.suspect[side] ?? 0) + 1 >= EMPTY_READS &&
    atMs - (state?.suspectAtMs?.[side] ?? atMs) >= EMPTY_MS
  const shrunk = isEmpty ? 'empty_read' : missing > limit ? 'shrunk_read' : null
  const mayHide = complete && !isNarrower && missing > 0 && hasNew(unreadable, state?.known?.[side] ?? [])
  // The first read after a failure, a sign-in or an upgrade may show less than the account has.
  const isDoubtful = state !== null && (!state.armed || before === undefined || isNewSignIn(run, side))
  return {
    ...(await checkCap(run, groups, read, side)),
    ...{ coverage, uncovered, newlyCovered: uncoveredSince(coverage, before), shrunk: shrunk !== null },
    implausible: isEmptied || shrunk === null ? (mayHide ? UNREADABLE : null) : shrunk,
    unknownIfSeen: isDoubtful || !complete,
    mayProve:
      state !== null &&
      !isDoubtful &&
      complete &&
      order.settings.include_observed_deletes &&
      sides[side].support.observedDeletes !== false,
  }
}

/** More missing rows than this make a read implausible. */
export function shrinkLimit(seen: number): number {
  return Math.max(SHRINK_MIN, seen * SHRINK_RATIO)
}
