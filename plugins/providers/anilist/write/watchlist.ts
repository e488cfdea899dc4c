// Writes the watchlist: entries with the status "planning". An entry contains all data of a title, so entries with other data are
// never changed.
import type { Item, WriteRequest, WriteResult } from '@playhead/sdk'
import { CHANGED_SINCE_READ } from '@playhead/sdk/provider'
import { CHANGES_OF_A_REQUEST } from './changes.ts'
import { WATCHLIST_STATUS } from '../items.ts'
import type { Session } from '../session.ts'
import { type Found, listsOf, type OwnEntry } from '../wire.ts'
import { type Decision, writeEntries } from './write.ts'

/** Never retried, and read just before, because the person may change the entry meanwhile. */
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
  // Watching, completed or dropped: planning would be a step back.
  return { outcome: { outcome: 'rejected', reason: 'already_on_list' } }
}

function decideRemoval({ mediaListEntry: entry }: Found, { native }: Item): Decision {
  // A title without an entry, or with another status, is not on the watchlist.
  if (entry === null || entry.status !== WATCHLIST_STATUS) return { outcome: { outcome: 'already' } }
  // The title was removed and added again since the read, which is newer than this removal.
  const isAnother = native?.item_id !== undefined && native.item_id !== String(entry.id)
  if (isAnother) return { outcome: CHANGED_SINCE_READ }
  if (holdsMore(entry)) return { outcome: { outcome: 'rejected', reason: 'entry_in_use' } }
  return { change: { remove: { entryId: entry.id } } }
}

/** Deleting would lose other data of the person. */
function holdsMore(entry: OwnEntry): boolean {
  const { score, progress, repeat, notes, startedAt, completedAt } = entry
  const hasNumber = [score, progress, repeat].some((value) => value !== null && value > 0)
  // Deleting the entry also removes it from custom lists.
  const isListed = listsOf(entry)?.length !== 0
  return (
    isListed || hasNumber || (notes !== null && notes !== '') || startedAt?.year != null || completedAt?.year != null
  )
}
