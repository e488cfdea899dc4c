// The initial data of the stand-in: three accounts, two library sections from the shared catalogue, and a cloud with more
// titles than the server.
import {
  type CatalogueIds,
  createSeededRandom,
  movieCatalogue,
  type SeededRandom,
  showCatalogue,
} from '../base/index.ts'
import { type Account, type CloudItem, issueToken, type Item, type PlexState, takeId } from './state.ts'

export interface PlexWorld {
  readonly seed?: number
  /** Another number gives another server, whose works have the same cloud ids. Default 0. */
  readonly house?: number
  /** Films in the library. Default 20. */
  readonly movies?: number
  /** Shows in the library. Default 3. */
  readonly shows?: number
  /** Titles of each kind in the cloud; at least as many as in the library. Default 300. */
  readonly cloudTitles?: number
  /** The server stores late player reports with the current time. Default false. */
  readonly stampsReports?: boolean
  /** The clock of the service. Default: the real one. */
  readonly now?: () => number
}

const BOTH = ['1', '2']
const ACCOUNTS: readonly Account[] = [
  {
    id: 900_001,
    localId: 1,
    uuid: 'ab34cd56ef789001',
    role: 'owner',
    sections: BOTH,
    username: 'sample_user',
    title: 'sample_user',
    email: 'user@example.org',
  },
  {
    id: 900_002,
    localId: 900_002,
    uuid: 'ab34cd56ef789002',
    role: 'managed',
    sections: BOTH,
    username: null,
    title: 'Kid',
    email: null,
    pin: '1234',
  },
  {
    id: 900_003,
    localId: 900_003,
    uuid: 'ab34cd56ef789003',
    role: 'friend',
    sections: ['1'],
    username: 'neighbour',
    title: 'neighbour',
    email: 'friend@example.org',
  },
]
// Earlier than the dates that tests use, so that additions are newer.
const ADDED_AT_MS = Date.UTC(2024, 0, 1)

export function createState({
  seed = 1,
  house = 0,
  movies = 20,
  shows = 3,
  cloudTitles = 300,
  stampsReports = false,
  now = Date.now,
}: PlexWorld = {}): PlexState {
  const random = createSeededRandom(seed + 97)
  const state: PlexState = {
    machineIdentifier: machineOf(random, house),
    now,
    stampsReports,
    serverUrl: 'http://127.0.0.1:32400',
    accounts: ACCOUNTS,
    tokens: new Map(),
    pins: new Map(),
    sections: [
      { key: '1', type: 'movie', title: 'Movies', uuid: random.hex(32) },
      { key: '2', type: 'show', title: 'TV Shows', uuid: random.hex(32) },
    ],
    items: new Map(),
    plays: [],
    playStates: new Map(),
    sessions: new Map(),
    playlists: new Map(),
    collections: new Map(),
    cloud: new Map(),
    watchlists: new Map(),
    throttle: { requests: 0, retryAfterS: undefined },
    nextId: 1_000,
  }
  fill(state, random, seed, movies, shows, cloudTitles)
  for (const account of ACCOUNTS) {
    issueToken(state, account, 'cloud')
    issueToken(state, account, 'server')
  }
  return state
}

/** The random sequence continues the same for every house. */
function machineOf(random: SeededRandom, house: number): string {
  const machine = random.hex(40)
  return house === 0 ? machine : createSeededRandom(house).hex(40)
}

function fill(
  state: PlexState,
  random: SeededRandom,
  seed: number,
  movies: number,
  shows: number,
  cloudTitles: number,
): void {
  movieCatalogue(seed, Math.max(movies, cloudTitles)).forEach((movie, index) => {
    const cloud = addCloudItem(state, {
      ...movie,
      hex: random.hex(24),
      guids: guids(movie.ids),
      bareInLists: index % 10 === 9,
    })
    if (index < movies) put(state, { ...fromCloud(cloud), sectionKey: '1', durationMs: movie.runtimeMs })
  })
  showCatalogue(seed, Math.max(shows, cloudTitles)).forEach((show, index) => {
    const cloud = addCloudItem(state, {
      ...show,
      hex: random.hex(24),
      guids: guids(show.ids),
      bareInLists: index % 10 === 9,
    })
    if (index >= shows) return
    const { ratingKey } = put(state, { ...fromCloud(cloud), sectionKey: '2' })
    const seasons = new Map<number, string>()
    for (const episode of show.episodes) {
      const parentKey = seasons.getOrInsertComputed(
        episode.season,
        () =>
          put(state, {
            type: 'season',
            sectionKey: '2',
            guid: `plex://season/${random.hex(24)}`,
            guids: [],
            title: `Season ${episode.season}`,
            index: episode.season,
            parentKey: ratingKey,
          }).ratingKey,
      )
      put(state, {
        type: 'episode',
        sectionKey: '2',
        guid: `plex://episode/${random.hex(24)}`,
        guids: guids(episode.ids),
        title: episode.title,
        durationMs: episode.runtimeMs,
        premieredAtMs: episode.airedAtMs,
        index: episode.number,
        parentKey,
      })
    }
  })
}

/** Adds an item to the library with a new rating key. */
export function put(state: PlexState, item: Omit<Item, 'ratingKey' | 'addedAtMs'>, addedAtMs = ADDED_AT_MS): Item {
  const ratingKey = String(takeId(state))
  const stored = { ...item, ratingKey, addedAtMs }
  state.items.set(ratingKey, stored)
  return stored
}

function addCloudItem(
  state: PlexState,
  { hex, type, title, year, premieredAtMs, guids, bareInLists }: CloudItem,
): CloudItem {
  const item = { hex, type, title, year, premieredAtMs, guids, bareInLists }
  state.cloud.set(hex, item)
  return item
}

function fromCloud({ hex, type, title, year, premieredAtMs, guids }: CloudItem) {
  return { type, title, year, premieredAtMs, guids, guid: `plex://${type}/${hex}` }
}

function guids(ids: CatalogueIds): string[] {
  return (['imdb', 'tmdb', 'tvdb'] as const)
    .filter((name) => ids[name] !== undefined)
    .map((name) => `${name}://${ids[name]}`)
}
