// Reads watchlist, history and ratings as views of the library, or proves that nothing changed.
import { type Item, PlayheadError } from '@playhead/sdk'
import {
  type ReadPart,
  type ReadRequest,
  type Unreadable,
  noteUnreadable,
  unreadableRow,
  isWanted,
  readEnd,
  unchangedEnd,
} from '@playhead/sdk/provider'
import { type Entry, type Part, PARTS } from './entries.ts'
import type { Answered } from './library-wire.ts'
import { historyItems, isFilm, ratingItems, watchlistItems, workOf } from '../items.ts'
import type { Session } from '../session.ts'
import { areSettled, checkpoints, isSame, stampsOf } from './activities.ts'

const CHUNK = 500

interface View {
  readonly itemsOf: (entry: Entry) => Item[]
  /** Activities that change with the view. */
  readonly concerns: (name: string) => boolean
}

const OF_STATUS = new Set(['plantowatch', 'watching', 'completed', 'hold', 'dropped', 'removed_from_list'])

export const WATCHLIST: View = { itemsOf: watchlistItems, concerns: (name) => OF_STATUS.has(name) }
export const HISTORY: View = { itemsOf: historyItems, concerns: (name) => OF_STATUS.has(name) }
export const RATINGS: View = {
  itemsOf: ratingItems,
  concerns: (name) => name === 'rated_at' || name === 'removed_from_list',
}

export async function* readLibrary(
  session: Session,
  view: View,
  request: ReadRequest,
  signal: AbortSignal,
): AsyncGenerator<ReadPart> {
  const { account } = await session.facts.get()
  const ofView = (stamps: Parameters<typeof stampsOf>[0]) =>
    stampsOf(stamps, (group, name) => group !== 'settings' && view.concerns(name))
  const since = checkpoints.decode(request.since, { account, nowMs: session.now() })
  if (since !== undefined && isSame(since.stamps, ofView(await session.activities.get()))) {
    yield unchangedEnd(account, checkpoints.encode(since))
    return
  }

  const { parts, stamps, fullAtMs, flaw } = await session.library.refresh(signal)
  let rows: Item[] = []
  for (const part of PARTS) {
    for (const entry of parts[part].entries.values()) {
      rows.push(...view.itemsOf(entry).filter((item) => isWanted(item, request)))
      if (rows.length >= CHUNK) {
        yield { type: 'rows', rows }
        rows = []
      }
    }
  }
  if (rows.length > 0) yield { type: 'rows', rows }
  const known = ofView(stamps)
  const checkpoint = areSettled(known) ? checkpoints.encode({ account, stamps: known, fullAtMs }) : undefined
  yield readEnd({ account, reason: flaw, checkpoint, unreadable: unreadableOf(parts) })
}

export function unreadableOf(parts: Readonly<Record<Part, Answered>>): readonly Unreadable[] {
  const unreadable: Unreadable[] = []
  for (const title of PARTS.flatMap((part) => parts[part].unreadable))
    noteUnreadable(unreadable, unreadableRow('no_identity', title).unreadable)
  return unreadable
}

/** Among several entries of an anime, only the first represents the show; later ones only have their own ids. */
export async function readDroppedShows({ library }: Session, signal: AbortSignal): Promise<readonly Item[]> {
  const { parts, flaw } = await library.refresh(signal)
  if (flaw !== undefined)
    throw new PlayheadError('PLH_UPSTREAM_INVALID', 'SIMKL did not return all dropped shows.', {
      details: { reason: flaw },
    })
  return PARTS.flatMap((part) => [...parts[part].entries.values()])
    .filter((entry) => entry.status === 'dropped' && entry.part !== 'movies' && !isFilm(entry))
    .map((entry) => {
      const { native: _native, ...show } = workOf(entry)
      return show
    })
}
