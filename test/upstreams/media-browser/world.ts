// What a media server knows, in memory: users, libraries, items, what each user did with them, and who is signed in.
import { createSeededRandom, type SeededRandom } from '../base/index.ts'

export type ItemType = 'Movie' | 'Series' | 'Season' | 'Episode' | 'Playlist' | 'BoxSet'

export interface Entry {
  /** Names this line of a playlist; the item may be there twice. */
  readonly entryId: string
  readonly itemId: string
}

export interface Item {
  readonly id: string
  readonly type: ItemType
  name: string
  readonly libraryId?: string
  /** The season of an episode, the series of a season, else the library. */
  readonly parentId?: string
  readonly seriesId?: string
  readonly index?: number
  readonly parentIndex?: number
  readonly year?: number
  readonly premieredAtMs?: number
  readonly runtimeTicks?: number
  readonly providerIds: Readonly<Record<string, string>>
  readonly path?: string
  /** Known of, but not there: missing or not yet aired. */
  readonly virtual?: boolean
  /** More fields of the item as the server shows it: `ExtraType`, `IsPlaceHolder`, `MediaSources`. */
  readonly more?: Readonly<Record<string, unknown>>
  readonly createdAtMs: number
  savedAtMs: number
  /** What a playlist or collection holds. */
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
  /** Undefined: a key for the whole server, which is no user. */
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
  /** Undefined: the player has not said. */
  positionTicks?: number
  paused: boolean
  /** When the player was heard of last. */
  reportedAtMs: number
  readonly device: string
  readonly deviceId: string
  /** Ids of the users who watch along. */
  readonly along: readonly string[]
  /** The ids that all share are not told with the item. */
  readonly withoutIds: boolean
}

/** What a player reported, after the server noted it. */
export interface PlaybackEvent {
  readonly kind: 'start' | 'progress' | 'pause' | 'resume' | 'stop'
  /** As it was when this happened. */
  readonly session: Readonly<PlaySession>
  /** Of a stop: it counts as watched. */
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
  /** Called after every report of a player; the report is done when their work is. */
  readonly onPlayback: Set<(event: PlaybackEvent) => Promise<void>>
  /** Called when the server tells clients of changed user data, which it does not for mere progress. */
  readonly onUserData: Set<(user: User, item: Item) => void>
  /** Called when the list of sessions changed in any way. */
  readonly onSessions: Set<() => void>
  readonly random: SeededRandom
  nowMs(): number
  newItemId(): string
  /** Items whose parent this is, in order of arrival. */
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
  // Two servers with the same films still name them differently.
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

/** Calls all of them. */
export function announce<Args extends readonly unknown[]>(
  listeners: ReadonlySet<(...args: Args) => void>,
  ...args: Args
): void {
  for (const listener of listeners) listener(...args)
}

/** The user whose id or name this is. */
export function findUser(world: World, idOrName: string): User | undefined {
  const text = idOrName.toLowerCase()
  const undashed = text.replaceAll('-', '')
  return world.users.find(({ id, name }) => id === undashed || name.toLowerCase() === text)
}
