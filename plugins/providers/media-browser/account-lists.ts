// Playlists and collections of a server as account lists, except the one used as the watchlist.
import {
  defined,
  type ListDefinition,
  type ListFacts,
  type ListKindSupport,
  type NewList,
  PlayheadError,
} from '@playhead/sdk'
import { Type } from '@sinclair/typebox'
import { type Dialect, withQuery } from './dialect.ts'
import { readAll } from './read/listing.ts'
import { readEntries } from './read/entries.ts'
import { everything } from './dialect.ts'
import type { Session } from './session.ts'
import { findTargets } from './write/targets.ts'
import type { Row } from './wire.ts'
import { writeEntries } from './write/entries.ts'

const PAGE = 1_000
const FINDABLE = ['tmdb', 'imdb', 'tvdb', 'tracka'] as const
const Created = Type.Object({ Id: Type.String({ minLength: 1 }) })

const COMMON = { needsAnyId: FINDABLE, maxBatch: 400 } as const
// Collections have no order of their own, and only an owner or administrator can delete them, for all users.
const COLLECTION: ListKindSupport = {
  ...COMMON,
  can: ['add', 'remove', 'create', 'clear'],
  kinds: ['movie', 'show'],
  ordered: false,
  duplicates: false,
  byEntry: false,
  losses: { clear: ['entries'] },
}

/** List features that both products share; dialects override the differences. */
export function accountLists({ renamePlaylist, playlistsTakeDuplicates }: Dialect): ListDefinition<Session> {
  return {
    support: {
      playlist: {
        ...COMMON,
        can: [
          'add',
          'remove',
          'move',
          'create',
          ...(renamePlaylist === undefined ? [] : ['rename' as const]),
          'delete',
          'clear',
        ],
        // Adding a show would add all its episodes.
        kinds: ['movie', 'episode'],
        ordered: true,
        duplicates: playlistsTakeDuplicates,
        byEntry: true,
        losses: { delete: ['list', 'entries', 'order'], clear: ['entries', 'order'] },
      },
      collection: COLLECTION,
    },
    all: async (session, signal) => [
      ...(await listsOf(session, 'Playlist', signal)),
      ...(await listsOf(session, 'BoxSet', signal)),
    ],
    read: readEntries,
    write: writeEntries,
    create,
    async rename({ dialect, upstream }, { id }, title, signal) {
      const ask = dialect.renamePlaylist?.(id, title)
      if (ask !== undefined) await (await upstream.request({ ...ask, idempotent: true, signal })).text()
    },
    async delete({ dialect, upstream }, { id }, signal) {
      // The list existed a moment ago, so a 404 counts as deleted.
      await (await upstream.request({ ...dialect.deleteItem(id), accept: [404], idempotent: true, signal })).text()
    },
  }
}

/** All lists of one type that the user can see; throws if the list is incomplete. */
async function listsOf(
  session: Session,
  type: 'Playlist' | 'BoxSet',
  signal: AbortSignal,
): Promise<readonly ListFacts[]> {
  const { dialect } = session
  const { userId } = await session.identity()
  const query = {
    ...everything(dialect),
    fields: `${dialect.fields},CanDelete`,
    includeItemTypes: type,
    enableUserData: false,
    sortBy: 'SortName',
    sortOrder: 'Ascending',
  }
  const rows = await readAll(session, withQuery(dialect, dialect.items(userId), query), { limit: PAGE, signal })
  if (rows === undefined)
    throw new PlayheadError('PLH_UPSTREAM_INVALID', `${dialect.product} did not show all its lists.`)
  return rows.map((row) => factsOf(session, type, row))
}

function factsOf({ profile: { watchlist } }: Session, type: 'Playlist' | 'BoxSet', row: Row): ListFacts {
  const isPlaylist = type === 'Playlist'
  const holdsWatchlist =
    watchlist.mode === (isPlaylist ? 'playlist' : 'collections') && row.Name === watchlist.playlist_name
  const readOnly = holdsWatchlist
    ? 'watchlist'
    : isPlaylist && (row.MediaType === 'Audio' || row.MediaType === 'Photo')
      ? 'unsuitable'
      : // Public playlists of other users are listed, but only their owners can change them.
        isPlaylist && row.CanDelete === false
        ? 'foreign'
        : undefined
  return {
    id: row.Id,
    kind: isPlaylist ? 'playlist' : 'collection',
    title: row.Name ?? '',
    ...(isPlaylist ? {} : { shared: true }),
    ...defined({ readOnly }),
  }
}

/**
 * Throws `PLH_INVALID` (`first_entry_required`) for a collection without an entry, `PLH_NOT_FOUND` if the entry is not
 * in the library.
 */
async function create(session: Session, { kind, title, first }: NewList, signal: AbortSignal): Promise<ListFacts> {
  const { dialect, upstream } = session
  const { userId } = await session.identity()
  if (kind === 'collection' && first === undefined) {
    throw new PlayheadError('PLH_INVALID', `A collection of ${dialect.product} begins with an entry.`, {
      wire: 'first_entry_required',
    })
  }
  const ids = first === undefined ? [] : [await idOfFirst(session, first, signal)]
  const ask = kind === 'playlist' ? dialect.createPlaylist(userId, title, ids) : dialect.createCollection(title, ids)
  const { Id } = await upstream.json({ ...ask, signal }, Created)
  return { id: Id, kind, title, ...(kind === 'collection' ? { shared: true } : {}) }
}

async function idOfFirst(session: Session, item: NonNullable<NewList['first']>, signal: AbortSignal): Promise<string> {
  const place = (await findTargets(session, [], [{ key: 'first', item }], signal)).get('first')
  if (place !== undefined && 'targets' in place && place.targets[0] !== undefined) return place.targets[0].entry.id
  const wire = place !== undefined && 'reason' in place ? place.reason : 'not_in_library'
  throw new PlayheadError('PLH_NOT_FOUND', 'The first entry of the list is not in the library.', { wire })
}
