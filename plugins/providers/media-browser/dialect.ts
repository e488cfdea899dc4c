// Where Jellyfin and Emby differ on the wire. Everything else in this folder is the same for both.
import type { AccountOptions, UpstreamRequest } from '@playhead/sdk'
import type { PublicInfo, UserData } from './wire.ts'

/** The part of a request that names what is asked. */
export type Ask = Pick<UpstreamRequest, 'method' | 'path' | 'query' | 'json' | 'form' | 'idempotent'>

/** How this installation presents itself. One token exists per user and device id. */
export interface Device {
  readonly id: string
  readonly version: string
}

export type Query = NonNullable<UpstreamRequest['query']>

export interface Dialect {
  /** `Jellyfin`: shown to people. */
  readonly product: string
  /**
   * Throws the reason why this is not a server that can be used: `version_too_old`, `version_unknown`, `wrong_product`.
   */
  check(info: PublicInfo): void
  /** Headers of every request, and where the token goes. */
  access(device: Device): Pick<AccountOptions, 'headers'> & Pick<NonNullable<AccountOptions['credential']>, 'place'>

  signIn(name: string, password: string): Ask
  /** What of a row has to be asked for by name. */
  readonly fields: string
  /** Names of a query, given as Jellyfin has them (`userId`), in the product's own spelling. */
  spell(query: Query): Query
  /** The user of the token; `byKey`: there is none, so the named one is asked for. */
  user(userId: string, byKey: boolean): Ask
  /** A page of all users; for administrators. */
  users(startIndex: number, limit: number): Ask
  views(userId: string): Ask
  items(userId: string): Ask

  /** Without a time the server puts in its own, so there always is one. */
  markPlayed(userId: string, itemId: string, atMs: number): Ask
  markUnplayed(userId: string, itemId: string): Ask
  setFavourite(userId: string, itemId: string, favourite: boolean): Ask
  /** The writing of user data is answered with nothing, so that the status is all there is. */
  readonly savesSilently: boolean
  /** Changes these fields and leaves all others as `current` has them. */
  saveUserData(userId: string, itemId: string, current: UserData, change: Partial<UserData>): Ask

  playlistItems(userId: string, listId: string): Ask
  createPlaylist(userId: string, name: string, itemIds: readonly string[]): Ask
  addToPlaylist(userId: string, listId: string, itemIds: readonly string[]): Ask
  removeFromPlaylist(listId: string, entryIds: readonly string[]): Ask
  /** An item that is in a playlist already is added once more. */
  readonly playlistsTakeDuplicates: boolean
  /** @param index the place of the line among all, from 0, when it has moved */
  movePlaylistItem(listId: string, entryId: string, index: number): Ask
  /** Absent: the product writes whole items only, and a name is not worth the risk. */
  renamePlaylist?(listId: string, name: string): Ask
  deleteItem(itemId: string): Ask
  createCollection(name: string, itemIds: readonly string[]): Ask
  addToCollection(listId: string, itemIds: readonly string[]): Ask
  removeFromCollection(listId: string, itemIds: readonly string[]): Ask
}

/** The request with more in its query. */
export function withQuery(dialect: Pick<Dialect, 'spell'>, ask: Ask, more: Query): Ask {
  return { ...ask, query: { ...ask.query, ...dialect.spell(more) } }
}

/** `userId` becomes `UserId`. */
export function pascalNames(query: Query): Query {
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => [name.charAt(0).toUpperCase() + name.slice(1), value]),
  )
}

/** `MediaBrowser Client="Playhead", …`: who asks, without the token. */
export function clientHeader({ id, version }: Device): string {
  const fields = { Client: 'Playhead', Device: 'Playhead', DeviceId: id, Version: version }
  return `MediaBrowser ${Object.entries(fields)
    .map(([name, value]) => `${name}="${encodeURIComponent(value)}"`)
    .join(', ')}`
}

/** A part of a path. */
export function part(text: string): string {
  return encodeURIComponent(text)
}
