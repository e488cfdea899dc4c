// The Emby dialect: user in the path, token in its own header, play dates as digits, and user data written as a whole.
import { PlayheadError } from '@playhead/sdk'
import { clientHeader, type Dialect, pascalNames, part } from '@playhead/media-browser'

const emby: Dialect = {
  product: 'Emby',

  check({ ProductName: product, Version: version }) {
    const isOther = product?.toLowerCase().includes('jellyfin') === true
    if (isOther || !/^\d+\./.test(version ?? '')) {
      throw new PlayheadError('PLH_INVALID', 'There is no Emby server at this address.', { wire: 'wrong_product' })
    }
  },

  access: (device) => ({
    headers: { 'x-emby-authorization': clientHeader(device) },
    place: [{ in: 'header', name: 'x-emby-token', template: '{token}' }],
  }),

  signIn: (name, password) => ({
    method: 'POST',
    path: 'Users/AuthenticateByName',
    form: { Username: name, Pw: password },
  }),
  fields: 'ProviderIds,ProductionYear',
  spell: pascalNames,
  user: (userId) => ({ path: `Users/${part(userId)}` }),
  users: (StartIndex, Limit) => ({ path: 'Users/Query', query: { StartIndex, Limit } }),
  views: (userId) => ({ path: `Users/${part(userId)}/Views` }),
  ancestors: (UserId, id) => ({ path: `Items/${part(id)}/Ancestors`, query: { UserId } }),
  items: (userId) => ({ path: `Users/${part(userId)}/Items` }),

  page: (id, serverId) =>
    serverId === undefined ? undefined : `web/index.html#!/item?${new URLSearchParams({ id, serverId }).toString()}`,

  // The vendor documents the token only as a query parameter.
  socket: {
    path: 'embywebsocket',
    place: [{ in: 'query', name: 'api_key', template: '{token}' }],
    administratorsOnly: false,
  },
  webhook: {
    fields: ['data', 'payload', 'json'],
    setup:
      'In Emby (with Emby Premiere), open Notifications: since Emby 4.9 in the settings of your user, before in those of ' +
      'the server. Add a Webhook with this address and the content type application/json, and tick the events of Playback.',
  },

  markPlayed: (userId, id, atMs) => ({
    method: 'POST',
    path: `Users/${part(userId)}/PlayedItems/${part(id)}`,
    query: { DatePlayed: digitsOf(atMs) },
  }),
  markUnplayed: (userId, id) => ({
    method: 'DELETE',
    path: `Users/${part(userId)}/PlayedItems/${part(id)}`,
    idempotent: true,
  }),
  setFavourite: (userId, id, favourite) => ({
    method: favourite ? 'POST' : 'DELETE',
    path: `Users/${part(userId)}/FavoriteItems/${part(id)}`,
    idempotent: true,
  }),
  savesSilently: true,
  savesForToken: false,
  saveUserData(userId, id, current, change) {
    // Computed fields could contradict the change.
    const {
      PlayedPercentage: _share,
      UnplayedItemCount: _count,
      ...kept
    } = current as Readonly<Record<string, unknown>>
    return {
      method: 'POST',
      path: `Users/${part(userId)}/Items/${part(id)}/UserData`,
      json: { ...kept, ...change },
      idempotent: true,
    }
  },

  playlistItems: (UserId, id) => ({ path: `Playlists/${part(id)}/Items`, query: { UserId } }),
  createPlaylist: (UserId, Name, ids) => ({
    method: 'POST',
    path: 'Playlists',
    query: { Name, UserId, Ids: ids.join(','), MediaType: 'Video' },
  }),
  addToPlaylist: (UserId, id, ids) => ({
    method: 'POST',
    path: `Playlists/${part(id)}/Items`,
    query: { UserId, Ids: ids.join(',') },
  }),
  removeFromPlaylist: (id, lines) => ({
    method: 'DELETE',
    path: `Playlists/${part(id)}/Items`,
    query: { EntryIds: lines.join(',') },
  }),
  playlistsTakeDuplicates: true,
  movePlaylistItem: (id, line, index) => ({
    method: 'POST',
    path: `Playlists/${part(id)}/Items/${part(line)}/Move/${index}`,
  }),
  deleteItem: (id) => ({ method: 'DELETE', path: `Items/${part(id)}` }),
  createCollection: (Name, ids) => ({ method: 'POST', path: 'Collections', query: { Name, Ids: ids.join(',') } }),
  addToCollection: (id, ids) => ({
    method: 'POST',
    path: `Collections/${part(id)}/Items`,
    query: { Ids: ids.join(',') },
  }),
  removeFromCollection: (id, ids) => ({
    method: 'DELETE',
    path: `Collections/${part(id)}/Items`,
    query: { Ids: ids.join(',') },
  }),
}

/** `yyyyMMddHHmmss` in UTC. */
function digitsOf(atMs: number): string {
  return new Date(atMs).toISOString().replace(/\D/g, '').slice(0, 14)
}

export default emby
