// The Jellyfin dialect, from 10.9: user in the query, one header for client and token, user data is merged.
import { PlayheadError } from '@playhead/sdk'
import { clientHeader, type Dialect, part } from '@playhead/media-browser'

const MIN_VERSION = [10, 9] as const

const jellyfin: Dialect = {
  product: 'Jellyfin',

  check({ ProductName: product, Version: version }) {
    if (!product?.toLowerCase().includes('jellyfin')) {
      throw new PlayheadError('PLH_INVALID', 'There is no Jellyfin server at this address.', { wire: 'wrong_product' })
    }
    const [, major, minor] = /^(\d+)\.(\d+)/.exec(version ?? '') ?? []
    if (major === undefined) {
      throw new PlayheadError('PLH_INVALID', 'The version of the Jellyfin server is not known.', {
        wire: 'version_unknown',
      })
    }
    if (Number(major) > MIN_VERSION[0] || (Number(major) === MIN_VERSION[0] && Number(minor) >= MIN_VERSION[1])) return
    throw new PlayheadError('PLH_INVALID', `Jellyfin ${version} is too old; ${MIN_VERSION.join('.')} is needed.`, {
      wire: 'version_too_old',
    })
  },

  access: (device) => ({
    headers: { authorization: clientHeader(device) },
    place: [{ in: 'header', name: 'authorization', template: `${clientHeader(device)}, Token="{token}"` }],
  }),

  signIn: (name, password) => ({
    method: 'POST',
    path: 'Users/AuthenticateByName',
    json: { Username: name, Pw: password },
  }),
  fields: 'ProviderIds',
  spell: (query) => query,
  user: (userId, byId) => ({ path: byId ? `Users/${part(userId)}` : 'Users/Me' }),
  users: () => ({ path: 'Users' }),
  views: (userId) => ({ path: 'UserViews', query: { userId, includeHidden: true } }),
  ancestors: (userId, id) => ({ path: `Items/${part(id)}/Ancestors`, query: { userId } }),
  items: (userId) => ({ path: 'Items', query: { userId } }),

  page: (id, serverId) =>
    `web/#/details?${new URLSearchParams({ id, ...(serverId === undefined ? {} : { serverId }) }).toString()}`,

  // The header works in all versions; api_key in the query does not from version 12 on.
  socket: { path: 'socket', place: [], administratorsOnly: true },
  webhook: {
    fields: ['payload', 'data', 'json'],
    setup:
      'In Jellyfin, install the plugin Webhook, add a Generic Destination with this address, and tick Playback Start, ' +
      'Playback Progress and Playback Stop, Movies, Episodes and Send All Properties.',
  },

  markPlayed: (userId, id, atMs) => ({
    method: 'POST',
    path: `UserPlayedItems/${part(id)}`,
    query: { userId, datePlayed: new Date(atMs).toISOString() },
  }),
  markUnplayed: (userId, id) => ({
    method: 'DELETE',
    path: `UserPlayedItems/${part(id)}`,
    query: { userId },
    idempotent: true,
  }),
  setFavourite: (userId, id, favourite) => ({
    method: favourite ? 'POST' : 'DELETE',
    path: `UserFavoriteItems/${part(id)}`,
    query: { userId },
    idempotent: true,
  }),
  savesSilently: false,
  savesForToken: true,
  // Omitted fields stay unchanged.
  saveUserData: (userId, id, _current, change) => ({
    method: 'POST',
    path: `UserItems/${part(id)}/UserData`,
    query: { userId },
    json: change,
    idempotent: true,
  }),

  playlistItems: (userId, id) => ({ path: `Playlists/${part(id)}/Items`, query: { userId } }),
  createPlaylist: (UserId, Name, Ids) => ({
    method: 'POST',
    path: 'Playlists',
    json: { Name, UserId, Ids, IsPublic: false, MediaType: 'Video' },
  }),
  addToPlaylist: (userId, id, ids) => ({
    method: 'POST',
    path: `Playlists/${part(id)}/Items`,
    query: { userId, ids: ids.join(',') },
  }),
  removeFromPlaylist: (id, lines) => ({
    method: 'DELETE',
    path: `Playlists/${part(id)}/Items`,
    query: { entryIds: lines.join(',') },
  }),
  // Duplicates depend on the version.
  playlistsTakeDuplicates: false,
  movePlaylistItem: (id, line, index) => ({
    method: 'POST',
    path: `Playlists/${part(id)}/Items/${part(line)}/Move/${index}`,
  }),
  renamePlaylist: (id, Name) => ({ method: 'POST', path: `Playlists/${part(id)}`, json: { Name } }),
  deleteItem: (id) => ({ method: 'DELETE', path: `Items/${part(id)}` }),
  createCollection: (name, ids) => ({ method: 'POST', path: 'Collections', query: { name, ids: ids.join(',') } }),
  addToCollection: (id, ids) => ({
    method: 'POST',
    path: `Collections/${part(id)}/Items`,
    query: { ids: ids.join(',') },
  }),
  removeFromCollection: (id, ids) => ({
    method: 'DELETE',
    path: `Collections/${part(id)}/Items`,
    query: { ids: ids.join(',') },
  }),
}

export default jellyfin
