// Sets the status of works. Each is looked up right before, because its status may have changed.
import type { ItemOutcome, WriteItem, WriteRequest, WriteResult } from '@playhead/sdk'
import { isRecord } from '@playhead/sdk/items'
import { isNamedBy } from '@playhead/trakt-dialect'
import { removeEntries } from './remove-entries.ts'
import type { Session } from '../session.ts'
import type { LookedUp, WriteAnswer } from '../wire.ts'
import { PARTS, type Status } from '../read/entries.ts'
import { lookUp } from '../read/lookup.ts'
import { type Target, targetOf } from './targets.ts'
import { writeBatch } from './batch.ts'

/** @param whyNot reason against changing a known work with another status */
export async function moveTo(
  session: Session,
  status: Status,
  whyNot: (state: LookedUp) => ItemOutcome | undefined,
  items: readonly WriteItem[],
  signal: AbortSignal,
): Promise<WriteResult> {
  const result = await writeBatch(
    session,
    {
      path: '/sync/add-to-list',
      counting: 'added',
      chunk: session.account.profile.watchlist_batch_size,
      targetOf: (item) => targetOf(item, { to: status }) ?? { outcome: 'unsupported', reason: 'missing_ids' },
      async before(targets, signal) {
        const found = await lookUp(session, targets, signal)
        return new Map(
          targets.flatMap((target, index) => {
            const outcome = outcomeFor(found[index] as LookedUp)
            return outcome === undefined ? [] : [[target, outcome] as const]
          }),
        )
      },
      doubt: (target, answer) =>
        isRewritten(target, status, answer) ? { outcome: 'rejected', reason: 'status_rewritten' } : undefined,
    },
    items,
    signal,
  )
  session.library.expect(PARTS, Date.now())
  return result

  function outcomeFor(state: LookedUp): ItemOutcome | undefined {
    if (state.result === 'not_found') return { outcome: 'not_found', reason: 'not_found' }
    return state.list === status ? { outcome: 'already' } : whyNot(state)
  }
}

/** The work has a status, or was watched. */
export function isOnList({ result, list }: LookedUp): boolean {
  return (list != null && list !== '') || result === true
}

/** The service set another status than requested. */
function isRewritten(target: Target, status: Status, { added }: WriteAnswer): boolean {
  const echoes = [added?.movies, added?.shows].flatMap((list) => (Array.isArray(list) ? list.filter(isRecord) : []))
  return echoes.some(
    (echo) => isNamedBy(target, echo['ids']) && typeof echo['to'] === 'string' && echo['to'] !== status,
  )
}

const LIST = 'plantowatch'

export function writeWatchlist(
  session: Session,
  { op, items }: WriteRequest,
  signal: AbortSignal,
): Promise<WriteResult> {
  if (op === 'remove') return removeEntries(session, LIST, items, signal)
  return moveTo(session, LIST, whyNot, items, signal)
}

function whyNot(state: LookedUp): ItemOutcome | undefined {
  return isOnList(state) ? { outcome: 'rejected', reason: 'already_watching_or_watched' } : undefined
}
