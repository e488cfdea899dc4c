// Lists of the library, page by page, with proof that they are complete.
import { yieldToLoop } from '@playhead/sdk'
import { episodeEntry, type Entry, type Kind, movieEntry, showEntry, type ShowFacts } from './items.ts'
import { isAbsent, type Rpc } from './rpc.ts'
import {
  Episodes,
  EPISODE_FIELDS,
  EpisodeDetails,
  MOVIE_FIELDS,
  MovieDetails,
  Movies,
  Shows,
  SHOW_FIELDS,
  ShowDetails,
} from './wire.ts'

/** https://kodi.wiki/view/JSON-RPC_API/v13#List.Filter.Rule.Movies */
export interface Filter {
  readonly field: string
  readonly operator: string
  readonly value: string
}

interface ListOptions {
  readonly filter?: Filter
  /** Episodes only: those of one show. */
  readonly within?: { readonly tvshowid: number }
  readonly pageSize: number
  readonly signal: AbortSignal
}

export interface Listing {
  readonly entries: readonly Entry[]
  /** Why the list is not proven to be complete; undefined if it is. */
  readonly flaw: string | undefined
}

/** Shows by Kodi's id. */
export type ShowsById = ReadonlyMap<number, ShowFacts>

interface Page {
  readonly entries: readonly Entry[]
  readonly total: number
}

/** @param shows for the ids of the shows of episodes */
export async function list(
  rpc: Rpc,
  kind: Kind,
  { filter, within, pageSize, signal }: ListOptions,
  shows: ShowsById = new Map(),
): Promise<Listing> {
  const found = new Map<number, Entry>()
  let total: number | undefined
  for (let start = 0; total === undefined || start < total; start += pageSize) {
    const limits = { start, end: start + pageSize }
    const page = await fetchPage(
      rpc,
      kind,
      { ...within, ...(filter === undefined ? {} : { filter }), limits },
      signal,
      shows,
    )
    if (total !== undefined && page.total !== total)
      return { entries: [...found.values()], flaw: 'changed_while_reading' }
    total = page.total
    const before = found.size
    for (const entry of page.entries) found.set(entry.id, entry)
    // Kodi has no order by default: an entry that is added or removed meanwhile moves the others.
    if (found.size - before !== Math.min(pageSize, total - start))
      return { entries: [...found.values()], flaw: 'total_mismatch' }
    await yieldToLoop()
  }
  return { entries: [...found.values()], flaw: undefined }
}

async function fetchPage(
  rpc: Rpc,
  kind: Kind,
  params: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
  shows: ShowsById,
): Promise<Page> {
  switch (kind) {
    case 'movie': {
      const ask = { ...params, properties: MOVIE_FIELDS }
      const { movies = [], limits } = await rpc.call('VideoLibrary.GetMovies', ask, Movies, signal)
      return { entries: movies.map(movieEntry), total: limits.total }
    }
    case 'show': {
      const ask = { ...params, properties: SHOW_FIELDS }
      const { tvshows = [], limits } = await rpc.call('VideoLibrary.GetTVShows', ask, Shows, signal)
      return { entries: tvshows.map(showEntry), total: limits.total }
    }
    default: {
      const ask = { ...params, properties: EPISODE_FIELDS }
      const { episodes = [], limits } = await rpc.call('VideoLibrary.GetEpisodes', ask, Episodes, signal)
      return { entries: episodes.map((row) => episodeEntry(row, shows.get(row.tvshowid))), total: limits.total }
    }
  }
}

/** The entry as it is now; undefined if it left the library. */
export async function look(rpc: Rpc, { kind, id, item }: Entry, signal: AbortSignal): Promise<Entry | undefined> {
  try {
    if (kind === 'movie') {
      const ask = { movieid: id, properties: MOVIE_FIELDS }
      return movieEntry((await rpc.call('VideoLibrary.GetMovieDetails', ask, MovieDetails, signal)).moviedetails)
    }
    if (kind === 'show') {
      const ask = { tvshowid: id, properties: SHOW_FIELDS }
      return showEntry((await rpc.call('VideoLibrary.GetTVShowDetails', ask, ShowDetails, signal)).tvshowdetails)
    }
    const ask = { episodeid: id, properties: EPISODE_FIELDS }
    const { episodedetails: row } = await rpc.call('VideoLibrary.GetEpisodeDetails', ask, EpisodeDetails, signal)
    return episodeEntry(row, { ids: item.show_ids ?? {} })
  } catch (error) {
    if (isAbsent(error)) return undefined
    throw error
  }
}
