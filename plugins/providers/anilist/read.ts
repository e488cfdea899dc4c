// Reads features from one collection.
import {
  readEnd,
  type ReadItem,
  type ReadPart,
  type ReadRequest,
  rowParts,
  type Unreadable,
  wantedItems,
} from '@playhead/sdk/provider'
import { isOnWatchlist, isRated, ratingItem, watchlistItem } from './items.ts'
import type { Session } from './session.ts'
import type { Entry } from './wire.ts'

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
  { collection }: Session,
  { isOf, itemOf }: Part,
  request: ReadRequest,
  signal: AbortSignal,
): AsyncGenerator<ReadPart> {
  signal.throwIfAborted()
  const { account, entries, flaw } = await collection.get()
  signal.throwIfAborted()
  const unreadable: Unreadable[] = []
  yield* rowParts(wantedItems(entries.filter(isOf).map(itemOf), request, unreadable))
  // Do not reuse an inconsistent collection.
  if (flaw !== undefined) collection.drop()
  yield readEnd({ account, reason: flaw, unreadable })
}
