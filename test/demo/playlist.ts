// A playlist in the demo: a Jellyfin playlist is synced to a Trakt list in the same order. One film is moved to the front
// before the second run.
import type { Jellyfin } from '../upstreams/jellyfin.ts'
import type { Trakt } from '../upstreams/trakt.ts'
import { type Client, expectOk } from './sign-in.ts'

const NAME = 'Friday evening'
const SIZE = 8

export interface DemoPlaylist {
  /** Creates both lists and maps one to the other; returns the id of the mapping's pair. */
  map(client: Client): Promise<string>
  /** The person moves the last film to the front. */
  moveLast(): void
  /** Titles of both lists, in order. */
  titles(): { readonly jellyfin: readonly string[]; readonly trakt: readonly string[] }
}

export function createDemoPlaylist(jellyfin: Jellyfin, trakt: Trakt): DemoPlaylist {
  const films = jellyfin
    .items('Movie')
    .filter(({ providerIds }) => Object.keys(providerIds).some((name) => name.toLowerCase() === 'tmdb'))
  const chosen = [...new Map(films.map((film) => [film.name, film])).values()].slice(20, 20 + SIZE)
  const playlist = jellyfin.actions.createPlaylist(
    'sam',
    NAME,
    chosen.map(({ id }) => id),
  )
  const titleOf = new Map(chosen.map(({ id, name }) => [id, name]))
  return {
    async map(client) {
      const endpoint = async (fields: object): Promise<string> =>
        (await expectOk(client, '/api/playlists/endpoints', { name: NAME, ...fields })).endpoint.id
      const source = await endpoint({ provider: 'MEDIAB', playlist_id: `playlist:${playlist.id}` })
      const target = await endpoint({ provider: 'TRACKA', create: true })
      const { pair_id: pairId } = await expectOk(client, '/api/playlists/mappings', {
        ...{ name: NAME, source_endpoint: source, target_endpoints: [target], order: 'preserve' },
      })
      return String(pairId)
    },
    moveLast() {
      const entries = playlist.entries ?? []
      playlist.entries = [...entries.slice(-1), ...entries.slice(0, -1)]
      playlist.savedAtMs = Date.now()
    },
    titles: () => ({
      jellyfin: (playlist.entries ?? []).map(({ itemId }) => titleOf.get(itemId) ?? itemId),
      trakt: (trakt.user.account.lists.find(({ name }) => name === NAME)?.rows ?? []).map(({ entry }) =>
        entry.type === 'movie' ? entry.movie.title : entry.key,
      ),
    }),
  }
}
