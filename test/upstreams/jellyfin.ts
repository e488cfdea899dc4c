// A stand-in for Jellyfin: 10.11, which still accepts the older paths and headers, or 12.0, which dropped them.
import { parseIsoDate } from './media-browser/dates.ts'
import type { Dialect } from './media-browser/dialect.ts'
import type { Route } from './media-browser/router.ts'
import { readImage } from './media-browser/routes-images.ts'
import * as items from './media-browser/routes-items.ts'
import * as lists from './media-browser/routes-lists.ts'
import * as about from './media-browser/routes-server.ts'
import { listSessions } from './media-browser/playback/sessions.ts'
import * as userData from './media-browser/routes-user-data.ts'
import { type MediaServer, type MediaServerOptions, startMediaServer } from './media-browser/server.ts'
import { createQuickConnect, signInByPassword, signOut } from './media-browser/sign-in.ts'
import { findUser } from './media-browser/world.ts'

export interface JellyfinOptions extends MediaServerOptions {
  /** Accepts the older headers and paths. Default: true before version 12. */
  readonly legacy?: boolean
  /** Default true. */
  readonly quickConnect?: boolean
}

export interface Jellyfin extends MediaServer {
  /** The user enters the code in the web client. Returns false for an unknown code. */
  approveQuickConnect(code: string, user: string): boolean
}

/**
 * @example
 * await using jellyfin = await startJellyfin({ movies: 100, users: [{ name: 'sam', password: 'secret' }] })
 */
export async function startJellyfin(options: JellyfinOptions = {}): Promise<Jellyfin> {
  const version = options.version ?? '10.11.11'
  const legacy = options.legacy ?? Number.parseInt(version, 10) < 12
  const quickConnect = createQuickConnect(() => options.quickConnect ?? true)
  const dialect: Dialect = {
    product: 'jellyfin',
    ids: 'hex',
    legacyCredentials: legacy,
    parsePlayedDate: parseIsoDate,
    showsLikes: true,
    findsByProviderId: false,
    savedIncludesUserData: false,
    playlistsSkipDuplicates: true,
    unauthorizedText: '',
  }
  const signIn: readonly Route[] = [
    ['POST', '/Users/AuthenticateByName', 'anyone', signInByPassword],
    ['GET', '/QuickConnect/Enabled', 'anyone', quickConnect.enabled],
    ['POST', '/QuickConnect/Initiate', 'anyone', quickConnect.initiate],
    ['GET', '/QuickConnect/Connect', 'anyone', quickConnect.connect],
    ['POST', '/QuickConnect/Authorize', 'signed-in', quickConnect.authorize],
    ['POST', '/Users/AuthenticateWithQuickConnect', 'anyone', quickConnect.signIn],
    ['POST', '/Sessions/Logout', 'signed-in', signOut],
  ]
  const routes = [...signIn, ...ROUTES, ...(legacy ? LEGACY_ROUTES : [])]
  const kind = { dialect, serverName: 'Attic', version, routes, forgetOnRestart: quickConnect.forgetAll }
  const server = await startMediaServer(kind, options)
  return {
    ...server,
    approveQuickConnect(code, name) {
      const user = findUser(server.world, name)
      return user !== undefined && quickConnect.approve(server, code, user)
    },
  }
}

const ROUTES: readonly Route[] = [
  ['GET', '/System/Info/Public', 'anyone', about.publicInfo],
  ['GET', '/System/Info', 'signed-in', about.privateInfo],
  ['GET', '/System/Ping', 'anyone', about.ping],
  ['GET', '/Users/Me', 'signed-in', about.ownUser],
  ['GET', '/Users/Public', 'anyone', about.listPublicUsers],
  ['GET', '/Users', 'administrator', about.listUsers],
  ['GET', '/Users/{userId}', 'signed-in', about.readUser],
  ['GET', '/Sessions', 'signed-in', listSessions],

  ['GET', '/UserViews', 'signed-in', items.listViews],
  ['GET', '/Library/VirtualFolders', 'administrator', items.listVirtualFolders],
  ['GET', '/Library/MediaFolders', 'administrator', items.listMediaFolders],
  ['GET', '/Items', 'signed-in', items.listItems],
  ['GET', '/Items/{itemId}', 'signed-in', items.readItem],
  ['GET', '/Items/{itemId}/Ancestors', 'signed-in', items.listAncestors],
  ['GET', '/Items/{itemId}/Images/{imageType}', 'anyone', readImage],
  ['GET', '/Items/{itemId}/Images/{imageType}/{imageIndex}', 'anyone', readImage],
  ['DELETE', '/Items/{itemId}', 'signed-in', items.deleteItem],
  ['GET', '/UserItems/Resume', 'signed-in', items.listResumable],

  ['POST', '/UserPlayedItems/{itemId}', 'signed-in', userData.addPlay],
  ['DELETE', '/UserPlayedItems/{itemId}', 'signed-in', userData.removePlays],
  ['POST', '/UserFavoriteItems/{itemId}', 'signed-in', userData.addFavourite],
  ['DELETE', '/UserFavoriteItems/{itemId}', 'signed-in', userData.removeFavourite],
  ['GET', '/UserItems/{itemId}/UserData', 'signed-in', userData.readUserData],
  ['POST', '/UserItems/{itemId}/UserData', 'signed-in', userData.mergeUserData],
  ['POST', '/UserItems/{itemId}/Rating', 'signed-in', userData.rate],
  ['DELETE', '/UserItems/{itemId}/Rating', 'signed-in', userData.removeRating],

  ['POST', '/Playlists', 'signed-in', lists.createPlaylistFromBody],
  ['POST', '/Playlists/{listId}', 'signed-in', lists.updatePlaylist],
  ['GET', '/Playlists/{listId}/Items', 'signed-in', lists.listPlaylistItems],
  ['POST', '/Playlists/{listId}/Items', 'signed-in', lists.addPlaylistItems],
  ['DELETE', '/Playlists/{listId}/Items', 'signed-in', lists.removePlaylistItems],
  ['POST', '/Playlists/{listId}/Items/{entryId}/Move/{newIndex}', 'signed-in', lists.movePlaylistItem],
  ['POST', '/Collections', 'signed-in', lists.createCollection],
  ['POST', '/Collections/{listId}/Items', 'signed-in', lists.addCollectionItems],
  ['DELETE', '/Collections/{listId}/Items', 'signed-in', lists.removeCollectionItems],
]

const LEGACY_ROUTES: readonly Route[] = [
  ['GET', '/Users/{userId}/Views', 'signed-in', items.listViews],
  ['GET', '/Users/{userId}/Items', 'signed-in', items.listItems],
  ['GET', '/Users/{userId}/Items/Resume', 'signed-in', items.listResumable],
  ['GET', '/Users/{userId}/Items/{itemId}', 'signed-in', items.readItem],
  ['POST', '/Users/{userId}/PlayedItems/{itemId}', 'signed-in', userData.addPlay],
  ['DELETE', '/Users/{userId}/PlayedItems/{itemId}', 'signed-in', userData.removePlays],
  ['POST', '/Users/{userId}/FavoriteItems/{itemId}', 'signed-in', userData.addFavourite],
  ['DELETE', '/Users/{userId}/FavoriteItems/{itemId}', 'signed-in', userData.removeFavourite],
  ['POST', '/Users/{userId}/Items/{itemId}/Rating', 'signed-in', userData.rate],
  ['DELETE', '/Users/{userId}/Items/{itemId}/Rating', 'signed-in', userData.removeRating],
]
