// Writing the watchlist: titles that are planned. AniList keeps one entry for each title with everything in it, so
// nothing that is more than planned is ever touched.
import type { Item, WriteRequest, WriteResult } from '@playhead/sdk'
import { CHANGES_OF_A_REQUEST } from './changes.ts'
import { WATCHLIST_STATUS } from '../items.ts'
import type { Session } from '../session.ts'
import { type Found, listsOf, type OwnEntry } from '../wire.ts'
import { type Decision, writeEntries } from './write.ts'

/** Never sent twice, and looked at just before: what the person does in the meantime counts. */
export function writeWatchlist(
  session: Session,
  { op, items }: WriteRequest,
  signal: AbortSignal,
): Promise<WriteResult> {
  const decide = op === 'remove' ? decideRemoval : decideAdd
  return writeEntries(session, items, { decide, together: CHANGES_OF_A_REQUEST, repeatable: false }, signal)
}

function decideAdd({ id: mediaId, mediaListEntry: entry }: Found): Decision {
  if (entry === null) return { change: { save: { mediaId, status: WATCHLIST_STATUS } } }
  const native = { item_id: String(entry.id) }
  if (entry.status === WATCHLIST_STATUS) return { outcome: { outcome: 'already', native } }
  // Watching, watched, given up: to plan it again would be a step back.
  return { outcome: { outcome: 'rejected', reason: 'already_on_list' } }
}

function decideRemoval({ mediaListEntry: entry }: Found, { native }: Item): Decision {
  // Without an entry, or with one that is more than planned, it is not on the watchlist.
  if (entry === null || entry.status !== WATCHLIST_STATUS) return { outcome: { outcome: 'already' } }
  // Taken off and put back since it was read: that is newer than what is asked for.
  const isAnother = native?.item_id !== undefined && native.item_id !== String(entry.id)
  if (isAnother) return { outcome: { outcome: 'rejected', reason: 'changed_since_read' } }
  if (holdsMore(entry)) return { outcome: { outcome: 'rejected', reason: 'entry_in_use' } }
  return { change: { remove: { entryId: entry.id } } }
}

/** The person would lose what nobody asked to be removed. */
function holdsMore(entry: OwnEntry): boolean {
  const { score, progress, repeat, notes, startedAt, completedAt } = entry
  const hasNumber = [score, progress, repeat].some((value) => value !== null && value > 0)
  // The entry leaves the person's own lists with it.
  const isListed = listsOf(entry)?.length !== 0
  return (
    isListed || hasNumber || (notes !== null && notes !== '') || startedAt?.year != null || completedAt?.year != null
  )
}
