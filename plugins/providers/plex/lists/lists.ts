// Playlists and collections of the media server as account lists.
import { type ListDefinition, type ListFacts, type NewList, PlayheadError } from '@playhead/sdk'
import { allCollections, createCollection, readCollection, writeCollection } from './collections.ts'
import { allPlaylists, createPlaylist } from './playlists.ts'
import { pathOf, readPlaylist } from '../read/playlist.ts'
import type { Session } from '../session.ts'
import { findAll } from '../library/targets.ts'
import { writePlaylist } from '../write/playlist.ts'

const COMMON = { needsAnyId: ['tmdb', 'imdb', 'tvdb', 'guid'], maxBatch: 100 } as const

export const lists: ListDefinition<Session> = {
  support: {
    playlist: {
      ...COMMON,
      can: ['add', 'remove', 'move', 'create', 'rename', 'delete', 'clear'],
      // Adding a show or season would add all its episodes.
      kinds: ['movie', 'episode'],
      ordered: true,
      duplicates: true,
      byEntry: true,
      losses: { delete: ['list', 'entries', 'order'], clear: ['entries', 'order'] },
    },
    // Shared by all users: entries are written, but collections are neither renamed nor deleted.
    collection: {
      ...COMMON,
      can: ['add', 'remove', 'create', 'clear'],
      kinds: ['movie', 'show'],
      ordered: false,
      duplicates: false,
      byEntry: false,
      losses: { clear: ['entries'] },
    },
  },
  async all(session, signal) {
    const server = await session.server(signal)
    return [...(await allPlaylists(server, signal)), ...(await allCollections(server, signal))]
  },
  read: (session, request, signal) =>
    request.list.kind === 'playlist'
      ? readPlaylist(session, request, signal)
      : readCollection(session, request, signal),
  write: (session, request, signal) =>
    request.list.kind === 'playlist'
      ? writePlaylist(session, request, signal)
      : writeCollection(session, request, signal),
  create,
  async rename(session, list, title, signal) {
    const { http } = await session.server(signal)
    const answer = await http.request({ method: 'PUT', path: pathOf(list), query: { title }, idempotent: true, signal })
    await answer.text()
  },
  async delete(session, list, signal) {
    const { http } = await session.server(signal)
    // The list existed a moment ago, so a 404 counts as deleted.
    const answer = await http.request({ method: 'DELETE', path: pathOf(list), accept: [404], idempotent: true, signal })
    await answer.text()
  },
}

/**
 * Throws `PLH_INVALID` (`first_entry_required`), `PLH_NOT_FOUND` (`not_in_library`): a list cannot be created empty.
 */
async function create(session: Session, list: NewList, signal: AbortSignal): Promise<ListFacts> {
  const { first, kind, library, title } = list
  if (first === undefined) {
    throw new PlayheadError('PLH_INVALID', 'A Plex list cannot be created empty.', { wire: 'first_entry_required' })
  }
  const server = await session.server(signal)
  const { found, refused } = await findAll(server, [{ key: 'first', item: first }], signal)
  const copies = (found[0]?.copies ?? []).filter(({ section }) => library === undefined || section === library)
  const copy = copies[0]
  if (copy === undefined) {
    throw new PlayheadError('PLH_NOT_FOUND', 'The first entry of the list is not in the library.', {
      wire: refused.get('first')?.reason ?? 'not_in_library',
    })
  }
  return kind === 'playlist'
    ? createPlaylist(server, title, copy, signal)
    : createCollection(server, title, copy, signal)
}
