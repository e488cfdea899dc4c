// What every list of shows that a person gave up goes through: it holds shows that can be told, or it is none.
import { PlayheadError } from '../errors.ts'
import type { Item } from '../items/item.ts'
import { kindOf } from '../items/kind.ts'

/**
 * The list as it is. Throws `PLH_UPSTREAM_INVALID` for an entry that is no show, or has no id: nobody could leave it
 * alone.
 */
export function checkedShows(account: string, shows: readonly Item[]): readonly Item[] {
  if (shows.some((show) => kindOf(show) !== 'show' || Object.values(show.ids).every((id) => id === undefined))) {
    throw new PlayheadError('PLH_UPSTREAM_INVALID', `${account}: one of the dropped shows cannot be told.`, {
      details: { reason: 'no_identity' },
    })
  }
  return shows
}
