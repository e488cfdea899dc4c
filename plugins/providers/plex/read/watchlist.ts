// Reads the watchlist from the cloud. Missing external ids are requested in batches and stored.
import { defined, isPlayheadError, PlayheadError } from '@playhead/sdk'
import { collectIds, type Item, parseItem } from '@playhead/sdk/items'
import { noteUnreadable, readEnd, type ReadPart, type ReadRequest, type Unreadable } from '@playhead/sdk/provider'
import { hydrate } from '../library/cloud-ids.ts'
import { isUnreadable, timeText, unreadable } from '../items.ts'
import { type ListingEnd, readPages } from './pages.ts'
import type { Session } from '../session.ts'
import type { Metadata } from '../wire.ts'

export async function* readWatchlist(
  session: Session,
  { kinds }: ReadRequest,
  signal: AbortSignal,
): AsyncGenerator<ReadPart> {
  const { cloud } = await session.person(signal)
  const account = await session.identity(signal)
  const refused: Unreadable[] = []
  const pages = readPages(
    cloud.discover,
    {
      path: '/library/sections/watchlist/all',
      query: { includeCollections: 1, includeExternalMedia: 1, sort: 'watchlistedAt:desc' },
      size: session.account.profile.watchlist_page_size,
      keyOf: ({ ratingKey }) => ratingKey,
    },
    signal,
  )
  let end: ListingEnd
  for (;;) {
    const page = await asListed(session, () => pages.next(), signal)
    if (page.done === true) {
      end = page.value
      break
    }
    const ids = await hydrate(session.account.store, cloud, page.value, signal)
    const rows: Item[] = []
    for (const row of page.value) {
      const item = toListed(row, ids.get(row.ratingKey ?? '') ?? [])
      if (isUnreadable(item)) noteUnreadable(refused, item)
      else if (kinds === undefined || kinds.includes(item.type as 'movie' | 'show')) rows.push(item)
    }
    if (rows.length > 0) yield { type: 'rows', rows }
  }
  yield readEnd({ account, reason: end.reason, unreadable: refused })
}

/** A 401 for the watchlist with a valid token: the account has no watchlist, and stays signed in. */
export async function asListed<T>(session: Session, work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!isPlayheadError(error, 'PLH_AUTH_FAILED')) throw error
    await (await session.person(signal)).cloud.user(signal)
    throw new PlayheadError('PLH_FORBIDDEN', `${session.account.name}: Plex gives this account no watchlist.`, {
      cause: error,
      wire: 'watchlist_unavailable',
    })
  }
}

function toListed(row: Metadata, guids: readonly string[]): Item | Unreadable {
  if (row.ratingKey === undefined || (row.type !== 'movie' && row.type !== 'show'))
    return unreadable('unsupported_type', row)
  const { ids } = collectIds({ guid: row.guid, Guid: [...(row.Guid ?? []), ...guids.map((id) => ({ id }))] })
  const addedAt = timeText(row.watchlistedAt)
  const parsed = parseItem({
    type: row.type,
    title: row.title,
    year: row.year,
    ids,
    native: { item_id: row.ratingKey },
    ...defined({ added_at: addedAt }),
  })
  if (!parsed.ok) return unreadable(parsed.reason, row)
  return Object.keys(parsed.value.ids).length === 0 ? unreadable('no_identity', row) : parsed.value
}
