// Reading the diary. A film may have several entries; the newest one comes first.
import type { Item, ReadPart, ReadRequest } from '@playhead/sdk'
import { type Ids, normaliseId, ratingFrom, RATING_SCALES } from '@playhead/sdk/items'
import {
  nativeAt,
  type ReadItem,
  readEnd,
  rowParts,
  timeAt,
  type Unreadable,
  unreadableRow,
  wantedItems,
  yearAt,
} from '@playhead/sdk/provider'
import type { FeedEntry } from './feed.ts'
import type { Session } from './session.ts'

/** Letterboxd also has series; TMDB numbers them apart. */
function workOf(entry: FeedEntry): ReadItem {
  const movie = normaliseId('tmdb', entry.movieId)
  const show = normaliseId('tmdb', entry.tvId)
  const tmdb = movie ?? show
  if (tmdb === undefined) return unreadableRow('missing_ids', entry.filmTitle)
  const ids: Ids = { tmdb }
  return {
    item: {
      type: movie === undefined ? 'show' : 'movie',
      ids,
      title: entry.filmTitle,
      ...yearAt('year', Number(entry.filmYear) || undefined),
    },
  }
}

/** A play, or a film that was reviewed without a day. An entry of a series names no episode. */
function playOf(entry: FeedEntry): ReadItem {
  const work = workOf(entry)
  if (!('item' in work)) return work
  if (work.item.type !== 'movie') return unreadableRow('missing_episodes', entry.filmTitle)
  return { item: { ...work.item, watched: true, ...timeAt('watched_at', entry.watchedDate) } }
}

export async function* readHistory(
  session: Session,
  request: ReadRequest,
  signal: AbortSignal,
): AsyncGenerator<ReadPart> {
  const { entries } = await session.feed.get(signal)
  const plays = request.plays === true
  const found = entries.flatMap((entry): ReadItem[] => {
    const play = playOf(entry)
    if (!plays || !('item' in play)) return [play]
    // Without a day it is not known that it was a play of its own.
    return play.item.watched_at === undefined ? [] : [{ item: { ...play.item, ...nativeAt('event_id', entry.guid) } }]
  })
  yield* end(session, request, plays ? found : latest(found))
}

export async function* readRatings(
  session: Session,
  request: ReadRequest,
  signal: AbortSignal,
): AsyncGenerator<ReadPart> {
  const { entries } = await session.feed.get(signal)
  const found = entries.flatMap((entry): ReadItem[] => {
    const rating = ratingFrom(entry.memberRating, RATING_SCALES.fiveStarsHalves)
    const work = workOf(entry)
    return rating === undefined ? [] : ['item' in work ? { item: { ...work.item, rating } } : work]
  })
  yield* end(session, request, firsts(found))
}

function* end(session: Session, request: ReadRequest, found: readonly ReadItem[]): Generator<ReadPart> {
  const unreadable: Unreadable[] = []
  yield* rowParts(wantedItems(found, request, unreadable))
  yield readEnd({ account: session.username, unreadable })
}

const nameOf = ({ type, ids }: Item) => `${type} ${ids.tmdb}`

/** The first row of each film; unreadable ones stay. */
function firsts(found: readonly ReadItem[]): readonly ReadItem[] {
  const seen = new Set<string>()
  return found.filter((one) => {
    if (!('item' in one)) return true
    const isNew = !seen.has(nameOf(one.item))
    seen.add(nameOf(one.item))
    return isNew
  })
}

/** One row of each film, with its latest day. Entries are in the order in which they were made. */
function latest(found: readonly ReadItem[]): readonly ReadItem[] {
  const dayOf = (one: ReadItem) => ('item' in one ? (one.item.watched_at ?? '') : '')
  return firsts(found.toSorted((a, b) => dayOf(b).localeCompare(dayOf(a))))
}
