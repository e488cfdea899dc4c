// Reading one feature: the ids of all titles, then the titles in parts.
import type { Item, ReadPart, ReadRequest } from '@playhead/sdk'
import { ratingFrom, RATING_SCALES } from '@playhead/sdk/items'
import {
  extendItem,
  nativeAt,
  type ReadItem,
  readEnd,
  rowParts,
  timeAt,
  type Unreadable,
  unreadableRow,
  wantedItems,
} from '@playhead/sdk/provider'
import { remember, type Session } from './session.ts'
import {
  type Facts,
  idsOf,
  itemOf,
  listCollection,
  listTitles,
  type PartName,
  readTitles,
  type Review,
  type Seen,
  type Title,
} from './titles.ts'

type RowsOf<Part extends PartName> = (title: Title<Part>, userId: string, request: ReadRequest) => readonly ReadItem[]

/** The item of a row, or why there is none. */
function workOf(facts: Facts, numbers?: Seen['showExtraInformation']): ReadItem {
  if (Object.keys(idsOf(facts)).length === 0) return unreadableRow('missing_ids', facts.title)
  const item = itemOf(facts, numbers)
  return item === undefined
    ? unreadableRow('invalid_numbers', facts.title)
    : { item: { ...item, native: { item_id: facts.id } } }
}

const numbersOf = ({ showExtraInformation: numbers }: Pick<Seen, 'showExtraInformation'>) =>
  `${numbers?.season ?? ''}x${numbers?.episode ?? ''}`

/** Plays of a show that name no episode say nothing of one. */
function playOf(facts: Facts, seen: Seen): ReadItem {
  const row = workOf(facts, seen.showExtraInformation)
  if (!('item' in row) || (row.item.type !== 'show' && row.item.type !== 'season')) return row
  return unreadableRow('episode_missing', facts.title)
}

export const isPlay = ({ state }: Seen) => state === 'COMPLETED'

const history: RowsOf<'history'> = ({ facts, own }, _, { plays }) => {
  const seen = own.history.filter(isPlay)
  if (plays === true)
    return (
      seen
        // Without a time it is not known which play it is.
        .filter(({ finishedOn }) => finishedOn != null)
        .map((one) => {
          const row = extendItem(playOf(facts, one), { watched: true, ...timeAt('watched_at', one.finishedOn) })
          return extendItem(row, { native: { item_id: facts.id, ...nativeAt('event_id', one.id).native } })
        })
    )
  const latest = Map.groupBy(seen, numbersOf)
  return [...latest.values()].map((all) => {
    const [one] = all.toSorted((a, b) => (b.finishedOn ?? '').localeCompare(a.finishedOn ?? ''))
    return extendItem(playOf(facts, one!), { watched: true, ...timeAt('watched_at', one!.finishedOn) })
  })
}

const progress: RowsOf<'history'> = ({ facts, own }) =>
  own.history.flatMap((seen) => {
    const percent = Number(seen.progress)
    if (seen.state !== 'IN_PROGRESS' || !(percent > 0 && percent < 100)) return []
    return [
      extendItem(playOf(facts, seen), { progress_percent: percent, ...timeAt('progress_at', seen.lastUpdatedOn) }),
    ]
  })

/** Reviews are those of the user and public ones of others. The newest of the user with a rating counts. */
export function ownRatings(reviews: readonly Review[], userId: string): ReadonlyMap<string, readonly Review[]> {
  const own = reviews
    .filter(({ postedBy, rating }) => postedBy.id === userId && ratingOf(rating) !== undefined)
    .toSorted((a, b) => b.postedOn.localeCompare(a.postedOn))
  return Map.groupBy(own, numbersOf)
}

export const ratingOf = (value: unknown) =>
  value == null ? undefined : ratingFrom(String(value), RATING_SCALES.hundredPoints)

const ratings: RowsOf<'reviews'> = ({ facts, own }, userId) =>
  [...ownRatings(own.reviews, userId).values()].map(([review]) =>
    extendItem(workOf(facts, review!.showExtraInformation), {
      rating: ratingOf(review!.rating)!,
      ...timeAt('rated_at', review!.postedOn),
    }),
  )

export const readHistory = readEach('history', history)
export const readProgress = readEach('history', progress)
export const readRatings = readEach('reviews', ratings)

function readEach<Part extends PartName>(part: Part, rowsOf: RowsOf<Part>) {
  return async function* (session: Session, request: ReadRequest, signal: AbortSignal): AsyncGenerator<ReadPart> {
    const { user } = await session.known.get(signal)
    const lists = [await listTitles(session.ask, 'MOVIE', signal), await listTitles(session.ask, 'SHOW', signal)]
    const ids = lists.flatMap((list) => list.ids)
    const flaw = lists.find((list) => list.flaw !== undefined)?.flaw
    yield* readIds(session, request, signal, { ids, flaw, part, rowsOf: (title) => rowsOf(title, user.id, request) })
  }
}

export async function* readWatchlist(
  session: Session,
  request: ReadRequest,
  signal: AbortSignal,
): AsyncGenerator<ReadPart> {
  const collection = await session.watchlist.get(signal)
  const list = collection === undefined ? { ids: [] } : await listCollection(session.ask, collection, signal)
  yield* readIds(session, request, signal, {
    ids: list.ids,
    // Every user has this collection; without it nothing is known.
    flaw: collection === undefined ? 'watchlist_missing' : list.flaw,
    part: 'collections',
    rowsOf({ facts, own }) {
      const entry = own.collections.find(({ details }) => details.collectionId === collection)
      // Books and games are in it, too.
      return itemOf(facts) === undefined
        ? []
        : [extendItem(workOf(facts), timeAt('added_at', entry?.details.createdOn))]
    },
  })
}

async function* readIds<Part extends PartName>(
  session: Session,
  request: ReadRequest,
  signal: AbortSignal,
  {
    ids,
    flaw,
    part,
    rowsOf,
  }: {
    readonly ids: readonly string[]
    readonly flaw: string | undefined
    readonly part: Part
    readonly rowsOf: (title: Title<Part>) => readonly ReadItem[]
  },
): AsyncGenerator<ReadPart> {
  const { account } = await session.known.get(signal)
  const { page_size: size } = session.account.profile
  const unreadable: Unreadable[] = []
  for (let from = 0; from < ids.length; from += size) {
    const titles = await readTitles(session.ask, ids.slice(from, from + size), part, signal)
    const rows: Item[] = []
    for (const title of titles) {
      remember(session, title.facts)
      rows.push(...wantedItems(rowsOf(title), request, unreadable))
    }
    yield* rowParts(rows)
  }
  yield readEnd({ account, reason: flaw, unreadable })
}
