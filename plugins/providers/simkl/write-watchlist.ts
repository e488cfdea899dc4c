// The watchlist is the state plan-to-watch. An entry has one state only: what is being watched or was watched is never moved back.
import type { ItemOutcome, WriteRequest, WriteResult } from '@playhead/sdk'
import { PARTS } from './entries.ts'
import { lookAt } from './look.ts'
import { removeEntries } from './remove-entries.ts'
import type { Session } from './session.ts'
import { type Target, targetOf } from './targets.ts'
import type { Looked, WriteAnswer } from './wire.ts'
import { isFields, isNamedBy, writeBatch } from './write-batch.ts'

const LIST = 'plantowatch'

export async function writeWatchlist(session: Session, { op, items }: WriteRequest, signal: AbortSignal): Promise<WriteResult> {
  if (op === 'remove') return removeEntries(session, LIST, items, signal)
  const result = await writeBatch(session, {
    path: '/sync/add-to-list',
    counting: 'added',
    chunk: session.account.profile.watchlist_batch_size,
    targetOf: (item) => targetOf(item, { to: LIST }) ?? { outcome: 'unsupported', reason: 'missing_ids' },
    async before(targets, signal) {
      const found = await lookAt(session, targets, signal)
      return new Map(targets.flatMap((target, index) => {
        const outcome = outcomeFor(found[index] as Looked)
        return outcome === undefined ? [] : [[target, outcome] as const]
      }))
    },
    doubt: (target, answer) => (isRewritten(target, answer) ? { outcome: 'rejected', reason: 'status_rewritten' } : undefined),
  }, items, signal)
  session.library.expect(PARTS, Date.now())
  return result
}

function outcomeFor({ result, list }: Looked): ItemOutcome | undefined {
  if (result === 'not_found') return { outcome: 'not_found', reason: 'not_found' }
  if (list === LIST) return { outcome: 'already' }
  return (list != null && list !== '') || result === true ? { outcome: 'rejected', reason: 'already_watching_or_watched' } : undefined
}

/** The service put the entry into another state than it was asked to. */
function isRewritten(target: Target, { added }: WriteAnswer): boolean {
  const echoes = [added?.movies, added?.shows].flatMap((list) => (Array.isArray(list) ? list.filter(isFields) : []))
  return echoes.some((echo) => isNamedBy(target, echo['ids']) && typeof echo['to'] === 'string' && echo['to'] !== LIST)
}
