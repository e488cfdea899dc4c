// Outcomes of items, from the counts of a response or from the error.
import { isPlayheadError } from '@playhead/sdk'
import { type ItemOutcome, outcomeOfError } from '@playhead/sdk/provider'
import {
  type Batch,
  DOUBT,
  type Group,
  GROUPS,
  isNamedBy,
  isWithin,
  notFoundAmong,
  type Target,
} from '@playhead/trakt-dialect'
import type { WriteAnswer } from '../wire.ts'

/** Targets that were not found. An unknown show or season includes all its sent parts. */
export function notFoundIn(targets: readonly Target[], { not_found: echoes }: WriteAnswer): ReadonlySet<Target> {
  return notFoundAmong(
    targets,
    echoes,
    (target, group, echo) => target.group === group && isNamedBy(target, echo['ids']) && isWithin(target, echo),
  )
}

/** Outcome of all found items of a kind: the service only counts by kind. */
export function verdictsOf(
  found: readonly Target[],
  answer: WriteAnswer,
  op: Batch['op'],
): Readonly<Record<Group, ItemOutcome>> {
  const verdicts = Object.values(GROUPS).map((kind) => {
    const expected = found.filter((target) => target.kind === kind).length
    return [kind, COUNTS[op](expected, (name) => answer[name]?.[kind] ?? 0)]
  })
  return Object.fromEntries(verdicts)
}

type Count = (name: 'added' | 'existing' | 'updated' | 'deleted') => number

const COUNTS: Readonly<Record<Batch['op'], (expected: number, count: Count) => ItemOutcome>> = {
  adds: (expected, count) => {
    const existing = count('existing')
    if (existing === expected) return { outcome: 'already' }
    const counted = count('added') + count('updated') + existing
    return counted >= expected ? { outcome: 'applied' } : DOUBT
  },
  // Items that were not deleted did not exist.
  removes: (_expected, count) => (count('deleted') === 0 ? { outcome: 'already' } : { outcome: 'applied' }),
}

/** Outcome of all items of a failed request; undefined for errors unrelated to the request. */
export function verdictOfError(error: unknown): ItemOutcome | undefined {
  // The account is locked, or the application refused: another sign-in may be accepted.
  if (isPlayheadError(error, 'PLH_FORBIDDEN')) return { outcome: 'failed', reason: error.wire }
  if (isPlayheadError(error, 'PLH_AUTH_FAILED')) return { outcome: 'failed', reason: 'unauthorized' }
  const status = isPlayheadError(error, 'PLH_UPSTREAM') ? error.details?.['status'] : undefined
  // A failing server may have applied a part.
  if (typeof status === 'number') return { outcome: status >= 500 ? 'unknown' : 'rejected', reason: `http_${status}` }
  return outcomeOfError(error)
}
