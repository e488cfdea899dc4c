// A stand-in for Emby 4.9: users in the path, decimal ids, its own date format, and user data writes that replace everything.
import { parseCompactDate, parseIsoDate } from './media-browser/dates.ts'
import type { Dialect } from './media-browser/dialect.ts'
import type { Route } from './media-browser/router.ts'
import { readImage } from './media-browser/routes-images.ts'
import * as items from './media-browser/routes-items.ts'
import * as lists from './media-browser/routes-lists.ts'
import * as about from './media-browser/routes-server.ts'
import { listSessions } from './media-browser/playback/sessions.ts'
import * as userData from './media-browser/routes-user-data.ts'
import { type MediaServer, type MediaServerOptions, startMediaServer } from './media-browser/server.ts'
import { signInByPassword, signOut } from './media-browser/sign-in.ts'

export interface EmbyOptions extends MediaServerOptions {
  /** Accepts the date of a play only as digits, not as ISO. Default true. */
  readonly strictDates?: boolean
  /** Also accepts paths with the prefix `/emby`. Default true. */
  readonly prefix?: boolean
  /** A write of user data keeps fields that it omits. Default false: it resets them. */
  readonly mergesUserData?: boolean
}

/**
 * @example
 * await using emby = await startEmby({ movies: 100, users: [{ name: 'sam', password: 'secret' }] })
 */
export async function startEmby(options: EmbyOptions = {}): Promise<MediaServer> {
  const { strictDates = true, prefix = true, mergesUserData = false } = options
  const dialect: Dialect = {
    product: 'emby',
    ids: 'decimal',
    legacyCredentials: true,
    parsePlayedDate: (text) => parseCompactDate(text) ?? (strictDates ? undefined : parseIsoDate(text)),
    showsLikes: false,
    findsByProviderId: true,
    savedIncludesUserData: true,
    playlistsSkipDuplicates: false,
    unauthorizedText: 'Access token is invalid or expired.',
  }
  const write = mergesUserData ? userData.mergeUserData : userData.replaceUserData
  const routes: readonly Route[] = [...ROUTES, ['POST', '/Users/{userId}/Items/{itemId}/UserData', 'signed-in', write]]
  const stripPath = (path: string): string => (prefix ? path.replace(/^\/emby(?=\/)/i, '') : path)
  return startMediaServer(
    { dialect, serverName: 'Cellar', version: options.version ?? '4.9.1.0', routes, stripPath },
    options,
  )
}

const ROUTES: readonly Route[] = [
  ['POST', '/Users/AuthenticateByName', 'anyone', signInByPassword],
  ['POST', '/Sessions/Logout', 'signed-in', signOut],

  ['GET', '/System/Info/Public', 'anyone', about.publicInfo],
  ['GET', '/System/Info', 'signed-in', about.privateInfo],
  ['GET', '/System/Ping', 'anyone', about.ping],
  ['GET', '/Users/Public', 'anyone', about.listPublicUsers],
  ['GET', '/Users/Query', 'administrator', about.queryUsers],
  ['GET', '/Users/{userId}', 'signed-in', about.readUser],
  ['GET', '/Sessions', 'signed-in', listSessions],

  ['GET', '/Users/{userId}/Views', 'signed-in', items.listViews],
  ['GET', '/Library/VirtualFolders', 'administrator', items.listVirtualFolders],
  ['GET', '/Library/MediaFolders', 'administrator', items.listMediaFolders],
  ['GET', '/Items', 'signed-in', items.listItemsOfServer],
  ['GET', '/Users/{userId}/Items', 'signed-in', items.listItems],
  ['GET', '/Users/{userId}/Items/Resume', 'signed-in', items.listResumable],
  ['GET', '/Users/{userId}/Items/{itemId}', 'signed-in', items.readItem],
  ['GET', '/Items/{itemId}/Ancestors', 'signed-in', items.listAncestors],
  ['GET', '/Items/{itemId}/Images/{imageType}', 'anyone', readImage],
  ['GET', '/Items/{itemId}/Images/{imageType}/{imageIndex}', 'anyone', readImage],
  ['DELETE', '/Items/{itemId}', 'signed-in', items.deleteItem],
  ['POST', '/Items/{itemId}/Delete', 'signed-in', items.deleteItem],

  ['POST', '/Users/{userId}/PlayedItems/{itemId}', 'signed-in', userData.addPlay],
  ['DELETE', '/Users/{userId}/PlayedItems/{itemId}', 'signed-in', userData.removePlays],
  ['POST', '/Users/{userId}/PlayedItems/{itemId}/Delete', 'signed-in', userData.removePlays],
  ['POST', '/Users/{userId}/FavoriteItems/{itemId}', 'signed-in', userData.addFavourite],
  ['DELETE', '/Users/{userId}/FavoriteItems/{itemId}', 'signed-in', userData.removeFavourite],
  ['POST', '/Users/{userId}/FavoriteItems/{itemId}/Delete', 'signed-in', userData.removeFavourite],
  ['POST', '/Users/{userId}/Items/{itemId}/Rating', 'signed-in', userData.rate],
  ['DELETE', '/Users/{userId}/Items/{itemId}/Rating', 'signed-in', userData.removeRating],
  ['POST', '/Users/{userId}/Items/{itemId}/Rating/Delete', 'signed-in', userData.removeRating],
  ['POST', '/Users/{userId}/Items/{itemId}/HideFromResume', 'signed-in', userData.hideFromResume],

  ['POST', '/Playlists', 'signed-in', lists.createPlaylistFromQuery],
  ['GET', '/Playlists/{listId}/Items', 'signed-in', lists.listPlaylistItems],
  ['POST', '/Playlists/{listId}/Items', 'signed-in', lists.addPlaylistItems],
  ['DELETE', '/Playlists/{listId}/Items', 'signed-in', lists.removePlaylistItems],
  ['POST', '/Playlists/{listId}/Items/Delete', 'signed-in', lists.removePlaylistItems],
  ['POST', '/Playlists/{listId}/Items/{entryId}/Move/{newIndex}', 'signed-in', lists.movePlaylistItem],
  ['POST', '/Collections', 'signed-in', lists.createCollection],
  ['POST', '/Collections/{listId}/Items', 'signed-in', lists.addCollectionItems],
  ['DELETE', '/Collections/{listId}/Items', 'signed-in', lists.removeCollectionItems],
]
