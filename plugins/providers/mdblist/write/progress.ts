// Writes positions one by one, like a player that pauses; removes them by row id.
import { type ItemOutcome, readConfirmation, type WriteRequest, type WriteResult } from '@playhead/sdk/provider'
import { pauseAt, removePosition, writePositions } from '@playhead/trakt-dialect'
import type { Session } from '../session.ts'
import { nameOf, workOf } from './targets.ts'

const REFUSED: ItemOutcome = { outcome: 'rejected', reason: 'refused_by_service' }
const OUTCOMES: Readonly<Record<number, ItemOutcome>> = {
  400: REFUSED,
  404: { outcome: 'not_found', reason: 'not_found' },
  409: { outcome: 'already' },
  422: REFUSED,
}

export function writeProgress(session: Session, request: WriteRequest, signal: AbortSignal): Promise<WriteResult> {
  return writePositions(session, request, {
    pause: ({ item }) => {
      const name = nameOf(item)
      // Scrobbles are only known to work with IMDb ids.
      const works = name?.ids['imdb'] === undefined ? [] : [workOf(name)]
      return pauseAt(session, item, { works, outcomes: OUTCOMES, confirm: readConfirmation }, signal)
    },
    remove: (item) =>
      removePosition(session, item, signal, (text) => {
        const id = Number(text)
        const isExact = Number.isSafeInteger(id) && id > 0
        return isExact ? { method: 'POST', path: '/scrobble/clear', json: { id } } : undefined
      }),
  })
}
