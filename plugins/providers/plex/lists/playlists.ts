// Lists and creates playlists of a person on the media server.
import { defined, type ListFacts, PlayheadError } from '@playhead/sdk'
import type { StoredItem } from '../library/table.ts'
import { readAllPages } from '../read/pages.ts'
import type { Server } from '../session.ts'
import { type Metadata, Page } from '../wire.ts'
import { uriOf } from '../write/playlist.ts'

const PAGE_SIZE = 200

export async function allPlaylists({ http }: Server, signal: AbortSignal): Promise<readonly ListFacts[]> {
  const listing = {
    path: '/playlists',
    query: { playlistType: 'video' },
    size: PAGE_SIZE,
    keyOf: ({ ratingKey }: Metadata) => ratingKey,
  }
  return (await readAllPages(http, listing, signal)).map(factsOf)
}

function factsOf({ ratingKey = '', title = '', leafCount, smart }: Metadata): ListFacts {
  return {
    id: ratingKey,
    kind: 'playlist',
    title,
    ...defined({ count: leafCount }),
    ...(smart === true || smart === 1 ? { readOnly: 'dynamic' } : {}),
  }
}

export async function createPlaylist(
  server: Server,
  title: string,
  first: StoredItem,
  signal: AbortSignal,
): Promise<ListFacts> {
  const query = { type: 'video', title, smart: 0, uri: uriOf(server, first.rating_key) }
  const made = await server.http.json({ method: 'POST', path: '/playlists', query, signal }, Page)
  const row = made.MediaContainer.Metadata?.[0]
  if (row?.ratingKey !== undefined) return factsOf(row)
  throw new PlayheadError('PLH_UPSTREAM_INVALID', 'Plex did not return the id of the new playlist.')
}
