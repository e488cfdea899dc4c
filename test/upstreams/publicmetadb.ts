// A stand-in for PublicMetaDB on loopback: accounts by key; lists, plays and positions in pages with totals.
import { randomBytes } from 'node:crypto'
import { startUpstream, type Upstream } from './base/index.ts'
import { handle } from './publicmetadb/routes.ts'
import { type Account, isSame, nextId, type State, type Work } from './publicmetadb/state.ts'
import type { Catalogue } from './trakt/catalogue.ts'
import { seededCatalogue } from './trakt/seeded.ts'

export type { Work } from './publicmetadb/state.ts'

export interface PublicmetadbOptions
  extends Partial<Pick<State, 'pageRows' | 'requestsPer10s' | 'conflicts' | 'nowMs'>> {
  /** Seed of the shared catalogue. Default 1, 60 movies and 12 shows. */
  readonly seed?: number
  readonly movies?: number
  /** Replaces the shared catalogue. */
  readonly catalogue?: Catalogue
  readonly shows?: number
  /** Default: `ada`. */
  readonly usernames?: readonly string[]
  readonly latencyMs?: number
  readonly port?: number
}

/** Actions of a person on the website. */
export interface User {
  readonly username: string
  readonly apiKey: string
  /** The data of the account, for comparison in tests. */
  readonly account: Account
  /** Creates a new key; the previous key becomes invalid. */
  renewKey(): void
  /** Returns the id of the list. */
  makeList(name: string, type?: 'watchlist' | 'custom'): string
  deleteList(id: string): void
  addToList(id: string, work: Work, atMs?: number): void
  removeFromList(id: string, work: Work): void
  /** Returns the id of the play. */
  watch(work: Work, atMs?: number): string
  pause(work: Work, positionMs: number, runtimeMs: number, atMs?: number): void
}

export interface Publicmetadb extends Upstream {
  /** The first user. */
  readonly user: User
  userNamed(username: string): User
  /** A movie that has a TMDB id. */
  movie(index: number): Work
  show(index: number): Work
  episode(showIndex: number, season: number, episode: number): Work
}

export async function startPublicmetadb(options: PublicmetadbOptions = {}): Promise<Publicmetadb> {
  const { seed = 1, movies = 60, shows = 12, usernames = ['ada'], latencyMs = 0, port = 0 } = options
  const catalogue = options.catalogue ?? seededCatalogue(seed, movies, shows)
  const accounts = usernames.map(
    (username): Account => ({
      username,
      apiKey: newKey(),
      lists: [],
      plays: [],
      positions: [],
      window: { endsAtMs: 0, used: 0 },
    }),
  )
  const { nowMs = Date.now, pageRows = 500, requestsPer10s = 300, conflicts = 'status' } = options
  const state: State = { catalogue, nowMs, accounts, pageRows, requestsPer10s, conflicts, lastId: 40_000 }
  const users = accounts.map((account) => createUser(state, account))
  const upstream = await startUpstream({
    name: 'PublicMetaDB',
    latencyMs,
    port,
    handler: (request) => handle(state, request),
  })
  const tmdbOf = (work: { readonly ids: { readonly tmdb?: number | null } } | undefined, name: string) =>
    known(work?.ids.tmdb ?? undefined, name)
  const showId = (index: number) => tmdbOf(catalogue.shows[index], `show ${index}`)
  return {
    ...upstream,
    user: known(users[0], 'user'),
    userNamed: (username) =>
      known(
        users.find((one) => one.username === username),
        username,
      ),
    movie: (index) => ({ tmdb_id: tmdbOf(catalogue.movies[index], `movie ${index}`), media_type: 'movie' }),
    show: (index) => ({ tmdb_id: showId(index), media_type: 'tv' }),
    episode: (index, season, episode) => ({ tmdb_id: showId(index), media_type: 'tv', season, episode }),
  }
}

function createUser(state: State, account: Account): User {
  const listOf = (id: string) =>
    known(
      account.lists.find((list) => list.id === id),
      `list ${id}`,
    )
  return {
    username: account.username,
    apiKey: account.apiKey,
    account,
    renewKey: () => {
      account.apiKey = newKey()
    },
    makeList: (name, type = 'custom') => {
      const id = nextId(state)
      account.lists.push({ id, name, type, isPublic: false, rows: [] })
      return id
    },
    deleteList: (id) => {
      account.lists = account.lists.filter((list) => list.id !== id)
    },
    addToList: (id, work, atMs = state.nowMs()) => {
      listOf(id).rows.push({ id: nextId(state), work, atMs })
    },
    removeFromList: (id, work) => {
      const list = listOf(id)
      list.rows = list.rows.filter((row) => !isSame(row.work, work))
    },
    watch: (work, atMs = state.nowMs()) => {
      const id = nextId(state)
      account.plays.push({ id, work, atMs })
      return id
    },
    pause: (work, positionMs, runtimeMs, atMs = state.nowMs()) => {
      account.positions.push({ id: nextId(state), work, positionMs, runtimeMs, atMs })
    },
  }
}

function newKey(): string {
  return `pm-${randomBytes(16).toString('hex')}`
}

function known<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new RangeError(`PublicMetaDB knows no ${name}`)
  return value
}
