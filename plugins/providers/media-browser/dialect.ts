// The interface for the wire differences between Jellyfin and Emby.
import type { AccountOptions, CredentialPlacement, UpstreamRequest, WebhookSupport } from '@playhead/sdk'
import type { PublicInfo, UserData } from './wire.ts'

export type Ask = Pick<UpstreamRequest, 'method' | 'path' | 'query' | 'json' | 'form' | 'idempotent'>

/** Identity of this installation. The server has one token per user and device id. */
export interface Device {
  readonly id: string
  readonly version: string
}

export type Query = NonNullable<UpstreamRequest['query']>

export interface Dialect {
  /** Display name, `Jellyfin`. */
  readonly product: string
  /** Throws for an unsupported server: `version_too_old`, `version_unknown`, `wrong_product`. */
  check(info: PublicInfo): void
  /** Headers of every request, including the token. */
  access(device: Device): Pick<AccountOptions, 'headers'> & Pick<NonNullable<AccountOptions['credential']>, 'place'>

  signIn(name: string, password: string): Ask
  /** Fields that must be requested explicitly. */
  readonly fields: string
  /** Converts names of query parameters from Jellyfin's spelling (`userId`). */
  spell(query: Query): Query
  /** The user of the token. `byId`: this user, for an API key, which has no user, or in the name of another one. */
  user(userId: string, byId: boolean): Ask
  /** A page of all users; requires administrator rights. */
  users(startIndex: number, limit: number): Ask
  views(userId: string): Ask
  ancestors(userId: string, itemId: string): Ask
  items(userId: string): Ask

  /** The page of an item in the web client, below the server's address; undefined without the id of the server if it needs that. */
  page(itemId: string, serverId: string | undefined): string | undefined

  readonly socket: SocketWire
  /** Form fields that contain the document of a webhook, and where a person configures the webhook. */
  readonly webhook: Pick<WebhookSupport, 'fields' | 'setup'>

  /** Without a time the server would use the current time. */
  markPlayed(userId: string, itemId: string, atMs: number): Ask
  markUnplayed(userId: string, itemId: string): Ask
  setFavourite(userId: string, itemId: string, favourite: boolean): Ask
  /** Saving user data returns an empty body, so only the status confirms it. */
  readonly savesSilently: boolean
  /**
   * Saving user data may change those of the user of the token instead of the named user. Seen at Jellyfin 10.11.4
   * (https://github.com/jellyfin/jellyfin/issues/15733); an API key has no user.
   */
  readonly savesForToken: boolean
  /** Changes these fields; all others keep their value in `current`. */
  saveUserData(userId: string, itemId: string, current: UserData, change: Partial<UserData>): Ask

  playlistItems(userId: string, listId: string): Ask
  createPlaylist(userId: string, name: string, itemIds: readonly string[]): Ask
  addToPlaylist(userId: string, listId: string, itemIds: readonly string[]): Ask
  removeFromPlaylist(listId: string, entryIds: readonly string[]): Ask
  /** Adding an item that is already in a playlist adds a second entry. */
  readonly playlistsTakeDuplicates: boolean
  /** @param index zero-based position after the move */
  movePlaylistItem(listId: string, entryId: string, index: number): Ask
  /** Absent when the product can only write whole items. */
  renamePlaylist?(listId: string, name: string): Ask
  deleteItem(itemId: string): Ask
  createCollection(name: string, itemIds: readonly string[]): Ask
  addToCollection(listId: string, itemIds: readonly string[]): Ask
  removeFromCollection(listId: string, itemIds: readonly string[]): Ask
}

/** The WebSocket of a product. */
interface SocketWire {
  readonly path: string
  /** Where the token is placed, in addition to the places of requests. */
  readonly place: readonly CredentialPlacement[]
  /** Only administrators and API keys receive sessions. */
  readonly administratorsOnly: boolean
}

/** Adds query parameters. */
export function withQuery(dialect: Pick<Dialect, 'spell'>, ask: Ask, more: Query): Ask {
  return { ...ask, query: { ...ask.query, ...dialect.spell(more) } }
}

/** `userId` becomes `UserId`. */
export function pascalNames(query: Query): Query {
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => [name.charAt(0).toUpperCase() + name.slice(1), value]),
  )
}

/** `MediaBrowser Client="Playhead", …`: identifies the client, without the token. */
export function clientHeader({ id, version }: Device): string {
  const fields = { Client: 'Playhead', Device: 'Playhead', DeviceId: id, Version: version }
  return `MediaBrowser ${Object.entries(fields)
    .map(([name, value]) => `${name}="${encodeURIComponent(value)}"`)
    .join(', ')}`
}

export function part(text: string): string {
  return encodeURIComponent(text)
}

/** All items, with ids, names and numbers only. */
export function everything({ fields }: Dialect): Query {
  return { recursive: true, fields, enableImages: false, enableTotalRecordCount: true, collapseBoxSetItems: false }
}
