// Fills a media server with films and shows, including typical flaws of libraries: duplicates, ids in any spelling, missing
// ids.
import {
  type CatalogueIds,
  type CatalogueMovie,
  type CatalogueShow,
  movieCatalogue,
  showCatalogue,
} from '../base/index.ts'
import { markPlayed, userDataOf } from './user-data.ts'
import type { Item, Library, User, World } from './world.ts'

export interface UserOptions {
  readonly name: string
  readonly password: string
  readonly administrator?: boolean
  readonly disabled?: boolean
  readonly managesCollections?: boolean
  readonly libraries?: readonly string[]
}

export interface Population {
  readonly seed: number
  readonly movies: number
  readonly shows: number
  readonly users: readonly UserOptions[]
  /** Share of films and episodes that the first user has played, from 0 to 1. */
  readonly activity: number
}

const TICKS_PER_MS = 10_000
const CREATED_AT_MS = Date.UTC(2025, 0, 1)
const DAY_MS = 86_400_000
const SPELLINGS = {
  imdb: ['Imdb', 'IMDB', 'imdb'],
  tmdb: ['Tmdb', 'TMDB', 'tmdb'],
  tvdb: ['Tvdb', 'TVDB', 'tvdb'],
} as const

export function populate(world: World, { seed, movies, shows, users, activity }: Population): void {
  for (const user of users) world.users.push(createUser(world, user))
  const films = addLibrary(world, 'Movies', 'movies')
  const series = addLibrary(world, 'Shows', 'tvshows')
  const archive = addLibrary(world, 'Movie archive', 'movies')
  for (const [index, movie] of movieCatalogue(seed, movies).entries()) {
    addMovie(world, films, movie, index)
    // The same film twice: two items, each with its own state.
    if (index % 50 === 7) addMovie(world, archive, movie, index)
  }
  for (const [index, show] of showCatalogue(seed, shows).entries()) addShow(world, series, show, index)
  const [first] = world.users
  if (first !== undefined && activity > 0) liven(world, first, activity)
}

export function createUser(world: World, options: UserOptions): User {
  return {
    id: world.random.hex(32),
    name: options.name,
    password: options.password,
    administrator: options.administrator ?? false,
    disabled: options.disabled ?? false,
    managesCollections: options.managesCollections ?? options.administrator ?? false,
    libraries: options.libraries,
    data: new Map(),
  }
}

function addLibrary(world: World, name: string, collectionType: Library['collectionType']): Library {
  const library = { id: world.newItemId(), name, collectionType }
  world.libraries.push(library)
  return library
}

export function addMovie(world: World, library: Library, movie: CatalogueMovie, index: number): Item {
  return world.add({
    id: world.newItemId(),
    type: 'Movie',
    name: movie.title,
    libraryId: library.id,
    parentId: library.id,
    year: movie.year,
    premieredAtMs: movie.premieredAtMs,
    runtimeTicks: movie.runtimeMs * TICKS_PER_MS,
    providerIds: providerIds(movie.ids, index),
    path: `/media/${library.name}/${movie.title} (${movie.year}).mkv`,
    ...dates(index),
  })
}

export function addShow(world: World, library: Library, show: CatalogueShow, index: number): Item {
  const { premieredAtMs, year } = show
  const shared = { libraryId: library.id, ...dates(index) }
  const ids = providerIds(show.ids, index)
  const known = { name: show.title, year, premieredAtMs, providerIds: ids }
  const series = world.add({ id: world.newItemId(), type: 'Series', parentId: library.id, ...known, ...shared })
  let season: Item | undefined
  for (const episode of show.episodes) {
    if (season?.index !== episode.season) {
      const name = `Season ${episode.season}`
      const place = { parentId: series.id, seriesId: series.id, index: episode.season }
      season = world.add({ id: world.newItemId(), type: 'Season', name, providerIds: {}, ...place, ...shared })
    }
    const last = episode === show.episodes.at(-1)
    world.add({
      id: world.newItemId(),
      type: 'Episode',
      name: episode.title,
      parentId: season.id,
      seriesId: series.id,
      index: episode.number,
      parentIndex: episode.season,
      premieredAtMs: episode.airedAtMs,
      runtimeTicks: episode.runtimeMs * TICKS_PER_MS,
      providerIds: providerIds(episode.ids, index + episode.number),
      path: `/media/${library.name}/${show.title}/S${episode.season}E${episode.number}.mkv`,
      virtual: last && index % 5 === 4,
      ...shared,
    })
  }
  return series
}

function dates(index: number): { createdAtMs: number; savedAtMs: number } {
  const createdAtMs = CREATED_AT_MS + (index % 300) * DAY_MS
  return { createdAtMs, savedAtMs: createdAtMs }
}

/** Plugins of the server spell the keys differently, and some write an empty value if they found no id. */
function providerIds(ids: CatalogueIds, index: number): Record<string, string> {
  const spelling = index % 13 === 12 ? 1 : index % 13 === 6 ? 2 : 0
  const found = Object.entries(ids).map(([key, value]) => [
    SPELLINGS[key as keyof CatalogueIds][spelling],
    String(value),
  ])
  if (ids.tmdb === undefined && index % 2 === 0) found.push([SPELLINGS.tmdb[spelling], ''])
  return Object.fromEntries(found) as Record<string, string>
}

function liven(world: World, user: User, activity: number): void {
  for (const item of world.items.values()) {
    if ((item.type !== 'Movie' && item.type !== 'Episode') || item.virtual === true || !world.random.chance(activity))
      continue
    const atMs = item.createdAtMs + world.random.integer(1, 300) * DAY_MS
    markPlayed(world, user, item, atMs)
    const data = userDataOf(user, item.id)
    // The saved time is the time of the play, so that only the seed determines the data.
    data.savedAtMs = atMs
    data.favourite = world.random.chance(0.2)
    if (world.random.chance(0.3)) data.rating = world.random.integer(1, 10)
    if (!world.random.chance(0.1)) continue
    Object.assign(data, { played: false, playCount: 0, positionTicks: Math.floor((item.runtimeTicks ?? 0) * 0.4) })
  }
}
