// The state of the PublicMetaDB stand-in: keys, lists, plays and positions, identified by TMDB id.
import type { Catalogue } from '../trakt/catalogue.ts'

/** A work, as the service names it. */
export interface Work {
  readonly tmdb_id: number
  readonly media_type: 'movie' | 'tv'
  readonly season?: number
  readonly episode?: number
}

export interface List {
  readonly id: string
  name: string
  readonly type: 'watchlist' | 'custom'
  readonly isPublic: boolean
  rows: { readonly id: string; readonly work: Work; readonly atMs: number }[]
}

export interface Account {
  readonly username: string
  apiKey: string
  lists: List[]
  plays: { readonly id: string; readonly work: Work; readonly atMs: number }[]
  positions: {
    readonly id: string
    readonly work: Work
    readonly positionMs: number
    readonly runtimeMs: number
    readonly atMs: number
  }[]
  window: { endsAtMs: number; used: number }
}

export interface State {
  readonly catalogue: Catalogue
  readonly nowMs: () => number
  readonly accounts: readonly Account[]
  /** Maximum rows per page. */
  readonly pageRows: number
  /** Requests per ten seconds. */
  readonly requestsPer10s: number
  /** Reports existing rows with status 409, or with a message. */
  readonly conflicts: 'status' | 'words'
  lastId: number
}

export function nextId(state: State): string {
  state.lastId += 1
  return `r${state.lastId.toString(36)}`
}

export function isSame(a: Work, b: Work): boolean {
  return a.tmdb_id === b.tmdb_id && a.media_type === b.media_type && a.season === b.season && a.episode === b.episode
}

/** The title of a work; undefined if the service does not know it. */
export function titleOf(
  { catalogue }: State,
  { tmdb_id: tmdb, media_type: media, season, episode }: Work,
): string | undefined {
  const entry = catalogue.find(media === 'movie' ? 'movie' : 'show', { tmdb })
  if (entry?.type === 'movie') return season === undefined ? entry.movie.title : undefined
  if (entry?.type !== 'show') return undefined
  if (season === undefined) return entry.show.title
  const found = entry.show.seasons
    .find(({ number }) => number === season)
    ?.episodes.some(({ number }) => number === episode)
  return found === true ? entry.show.title : undefined
}
