// Turns outcomes of the write engine into results of actions.
import { type ChangeOutcome, defined, isPlayheadError } from '@playhead/sdk'
import type { ActionResult } from '../answers.ts'
import type { Operation } from './abilities.ts'

/** The result of an action on one position; `http` is the status of a response with only this position. */
export interface Ending
  extends Omit<ActionResult, 'provider' | 'instance_id' | 'operation' | 'remote_id' | 'canonical_key'> {
  readonly http: number
}

/** One write, before it is converted to the result of an action. */
export interface Step {
  readonly status: 'applied' | 'queued' | 'skipped' | 'unresolved' | 'failed'
  readonly outcome?: string
  readonly reason?: string
  readonly retryable: boolean
  readonly remoteStatus: number | null
  readonly http: number
  /** Set for a queued write. */
  readonly planId?: string
}

const ERROR_CODES: Readonly<Record<Operation, string>> = {
  remove_progress: 'progress_remove_failed',
  mark_watched: 'history_failed',
  update_progress: 'progress_update_failed',
}
/** Error codes by reason of the write. */
const OWN_CODES: Readonly<Record<string, string>> = {
  progress_remove_unconfirmed: 'progress_remove_unconfirmed',
  unsupported_feature: 'unsupported',
}
const TEXTS: Readonly<Record<Operation, string>> = {
  remove_progress: 'The position could not be removed.',
  mark_watched: 'The title could not be marked as watched.',
  update_progress: 'The position could not be changed.',
}
const QUEUED_TEXT = 'The account is being synced. The change is made as soon as that has ended.'

const RETRYABLE_STATUS: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504])
/** The position moved since it was read, so a person is watching. */
const MOVED = 'changed_since_read'

export function stepOf({ outcome, reason }: Pick<ChangeOutcome, 'outcome' | 'reason'>): Step {
  const remoteStatus = /^http_(\d{3})$/.exec(reason ?? '')?.[1]
  const status = remoteStatus === undefined ? null : Number(remoteStatus)
  const step = (name: Step['status'], http: number, retryable = false): Step => ({
    status: name,
    outcome,
    ...defined({ reason }),
    retryable: retryable || (status !== null && RETRYABLE_STATUS.has(status)),
    remoteStatus: status,
    http,
  })
  if (reason === MOVED) return { ...step('skipped', 409, true), reason: 'target_newer' }
  switch (outcome) {
    case 'applied':
    case 'already':
      return step('applied', 200)
    case 'not_found':
    case 'unsupported':
    case 'rejected':
    case 'held':
    case 'filtered':
      return step('unresolved', 502)
    case 'unknown':
      return step('unresolved', reason === 'timeout' ? 504 : 502)
    case 'deferred':
    case 'rate_limited':
    case 'failed':
      return step('failed', reason === 'timeout' ? 504 : 502, true)
  }
}

/** A write that could not be planned or applied at all. */
export function stepOfError(error: unknown): Step {
  const known = isPlayheadError(error)
  return {
    status: 'failed',
    reason: known ? error.wire : 'failed',
    retryable: known && error.status !== 400 && error.status !== 404,
    remoteStatus: null,
    http: known && error.status < 500 ? error.status : known && error.status === 503 ? 503 : 502,
  }
}

export const QUEUED: Step = { status: 'queued', reason: 'busy', retryable: false, remoteStatus: null, http: 200 }

export function endingOf(step: Step, operation: Operation): Ending {
  const isDone = step.status === 'applied' || step.status === 'queued'
  return {
    ok: isDone,
    status: step.status,
    ...defined({ reason: step.reason }),
    ...(isDone ? {} : { error_code: OWN_CODES[step.reason ?? ''] ?? ERROR_CODES[operation] }),
    ...(step.status === 'queued'
      ? { message: QUEUED_TEXT }
      : isDone
        ? {}
        : { message: step.reason === 'target_newer' ? MOVED_TEXT : TEXTS[operation] }),
    retryable: step.retryable,
    remote_status: step.remoteStatus,
    http: step.http,
  }
}

const MOVED_TEXT = 'The position changed in the meantime. Look at it again.'

export function isDone(step: Step | undefined): boolean {
  return step?.status === 'applied' || step?.status === 'queued'
}

/** The result of one step. */
export function stepResult({ status, outcome, reason }: Step): NonNullable<ActionResult['history_result']> {
  return { status, ...defined({ outcome, reason }) }
}

/** No write was sent. */
export function refused(
  code: string,
  message: string,
  http: number,
  more: Partial<Pick<Ending, 'status' | 'reason' | 'retryable' | 'remote_status'>> = {},
): Ending {
  return {
    ok: false,
    status: 'failed',
    error_code: code,
    message,
    retryable: false,
    remote_status: null,
    http,
    ...more,
  }
}

/** The requested state already exists. */
export function skipped(reason: string, message: string): Ending {
  return { ok: true, status: 'skipped', reason, message, retryable: false, remote_status: null, http: 200 }
}
