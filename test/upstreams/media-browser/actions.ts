// Changes at the server that Playhead does not cause: people watch, mark and rate, files are added and removed, tokens expire.
import { addMovie, addShow, createUser, type UserOptions } from './populate.ts'
import { createList } from './routes-lists.ts'
import { markPlayed, markUnplayed, userDataOf } from './user-data.ts'
import { announce, findUser, type Item, type PlaySession, type User, type UserData, type World } from './world.ts'

export interface NewItem {
  readonly type: 'movie' | 'show'
  readonly title: string
  readonly year: number
  readonly ids?: { readonly tmdb?: number; readonly imdb?: string; readonly tvdb?: number }
  /** Number of episodes in the only season of a show. Default 3. */
  readonly episodes?: number
}

export interface PlayOptions {
  /** Default: a television. */
  readonly device?: string
  readonly paused?: boolean
  /** The server reports the session without the shared ids. */
  readonly withoutIds?: boolean
}

export interface Actions {
  /** `user` is a name or an id in all methods. For a show, all episodes are marked. */
  markPlayed(user: string, itemId: string, atMs: number): void
  markUnplayed(user: string, itemId: string): void
  setFavourite(user: string, itemId: string, favourite: boolean): void
  setPosition(user: string, itemId: string, positionMs: number, atMs?: number): void
  setRating(user: string, itemId: string, rating: number | undefined): void
  /** The user data of the item. undefined: none yet. */
  userData(user: string, itemId: string): Readonly<UserData> | undefined
  addItem(item: NewItem): Item
  removeItem(itemId: string): void
  createPlaylist(user: string, name: string, itemIds: readonly string[]): Item
  createCollection(name: string, itemIds: readonly string[]): Item
  addUser(user: UserOptions): User
  disableUser(user: string): void
  /** A server-wide API key, which belongs to no user. */
  createApiKey(): string
  /** Invalidates every token, including keys. */
  expireTokens(): void
  /** Starts a playback; returns the session id. */
  startPlaying(user: string, itemId: string, positionMs?: number, options?: PlayOptions): string
  /** Sends the next report of the player. */
  reportPlaying(
    sessionId: string,
    report: { readonly positionMs?: number; readonly paused?: boolean; readonly itemId?: string },
  ): void
  stopPlaying(sessionId: string): void
  /**
   * The next requests (default 1) reach a starting server. Tokens survive the restart; sessions and pending sign-ins do
   * not.
   */
  restart(options?: { readonly startingRequests?: number }): void
}

export function createActions(world: World, restart: (startingRequests: number) => void): Actions {
  const userNamed = (name: string): User => found(findUser(world, name), `user ${name}`)
  const itemNamed = (id: string): Item => found(world.items.get(id), `item ${id}`)

  function change(name: string, itemId: string, changes: Partial<UserData>): void {
    Object.assign(userDataOf(userNamed(name), itemNamed(itemId).id), changes, { savedAtMs: world.nowMs() })
    announce(world.onUserData, userNamed(name), itemNamed(itemId))
  }

  return {
    markPlayed(name, itemId, atMs) {
      markPlayed(world, userNamed(name), itemNamed(itemId), atMs)
      announce(world.onUserData, userNamed(name), itemNamed(itemId))
    },
    markUnplayed(name, itemId) {
      markUnplayed(world, userNamed(name), itemNamed(itemId))
      announce(world.onUserData, userNamed(name), itemNamed(itemId))
    },
    setFavourite: (name, itemId, favourite) => change(name, itemId, { favourite }),
    setRating: (name, itemId, rating) => change(name, itemId, { rating }),
    setPosition(name, itemId, positionMs, atMs = world.nowMs()) {
      change(name, itemId, { positionTicks: positionMs * 10_000, lastPlayedAtMs: atMs })
    },
    userData: (name, itemId) => userNamed(name).data.get(itemId),
    addItem({ type, title, year, ids = {}, episodes = 3 }) {
      const shared = { title, year, premieredAtMs: Date.UTC(year, 0, 1), ids }
      const wanted = type === 'movie' ? 'movies' : 'tvshows'
      const library = found(
        world.libraries.find(({ collectionType }) => collectionType === wanted),
        'library',
      )
      const item =
        type === 'movie'
          ? addMovie(world, library, { type, runtimeMs: 6_000_000, ...shared }, 1)
          : addShow(world, library, { type, episodes: plainEpisodes(episodes, shared.premieredAtMs), ...shared }, 1)
      item.savedAtMs = world.nowMs()
      return item
    },
    removeItem: (itemId) => void world.remove(itemNamed(itemId).id),
    createPlaylist: (name, title, itemIds) =>
      createList(world, 'Playlist', { name: title, itemIds, owner: userNamed(name) }),
    createCollection: (name, itemIds) => createList(world, 'BoxSet', { name, itemIds }),
    addUser(options) {
      const user = createUser(world, options)
      world.users.push(user)
      return user
    },
    disableUser(name) {
      userNamed(name).disabled = true
    },
    createApiKey() {
      const value = world.random.hex(32)
      world.tokens.set(value, { value, client: 'key', deviceName: 'key', deviceId: 'key', version: '1' })
      return value
    },
    expireTokens: () => world.tokens.clear(),
    startPlaying(name, itemId, positionMs, { device = 'Television', paused = false, withoutIds = false } = {}) {
      const id = world.random.hex(32)
      const session: PlaySession = {
        id,
        userId: userNamed(name).id,
        itemId: itemNamed(itemId).id,
        paused,
        device,
        deviceId: `device-of-${id}`,
        along: [],
        withoutIds,
        reportedAtMs: world.nowMs(),
      }
      if (positionMs !== undefined) session.positionTicks = positionMs * 10_000
      world.sessions.push(session)
      announce(world.onSessions)
      return id
    },
    reportPlaying(sessionId, { positionMs, paused, itemId }) {
      const session = found(
        world.sessions.find(({ id }) => id === sessionId),
        `session ${sessionId}`,
      )
      session.reportedAtMs = world.nowMs()
      if (positionMs !== undefined) session.positionTicks = positionMs * 10_000
      if (paused !== undefined) session.paused = paused
      if (itemId !== undefined) session.itemId = itemNamed(itemId).id
      announce(world.onSessions)
    },
    stopPlaying(sessionId) {
      const index = world.sessions.findIndex(({ id }) => id === sessionId)
      if (index >= 0) world.sessions.splice(index, 1)
      announce(world.onSessions)
    },
    restart: ({ startingRequests = 1 } = {}) => restart(startingRequests),
  }
}

function plainEpisodes(count: number, premieredAtMs: number) {
  return Array.from({ length: count }, (_, index) => {
    const number = index + 1
    return {
      season: 1,
      number,
      title: `Chapter ${number}`,
      airedAtMs: premieredAtMs + index * 604_800_000,
      runtimeMs: 2_700_000,
      ids: {},
    }
  })
}

function found<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`the stand-in has no ${what}`)
  return value
}
