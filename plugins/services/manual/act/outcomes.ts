// Reports the outcomes of actions in the terms of the API.
import { type ActionReport, defined } from '@playhead/sdk'
import { reasonOfError } from '@playhead/sdk/provider'
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
export const UNKNOWN: Result = { status: 'unresolved', reason: 'unknown' }

const MAX_PROBLEMS = 50

/** The results by the keys of the changes. */
export function resultsOf({ isWaiting, outcomes }: ActionReport): (key: string) => Result {
  const known = new Map(outcomes.map((one) => [one.key, one]))
  return (key) => {
    const { status, reason } = known.get(key) ?? UNKNOWN
    return isWaiting || status === 'waiting' ? PENDING : { status, ...defined({ reason }) }
  }
}

/** No operation could be planned or sent. */
export function resultOfError(error: unknown): Result {
  return { status: 'failed', reason: reasonOfError(error) }
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
