// The displayed result of a run, a pair or a feature: one rule for all pages, events and notifications.
import { writeOutcomes } from '@playhead/sdk/provider'

/** `partly`: items remain unsynced for other reasons than that the target lacks them. */
export const OUTCOMES = ['synced', 'partly', 'skipped', 'failed', 'cancelled'] as const
type Outcome = (typeof OUTCOMES)[number]

/** Outcomes of single operations that were tried without success. */
export const FAILED = new Set<string>(writeOutcomes('refused', 'unknown', 'failed'))

/** @param open items that are not synced: unresolved and held ones, except those that the target lacks */
export function outcomeOf(result: string, open: number): Outcome {
  if (result === 'failed' || result === 'cancelled' || result === 'skipped') return result
  return result === 'partial' || open > 0 ? 'partly' : 'synced'
}

/** The result of a whole from its parts, by the rule for runs. */
export function outcomeOfAll(parts: readonly Outcome[]): Outcome {
  if (parts.includes('cancelled')) return 'cancelled'
  if (parts.every((part) => part === 'synced')) return 'synced'
  if (parts.some((part) => part === 'synced' || part === 'partly')) return 'partly'
  return parts.every((part) => part === 'skipped') ? 'skipped' : 'failed'
}
