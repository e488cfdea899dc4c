// The state of one account's row after accounting for Playhead's own writes: a confirmed write that is not visible yet
// is neither an absence nor a change by the person.
import type { Group, Pending, Row, Seen, Side } from './contract.ts'

export interface SideState {
  readonly row: Row | null
  readonly presence: Group['presenceA']
  /** The last seen state: from the base, or from an own write that the read now shows. Null after an own removal. */
  readonly seen: Seen | null
  /** Seen in an earlier read too, so its absence elsewhere is meaningful. */
  readonly mature: boolean
  /** An own write is not visible yet. */
  readonly waiting: boolean
  /** An own write became visible, or the person changed the item since. */
  readonly over: boolean
}

/** How a row relates to an own add or update: visible, not visible yet, or changed by the person since. */
export type Appearance = 'shown' | 'not_yet' | 'changed'

/** Compares a row with the write that should have produced it. */
export type Recognise = (row: Row, pending: Pending, seen: Seen | null) => Appearance

export function lookAt(group: Group, side: Side, recognise: Recognise): SideState {
  const row = side === 'a' ? group.a : group.b
  const presence = row === null ? (side === 'a' ? group.presenceA : group.presenceB) : 'present'
  const seen = group.base?.[side] ?? null
  const pending = (side === 'a' ? group.base?.pendingA : group.base?.pendingB) ?? null
  const sight: SideState = { row, presence, seen, mature: seen !== null, waiting: false, over: false }
  if (pending === null) return sight
  return pending.op === 'remove' ? afterRemoval(sight, pending) : afterWrite(sight, pending, recognise)
}

function afterRemoval(sight: SideState, pending: Pending): SideState {
  const { row, presence } = sight
  // Its absence was caused by our write, so a row that appears now is new.
  const isNew = presence === 'absent' || (row?.evidenceMs !== undefined && row.evidenceMs > pending.atMs)
  return isNew ? { ...sight, seen: null, mature: false, over: true } : { ...sight, waiting: true }
}

function afterWrite(sight: SideState, pending: Pending, recognise: Recognise): SideState {
  const { row, seen } = sight
  if (row === null) return { ...sight, waiting: true }
  const appearance = recognise(row, pending, seen)
  if (appearance === 'not_yet') return { ...sight, waiting: true }
  const value = appearance === 'shown' ? row.value : pending.value
  return { ...sight, seen: { value, seenAtMs: pending.atMs }, over: true }
}

/**
 * True if the person changed the surviving row after it was last seen on the other account. A time that this row, or the lost
 * one, already had when it was last seen is not a change, even if it lies in the future.
 */
export function isNewerThanLoss(survivor: SideState, lost: SideState): boolean {
  const { row, seen } = survivor
  if (row === null || lost.seen === null) return false
  const knownMs = Math.max(lost.seen.seenAtMs, seen?.evidenceMs ?? -Infinity)
  const isKnown = row.evidenceMs === undefined || row.evidenceMs === lost.seen.evidenceMs
  return (!isKnown && row.evidenceMs > knownMs) || isChanged(survivor)
}

/** True if a row's value differs from the last seen one, or it was never seen. */
export function isChanged({ row, seen }: SideState): boolean {
  return row !== null && row.value !== seen?.value
}

/** True if a person gave the row the value that it has already, after it was last seen. */
export function isSetAgain({ row, seen }: SideState): boolean {
  if (row === null || seen === null || row.evidenceMs === undefined) return false
  return row.evidenceMs > (seen.evidenceMs ?? seen.seenAtMs)
}
