// Reads features from one library.
import type { ReadPart, ReadRequest } from '@playhead/sdk'
import { readEntries, type ReadItem } from '@playhead/sdk/provider'
import { historyItems, ratingItems, watchlistItems } from './items.ts'
import type { Entry } from './library.ts'
import type { Session } from './session.ts'

export const readWatchlist = readFeature(watchlistItems)
export const readHistory = readFeature(historyItems)
export const readRatings = readFeature(ratingItems)

function readFeature(itemsOf: (entry: Entry) => readonly ReadItem[]) {
  return async function* ({ library }: Session, request: ReadRequest, signal: AbortSignal): AsyncGenerator<ReadPart> {
    const found = await library.get(signal)
    // Do not reuse an inconsistent one.
    if (found.flaw !== undefined) library.drop()
    yield* readEntries(found, itemsOf, request)
  }
}
