// Reports the outcomes of actions in the terms of the API.
import { type ActionOutcome, defined } from '@playhead/sdk'
import type { ActionResult } from '../answers.ts'
import type { Operation } from './abilities.ts'

/** The result of an action on one position; `http` is the status of a response with only this position. */
export interface Ending
  extends Omit<ActionResult, 'provider' | 'instance_id' | 'operation' | 'remote_id' | 'canonical_key'> {
  readonly http: number
}

/** One write, before it is converted to the result of an action. */
export interface Step extends ActionOutcome {
  readonly planId: string | null
}

const STATUSES: Readonly<Record<ActionOutcome['status'], string>> = {
  done: 'applied',
  already: 'skipped',
  waiting: 'queued',
  unresolved: 'unresolved',
  failed: 'failed',
}
export const ERROR_CODES: Readonly<Record<Operation, string>> = {
  remove_progress: 'progress_remove_failed',
  mark_watched: 'history_failed',
  update_progress: 'progress_update_failed',
}
/** Error codes by reason of the write. */
const OWN_CODES: Readonly<Record<string, string>> = {
  progress_remove_unconfirmed: 'progress_remove_unconfirmed',
  unsupported_feature: 'unsupported',
}
/** The position moved since it was read, so a person is watching. */
const MOVED: ReadonlySet<string> = new Set(['changed_since_read', 'changed_since_plan'])
const TEXTS: Readonly<Record<Operation, string>> = {
  remove_progress: 'The position could not be removed.',
  mark_watched: 'The title could not be marked as watched.',
  update_progress: 'The position could not be changed.',
}
/** The requested state already exists. */
export const ALREADY: Readonly<Record<Operation, Ending>> = {
  remove_progress: skipped('already_removed', 'The position was removed already.'),
  mark_watched: skipped('already_watched', 'It was marked as watched already.'),
  update_progress: skipped('progress_unchanged', 'The position is already there.'),
}
export const QUEUED: Ending = {
  ok: true,
  status: 'queued',
  reason: 'busy',
  message: 'The account is being synced. The change is made as soon as that has ended.',
  retryable: false,
  remote_status: null,
  http: 200,
}

export function endingOf(step: Step, operation: Operation): Ending {
  const { status, reason = '', retryable, remoteStatus, http } = step
  if (status === 'waiting') return QUEUED
  if (status === 'already') return ALREADY[operation]
  if (status === 'done') return { ok: true, status: 'applied', retryable: false, remote_status: null, http }
  const moved = MOVED.has(reason) ? { status: 'skipped', reason: 'target_newer' } : undefined
  return refused(
    OWN_CODES[reason] ?? ERROR_CODES[operation],
    moved === undefined ? TEXTS[operation] : 'The position changed in the meantime. Look at it again.',
    http,
    { status: STATUSES[status], reason, retryable, remote_status: remoteStatus, ...moved },
  )
}

/** It is done, or will be. */
export function isDone(step: Step | undefined): boolean {
  return step?.ok === true || step?.status === 'waiting'
}

/** The result of one step. */
export function stepResult({ status, outcome, reason }: Step): NonNullable<ActionResult['history_result']> {
  return { status: STATUSES[status], outcome, ...defined({ reason }) }
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

export function skipped(reason: string, message: string): Ending {
  return { ok: true, status: 'skipped', reason, message, retryable: false, remote_status: null, http: 200 }
}
