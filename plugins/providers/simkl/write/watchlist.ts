// The watchlist is the state plan-to-watch. An entry has one state only: what is being watched or was watched is never
// moved back.
import type { ItemOutcome, WriteRequest, WriteResult } from '@playhead/sdk'
import { removeEntries } from './remove-entries.ts'
import type { Session } from '../session.ts'
import type { Looked } from '../wire.ts'
import { isKept, moveTo } from './status.ts'

const LIST = 'plantowatch'

export function writeWatchlist(
  session: Session,
  { op, items }: WriteRequest,
  signal: AbortSignal,
): Promise<WriteResult> {
  if (op === 'remove') return removeEntries(session, LIST, items, signal)
  return moveTo(session, LIST, whyNot, items, signal)
}

function whyNot(looked: Looked): ItemOutcome | undefined {
  return isKept(looked) ? { outcome: 'rejected', reason: 'already_watching_or_watched' } : undefined
}
