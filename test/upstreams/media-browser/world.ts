// The in-memory state of a media server: users, libraries, items, user data and sessions.
import { createSeededRandom, type SeededRandom } from '../base/index.ts'

export type ItemType = 'Movie' | 'Series' | 'Season' | 'Episode' | 'Playlist' | 'BoxSet'

export interface Entry {
  /** Identifies this entry of a playlist; the same item can occur twice. */
  readonly entryId: string
  readonly itemId: string
}

export interface Item {
  readonly id: string
  readonly type: ItemType
  name: string
  readonly libraryId?: string
  /** The season of an episode, the series of a season, otherwise the library. */
  readonly parentId?: string
  readonly seriesId?: string
  readonly index?: number
  readonly parentIndex?: number
  readonly year?: number
  readonly premieredAtMs?: number
  readonly runtimeTicks?: number
  readonly providerIds: Readonly<Record<string, string>>
  readonly path?: string
  /** Known but not available: missing or not yet aired. */
  readonly virtual?: boolean
  /** Additional fields of the item in responses: `ExtraType`, `IsPlaceHolder`, `MediaSources`. */
  readonly more?: Readonly<Record<string, unknown>>
  readonly createdAtMs: number
  savedAtMs: number
  /** Entries of a playlist or collection. */
  entries?: Entry[]
  readonly ownerId?: string
  public?: boolean
}

export interface UserData {
  played: boolean
  playCount: number
  lastPlayedAtMs?: number
  positionTicks: number
  favourite: boolean
  rating?: number
  hiddenFromResume?: boolean
  savedAtMs: number
}

export interface User {
  readonly id: string
  readonly name: string
  readonly password: string
  readonly administrator: boolean
  disabled: boolean
  managesCollections: boolean
  /** Names of the libraries that the user may see. Undefined: all. */
  libraries?: readonly string[]
  readonly data: Map<string, UserData>
}

export interface Library {
  readonly id: string
  readonly name: string
  readonly collectionType: 'movies' | 'tvshows'
}

export interface Token {
  readonly value: string
  /** undefined: a server-wide key, which has no user. */
  readonly user?: User
  readonly deviceId: string
  readonly deviceName: string
  readonly client: string
  readonly version: string
}

export interface PlaySession {
  readonly id: string
  readonly userId: string
  itemId: string
  /** undefined: the player has not reported it. */
  positionTicks?: number
  paused: boolean
  /** Time of the last report of the player. */
  reportedAtMs: number
  readonly device: string
  readonly deviceId: string
  /** Ids of the users who watch along. */
  readonly along: readonly string[]
  /** Responses omit the shared ids of the item. */
  readonly withoutIds: boolean
}

/** A player report, after the server has stored it. */
export interface PlaybackEvent {
  readonly kind: 'start' | 'progress' | 'pause' | 'resume' | 'stop'
  /** The session at the time of the event. */
  readonly session: Readonly<PlaySession>
  /** For a stop: the item counts as watched. */
  readonly completed: boolean
}

export interface World {
  readonly serverId: string
  readonly serverName: string
  readonly version: string
  readonly users: User[]
  readonly libraries: Library[]
  readonly items: Map<string, Item>
  readonly tokens: Map<string, Token>
  readonly sessions: PlaySession[]
  /** Called after every player report; the report completes when all listeners have. */
  readonly onPlayback: Set<(event: PlaybackEvent) => Promise<void>>
  /** Called when the server notifies clients of changed user data, which it does not do for progress alone. */
  readonly onUserData: Set<(user: User, item: Item) => void>
  /** Called after any change of the list of sessions. */
  readonly onSessions: Set<() => void>
  readonly random: SeededRandom
  nowMs(): number
  newItemId(): string
  /** Children of this item, in order of arrival. */
  childrenOf(id: string): readonly Item[]
  add(item: Item): Item
  remove(id: string): boolean
}

export interface WorldOptions {
  readonly serverName: string
  readonly version: string
  readonly seed: number
  readonly ids: 'hex' | 'decimal'
  readonly nowMs: () => number
}

export function createWorld({ serverName, version, seed, ids, nowMs }: WorldOptions): World {
  // Two servers with the same films still use different ids.
  const random = createSeededRandom(
    [...serverName].reduce((sum, letter) => Math.imul(sum, 31) + letter.charCodeAt(0), seed),
  )
  const items = new Map<string, Item>()
  const children = new Map<string, Item[]>()
  let lastDecimal = 5_000

  return {
    serverId: random.hex(32),
    serverName,
    version,
    users: [],
    libraries: [],
    items,
    tokens: new Map(),
    sessions: [],
    onPlayback: new Set(),
    onUserData: new Set(),
    onSessions: new Set(),
    random,
    nowMs,
    newItemId: () => (ids === 'hex' ? random.hex(32) : String((lastDecimal += 1))),
    childrenOf: (id) => children.get(id) ?? [],
    add(item) {
      items.set(item.id, item)
      if (item.parentId !== undefined) {
        const siblings = children.get(item.parentId)
        if (siblings === undefined) children.set(item.parentId, [item])
        else siblings.push(item)
      }
      return item
    },
    remove(id) {
      const item = items.get(id)
      if (item === undefined) return false
      for (const child of [...(children.get(id) ?? [])]) this.remove(child.id)
      items.delete(id)
      children.delete(id)
      const siblings = item.parentId === undefined ? undefined : children.get(item.parentId)
      siblings?.splice(siblings.indexOf(item), 1)
      for (const other of items.values()) other.entries = other.entries?.filter(({ itemId }) => itemId !== id)
      return true
    },
  }
}

/** Calls all listeners. */
export function announce<Args extends readonly unknown[]>(
  listeners: ReadonlySet<(...args: Args) => void>,
  ...args: Args
): void {
  for (const listener of listeners) listener(...args)
}

/** Finds a user by id or name. */
export function findUser(world: World, idOrName: string): User | undefined {
  const text = idOrName.toLowerCase()
  const undashed = text.replaceAll('-', '')
  return world.users.find(({ id, name }) => id === undashed || name.toLowerCase() === text)
}
