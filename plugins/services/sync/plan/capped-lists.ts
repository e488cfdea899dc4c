// Recognizes lists that show their newest rows only: the list is not shorter than before, so that as many rows are new, and the
// missing rows are older than all others. A list that becomes longer later has no such limit, and neither has one whose
// provider declares `showsAll`.
import type { Side } from '@playhead/sdk'
import { type Groups, lostGroups, lostRows } from '../library/groups.ts'
import { countOwned, type SideRead } from '../library/read-side.ts'
import type { FeatureRun } from '../feature-run.ts'

export interface CapCheck {
  /** Groups whose rows were pushed out since the last read. */
  readonly pushedOut: ReadonlySet<number>
  /** The known limit after this read; null if there is none. */
  readonly cap: number | null
}

/** More missing rows than this cannot be explained by a limit. */
const MAX_MISSING = 200

export async function checkCap(
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
  if (gone.length === 0 || !isOldest(gone, rows, size === before)) return none
  return { pushedOut: new Set(gone.map(({ group }) => group)), cap: size }
}

/** Without times, a constant size is the only sign. */
function isOldest(
  gone: readonly { readonly evidenceMs: number | undefined }[],
  rows: SideRead['rows'],
  isSameSize: boolean,
): boolean {
  let oldestMs: number | undefined
  for (let index = 0; index < rows.size; index += 1) {
    const atMs = rows.evidence(index)
    if (atMs !== undefined && !(atMs >= (oldestMs ?? Infinity))) oldestMs = atMs
  }
  if (oldestMs === undefined) return isSameSize && gone.every(({ evidenceMs }) => evidenceMs === undefined)
  return gone.every(({ evidenceMs }) => evidenceMs !== undefined && evidenceMs <= oldestMs)
}
