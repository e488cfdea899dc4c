// Reading: what the person asked for, one row a title, from requests and from the watchlist of Seerr.
import type { Item, ReadPart, ReadRequest } from '@playhead/sdk'
import { type Ids, normaliseId } from '@playhead/sdk/items'
import {
  readEnd,
  type ReadItem,
  rowParts,
  timeAt,
  titleAt,
  unreadableRow,
  type Unreadable,
  wantedItems,
} from '@playhead/sdk/provider'
import { listOf, type ListEntry, requestsOf } from './lists.ts'
import type { Session } from './session.ts'
import { type Kind, REQUEST, type RequestRow } from './wire.ts'

export async function* readWatchlist(
  session: Session,
  request: ReadRequest,
  signal: AbortSignal,
): AsyncGenerator<ReadPart> {
  const me = await session.me(signal)
  const requests = await requestsOf(session, me, signal)
  const list = await listOf(session, me, signal)
  const unreadable: Unreadable[] = []
  const rows = wantedItems(wishes(requests.rows, list.rows), request, unreadable)
  yield* rowParts(rows)
  yield readEnd({ account: me.account, reason: requests.flaw ?? list.flaw, unreadable })
}

/** Declined requests are left out; fulfilled ones are not. */
function wishes(requests: readonly RequestRow[], list: readonly ListEntry[]): Iterable<ReadItem> {
  const found = new Map<string, Item>()
  const unreadable: ReadItem[] = []
  const add = (kind: Kind, ids: Ids, facts: Partial<Item>) => {
    if (ids.tmdb === undefined) {
      unreadable.push(unreadableRow('missing_ids', facts.title))
      return
    }
    const key = keyOf(kind, ids.tmdb)
    const before = found.get(key)
    const times = [before?.added_at, facts.added_at].filter((time) => time !== undefined).sort()
    found.set(key, {
      ...before,
      type: kind === 'tv' ? 'show' : 'movie',
      ...facts,
      ids: { ...ids, ...before?.ids },
      ...(times[0] === undefined ? {} : { added_at: times[0] }),
      native: { item_id: key },
    })
  }
  for (const { kind, tmdb, title, addedAt } of list)
    add(kind, idsOf(kind, { tmdb }), { ...titleAt('title', title), ...timeAt('added_at', addedAt) })
  for (const { status, type, createdAt, media } of requests) {
    if (status === REQUEST.declined) continue
    const { tmdbId: tmdb, tvdbId: tvdb, imdbId: imdb } = media
    add(type, idsOf(type, { tmdb, tvdb, imdb }), timeAt('added_at', createdAt))
  }
  return [...[...found.values()].map((item) => ({ item })), ...unreadable]
}

export const keyOf = (kind: Kind, tmdb: string | number) => `${kind}/${tmdb}`

function idsOf(kind: Kind, given: { readonly tmdb: unknown; readonly tvdb?: unknown; readonly imdb?: unknown }): Ids {
  const schemes = kind === 'tv' ? (['tmdb', 'tvdb', 'imdb'] as const) : (['tmdb', 'imdb'] as const)
  return Object.fromEntries(
    schemes.flatMap((scheme) => {
      const id = normaliseId(scheme, given[scheme])
      return id === undefined ? [] : [[scheme, id]]
    }),
  )
}
