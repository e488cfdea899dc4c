// What one side of a group looks like once the service's own writes are taken into account: a write that was confirmed
// and is not visible yet is neither an absence nor a change of the person's.
import type { Group, Pending, Row, Seen, Side } from './contract.ts'

export interface Sight {
  readonly row: Row | null
  readonly presence: Group['presenceA']
  /** What counts as last seen: the base, or the own write that the read shows now. Null after an own removal. */
  readonly seen: Seen | null
  /** Seen in an earlier read too, so that its absence elsewhere can mean something. */
  readonly mature: boolean
  /** An own write has not appeared yet. */
  readonly waiting: boolean
  /** An own write appeared, or was overtaken by the person. */
  readonly over: boolean
}

/** What a row says about an own add or update: it is there, it is not there yet, or the person has changed it since. */
export type Appearance = 'shown' | 'not_yet' | 'changed'

/** Judges a row against the write that should have made it. */
export type Recognise = (row: Row, pending: Pending, seen: Seen | null) => Appearance

export function lookAt(group: Group, side: Side, recognise: Recognise): Sight {
  const row = side === 'a' ? group.a : group.b
  const presence = row === null ? (side === 'a' ? group.presenceA : group.presenceB) : 'present'
  const seen = group.base?.[side] ?? null
  const pending = (side === 'a' ? group.base?.pendingA : group.base?.pendingB) ?? null
  const sight: Sight = { row, presence, seen, mature: seen !== null, waiting: false, over: false }
  if (pending === null) return sight
  return pending.op === 'remove' ? afterRemoval(sight, pending) : afterWrite(sight, pending, recognise)
}

function afterRemoval(sight: Sight, pending: Pending): Sight {
  const { row, presence } = sight
  // Whatever is there from now on is new: its absence was the service's doing and says nothing about the person.
  const isNew = presence === 'absent' || (row?.evidenceMs !== undefined && row.evidenceMs > pending.atMs)
  return isNew ? { ...sight, seen: null, mature: false, over: true } : { ...sight, waiting: true }
}

function afterWrite(sight: Sight, pending: Pending, recognise: Recognise): Sight {
  const { row, seen } = sight
  if (row === null) return { ...sight, waiting: true }
  const appearance = recognise(row, pending, seen)
  if (appearance === 'not_yet') return { ...sight, waiting: true }
  const value = appearance === 'shown' ? row.value : pending.value
  return { ...sight, seen: { value, seenAtMs: pending.atMs }, over: true }
}

/**
 * True when the person did something with what is left on `survivor` after it was last seen on the side that lost it.
 */
export function isNewerThanLoss(survivor: Sight, lost: Sight): boolean {
  const { row } = survivor
  if (row === null || lost.seen === null) return false
  if (row.evidenceMs !== undefined && row.evidenceMs > lost.seen.seenAtMs) return true
  return isChanged(survivor)
}

/** True when a row has another value than it was last seen with, or was never seen. */
export function isChanged({ row, seen }: Sight): boolean {
  return row !== null && row.value !== seen?.value
}
