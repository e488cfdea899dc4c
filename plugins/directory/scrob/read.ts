// Reading one feature.
import type { ReadPart, ReadRequest } from '@playhead/sdk'
import { ratingFrom, RATING_SCALES } from '@playhead/sdk/items'
import {
  extendItem,
  readEnd,
  readEntries,
  type ReadItem,
  rowParts,
  type Unreadable,
  wantedItems,
} from '@playhead/sdk/provider'
import { keysOf, listedOf, playOf, ratedOf, utcAt } from './items.ts'
import { me, playsOf, ratingsOf, type Session, watchlistOf } from './session.ts'
import type { Rating } from './wire.ts'

/** Whether a row is the first of its work. Scrob may have stored a title twice. */
function createFirst(): (row: ReadItem) => boolean {
  const seen = new Set<string>()
  return (row) => {
    if (!('item' in row)) return true
    const keys = keysOf(row.item)
    const isFirst = !keys.some((key) => seen.has(key))
    for (const key of keys) seen.add(key)
    return isFirst
  }
}

export async function* readHistory(
  session: Session,
  request: ReadRequest,
  signal: AbortSignal,
): AsyncGenerator<ReadPart> {
  const user = await me(session, signal)
  const unreadable: Unreadable[] = []
  const plays = request.plays === true
  // Without a time it is not known which play it is. Of the plays of a work the first is the latest.
  const isAsked = plays ? (row: ReadItem) => !('item' in row) || row.item.watched_at !== undefined : createFirst()
  const pages = playsOf(session, user, signal)
  let page = await pages.next()
  for (; page.done !== true; page = await pages.next()) {
    const rows = page.value.flatMap((event) => playOf(event, plays))
    yield* rowParts(wantedItems(rows.filter(isAsked), request, unreadable))
  }
  yield readEnd({ account: user.account, reason: page.value, unreadable })
}

export const ratingOf = ({ rating }: Pick<Rating, 'rating'>) => ratingFrom(rating, RATING_SCALES.tenPoints)

export async function* readRatings(
  session: Session,
  request: ReadRequest,
  signal: AbortSignal,
): AsyncGenerator<ReadPart> {
  const user = await me(session, signal)
  const entries = await ratingsOf(session, user, signal)
  const isFirst = createFirst()
  const itemsOf = (row: Rating) => {
    const rating = ratingOf(row)
    if (rating === undefined) return []
    return ratedOf(row)
      .filter(isFirst)
      .map((rated) => extendItem(rated, { rating, ...utcAt('rated_at', row.rated_at) }))
  }
  yield* readEntries({ account: user.account, entries }, itemsOf, request)
}

export async function* readWatchlist(
  session: Session,
  request: ReadRequest,
  signal: AbortSignal,
): AsyncGenerator<ReadPart> {
  const { account } = await me(session, signal)
  const { entries, flaw } = await watchlistOf(session, signal)
  const isFirst = createFirst()
  yield* readEntries({ account, entries, flaw }, (entry) => listedOf(entry).filter(isFirst), request)
}
