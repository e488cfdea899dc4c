// Reading: one collection, of which each feature is a part.
import { type Item, kindOf, type ReadEnd, type ReadPart, type ReadRequest } from '@playhead/sdk'
import { isOnWatchlist, isRated, ratingItem, type ReadItem, watchlistItem } from './items.ts'
import type { Session } from './session.ts'
import type { Entry } from './wire.ts'

const ROWS_OF_A_PART = 500
const MOST_UNREADABLE = 200

interface Part {
  readonly isOf: (entry: Entry) => boolean
  readonly itemOf: (entry: Entry) => ReadItem
}

export function readWatchlist(session: Session, request: ReadRequest, signal: AbortSignal): AsyncIterable<ReadPart> {
  return read(session, { isOf: isOnWatchlist, itemOf: watchlistItem }, request, signal)
}

export function readRatings(session: Session, request: ReadRequest, signal: AbortSignal): AsyncIterable<ReadPart> {
  return read(session, { isOf: isRated, itemOf: ratingItem }, request, signal)
}

async function* read(
  { collection }: Session, { isOf, itemOf }: Part, { kinds = [] }: ReadRequest, signal: AbortSignal,
): AsyncGenerator<ReadPart> {
  signal.throwIfAborted()
  const { account, entries, flaw } = await collection.get()
  signal.throwIfAborted()
  const unreadable: NonNullable<ReadEnd['unreadable']>[number][] = []
  const rows: Item[] = []
  for (const entry of entries) {
    if (!isOf(entry)) continue
    const found = itemOf(entry)
    if ('item' in found) {
      if (kinds.length === 0 || kinds.includes(kindOf(found.item))) rows.push(found.item)
    } else if (unreadable.length < MOST_UNREADABLE) unreadable.push(found.unreadable)
  }
  for (let from = 0; from < rows.length; from += ROWS_OF_A_PART) yield { type: 'rows', rows: rows.slice(from, from + ROWS_OF_A_PART) }
  // Nobody may rely on what came in pieces that do not fit.
  if (flaw !== undefined) collection.drop()
  yield {
    type: 'end',
    end: {
      complete: flaw === undefined,
      ...(flaw === undefined ? {} : { reason: flaw }),
      semantics: 'present',
      account,
      ...(unreadable.length === 0 ? {} : { unreadable }),
    },
  }
}
