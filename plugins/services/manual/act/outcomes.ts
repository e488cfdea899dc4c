// Turns outcomes of the write engine into results of actions.
import { type ChangeOutcome, defined, isPlayheadError } from '@playhead/sdk'
import { outcomeOfError } from '@playhead/sdk/provider'
import type { ActionResult, Status } from '../request/body.ts'

export interface Result {
  readonly status: Status
  readonly reason?: string
  readonly pending?: boolean
}

/** Part of a show or season. */
interface EpisodeResult extends Result {
  readonly season: number
  readonly episode: number
}

/** The plan waits for the account, or is being applied. */
export const PENDING: Result = { status: 'failed', reason: 'timeout', pending: true }
export const TIMEOUT: Result = { status: 'failed', reason: 'timeout' }
export const ALREADY: Result = { status: 'already' }

const MAX_PROBLEMS = 50
/** Reasons are codes; any other text might come from a service. */
const CODE = /^[a-z0-9][a-z0-9_.:-]{0,79}$/

export function resultOf({ outcome, reason }: Pick<ChangeOutcome, 'outcome' | 'reason'>): Result {
  switch (outcome) {
    case 'applied':
      return { status: 'done' }
    case 'already':
      return { status: 'already' }
    case 'deferred':
    case 'rate_limited':
    case 'failed':
      return { status: 'failed', reason: codeOf(reason, outcome) }
    case 'unknown':
      return { status: 'unresolved', reason: codeOf(reason, 'unconfirmed') }
    case 'not_found':
    case 'unsupported':
    case 'rejected':
    case 'held':
    case 'filtered':
      return { status: 'unresolved', reason: codeOf(reason, outcome) }
  }
}

/** No operation could be planned or sent. */
export function resultOfError(error: unknown): Result {
  const known = outcomeOfError(error)
  if (known !== undefined) return resultOf(known.outcome === 'unknown' ? { ...known, outcome: 'failed' } : known)
  return { status: 'failed', reason: codeOf(isPlayheadError(error) ? error.wire : undefined, 'failed') }
}

export function isFine({ status }: Result): boolean {
  return status === 'done' || status === 'already'
}

/** The worst result counts. The result is `already` only if all parts were. */
export function summaryOf(episodes: readonly EpisodeResult[]): ActionResult {
  const count = (wanted: Status) => episodes.filter(({ status }) => status === wanted).length
  const worst = episodes.find(({ status }) => status === 'failed') ?? episodes.find((each) => !isFine(each))
  const isPending = episodes.some(({ pending }) => pending === true)
  const problems = episodes
    .filter((each) => !isFine(each))
    .slice(0, MAX_PROBLEMS)
    .map(({ season, episode, status, reason }) => ({ season, episode, status, ...defined({ reason }) }))
  return {
    status: worst?.status ?? (count('done') > 0 ? 'done' : 'already'),
    ...defined({ reason: worst?.reason }),
    ...(isPending ? { pending: true } : {}),
    episodes: {
      total: episodes.length,
      done: count('done'),
      already: count('already'),
      unresolved: count('unresolved'),
      failed: count('failed'),
    },
    ...(problems.length === 0 ? {} : { problems }),
  }
}

function codeOf(reason: string | undefined, fallback: string): string {
  return reason !== undefined && CODE.test(reason) ? reason : fallback
}
