// Checks both reads: whether missing rows may count as removed, and whether a read is so much smaller than before that
// removals are held.
import type { Side } from '@playhead/sdk'
import { type Groups, lostGroups, lostRows } from '../library/groups.ts'
import { coverageOf, isNewSignIn, type Uncovered, uncoveredSince } from './coverage.ts'
import { countOwned, type SideRead } from '../library/read-side.ts'
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

interface CapCheck {
  /** Groups whose rows were pushed out since the last read. */
  readonly pushedOut: ReadonlySet<number>
  /** The known limit after this read; null if there is none. */
  readonly cap: number | null
}

/** More missing rows than this cannot be explained by a limit. */
const MAX_MISSING = 200

/**
 * Recognizes lists that show their newest rows only: the list is not shorter than before, so that as many rows are new, and
 * missing rows that are older than all others were pushed out. A list that becomes longer later has no such limit, and
 * neither has one whose provider declares `showsAll`.
 */
async function checkCap(
  run: FeatureRun,
  groups: Groups,
  { rows, complete, provesAbsence }: SideRead,
  side: Side,
): Promise<CapCheck> {
  const { state, sides } = run
  const size = countOwned(rows)
  const cap = state?.caps?.[side] ?? null
  const before = state?.sizes?.[side] ?? null
  // A service that can be queried for single rows reports whether the row still exists.
  const isCertain = provesAbsence || sides[side].support.showsAll === true
  const none = { pushedOut: new Set<number>(), cap: cap !== null && (isCertain || size > cap) ? null : cap }
  const count = groups.missing[side]
  if (!complete || isCertain || before === null || size < before || count === 0 || count > MAX_MISSING) return none
  const gone = [...(await lostRows(run, groups, lostGroups(groups, side)))].flatMap(([group, { state: known }]) => {
    const seen = known[side]
    return seen === undefined || seen.at !== undefined || seen.d !== undefined ? [] : [{ group, evidenceMs: seen.e }]
  })
  const pushedOut = oldestOf(gone, rows, size === before)
  return pushedOut.length === 0 ? none : { pushedOut: new Set(pushedOut.map(({ group }) => group)), cap: size }
}

/** Others may have been taken off meanwhile. Without times, a constant size is the only sign. */
function oldestOf<Gone extends { readonly evidenceMs: number | undefined }>(
  gone: readonly Gone[],
  rows: SideRead['rows'],
  isSameSize: boolean,
): readonly Gone[] {
  let oldestMs: number | undefined
  for (let index = 0; index < rows.size; index += 1) {
    const atMs = rows.evidence(index)
    if (atMs !== undefined && !(atMs >= (oldestMs ?? Infinity))) oldestMs = atMs
  }
  if (oldestMs === undefined) return isSameSize && gone.every(({ evidenceMs }) => evidenceMs === undefined) ? gone : []
  return gone.filter(({ evidenceMs }) => evidenceMs !== undefined && evidenceMs <= oldestMs)
}
