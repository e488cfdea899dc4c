// Writes positions one by one, like a player that pauses; removes them by row id.
import { kindOf } from '@playhead/sdk/items'
import type { ItemOutcome, WriteRequest, WriteResult } from '@playhead/sdk/provider'
import { pauseAt, removePosition, Scrobbled, writePositions } from '@playhead/trakt-dialect'
import type { Session } from '../session.ts'
import { namesOf, workOf } from './targets.ts'

/** Trakt rejects positions below this. */
const MIN_PERCENT = 1

const OUTCOMES: Readonly<Record<number, ItemOutcome>> = {
  404: { outcome: 'not_found', reason: 'not_found' },
  409: { outcome: 'already' },
  422: { outcome: 'rejected', reason: 'refused_by_service' },
}

export function writeProgress(session: Session, request: WriteRequest, signal: AbortSignal): Promise<WriteResult> {
  const { history_number_fallback: byNumberToo } = session.account.profile
  return writePositions(session, request, {
    pause: ({ item }) => {
      const works = namesOf(item, byNumberToo).map((name) => workOf(kindOf(item), name))
      const pause = { works, minPercent: MIN_PERCENT, outcomes: OUTCOMES }
      return pauseAt(session, item, { ...pause, confirm: (answer) => answer.json(Scrobbled) }, signal)
    },
    remove: (item) => removePosition(session, item, signal),
  })
}
