// Meanings of outcomes: one table for the engine, for actions, and for plugins that count or show outcomes.
import type { ChangeOutcomeKind, WriteOutcomeKind } from './contract.ts'

/**
 * - `done`: the account is as requested.
 * - `refused`: the service or a plugin does not accept the item; another try changes nothing.
 * - `held`: waits for an approval.
 * - `unknown`: possibly done.
 * - `failed`: not done, for a reason that may pass.
 */
export type OutcomeMeaning = 'done' | 'refused' | 'held' | 'unknown' | 'failed'

const WRITES: Readonly<Record<WriteOutcomeKind, OutcomeMeaning>> = {
  applied: 'done',
  already: 'done',
  not_found: 'refused',
  unsupported: 'refused',
  rejected: 'refused',
  rate_limited: 'failed',
  failed: 'failed',
  unknown: 'unknown',
}
const MEANINGS: Readonly<Record<ChangeOutcomeKind, OutcomeMeaning>> = {
  ...WRITES,
  held: 'held',
  filtered: 'refused',
  deferred: 'failed',
}

export function meaningOf(outcome: ChangeOutcomeKind): OutcomeMeaning {
  return MEANINGS[outcome]
}

/** For an item that was sent, or may have been: not `held`, `filtered` or `deferred`. */
export function isWriteOutcome(outcome: unknown): outcome is WriteOutcomeKind {
  return typeof outcome === 'string' && Object.hasOwn(WRITES, outcome)
}

/** The outcomes of writes with one of these meanings. */
export function writeOutcomes(...meanings: readonly OutcomeMeaning[]): readonly WriteOutcomeKind[] {
  return Object.keys(WRITES).filter(
    (one): one is WriteOutcomeKind => isWriteOutcome(one) && meanings.includes(WRITES[one]),
  )
}

/** The account stopped responding before this change. */
export function wasNotTried({ outcome, reason }: { outcome: ChangeOutcomeKind; reason?: string }): boolean {
  return outcome === 'rate_limited' || (outcome === 'deferred' && reason === 'not_attempted')
}
