// Shows and anime that the person dropped: a status of their entries in the library.
import { type Item, PlayheadError } from '@playhead/sdk'
import { PARTS } from './entries.ts'
import { isFilm, workOf } from '../items.ts'
import type { Session } from '../session.ts'

/**
 * Of an anime whose seasons are entries of their own, only the first stands for the show; a later one is known by its
 * own ids alone.
 */
export async function readDroppedShows({ library }: Session, signal: AbortSignal): Promise<readonly Item[]> {
  const { parts, flaw } = await library.refresh(signal)
  if (flaw !== undefined)
    throw new PlayheadError('PLH_UPSTREAM_INVALID', 'SIMKL did not tell all shows that were dropped.', {
      details: { reason: flaw },
    })
  return PARTS.flatMap((part) => [...parts[part].entries.values()])
    .filter((entry) => entry.status === 'dropped' && entry.part !== 'movies' && !isFilm(entry))
    .map((entry) => {
      const { native: _native, ...show } = workOf(entry)
      return show
    })
}
