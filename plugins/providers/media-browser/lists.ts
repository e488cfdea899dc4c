// A watchlist stored in a playlist or collection of the server, found by its exact name.
import { PlayheadError } from '@playhead/sdk'
import { Type } from '@sinclair/typebox'
import { withQuery } from './dialect.ts'
import { readAll } from './read/listing.ts'
import { everything } from './dialect.ts'
import type { Session } from './session.ts'
import { inChunks } from './read/states.ts'
import type { Row } from './wire.ts'

export type ListKind = 'playlist' | 'collections'

const PAGE = 1_000
const TYPES: Readonly<Record<ListKind, string>> = { playlist: 'Playlist', collections: 'BoxSet' }
const Created = Type.Object({ Id: Type.String({ minLength: 1 }) })

/** Id of the list, or undefined. Throws when two lists have the name. */
export async function findList(session: Session, kind: ListKind, signal?: AbortSignal): Promise<string | undefined> {
  const { dialect, profile } = session
  const { userId } = await session.identity()
  const query = {
    ...everything(dialect),
    includeItemTypes: TYPES[kind],
    enableUserData: false,
    sortBy: 'SortName',
    sortOrder: 'Ascending',
  }
  const rows = await readAll(session, withQuery(dialect, dialect.items(userId), query), { limit: PAGE, signal })
  const name = profile.watchlist.playlist_name
  const named = (rows ?? []).filter(({ Name }) => Name === name)
  if (named.length > 1) {
    const message = `${dialect.product} has ${named.length} lists called "${name}". Give the watchlist another name.`
    throw new PlayheadError('PLH_CONFLICT', message, { wire: 'ambiguous_list' })
  }
  if (rows === undefined)
    throw new PlayheadError('PLH_UPSTREAM_INVALID', `${dialect.product} did not show all its lists.`)
  return named[0]?.Id
}

/** Request for the entries of a list, and the id of an entry. */
export async function linesOf(session: Session, kind: ListKind, listId: string) {
  const { dialect } = session
  const { userId } = await session.identity()
  const shown = { fields: dialect.fields, enableImages: false, enableUserData: false }
  if (kind === 'playlist') {
    return {
      ask: withQuery(dialect, dialect.playlistItems(userId, listId), shown),
      idOf: (row: Row) => row.PlaylistItemId ?? row.Id,
    }
  }
  const query = { ...shown, parentId: listId, sortBy: 'SortName', sortOrder: 'Ascending' }
  return { ask: withQuery(dialect, dialect.items(userId), query), idOf: ({ Id }: Row) => Id }
}

export async function createList(session: Session, kind: ListKind, itemIds: readonly string[]): Promise<string> {
  const { dialect, profile, upstream } = session
  const { userId } = await session.identity()
  const name = profile.watchlist.playlist_name
  const ask =
    kind === 'playlist' ? dialect.createPlaylist(userId, name, itemIds) : dialect.createCollection(name, itemIds)
  return (await upstream.json(ask, Created)).Id
}

export async function addToList(
  session: Session,
  kind: ListKind,
  listId: string,
  itemIds: readonly string[],
): Promise<void> {
  const { dialect, upstream } = session
  const { userId } = await session.identity()
  for (const some of inChunks(itemIds)) {
    const ask =
      kind === 'playlist' ? dialect.addToPlaylist(userId, listId, some) : dialect.addToCollection(listId, some)
    await (await upstream.request(ask)).text()
  }
}

/** Playlists remove by entry id, collections by item id. */
export async function removeFromList(
  session: Session,
  kind: ListKind,
  listId: string,
  ids: readonly string[],
): Promise<void> {
  const { dialect, upstream } = session
  for (const some of inChunks(ids)) {
    const ask =
      kind === 'playlist' ? dialect.removeFromPlaylist(listId, some) : dialect.removeFromCollection(listId, some)
    await (await upstream.request({ ...ask, idempotent: true })).text()
  }
}
