// Reads watchlist, history and positions. The service has no change times, so every read is full.
import { readEnd, type ReadPart, type ReadRequest } from '@playhead/sdk/provider'
import { playItem, progressItem, watchlistItem } from './items.ts'
import { readPaged } from './pages.ts'
import type { Session } from './session.ts'
import { findWatchlist } from './watchlist-list.ts'

export async function* readWatchlist(
  session: Session,
  request: ReadRequest,
  signal: AbortSignal,
): AsyncGenerator<ReadPart> {
  const id = await findWatchlist(session, signal)
  if (id === undefined) {
    // All lists of the account prove that no watchlist exists.
    yield readEnd({ account: await session.owner() })
    return
  }
  yield* readPaged(session, { path: `/lists/${encodeURIComponent(id)}/items`, itemOf: watchlistItem }, request, signal)
}

export function readHistory(session: Session, request: ReadRequest, signal: AbortSignal): AsyncIterable<ReadPart> {
  const isPlays = request.plays === true
  return readPaged(
    session,
    { path: '/watched', query: isPlays ? {} : { dedupe: true }, itemOf: (row) => playItem(row, isPlays) },
    request,
    signal,
  )
}

export function readProgress(session: Session, request: ReadRequest, signal: AbortSignal): AsyncIterable<ReadPart> {
  return readPaged(session, { path: '/resume', itemOf: progressItem }, request, signal)
}
