// What people are told about a run, a pair or a feature: one rule for all pages, events and notifications.

/** `partly`: something is left to do that is not merely missing from a library. */
type Outcome = 'synced' | 'partly' | 'skipped' | 'failed' | 'cancelled'

export const OUTCOMES = ['synced', 'partly', 'skipped', 'failed', 'cancelled'] as const

/** @param open items that are not synced: unresolved and held ones, without those that the target lacks */
export function outcomeOf(result: string, open: number): Outcome {
  if (result === 'failed' || result === 'cancelled' || result === 'skipped') return result
  return result === 'partial' || open > 0 ? 'partly' : 'synced'
}

/** Of a whole from its parts, by the rule of a run's result. */
export function outcomeOfAll(parts: readonly Outcome[]): Outcome {
  if (parts.includes('cancelled')) return 'cancelled'
  if (parts.every((part) => part === 'synced')) return 'synced'
  if (parts.some((part) => part === 'synced' || part === 'partly')) return 'partly'
  return parts.every((part) => part === 'skipped') ? 'skipped' : 'failed'
}

/** Of the counts of a run. */
export function openOf(counts: {
  readonly unresolved: number
  readonly held: number
  readonly not_in_library: number
}): number {
  return Math.max(0, counts.unresolved - counts.not_in_library) + counts.held
}
