// A decided plan in memory, and its number of operations by kind.
import type { Side } from '@playhead/sdk'
import type { SideRead } from '../library/read-side.ts'
import type { PlanHeader, PlanItemState } from '../store/plans.ts'
import type { UnresolvedRow } from '../store/unresolved.ts'
import type { OwnWrites } from '../library/own-writes.ts'
import type { Loss } from '../store/tombstones.ts'
import { OPS, SIDES } from '../feature-run.ts'
import type { ViewInput } from './view.ts'

/** The part of an operation that stays in memory; the stored plan has the rest. */
export interface PlanOp {
  readonly group: number
  readonly side: Side
  readonly op: 'add' | 'update' | 'remove'
  readonly key: string
  value: string
  readonly cause: string
  evidenceMs: number | undefined
  /** Position in the stored plan; -1 when it is not stored. */
  n: number
  state: PlanItemState
  reason: string | null
  /** As in the stored plan, if known. */
  note?: string | null
  unresolved: boolean
  /** An add that overrides a tombstone of its side. */
  readonly readded?: boolean
  /** When another pair wrote the row, which no read shows yet: the add waits for it as for a write of its own pair. */
  readonly awaits?: number
  /** For a removal. */
  readonly loss?: Loss | undefined
  /** The value that verifySide() found; null if there is no row, undefined if the side was not read again. */
  seen: string | null | undefined
  /** Fingerprint and evidence time of the found row. */
  seenAs?: number
  seenMs?: number | undefined
  reported: boolean
}

export type GroupState = 'linked' | 'diverged' | 'none' | 'ambiguous'

/** Removals of one side that the guard holds. */
export interface Held {
  readonly count: number
  readonly reason: string
  readonly threshold: number
}

/** An item that is listed although no write is planned, with the origin of the difference as JSON. */
export interface Note {
  readonly group: number
  readonly reason: string
  readonly origin?: string
}

export type HeldBySide = Readonly<Record<Side, Held | null>>

export interface Planned extends ViewInput {
  readonly header: PlanHeader | null
  readonly held: HeldBySide
  readonly ops: readonly PlanOp[]
  opsOf(group: number): readonly PlanOp[]
  stateOf(group: number): GroupState
  /** The feature could not decide: the state stays as it is. */
  isUndecided(group: number): boolean
  /** The feature reports that the side's own write is finished, with or without effect. */
  isWriteOver(group: number, side: Side): boolean
  /** A person entered the row again on the side, after it was removed there. */
  isPutBack(group: number, side: Side): boolean
  /** The feature's reason for leaving the sides different. */
  divergedBecause(group: number): string | undefined
  /** Items that are listed although no write is planned. */
  readonly notes: readonly Note[]
  readonly own: OwnWrites
  /** Origins of operations that the stored plan lacks, as JSON. */
  readonly origins: ReadonlyMap<PlanOp, string>
  readonly unresolved: ReadonlyMap<string, UnresolvedRow>
  /** Items that a person ignores, by `ignoredName`. */
  readonly ignored: ReadonlySet<string>
  readonly runNumber: number
  /** Removals wait for another whole read of this side. */
  readonly unproven: Readonly<Record<Side, boolean>>
}

/** The parts of a plan that applying needs. */
export interface Applicable {
  readonly header: PlanHeader | null
  readonly ops: readonly PlanOp[]
  /** The accounts of the plan, as far as they were read. */
  readonly reads?: {
    readonly [side in Side]?: Pick<SideRead, 'account'> & Partial<Pick<SideRead, 'atMs' | 'complete'>>
  }
}

/** Number of operations by side, kind and state. */
export type Tally = (side: Side | 'both', op: PlanOp['op'] | 'any', state: PlanOp['state']) => number

type States = { [State in PlanOp['state']]?: number }

export function tallyOf(ops: readonly PlanOp[]): Tally {
  const kinds = (): Record<PlanOp['op'], States> => ({ add: {}, update: {}, remove: {} })
  const counts: Record<Side, Record<PlanOp['op'], States>> = { a: kinds(), b: kinds() }
  for (const { side, op, state } of ops) counts[side][op][state] = (counts[side][op][state] ?? 0) + 1
  return (side, op, state) => {
    const own = (side === 'both' ? SIDES : [side]).flatMap((each) =>
      (op === 'any' ? OPS : [op]).map((kind) => counts[each][kind]),
    )
    return own.reduce((sum, states) => sum + (states[state] ?? 0), 0)
  }
}

export function byKind(tally: Tally, side: Side | 'both', state: PlanOp['state']): Record<PlanOp['op'], number> {
  return { add: tally(side, 'add', state), update: tally(side, 'update', state), remove: tally(side, 'remove', state) }
}
