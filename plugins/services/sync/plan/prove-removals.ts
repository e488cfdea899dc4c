// Proves absences before a removal. If the service was queried for each missing row, one read is enough. If it only returns
// lists, further whole reads must miss the row too: the more rows disappeared at once, the more reads and the longer the
// interval. Above a limit the removals are held.
import type { Side } from '@playhead/sdk'
import type { Held, HeldBySide, PlanOp } from './planned.ts'
import { other, SIDES } from '../feature-run.ts'
import type { SeenState } from '../store/base.ts'
import { isApproved } from './approval.ts'
import type { GroupView, ViewInput } from './view.ts'

/** Reason of a deferred removal. */
const UNPROVEN = 'absence_unconfirmed'
const TOO_MANY = 'shrunk_read'

// A person may well remove this many by hand.
const MAX_MANUAL = 3
const HOUR_MS = 3_600_000
/** Up to this share of the rows seen on a side: the number of whole reads, and the time from the first to the last. */
const NEEDED = [
  { share: 0.1, reads: 3, ms: 6 * HOUR_MS },
  { share: 0.25, reads: 3, ms: 24 * HOUR_MS },
] as const

export function createAbsences({ run, reads, groups }: ViewInput) {
  // Rows that were last seen in the same read disappeared at once.
  const missingSince: Record<Side, Map<number | undefined, number>> = { a: new Map(), b: new Map() }
  /** The lost row of each removal, as it was last seen. */
  const absences = new Map<PlanOp, SeenState>()

  /** Why the removal waits; undefined if it is proven. */
  function waitReason(op: PlanOp): typeof UNPROVEN | typeof TOO_MANY | undefined {
    const from = other(op.side)
    const lost = absences.get(op)
    if (isApproved(run, op) || lost === undefined || reads[from].provesAbsence) return undefined
    // `at` is undefined for a row that the previous read showed; `n` whole reads before this one missed the row, `f` the first.
    const { at: lastSeenMs, n: misses = 0, f: firstMs = reads[from].atMs } = lost
    const count = missingSince[from].get(lastSeenMs) ?? 1
    const reader = reads[from]
    const witnesses = misses + (reader.whole || lastSeenMs === undefined ? 1 : 0)
    if (count <= MAX_MANUAL) return witnesses >= 2 ? undefined : UNPROVEN
    const needed = NEEDED.find(({ share }) => count < share * groups.base.seen[from])
    if (needed === undefined) return TOO_MANY
    return witnesses >= needed.reads && reader.atMs - firstMs >= needed.ms ? undefined : UNPROVEN
  }

  return {
    /** Called for each decided group. */
    addGroup({ group, base, dormant }: GroupView): void {
      for (const side of SIDES) {
        const seen = base?.state[side]
        if (seen === undefined || group[side] !== null || dormant[side] !== undefined) continue
        missingSince[side].set(seen.at, (missingSince[side].get(seen.at) ?? 0) + 1)
      }
    },
    /** Called for each removal with its group. */
    addRemoval(op: PlanOp, { base }: GroupView): void {
      const seen = base?.state[other(op.side)]
      // A mirror removes rows that the source never had; a person confirmed the mirror.
      if (seen !== undefined) absences.set(op, seen)
    },
    /** Defers or holds removals whose absence is not yet proven. */
    prove(held: HeldBySide, removing: readonly PlanOp[]): HeldBySide {
      const next: Record<Side, Held | null> = { ...held }
      for (const op of removing) {
        if (op.state !== 'ready') continue
        const why = waitReason(op)
        if (why === undefined) continue
        const state = why === TOO_MANY ? 'held' : 'deferred'
        Object.assign(op, { state, reason: why, unresolved: true } satisfies Partial<PlanOp>)
        if (state === 'deferred') continue
        const before = next[op.side]
        next[op.side] = { threshold: MAX_MANUAL, ...before, reason: why, count: (before?.count ?? 0) + 1 }
      }
      return next
    },
    unproven(removing: readonly PlanOp[]): Record<Side, boolean> {
      const waits = (side: Side) => removing.some((op) => op.reason === UNPROVEN && other(op.side) === side)
      return { a: waits('a'), b: waits('b') }
    },
  }
}
