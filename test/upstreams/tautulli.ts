// A stand-in for Tautulli on loopback: the play log of a media server, including rows that are not plays.
import { randomBytes } from 'node:crypto'
import {
  type CatalogueIds,
  type CatalogueShow,
  movieCatalogue,
  showCatalogue,
  startUpstream,
  type Upstream,
} from './base/index.ts'
import { rememberShowTitle, run } from './tautulli/commands.ts'
import type { LibraryItem, Playback, State } from './tautulli/state.ts'

export type { LibraryItem } from './tautulli/state.ts'

export interface TautulliOptions {
  /** Seed of the shared catalogue. Default 1, 60 films, 4 shows. */
  readonly seed?: number
  readonly movies?: number
  readonly shows?: number
  /** Additional shows after those of the catalogue. */
  readonly moreShows?: readonly CatalogueShow[]
  /** Default: one, 9001. */
  readonly users?: readonly number[]
  /** Base path of the server, for example `/tautulli`. Default: none. */
  readonly basePath?: string
  readonly latencyMs?: number
  readonly port?: number
}

export interface PlayOptions {
  /** When playback stopped. Default: now. */
  readonly atMs?: number
  /** Default 96. */
  readonly percent?: number
  readonly user?: number
  readonly live?: boolean
  /** Continues the playback of this row after a pause. */
  readonly after?: number
}

export interface Tautulli extends Upstream {
  readonly apiKey: string
  readonly serverId: string
  /** The administrator creates a new key; the previous key becomes invalid. */
  renewKey(): void
  movie(index: number): LibraryItem
  show(index: number): LibraryItem
  episode(show: number, season: number, number: number): LibraryItem
  /** Returns the row of the playback. */
  play(item: LibraryItem, options?: PlayOptions): number
  /** Starts a playback that does not end. */
  startPlaying(item: LibraryItem, user?: number): void
  /** The item is removed from the media server; its plays stay. */
  deleteItem(item: LibraryItem): void
  rename(item: LibraryItem, title: string): void
  forget(row: number): void
  /** Quirks that a test can switch on. */
  readonly quirks: Pick<State, 'isEnabled' | 'writesText' | 'ignoresStart'>
}

const FIRST_MOVIE = 1_000
const FIRST_SHOW = 100_000
const PER_SHOW = 1_000
const LASTS_S = 2_600

/**
 * @example
 * await using tautulli = await startTautulli()
 * tautulli.play(tautulli.movie(0))
 */
export async function startTautulli(options: TautulliOptions = {}): Promise<Tautulli> {
  const { seed = 1, movies = 60, shows = 4, users = [9_001], basePath = '', latencyMs = 0, port = 0 } = options
  const state: State = {
    apiKey: newKey(),
    serverId: randomBytes(20).toString('hex'),
    users: users.map((id) => ({ id, name: `User ${id}` })),
    items: itemsOf(seed, movies, shows, options.moreShows),
    playbacks: [],
    running: [],
    isEnabled: true,
    writesText: false,
    ignoresStart: false,
    lastRow: 1_000,
  }
  const upstream = await startUpstream({
    name: 'Tautulli',
    latencyMs,
    port,
    handler: async ({ path, query, method, body }) => {
      if (path !== `${basePath}/api/v2`)
        return { status: 404, headers: { 'content-type': 'text/html' }, text: '<html>Not found</html>' }
      return run(state, method === 'POST' ? new URLSearchParams((await body()).toString('utf8')) : query)
    },
  })
  const known = (key: number): LibraryItem => {
    const item = state.items.get(key)
    if (item === undefined) throw new RangeError(`the media server has no item ${key}`)
    return item
  }
  const playback = (
    item: LibraryItem,
    { atMs = Date.now(), percent = 96, user = users[0] ?? 0, live = false, after }: PlayOptions,
  ): Playback => {
    const rowId = (state.lastRow += 1)
    const stoppedS = Math.floor(atMs / 1_000)
    const referenceId = state.playbacks.find((one) => one.rowId === after)?.referenceId ?? rowId
    return { rowId, referenceId, userId: user, item, startedS: stoppedS - LASTS_S, stoppedS, percent, live }
  }

  return {
    ...upstream,
    url: upstream.url + basePath,
    apiKey: state.apiKey,
    serverId: state.serverId,
    renewKey: () => {
      state.apiKey = newKey()
    },
    quirks: state,
    movie: (index) => known(FIRST_MOVIE + index),
    show: (index) => known(FIRST_SHOW + index * PER_SHOW),
    episode: (show, season, number) => known(FIRST_SHOW + show * PER_SHOW + season * 100 + number),
    play(item, given = {}) {
      const made = playback(item, given)
      state.playbacks.push(made)
      return made.rowId
    },
    startPlaying: (item, user = users[0] ?? 0) => void state.running.push(playback(item, { user })),
    deleteItem: (item) => {
      item.deleted = true
    },
    rename: (item, title) => {
      item.title = title
    },
    forget: (row) => {
      state.playbacks = state.playbacks.filter(({ rowId }) => rowId !== row)
    },
  }
}

function itemsOf(
  seed: number,
  movies: number,
  shows: number,
  more: readonly CatalogueShow[] = [],
): Map<number, LibraryItem> {
  const items = new Map<number, LibraryItem>()
  const add = (item: LibraryItem) => void items.set(item.ratingKey, item)
  movieCatalogue(seed, movies).forEach(({ title, year, ids }, index) => {
    // Every tenth item was matched by a legacy agent, whose guid contains the id itself.
    const isOld = index % 10 === 9 && ids.imdb !== undefined
    const guid = isOld ? `com.plexapp.agents.imdb://${ids.imdb}?lang=en` : guidOf('movie', index)
    add({
      ratingKey: FIRST_MOVIE + index,
      type: 'movie',
      title,
      year,
      guid,
      guids: isOld ? [] : guidsOf(ids),
      deleted: false,
    })
  })
  ;[...showCatalogue(seed, shows), ...more].forEach(({ title, year, ids, episodes }, index) => {
    const showKey = FIRST_SHOW + index * PER_SHOW
    add({
      ratingKey: showKey,
      type: 'show',
      title,
      year,
      guid: guidOf('show', index),
      guids: guidsOf(ids),
      deleted: false,
    })
    for (const { season, number, title: name, ids: own } of episodes) {
      const serial = season * 100 + number
      const item: LibraryItem = {
        ratingKey: showKey + serial,
        type: 'episode',
        title: name,
        year,
        guid: guidOf('episode', index * PER_SHOW + serial),
        guids: guidsOf(own),
        showKey,
        season,
        number,
        deleted: false,
      }
      rememberShowTitle(item, title)
      add(item)
    }
  })
  return items
}

function guidOf(type: string, serial: number): string {
  return `plex://${type}/${serial.toString(16).padStart(24, '0')}`
}

function guidsOf({ imdb, tmdb, tvdb }: CatalogueIds): string[] {
  return [
    ['imdb', imdb],
    ['tmdb', tmdb],
    ['tvdb', tvdb],
  ].flatMap(([scheme, id]) => (id === undefined ? [] : [`${scheme}://${id}`]))
}

function newKey(): string {
  return randomBytes(16).toString('hex')
}
