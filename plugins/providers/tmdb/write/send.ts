// Sends one change and interprets its response. Changes set a state, so they can be retried.
import type { ItemOutcome } from '@playhead/sdk'
import type { Session } from '../session.ts'
import type { Target } from './targets.ts'
import { CODES, Status } from '../wire.ts'

const OUTCOMES: Readonly<Record<number, ItemOutcome>> = {
  [CODES.created]: { outcome: 'applied' },
  [CODES.updated]: { outcome: 'applied' },
  [CODES.deleted]: { outcome: 'applied' },
}
const NOT_UNDERSTOOD: ItemOutcome = { outcome: 'unknown', reason: 'invalid_response' }

/** Adds a work to the watchlist or removes it. */
export async function setWatchlist(
  session: Session,
  { namespace, id }: Target,
  wanted: boolean,
  signal: AbortSignal,
): Promise<ItemOutcome> {
  const json = { media_type: namespace, media_id: Number(id), watchlist: wanted }
  const path = `/account/${await session.accountId()}/watchlist`
  const outcome = await send(session, { method: 'POST', path, json }, wanted, signal)
  return wanted && outcome.reason === 'updated' ? { outcome: 'already' } : outcome
}

interface Sent {
  readonly method: 'POST' | 'DELETE'
  readonly path: string
  readonly json?: unknown
}

export async function send({ api }: Session, request: Sent, isAdd: boolean, signal: AbortSignal): Promise<ItemOutcome> {
  const answer = await api.request({ ...request, accept: [403, 404], idempotent: true, signal })
  const { status_code: code } = await answer.json(Status)
  if (answer.status === 403)
    return code === CODES.duplicate ? { outcome: 'already' } : { outcome: 'rejected', reason: 'forbidden' }
  // A work unknown to TMDB is on none of its lists.
  if (answer.status === 404) return isAdd ? { outcome: 'not_found', reason: 'not_found' } : { outcome: 'already' }
  const outcome = OUTCOMES[code]
  if (outcome === undefined) return NOT_UNDERSTOOD
  return code === CODES.updated ? { ...outcome, reason: 'updated' } : outcome
}
