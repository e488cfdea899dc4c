// The one table from outcomes of writes, and from errors before them, to results of actions and HTTP statuses.
import { type ActionOutcome, type ActionReport, type ChangeOutcome, defined, isPlayheadError } from '@playhead/sdk'
import { isWriteOutcome, meaningOf, type OutcomeMeaning, reasonCode, reasonOfError } from '@playhead/sdk/provider'

type Judged = Omit<ActionOutcome, 'key' | 'op' | 'outcome' | 'note'>

const STATUSES: Readonly<Record<OutcomeMeaning, ActionOutcome['status']>> = {
  done: 'done',
  refused: 'unresolved',
  held: 'unresolved',
  unknown: 'unresolved',
  failed: 'failed',
}
const RETRYABLE_STATUS: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504])
/** The row was changed elsewhere, or the profile reaches another account. */
const CONFLICTS: ReadonlySet<string> = new Set(['changed_since_read', 'changed_since_plan', 'account_changed'])

export function judged({ reason: given, ...write }: ChangeOutcome): ActionOutcome {
  const status = write.outcome === 'already' ? 'already' : STATUSES[meaningOf(write.outcome)]
  const sent = isWriteOutcome(write.outcome)
  if (status === 'done' || status === 'already')
    return { ...write, status, sent, ok: true, retryable: false, remoteStatus: null, http: 200 }
  const reason = reasonCode(given, write.outcome)
  const remoteStatus = statusIn(reason)
  const isTemporary = status === 'failed' && reason !== 'account_changed'
  const retryable = isTemporary || (remoteStatus !== null && RETRYABLE_STATUS.has(remoteStatus))
  const http = CONFLICTS.has(reason) ? 409 : reason === 'timeout' ? 504 : 502
  return { ...write, status, sent, ok: false, reason, retryable, remoteStatus, http }
}

/** Outcome of changes that wait for their account. */
export const WAITING: Judged = {
  status: 'waiting',
  sent: false,
  ok: false,
  reason: 'busy',
  retryable: false,
  remoteStatus: null,
  http: 200,
}

/** Outcome of changes that could not be planned or applied. */
export function judgedError(error: unknown): Judged & Required<Pick<ActionReport, 'failure'>> {
  const known = isPlayheadError(error) ? error : undefined
  const reason = reasonOfError(error)
  const { status = 500 } = known ?? {}
  return {
    status: 'failed',
    // A refusal of the library proves that nothing was sent.
    sent: !(known?.code === 'PLH_CAPABILITY_GONE' || known?.code === 'PLH_CONFLICT'),
    ok: false,
    reason,
    retryable: known !== undefined && status !== 400 && status !== 404,
    remoteStatus: statusIn(reason),
    // 401 would mean the session of the client.
    http: status !== 401 && (status < 500 || status === 503) ? status : reason === 'timeout' ? 504 : 502,
    failure: {
      code: known?.code ?? null,
      reason,
      message: known?.message ?? '',
      ...defined({ details: known?.details }),
    },
  }
}

function statusIn(reason: string): number | null {
  const status = /^http_(\d{3})$/.exec(reason)?.[1]
  return status === undefined ? null : Number(status)
}
