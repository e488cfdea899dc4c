// Outcomes of items, from the counts of a response or from the error.
import { isPlayheadError, type WriteOutcome } from '@playhead/sdk'
import type { Group, Target } from './targets.ts'
import type { WriteAnswer } from '../wire.ts'

export type Verdict = Omit<WriteOutcome, 'key'>

const GROUPS: readonly Group[] = ['movies', 'shows', 'seasons', 'episodes']

/** Member of the response with the counts. */
export type Counting = 'adds' | 'removes'

/** Outcome of all found items of a kind: the service only counts by kind. */
export function verdictsOf(
  found: readonly Target[],
  answer: WriteAnswer,
  counting: Counting,
): ReadonlyMap<Group, Verdict> {
  return new Map(
    GROUPS.map((kind) => {
      const expected = found.filter((target) => target.kind === kind).length
      return [kind, COUNTS[counting](expected, (name) => answer[name]?.[kind] ?? 0)] as const
    }),
  )
}

type Count = (name: 'added' | 'existing' | 'updated' | 'deleted') => number

const COUNTS: Readonly<Record<Counting, (expected: number, count: Count) => Verdict>> = {
  adds: (expected, count) => {
    const existing = count('existing')
    if (existing === expected) return { outcome: 'already' }
    const counted = count('added') + count('updated') + existing
    return counted >= expected ? { outcome: 'applied' } : { outcome: 'unknown', reason: 'count_mismatch' }
  },
  // Items that were not deleted did not exist.
  removes: (_expected, count) => (count('deleted') === 0 ? { outcome: 'already' } : { outcome: 'applied' }),
}

/** Outcome of all items of a failed request; undefined for errors unrelated to the request. */
export function verdictOfError(error: unknown): Verdict | undefined {
  if (!isPlayheadError(error)) return undefined
  const { status, reason } = error.details ?? {}
  if (status === 423) return { outcome: 'failed', reason: String(reason) }
  switch (error.code) {
    case 'PLH_RATE_LIMITED':
      return { outcome: 'rate_limited', reason: 'rate_limited' }
    case 'PLH_UNSUPPORTED':
      return { outcome: 'unsupported', reason: 'vip_only' }
    case 'PLH_CONFLICT':
      return { outcome: 'rejected', reason: 'provider_limit' }
    case 'PLH_FORBIDDEN':
      return { outcome: 'failed', reason: 'forbidden' }
    case 'PLH_AUTH_FAILED':
      return { outcome: 'failed', reason: 'unauthorized' }
    case 'PLH_NOT_FOUND':
      return { outcome: 'not_found', reason: 'not_found' }
    // Without a connection no request was sent; otherwise the response may have been lost after the write.
    case 'PLH_UPSTREAM_TIMEOUT':
      return { outcome: reason === 'connect_timeout' ? 'failed' : 'unknown', reason: 'timeout' }
    case 'PLH_UPSTREAM':
      return ofUpstream(status, reason)
    case 'PLH_UPSTREAM_INVALID':
      return { outcome: 'unknown', reason: 'invalid_response' }
    case 'PLH_ABORTED':
      return { outcome: 'unknown', reason: 'aborted' }
    default:
      return { outcome: 'failed', reason: error.wire }
  }
}

function ofUpstream(status: unknown, reason: unknown): Verdict {
  if (typeof status === 'number') return { outcome: status >= 500 ? 'unknown' : 'rejected', reason: `http_${status}` }
  const wasConnected = reason === undefined || reason === 'connection_lost'
  return wasConnected
    ? { outcome: 'unknown', reason: 'connection_lost' }
    : { outcome: 'failed', reason: String(reason) }
}
